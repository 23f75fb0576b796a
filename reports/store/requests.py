"""All operations on reports that users can request."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q

from core.refusals import Refused
from projects.models import Project, Question, Round
from raters.changed_labels import labels_changed_since
from raters.models import Label, User
from reports.agreement.weights import Weights
from reports.analysis.kinds import KINDS
from reports.analysis.options import (
    Matrix,
    OptionRefused,
    Options,
    OptionsJson,
    checked_matrix,
    checked_options,
)
from reports.analysis.question import FilterJson, Kind
from reports.analysis.results import Json
from reports.models import Report
from reports.sources.attribute_members import are_attributes_same
from reports.sources.changed_rater_kinds import have_rater_kinds_changed
from reports.store.frozen_codebook import codebook_of, is_pooled
from reports.store.naming import name_report

Rows = Sequence[Sequence[float]]


class ReportRefused(Refused):
    """A report that cannot be requested."""

    status_code = 400


@transaction.atomic
def request_report(
    project: Project,
    *,
    by: User,
    questions: Sequence[str] | None = None,
    rounds: Sequence[str] | None = None,
    pooled: bool = False,
    reference: str = "",
    matrices: Mapping[str, Rows] | None = None,
    weights: str | None = None,
    name: str = "",
    only: FilterJson | None = None,
    **options: Any,
) -> Report:
    """Request a report on these questions (default: all); an equal one that is still valid is returned instead.

    questions, rounds, reference: keys. pooled: whether the rounds are taken together; otherwise the newest leads, and
    the others are compared with it. matrices: custom weights by question key, in the declared order of the categories.
    weights: for all questions; None uses the weights of each question. name: of the report; a reused report that has a
    name keeps it. only: the limits of the report. options: the other options of `checked_options`.
    Raises ReportRefused if the project lacks something requested or it cannot be computed, and QueueFull.
    """
    # Of two simultaneous requests, one must find the report of the other. A running import holds a key-share lock on
    # the project, which does not conflict with this lock.
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    chosen = chosen_questions(project, questions)
    scope: Json = {
        "questions": [question.key for question in chosen],
        "rounds": chosen_rounds(project, rounds),
        "pooled": pooled,
    } | ({} if only is None else {"only": only})
    checked = chosen_options(
        project, chosen, reference=reference, matrices=matrices or {}, weights=weights, **options
    ).as_json()
    if (report := current_report(project, scope, checked)) is not None:
        if name and not report.name:
            name_report(report, name, by=by)
        return report
    report = Report.objects.create(project=project, asked_by=by, scope=scope, options=checked, name=name)
    report.admit(by=by)
    return report


def words_of_items(round_: str) -> str:
    """Return the words with which a report limited to the items of a round describes the limit. round_: its key."""
    return f"items of {round_}"


def is_before_after(report: Report) -> bool:
    """Return whether the report was requested to compare a round, the last one, with earlier ones on its items."""
    rounds, only = report.scope["rounds"] or [], report.scope.get("only")
    return len(rounds) > 1 and only is not None and only["words"] == words_of_items(rounds[-1])


def request_before_after(round_: Round, *, by: User) -> Report:
    """Request agreement on the items labeled in a round, in that round and in each earlier round that has any of them.

    The round leads, and its difference from the previous one is paired by item. Raises ReportRefused and QueueFull.
    """
    of_items = Label.objects.filter(item__in=round_.labels.order_by().values("item"))
    known = list(of_items.order_by().values_list("round", flat=True).distinct())
    until = Q(position__lt=round_.position) | Q(position=round_.position, pk__lte=round_.pk)
    rounds = (
        Round.objects.filter(until, pk__in=known).order_by("position", "pk").values_list("key", flat=True)
    )
    items = sorted(round_.labels.order_by().values_list("item", flat=True).distinct())
    if len(rounds) < 2 or not items:
        raise ReportRefused(
            f"Nothing to compare yet: {round_.key} has no labels on items that were labeled in an earlier round."
        )
    only: FilterJson = {"raters": None, "items": items, "words": words_of_items(round_.key)}
    return request_report(round_.project, by=by, rounds=list(rounds), only=only)


def request_again(report: Report, *, by: User) -> Report:
    """Request the same report again, with the same name, under the current codebook."""
    return _request_with_same_options(
        report,
        by=by,
        questions=report.scope["questions"],
        rounds=report.scope["rounds"],
        only=report.scope.get("only"),
        name=report.name,
    )


def request_limited(report: Report, question: str, only: FilterJson, round_: str, *, by: User) -> Report:
    """Request the same report on one question, limited to some of the labels, and to a round if one is named."""
    rounds = [round_] if round_ else report.scope["rounds"]
    return _request_with_same_options(
        report, by=by, questions=[question], rounds=rounds, only=_within(report, only)
    )


def _within(report: Report, only: FilterJson) -> FilterJson:
    """Return the intersection of these limits with those of the report."""
    own: FilterJson | None = report.scope.get("only")
    if own is None:
        return only
    raters, items = (
        _common(mine, new) for mine, new in ((own["raters"], only["raters"]), (own["items"], only["items"]))
    )
    since = max(filter(None, (each.get("since") for each in (own, only))), default=None)
    until = min(filter(None, (each.get("until") for each in (own, only))), default=None)
    both: FilterJson = {"raters": raters, "items": items, "words": f"{own['words']}; {only['words']}"}
    if since is not None or until is not None:
        both["since"], both["until"] = since, until
    return both


def _common(mine: list[int] | None, new: list[int] | None) -> list[int] | None:
    if mine is None or new is None:
        return new if mine is None else mine
    return sorted(set(mine) & set(new))


def _request_with_same_options(
    report: Report,
    *,
    by: User,
    questions: Sequence[str],
    rounds: Sequence[str] | None,
    only: FilterJson | None,
    name: str = "",
) -> Report:
    """Request a report with the options of this report."""
    options = report.chosen
    return request_report(
        report.project,
        by=by,
        questions=questions,
        rounds=rounds,
        name=name,
        pooled=is_pooled(report),
        weights=None if options.weights_by_question else options.weights,
        matrices={key: matrix.rows for key, matrix in options.matrices.items() if key in questions},
        interval=options.interval,
        replicates=options.replicates,
        seed=options.seed,
        confidence=options.confidence,
        reference=options.reference,
        smoothing=options.smoothing,
        suggested=options.suggested,
        counted=options.counted or None,
        only=only,
    )


def chosen_questions(project: Project, keys: Sequence[str] | None) -> list[Question]:
    """Return the questions with these keys in the project's order; all if None."""
    questions = list(project.questions.compared())
    if keys is None:
        if not questions:
            raise ReportRefused(
                "This project has no questions whose answers can be compared yet, so there is nothing to compute."
            )
        return questions
    refuse_unknown("question", keys, [question.key for question in questions])
    if not keys:
        raise ReportRefused("Select at least one question.")
    return [question for question in questions if question.key in keys]


def chosen_rounds(project: Project, keys: Sequence[str] | None) -> list[str] | None:
    if keys is None:
        return None
    known = list(project.rounds.values_list("key", flat=True))
    refuse_unknown("round", keys, known)
    if not keys:
        raise ReportRefused("Select at least one round, or leave out the rounds to use all labels.")
    return [key for key in known if key in keys]


def chosen_options(
    project: Project,
    questions: Sequence[Question],
    *,
    reference: str,
    matrices: Mapping[str, Rows],
    **options: Any,
) -> Options:
    single = [question for question in questions if KINDS[Kind(question.kind)].pairs_have_counts]
    if others := {question.key for question in questions if question not in single} & set(matrices):
        raise ReportRefused(f"Weights apply only to single-choice questions, not to {', '.join(others)}.")
    if reference and not project.raters.filter(key=reference).exists():
        raise ReportRefused(f"This project has no rater {reference!r} to use as the reference.")
    try:
        checked = chosen_matrices(single, matrices)
        found = checked_options(reference=reference, matrices=checked, **options)
    except OptionRefused as refused:
        raise ReportRefused(str(refused)) from None
    if found.weights is Weights.CUSTOM:
        without = [question.key for question in single if question.key not in matrices]
        if without:
            raise ReportRefused(f"Custom weights require a matrix for {', '.join(without)}.")
    return found


def chosen_matrices(questions: Sequence[Question], matrices: Mapping[str, Rows]) -> dict[str, Matrix]:
    refuse_unknown("question", list(matrices), [question.key for question in questions])
    return {
        question.key: checked_matrix(
            question.key,
            list(question.compared_categories.values_list("key", flat=True)),
            matrices[question.key],
        )
        for question in questions
        if question.key in matrices
    }


def refuse_unknown(thing: str, keys: Sequence[str], known: Iterable[str]) -> None:
    if unknown := sorted(set(keys) - set(known)):
        raise ReportRefused(f"This project has no {thing} {', '.join(map(repr, unknown))}.")


def current_report(project: Project, scope: Json, options: OptionsJson) -> Report | None:
    """Return the newest report with this scope and these options if its labels and codebook are unchanged."""
    live = [Report.State.QUEUED, Report.State.RUNNING, Report.State.DONE]
    report = project.reports.filter(scope=scope, options=options, state__in=live).first()
    if report is None or not is_current(report):
        return None
    # The figures would be the same, but comparing subgroups by new attributes requires a new report.
    if report.state == Report.State.DONE and not are_attributes_same(report):
        return None
    return report


def is_current(report: Report) -> bool:
    """Return whether the report, computed now, would use the same labels, raters, codebook, and code."""
    if report.head_position is None:
        # Not started: it will read the labels as of its start.
        return not report.is_final
    questions = [question["id"] for question in report.codebook["questions"]]
    return (
        report.code_version == settings.VERSION
        and report.codebook == codebook_of(report)
        and not labels_changed_since(report.head, questions)
        and not have_rater_kinds_changed(report)
    )


def cancel_report(report: Report, *, by: User) -> bool:
    return report.cancel()


def retry_report(report: Report, *, by: User) -> bool:
    return report.retry(by=by)
