"""The page of final labels: rules, counts by origin, and files."""

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from core.numbers import whole_number
from projects.access import permissions_in, project_to
from projects.models import Project, Round
from projects.roles import Permission
from raters.access import LabelsHidden, log_label_access
from raters.adjudication.exporting import FORMATS, FinalLabel, final_labels
from raters.adjudication.final_files import file_of, refuse_while_labeling
from raters.adjudication.reference_answers import from_decisions
from raters.adjudication.rule_words import MEANING, origins_of
from raters.adjudication.rules import Origin
from raters.adjudication.ruling import QuestionRule, rows_of
from raters.figures.pending_figures import when_stored
from raters.items.item_letters import are_hidden_from
from raters.labeling.missing_answers import missing_answers_for
from raters.models import Label
from raters.voters import voters_of

# Counting takes about a second per million labels; beyond this limit, only files are offered.
MOST_COUNTED = 200_000
# Final labels that no rule derived, so that they are not uncertain.
_GIVEN = frozenset({Origin.ADJUDICATED, Origin.REFERENCE})
# Number of least certain labels that the page shows with their shares.
N_LEAST = 20


@require_safe
@when_stored
def finals(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_to(request.user, slug, Permission.SEE_LABELS)
    round_ = requested_round(request, project)
    refusal, counts = "", None
    least: list[FinalLabel] = []
    questions = list(project.questions.compared())
    try:
        refuse_while_labeling(request.user, project, round_)
    except LabelsHidden as blind:
        refusal = str(blind)
    else:
        log_label_access(request.user, project, "final labels")
        if not has_many_labels(project):
            counts, least = _counted(final_labels(project, round_))
    may_edit = Permission.EDIT_PROJECT in permissions_in(request.user, project)
    rules = rows_of(project)
    context = {
        "project": project,
        "rounds": list(project.rounds.all()),
        "round": round_,
        "kinds": list(FORMATS),
        "rules": rules,
        "voters": voters_of(project),
        "may_edit": may_edit,
        "may_export": not are_hidden_from(request.user, project),
        "rows": [
            (origin.words, MEANING[origin], None if counts is None else counts[origin])
            for origin in _possible(rules, counts)
        ],
        "least": least,
        "refusal": refusal,
        "references": None if refusal or not may_edit else from_decisions(project),
        "questions": questions,
        "missing_answers": missing_answers_for(
            project, None if round_ is None else [round_.pk], by=request.user
        ),
    }
    return render(request, "adjudication/finals.html", context)


def _possible(rules: Iterable[QuestionRule], counts: Counter[Origin] | None) -> list[Origin]:
    """Return the origins possible under the project's rules, in order of precedence."""
    known: set[Origin] = set(counts or ())
    for row in rules:
        known |= origins_of(row.kind)
        known |= {Origin.NOT_ASKED} if row.question.asked_if_question else set()
    return [origin for origin in Origin if origin in known]


def _counted(labels: Iterable[FinalLabel]) -> tuple[Counter[Origin], list[FinalLabel]]:
    """Return counts by origin, and the least certain labels without a decision."""
    counts: Counter[Origin] = Counter()

    def undecided() -> Iterator[FinalLabel]:
        for label in labels:
            counts[label.origin] += 1
            if label.shares and label.origin not in _GIVEN and _certainty(label) < 1:
                yield label

    return counts, heapq.nsmallest(N_LEAST, undecided(), key=_certainty)


def _certainty(label: FinalLabel) -> float:
    """Return the certainty under the rule, or else the share of raters who gave the label (or each tied label)."""
    final = label.final
    return (final.share_agree or 0.0) if final.certainty is None else final.certainty


@require_safe
def finals_file(request: HttpRequest, slug: str, kind: str) -> HttpResponseBase:
    project = project_to(request.user, slug, Permission.SEE_LABELS)
    if kind not in FORMATS:
        raise Http404("File not found.")
    return file_of(request.user, project, requested_round(request, project), kind)


def requested_round(request: HttpRequest, project: Project) -> Round | None:
    text = request.GET.get("round", "")
    if not text:
        return None
    return get_object_or_404(Round, project=project, pk=whole_number(text) or 0)


def has_many_labels(project: Project) -> bool:
    labels = Label.objects.filter(question__project=project).order_by()
    return labels[MOST_COUNTED : MOST_COUNTED + 1].exists()
