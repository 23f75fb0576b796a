"""The stored result of one question, with what every surface asks of it, each found once."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from projects.models import Question
from reports.analysis.question import CategoryRead, Scope
from reports.analysis.results import Figure, Json, QuestionResult
from reports.models import PairAgreement, QuestionAgreement, Report
from reports.store.agreements import ReportRater, raters_of, scope_of
from reports.store.counted import Counted, counted_in
from reports.store.pairs_in_order import lower_first

NOTHING = Figure(value=None)


@dataclass(frozen=True, slots=True, eq=False)
class StoredResult:
    """row: the result as it is stored. scope: the question as the report read it. raters: everyone who labeled, in the
    order of their keys; counted: those of them who count in the figures of all raters. unstored: the pairs of a result
    that is in no database, whose rows are in memory alone; it has no lists of items either.
    """

    row: QuestionAgreement
    report: Report
    question: Question
    scope: Scope
    raters: list[ReportRater]
    counted: Counted
    categories: Sequence[CategoryRead]
    coefficients: Mapping[str, Json]
    statistics: Json
    n_pairs: int
    reason: str
    unstored: Sequence[PairAgreement] | None = None

    @classmethod
    def of(cls, row: QuestionAgreement) -> "StoredResult":
        return cls(
            row=row,
            report=row.report,
            question=row.question_then,
            scope=scope_of(row),
            raters=raters_of(row),
            counted=counted_in(row),
            categories=row.categories,
            coefficients=row.coefficients,
            statistics=row.statistics,
            n_pairs=row.n_pairs,
            reason=row.reason,
        )

    @property
    def figures(self) -> QuestionResult:
        """Everything of all raters. Raises ValueError for a result that a later release has stored."""
        return self.row.result

    def figure(self, name: str) -> Figure:
        """A coefficient; one that the report does not have is undefined without a reason."""
        return self.figures.coefficients.get(name, NOTHING)

    def by_category(self, name: str) -> Sequence[Figure]:
        """A figure of each category; () in a report that does not have it."""
        return (self.figures.categories or {}).get(name, ())

    def pair_of(self, two: Collection[int]) -> PairAgreement | None:
        """The pair of these raters; None if they share no item."""
        if self.unstored is None:
            rows = self.row.pairs.select_related("rater_a", "rater_b")
            found = rows.filter(rater_a__in=two, rater_b__in=two).first()
            return None if found is None else lower_first(found)
        return next((pair for pair in self.unstored if {pair.rater_a_id, pair.rater_b_id} == {*two}), None)

    @property
    def category_names(self) -> list[str]:
        return [category["name"] or category["key"] for category in self.categories]
