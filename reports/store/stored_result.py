"""The stored result of one question, with the values derived from it that pages, API, and exports need."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from projects.models import Question
from reports.analysis.question import CategoryJson, QuestionScope
from reports.analysis.results import Figure, Json, QuestionResult
from reports.models import PairAgreement, QuestionAgreement, Report
from reports.store.agreements import ReportRater, raters_of, scope_of
from reports.store.included_raters import IncludedRaters, counted_in
from reports.store.pairs_in_order import lower_first

NOTHING = Figure(value=None)


@dataclass(frozen=True, slots=True, eq=False)
class StoredResult:
    """row: the stored result. scope: the question as the report read it. raters: everyone who labeled, in the order of
    keys; counted: those who count in the overall figures. unstored: the pairs of a result that exists in memory only,
    which has no item lists either.
    """

    row: QuestionAgreement
    report: Report
    question: Question
    scope: QuestionScope
    raters: list[ReportRater]
    counted: IncludedRaters
    categories: Sequence[CategoryJson]
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
        """The overall figures. Raises ValueError if a later release stored the result."""
        return self.row.result

    def figure(self, name: str) -> Figure:
        """Return a coefficient; one that the report lacks is undefined without a reason."""
        return self.figures.coefficients.get(name, NOTHING)

    def by_category(self, name: str) -> Sequence[Figure]:
        """Return a figure for each category; () if the report lacks it."""
        return (self.figures.categories or {}).get(name, ())

    def pair_of(self, two: Collection[int]) -> PairAgreement | None:
        """Return the pair of these raters; None if they share no item."""
        if self.unstored is None:
            rows = self.row.pairs.select_related("rater_a", "rater_b")
            found = rows.filter(rater_a__in=two, rater_b__in=two).first()
            return None if found is None else lower_first(found)
        return next((pair for pair in self.unstored if {pair.rater_a_id, pair.rater_b_id} == {*two}), None)

    @property
    def category_names(self) -> list[str]:
        return [category["name"] or category["key"] for category in self.categories]
