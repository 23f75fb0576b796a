"""The two sides of a comparison: their notation in URLs, and their labels at the time of the report."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import unquote_plus

from django.http import QueryDict

from core.numbers import whole_number
from core.refusals import Refused
from projects.access import AnyUser, reports_opened
from projects.models import Project
from raters.lettered import real_ids, visible_ids
from reports.agreement.results import Reason
from reports.analysis.comparison import pair_differences
from reports.analysis.kinds import kind_of
from reports.analysis.label_arrays import LabelSubset, QuestionLabels
from reports.analysis.question import QuestionScope
from reports.analysis.reasons import words_of
from reports.analysis.results import Differences, SideDifferences
from reports.analysis.steps import ReportStep, phase, silent
from reports.models import QuestionAgreement, Report
from reports.sources.past_labels import labels_then
from reports.sources.question_labels import read_labels
from reports.sources.relation import LabelSource
from reports.sources.shared_snapshots import Snapshot, open_snapshot
from reports.sources.stored_labels import rounds_read
from reports.store.agreements import ReportRater, raters_of, scope_of
from reports.store.included_raters import counted_in, excluded_words, kinds_in

# The most labels read from the history, on either side.
MAX_LABELS = 1_000_000
ALL, ROUND, REPORT, PAIR, RATERS = "all", "round", "report", "pair", "raters"
NAMED = re.compile(rf"{REPORT}:([0-9]+)")


class ComparisonRefused(Refused):
    """A comparison that cannot be computed."""

    status_code = 400


@dataclass(frozen=True, slots=True)
class Side:
    """agreement: whose labels are used. round: only labels of this round. raters: only labels of these raters; () for
    all. is_pair: whether the side is the kappa of two raters.
    """

    name: str
    agreement: QuestionAgreement
    round: int | None = None
    raters: tuple[int, ...] = ()
    is_pair: bool = False


def compared(
    agreement: QuestionAgreement, first: str, second: str, report_step: ReportStep = silent
) -> SideDifferences:
    """Return the first side minus the second. Raises ComparisonRefused.

    first, second: "all" for the labels of this report, "round:KEY" for one round, "report:ID" for another report on
    this question, "raters:ID:ID…" for the labels of some raters, or "pair:ID:ID" for the kappa of two. A pair can only
    be compared with a pair.
    """
    sides = sides_of(agreement, first, second)
    report_step("Reading labels", 0)
    have_kappa = kind_of(scope_of(agreement)).pairs_have_counts
    # Numbers and sets have no kappa, so their pairs are compared by alpha.
    differences = (
        _of_pairs(agreement, sides) if sides[0].is_pair and have_kappa else _of_labels(sides, report_step)
    )
    return SideDifferences(first=sides[0].name, second=sides[1].name, differences=differences)


def sides_of(agreement: QuestionAgreement, first: str, second: str) -> list[Side]:
    """Return both sides; raise ComparisonRefused if they can't be compared, as far as is known without the labels."""
    if agreement.reason:
        raise ComparisonRefused("The report has no results for this question, so nothing can be compared.")
    sides = [side_of(agreement, text) for text in (first, second)]
    if len({side.is_pair for side in sides}) > 1:
        raise ComparisonRefused("Compare a pair with another pair, or one set of labels with another.")
    for side in sides:
        if side.agreement.n_labels > MAX_LABELS:
            raise ComparisonRefused(f"More than {MAX_LABELS:,} labels are too many to compare here.")
    first_scope, second_scope = (scope_of(side.agreement) for side in sides)
    if first_scope.category_ids != second_scope.category_ids:
        raise ComparisonRefused("The two reports have different categories, so they cannot be compared.")
    return sides


def side_of(agreement: QuestionAgreement, text: str) -> Side:
    kind, _, rest = text.partition(":")
    if kind == ALL and not rest:
        return _of_counted(Side(words_of_all(agreement), agreement))
    if kind == ROUND:
        return _round(agreement, rest)
    if kind == REPORT:
        return _report(agreement, rest)
    if kind == PAIR:
        return _pair(agreement, rest)
    if kind == RATERS:
        return _group(agreement, rest)
    raise ComparisonRefused(
        f"Each side must be all, round:KEY, report:ID, raters:ID:ID…, or pair:ID:ID, got {text!r}."
    )


def words_of_all(agreement: QuestionAgreement) -> str:
    """Return what the figures of the report itself use."""
    if agreement.lead is not None:
        return f"round {agreement.lead['key']}, as in this report"
    return "all labels in this report"


def _round(agreement: QuestionAgreement, key: str) -> Side:
    round_ = round_ids(agreement).get(key)
    if round_ is None:
        raise ComparisonRefused(f"The report has no round {key!r}.")
    return _of_counted(Side(f"round {key}", agreement, round=round_))


def _of_counted(side: Side) -> Side:
    """Restrict a side to the raters who count in the overall figures, and say so in its name."""
    counted = counted_in(side.agreement)
    if counted.are_too_few:
        raise ComparisonRefused(words_of(Reason.TOO_FEW_COUNTED).long)
    if not counted.left_out:
        return side
    words = excluded_words(kinds_in(side.agreement), len(counted.left_out))
    return replace(side, name=f"{side.name} ({words})", raters=counted.ids)


def round_ids(agreement: QuestionAgreement) -> dict[str, int]:
    """Return the IDs of the report's rounds by key."""
    rounds = agreement.report.codebook["rounds"]
    if rounds is not None:
        return {round_["key"]: round_["id"] for round_ in rounds}
    return {key: pk for pk, key in agreement.report.round_keys.items()}


def rounds_with_labels(agreement: QuestionAgreement) -> dict[str, int]:
    """Return the rounds of the report in which the question has labels, not those that are later or empty."""
    read = rounds_read(agreement)
    return {key: pk for key, pk in round_ids(agreement).items() if pk in read}


def _report(agreement: QuestionAgreement, pk: str) -> Side:
    found = comparable_agreements(agreement).filter(report=whole_number(pk) or 0).first()
    if found is None:
        raise ComparisonRefused(f"There is no finished report {pk!r} on this question.")
    return _of_counted(Side(f"report {pk}", found))


def refuse_unopened(user: AnyUser, *sides: str) -> None:
    """Raise ComparisonRefused if a side is a report that the user may not open."""
    for kind, _, pk in (side.partition(":") for side in sides):
        if kind == REPORT and not Report.objects.filter(pk=whole_number(pk) or 0, **reports_opened(user)):
            raise ComparisonRefused(f"There is no finished report {pk!r} on this question.")


def reports_named(query: QueryDict) -> set[int]:
    """The reports that are sides in an address, or in the address of a list of items that is a value in it."""
    values = [value for _, values in query.lists() for value in values]
    found = NAMED.findall(" ".join([*values, *map(unquote_plus, values)]))
    return {pk for text in found if (pk := whole_number(text)) is not None}


def comparable_agreements(agreement: QuestionAgreement, user: AnyUser | None = None) -> Any:
    """Return finished results on the same question; with a user, only those of reports that the user may open."""
    project: Project = agreement.report.project
    reports = Report.objects.filter(project=project, state=Report.State.DONE)
    if user is not None:
        reports = reports.filter(**reports_opened(user))
    done = QuestionAgreement.objects.filter(report__in=reports)
    done = done.filter(question=agreement.question_id, reason="").exclude(pk=agreement.pk)
    return done.select_related("report", "question").order_by("-report_id")


def _pair(agreement: QuestionAgreement, text: str) -> Side:
    raters = _named(agreement, text)
    if len(raters) != 2:
        raise ComparisonRefused(f"A pair must be two raters of the report, given by their IDs, got {text!r}.")
    a, b = raters
    return Side(f"{a.key} × {b.key}", agreement, raters=(a.id, b.id), is_pair=True)


def _group(agreement: QuestionAgreement, text: str) -> Side:
    raters = _named(agreement, text)
    if len(raters) < 2:
        raise ComparisonRefused(
            f"A group must be at least two raters of the report, given by their IDs, got {text!r}."
        )
    name = ", ".join(str(rater.key) for rater in raters)
    return Side(name, agreement, raters=tuple(rater.id for rater in raters))


def _named(agreement: QuestionAgreement, text: str) -> list[ReportRater]:
    """Return the raters with these IDs; [] if one is not in the report or is repeated."""
    keys = {str(rater.id): rater for rater in raters_of(agreement)}
    parts = text.split(":")
    is_fine = len(set(parts)) == len(parts) and all(part in keys for part in parts)
    return [keys[part] for part in parts] if is_fine else []


def _of_labels(sides: Sequence[Side], report_step: ReportStep) -> Differences:
    scopes = [_scope_of(side) for side in sides]
    with open_snapshot(n_connections=1) as snapshot:
        parts = [_part(side, scope, snapshot) for side, scope in zip(sides, scopes, strict=True)]
    report_progress = phase(report_step, "Comparing coefficients", 0.3, 1)
    return kind_of(scopes[0]).differences(parts[0], parts[1], report_progress=report_progress)


def _of_pairs(agreement: QuestionAgreement, sides: Sequence[Side]) -> Differences:
    scope = scope_of(agreement)
    everyone = tuple(sorted({*sides[0].raters, *sides[1].raters}))
    with open_snapshot(n_connections=1) as snapshot:
        labels = _labels(Side("", agreement, raters=everyone), scope, snapshot)
    places = {rater: place for place, rater in enumerate(visible_ids(labels.rater_ids).tolist())}
    if missing := [rater for rater in everyone if rater not in places]:
        raise ComparisonRefused(f"Raters without labels cannot be compared: {missing}.")
    first, second = ([places[rater] for rater in side.raters] for side in sides)
    return pair_differences(labels.sample.ratings, first, second, scope.scale, scope.options)


def _scope_of(side: Side) -> QuestionScope:
    scope = scope_of(side.agreement)
    return scope if side.round is None else replace(scope, round_ids=[side.round], lead=None)


def _part(side: Side, scope: QuestionScope, snapshot: Snapshot) -> LabelSubset:
    labels = _labels(side, scope, snapshot)
    return LabelSubset(labels.sample, labels.item_ids)


def _labels(side: Side, scope: QuestionScope, snapshot: Snapshot) -> QuestionLabels[Any]:
    """Return the labels of a side at the time of its report."""
    source = labels_then(side.agreement.report.head, scope)
    if side.raters:
        relation = f"(SELECT * FROM {source.relation} AS labels WHERE rater_id = ANY (%(raters)s))"  # noqa: S608
        source = LabelSource(relation, {**source.params, "raters": real_ids(list(side.raters))})
    return read_labels(snapshot, scope, source=source)
