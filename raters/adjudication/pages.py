"""Adjudication pages: the list of disputes, and one item after the other with its decision."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from core.numbers import whole_number
from core.refusals import Refused
from core.web.forms import require_form
from core.web.paging import ON_A_PAGE, page_of
from core.web.refusals import refusals_as_messages
from projects.access import permissions_in, project_to
from projects.codebook.rendered_guidelines import rendered_guidelines
from projects.models import Item, Project, Question
from projects.roles import Permission
from raters.access import log_label_access, refuse_blind, rounds_to_be_blind_in
from raters.adjudication import deciding, queue
from raters.adjudication.cases import Case, case_and_texts, case_of
from raters.adjudication.conditional_questions import ConditionState, codebook_of, condition_of, links_of
from raters.adjudication.dispute_answers import with_answers
from raters.adjudication.disputes import DisputeFilter, decided_labels, read
from raters.adjudication.rule_conditions import refuse_not_asked, state_of, states_of
from raters.adjudication.ruling import rules_of
from raters.adjudication.stored_disputes import open_disputes
from raters.adjudication.verdict_form import submitted_decision
from raters.figures.pending_figures import when_stored
from raters.items import label_history as history
from raters.items.item_letters import letters_for_item
from raters.items.queries import category_names, excerpt, label_in_words
from raters.labeling.submitted_answers import submitted_revision
from raters.models import Label, LabelRevision, Rater
from raters.passes import RoundStages
from raters.spans import sessions_of
from raters.voters import voters_of

# Maximum number of earlier decisions shown for an item.
MOST_DECISIONS = 50
# Maximum number of disputes read for an item.
MOST_QUESTIONS = 200
STATES = {"open": "Open", "decided": "Resolved", "flagged": "Flagged for the guidelines"}


def wanted_of(request: HttpRequest, project: Project) -> DisputeFilter:
    """Return the filter in the query string. Raises Http404 for an unknown question, round, or list."""
    question, round_, list_ = (_id(request, name) for name in ("question", "round", "list"))
    if question is not None and not project.questions.compared().filter(pk=question).exists():
        raise Http404("No such question.")
    if round_ is not None and not project.rounds.filter(pk=round_).exists():
        raise Http404("No such round.")
    if list_ is not None and not project.item_lists.filter(pk=list_).exists():
        raise Http404("No such list.")
    hidden = tuple(rounds_to_be_blind_in(request.user, project))
    return DisputeFilter(question, round_, list_, hidden)


def _id(request: HttpRequest, name: str) -> int | None:
    text = request.GET.get(name, "")
    if not text:
        return None
    if (pk := whole_number(text)) is None:
        raise Http404(f"No such {name}.")
    return pk


def filter_of(wanted: DisputeFilter) -> str:
    """Return the filter as a query string."""
    chosen = {"question": wanted.question, "round": wanted.round, "list": wanted.list}
    query = urlencode({name: value for name, value in chosen.items() if value is not None})
    return f"?{query}" if query else ""


@require_safe
@when_stored
def disputes(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_to(request.user, slug, Permission.SEE_DISPUTES)
    wanted = wanted_of(request, project)
    state = request.GET.get("state", "open")
    if state not in STATES:
        raise Http404("No such state.")
    found = open_disputes(project, wanted, first=ON_A_PAGE, by=request.user)
    # The list has been recomputed; the queue must follow it.
    queue.forget(project, wanted)
    log_label_access(request.user, project, "disputes")
    rows = found if state == "open" else decided_labels(project, wanted, is_flagged=state == "flagged")
    page = page_of(request, rows)
    rounds, questions, rules = (
        list(project.rounds.all()),
        list(project.questions.compared()),
        rules_of(project),
    )
    context = {
        "project": project,
        "wanted": wanted,
        "filter": filter_of(wanted),
        "may_decide": _may_decide(request, project),
        "state": state,
        "states": STATES,
        "total": found.total,
        "found": found,
        "n_waiting": found.n_waiting,
        "is_labeled_again": wanted.round is None and bool(RoundStages.among(rounds).numbers),
        "by_question": [(q, found.counts[q.pk]) for q in questions if q.pk in found.counts],
        "questions": questions,
        "voters": voters_of(project),
        # For these questions, not every dispute is listed.
        "below": [each for each in questions if rules[each.pk].asks_below],
        "rounds": rounds,
        "lists": list(project.item_lists.all()),
        "hidden": project.rounds.filter(pk__in=wanted.hidden),
        "page": page,
        "listed": with_answers(project, wanted, list(page)) if state == "open" else [],
        "decided": [] if state == "open" else _decided(project, list(page)),
        # Statistics on all labels are hidden from anyone still labeling some of the items.
        "sessions": sessions_of(project) if state == "decided" and not wanted.hidden else [],
    }
    return render(request, "adjudication/list.html", context)


def _may_decide(request: HttpRequest, project: Project) -> bool:
    return Permission.ADJUDICATE in permissions_in(request.user, project)


def _decided(project: Project, labels: Sequence[Label]) -> list[tuple[Label, str, str, bool]]:
    """Return decisions with their words, an excerpt of the item, and whether the question is asked and so counts."""
    names = category_names(labels)
    states = states_of(project, [(label.item_id, label.question_id) for label in labels])
    return [
        (
            label,
            label_in_words(label, names),
            excerpt(label.item, 80),
            states[label.item_id, label.question_id] is ConditionState.ASKED,
        )
        for label in labels
    ]


@require_safe
@when_stored
def next_dispute(request: HttpRequest, slug: str) -> HttpResponse:
    """Redirect to the most disputed undecided item."""
    project = project_to(request.user, slug, Permission.ADJUDICATE)
    return _go_on(request, project, wanted_of(request, project), None)


def _go_on(
    request: HttpRequest, project: Project, wanted: DisputeFilter, now: queue.Place | None
) -> HttpResponse:
    waiting = queue.queue_of(project, wanted, by=request.user, now=now)
    place = waiting.after(now)
    if place is None:
        messages.info(request, queue.at_the_end(waiting.n_open))
        return redirect(reverse("adjudicate", args=[project.slug]) + filter_of(wanted))
    return redirect(reverse("adjudicate_item", args=[project.slug, *place]) + filter_of(wanted))


@require_form
@when_stored
def adjudicate_item(request: HttpRequest, slug: str, pk: int, question: int) -> HttpResponse:
    permission = Permission.ADJUDICATE if request.method == "POST" else Permission.SEE_DISPUTES
    project = project_to(request.user, slug, permission)
    wanted = wanted_of(request, project)
    case = case_to_decide(request.user, project, pk, question)
    if request.method == "POST":
        return _decide(request, case, wanted)
    log_label_access(request.user, project, case.item.key, question=case.question.key)
    return _page(request, case, wanted)


def case_to_decide(user: Any, project: Project, item: int, question: int) -> Case:
    """Return the case. Raises Http404, and LabelsHidden if the user labels the item."""
    asked = get_object_or_404(project.questions.compared().prefetch_related("categories"), pk=question)
    found = get_object_or_404(Item.objects.select_related("project"), project=project, pk=item)
    refuse_blind(user, found)
    return case_and_texts(found, asked)


def _decide(request: HttpRequest, case: Case, wanted: DisputeFilter) -> HttpResponse:
    try:
        refuse_not_asked(case.item, case.question)
        verdict = submitted_decision(request.POST, case.question)
        deciding.decide(
            case.item,
            case.question,
            verdict,
            seen=submitted_revision(request.POST, "revision"),
            by=request.user,
        )
    except Refused as refused:
        is_stale = isinstance(refused, deciding.DecisionChanged)
        now = case_and_texts(case.item, case.question) if is_stale else case
        return _page(
            request, now, wanted, refusal=str(refused), is_stale=is_stale, status=refused.status_code
        )
    decided = case_of(case.item, case.question).decided
    messages.success(request, f"Saved the decision on {case.item}: {decided}.")
    if (asked := next_dependent_question(case.project, wanted, case.item, [case.question])) is not None:
        address = reverse("adjudicate_item", args=[case.project.slug, case.item.pk, asked])
        return redirect(address + filter_of(wanted))
    return _go_on(request, case.project, wanted, (case.item.pk, case.question.pk))


def next_dependent_question(
    project: Project, wanted: DisputeFilter, item: Item, decided: Iterable[Question]
) -> int | None:
    """Return a disputed question that depends on one of those just decided and is now asked."""
    links, pks = links_of(codebook_of(project)), {question.pk for question in decided}
    hanging = {link.question for link in links if link.parent in pks} - pks
    if not hanging:
        return None
    _, found = read(project, replace(wanted, items=(item.pk,)), limit=MOST_QUESTIONS)
    return next((each.question for each in found if each.question in hanging), None)


@require_POST
def withdraw(request: HttpRequest, slug: str, pk: int, question: int) -> HttpResponse:
    project = project_to(request.user, slug, Permission.ADJUDICATE)
    wanted = wanted_of(request, project)
    case = case_to_decide(request.user, project, pk, question)
    with refusals_as_messages(request):
        seen = submitted_revision(request.POST, "revision")
        deciding.withdraw(case.item, case.question, seen=seen, by=request.user)
        queue.forget(project, wanted)
        messages.success(request, f"Withdrew the decision on {case.item}.")
    return redirect(reverse("adjudicate_item", args=[slug, pk, question]) + filter_of(wanted))


def _page(
    request: HttpRequest,
    case: Case,
    wanted: DisputeFilter,
    *,
    refusal: str = "",
    is_stale: bool = False,
    status: int = 200,
) -> HttpResponse:
    project, label = case.project, case.current_decision.label
    sent = request.POST if refusal else None
    place = (case.item.pk, case.question.pk)
    find = queue.known_queue_of if refusal else queue.queue_of
    waiting = find(project, wanted, by=request.user, now=place)
    following = waiting.after(place)
    known_reason = [label.reason] if label and label.reason not in project.adjudication_reasons else []
    context = {
        "project": project,
        "may_decide": _may_decide(request, project),
        "case": case,
        "state": state_of(case.item, case.question)
        if case.question.asked_if_question
        else ConditionState.ASKED,
        "condition": condition_of(case.question),
        "earlier": project.questions.filter(key=case.question.asked_if_question).first(),
        "filter": filter_of(wanted),
        "progress": waiting,
        "n_decided": waiting.n - waiting.n_open,
        "following": following
        and reverse("adjudicate_item", args=[project.slug, *following]) + filter_of(wanted),
        "chosen": sent.get("decision", "") if sent is not None else case.chosen,
        "other_categories": sent.getlist("other_category") if sent is not None else [],
        "other_number": sent.get("other_number", "") if sent is not None else "",
        "reason": sent.get("reason", "") if sent is not None else (label.reason if label else ""),
        "reasons": [*project.adjudication_reasons, *(each for each in known_reason if each)],
        "note": sent.get("note", "") if sent is not None else (label.note if label else ""),
        "is_for_guidelines": "for_guidelines" in sent
        if sent is not None
        else case.current_decision.is_for_guidelines,
        "refusal": refusal,
        "is_stale": is_stale,
        "guidelines": rendered_guidelines(project) if project.guidelines else "",
        "voters": case.voters,
        "history": history.changes(list(decisions_of(case)), letters_for_item(request.user, case.item)),
    }
    return render(request, "adjudication/item.html", context, status=status)


def decisions_of(case: Case) -> QuerySet[LabelRevision]:
    """Return all decisions on this item and question, including withdrawn ones, newest first."""
    raters = Rater.objects.filter(project=case.project, kind=Rater.Kind.CONSENSUS)
    decisions = history.revisions_of(case.item).filter(question_id=case.question.pk)
    return decisions.filter(rater_id__in=raters.values("pk"))[:MOST_DECISIONS]
