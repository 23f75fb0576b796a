"""What became of the findings of the previous report: whether they persist, and whether they grew or shrank."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.templatetags.shown import count, figure, in_percent, percent
from reports.agreement.intervals.difference import Difference
from reports.analysis.findings_followed import ItemShares, change_of, confused, differing
from reports.analysis.label_arrays import LabelColumns, of_raters
from reports.analysis.results import Finding, FindingKind
from reports.models import QuestionAgreement, Report
from reports.results.findings import findings_of
from reports.results.kinds import result_kind
from reports.results.report_changes import report_before
from reports.sources.label_columns import read_columns
from reports.store.included_raters import counted_in
from reports.store.stored_result import StoredResult

# The most labels of either report that a page can read at once.
MOST_LABELS = 200_000


@dataclass(frozen=True, slots=True)
class FollowedFinding:
    """identity: `Finding.identity`. is_found: whether it is beyond chance in this report as well. words: its extent
    before and now; "" if unknown.
    """

    identity: str
    title: str
    is_found: bool
    words: str


@dataclass(frozen=True, slots=True)
class FindingFollowUp:
    before: Report
    findings: Sequence[FollowedFinding]


def followed_findings(result: StoredResult) -> FindingFollowUp | None:
    """Return None if there is no previous report, or if it has no findings or other categories."""
    if result.figures.findings is None:
        return None
    before = report_before(result.report)
    rows = QuestionAgreement.objects.select_related("report__project", "question")
    row = rows.filter(report=before, question=result.row.question_id, reason="").first() if before else None
    if before is None or row is None:
        return None
    then = StoredResult.of(row)
    earlier = then.figures.findings
    if earlier is None or not earlier.found or then.scope.category_ids != result.scope.category_ids:
        return None
    section = findings_of(then)
    titles = (
        {} if section is None else {each.identity: each.title for each in (*section.shown, *section.more)}
    )
    now = {each.identity for each in result.figures.findings.found}
    shares = _Shares(then, result)
    return FindingFollowUp(
        before,
        [
            FollowedFinding(each.identity, titles[each.identity], each.identity in now, shares.words(each))
            for each in earlier.found
            if each.identity in titles
        ],
    )


class _Shares:
    """The extent of a finding before and now; labels are read when first needed."""

    def __init__(self, then: StoredResult, now: StoredResult) -> None:
        self._sides = then, now
        self._labels: list[LabelColumns] = []
        self._is_readable = result_kind(now.scope.kind).has_counts and all(
            side.row.n_labels <= MOST_LABELS for side in self._sides
        )

    def words(self, found: Finding) -> str:
        if not self._is_readable:
            return ""
        if found.kind == FindingKind.MERGE:
            keys = [category["key"] for category in self._sides[1].categories]
            places = [keys.index(key) for key in found.categories]
            then, now = (confused(labels, *places) for labels in self._read())
            return self._wrong_pair_text("Pairs of labels that confuse them", then, now)
        if found.kind == FindingKind.RATER:
            [key] = found.raters
            ids = [{rater.key: rater.id for rater in side.raters}.get(key) for side in self._sides]
            if None in ids:
                return f"{key} has no labels in this report."
            then, now = (differing(labels, pk or 0) for labels, pk in zip(self._read(), ids, strict=True))
            return self._wrong_pair_text("Labels of others that differ from theirs", then, now)
        return ""

    def _read(self) -> list[LabelColumns]:
        if not self._labels:
            self._labels = [
                of_raters(read_columns(side.row), counted_in(side.row).ids) for side in self._sides
            ]
        return self._labels

    def _wrong_pair_text(self, what: str, then: ItemShares, now: ItemShares) -> str:
        if not len(then.items) or not len(now.items):
            return ""
        options = self._sides[1].report.chosen
        change = change_of(then, now, confidence=options.confidence)
        start = f"{what}: {percent(change.second)} then, {percent(change.first)} now"
        if change.ci_low is None:
            return f"{start}."
        low, high = (figure(100 * (end or 0), 0) for end in (change.ci_low, change.ci_high))
        ci = f"{in_percent(options.percent)} CI {low} to {high}"
        return f"{start} ({figure(100 * (change.value or 0), 0)} points, {ci}, {_over(change)})."


def _over(change: Difference) -> str:
    if not change.n_shared:
        return "on other items"
    return f"paired on {count(change.n_shared)} shared item{'' if change.n_shared == 1 else 's'}"
