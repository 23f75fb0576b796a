"""Differences between the results of the kinds of questions; other code asks these objects instead of testing kinds."""

from collections.abc import Container, Sequence
from dataclasses import dataclass

from projects.models import Question
from projects.thresholds import CoefficientChoice
from reports.agreement.weights import Weights
from reports.analysis.catalog import StatisticFamily
from reports.analysis.kinds import kind_of
from reports.analysis.measure import COHEN, Measure, MeasureJson, RatingDesign, form_for, measure_for
from reports.analysis.pairs import weighted_name
from reports.analysis.question import QuestionScope
from reports.models import QuestionAgreement
from reports.store.agreements import scope_of

# The only coefficient that numbers and sets share with those that a project chooses from.
COMMON = "krippendorff_alpha"
# The weighted form of each coefficient that a project can choose.
WEIGHTED = {
    CoefficientChoice.GWET_AC1: "gwet_ac2",
    **{
        name: f"{name}_weighted"
        for name in (
            CoefficientChoice.FLEISS_KAPPA,
            CoefficientChoice.CONGER_KAPPA,
            CoefficientChoice.LIGHT_KAPPA,
            CoefficientChoice.BRENNAN_PREDIGER,
            CoefficientChoice.PERCENT_AGREEMENT,
        )
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultKind:
    """has_counts: whether pairs have a confusion matrix and what follows from it: cells with items, other weights, a
    matrix of kappas, a consensus by category, and an estimate of errors.

    family: of overall statistics. has_verdict: whether a page describes agreement in words. differ_by_all: coefficients
    whose differences use all items, including those with one label. tiles: on the page of the question. pair_figure,
    pair_columns: the sort key and the columns of a list of pairs. symmetric, turned: the figures in a matrix of pairs,
    and those whose sign depends on the order of the raters. paper: the figures in the table of a paper;
    second_for_paper: the one in its text after the primary coefficient. rater: the main figures of a rater. others_say:
    what a rater is compared with; consensus: its definition for one item. answer: the type of answer in the words of a
    paper. distance: of alpha; "" for the one of the level of measurement. has_sets: whether an answer may have several
    categories.
    """

    has_counts: bool
    family: StatisticFamily
    has_verdict: bool = False
    differ_by_all: frozenset[str] = frozenset()
    tiles: tuple[str, ...]
    pair_figure: str
    pair_columns: tuple[str, ...]
    symmetric: tuple[str, ...]
    turned: tuple[str, ...]
    paper: tuple[str, ...]
    second_for_paper: str
    rater: tuple[str, ...]
    others_say: str
    consensus: str
    answer: str
    distance: str = ""
    has_sets: bool = False

    @property
    def items_tail(self) -> str:
        """The URL of a pair's list of items, relative to its page."""
        return "items/" if self.has_counts else "#items"

    @property
    def has_differences(self) -> bool:
        """Whether pairs have figures that are differences, first rater minus second."""
        return bool(self.turned)

    def leading_coefficient(self, row: QuestionAgreement) -> str:
        return main_coefficient(row)

    def common_coefficient(self, row: QuestionAgreement) -> str:
        """Return the coefficient by which two reports are compared."""
        return COMMON

    def weightings(self, scope: QuestionScope) -> list[Weights]:
        """Return the weights available for pairs; none if pairs have no confusion matrix."""
        return []

    def paper_names(self, *, is_weighted: bool, n_raters: int) -> Sequence[str]:
        """Return the overall figures in a paper, in order."""
        return self.paper


@dataclass(frozen=True, slots=True, kw_only=True)
class SingleChoiceResult(ResultKind):
    """Comparisons use the primary coefficient of the question with its weights."""

    def common_coefficient(self, row: QuestionAgreement) -> str:
        return stored_coefficient(row)

    def weightings(self, scope: QuestionScope) -> list[Weights]:
        return scope.fitting_weights()

    def paper_names(self, *, is_weighted: bool, n_raters: int) -> Sequence[str]:
        chosen = [weighted_name(name) for name in self.paper] if is_weighted else self.paper
        mean = ["mean_pairwise_kappa"] if n_raters > 2 else []
        # The text gives percent agreement without weights.
        return list(dict.fromkeys([self.second_for_paper, *chosen, "krippendorff_alpha", *mean]))


SINGLE = SingleChoiceResult(
    has_counts=True,
    family=StatisticFamily.ALL,
    has_verdict=True,
    # Items with one label affect the difference only through their number.
    differ_by_all=frozenset({"percent_agreement", "percent_agreement_weighted"}),
    tiles=("fleiss_kappa", "krippendorff_alpha", "gwet_ac1", "percent_agreement"),
    pair_figure="kappa",
    pair_columns=("kappa", "observed"),
    symmetric=(),
    turned=(),
    # With weights, coefficients are given in their weighted form if they have one.
    paper=("percent_agreement", "fleiss_kappa", "conger_kappa", "gwet_ac1", "brennan_prediger"),
    second_for_paper="percent_agreement",
    rater=("percent_agreement", "cohen_kappa"),
    others_say="most others",
    consensus="the most frequent category among the other raters",
    answer="single choice among {categories}, {level}",
)
MULTIPLE = ResultKind(
    has_counts=False,
    family=StatisticFamily.SETS,
    tiles=("krippendorff_alpha", "krippendorff_alpha_jaccard", "percent_agreement", "mean_jaccard"),
    pair_figure="masi",
    pair_columns=("masi", "jaccard", "identical_sets"),
    symmetric=("masi", "jaccard", "identical_sets"),
    turned=(),
    paper=("mean_masi", "krippendorff_alpha", "krippendorff_alpha_jaccard"),
    second_for_paper="percent_agreement",
    rater=("masi", "identical_sets"),
    others_say="most others",
    consensus="the set of categories chosen by more than half of the other raters",
    answer="multiple choice among {categories}",
    distance="the MASI distance for sets of categories",
    has_sets=True,
)
NUMBER = ResultKind(
    has_counts=False,
    family=StatisticFamily.NUMBERS,
    tiles=("icc_a_1", "icc_c_1", "krippendorff_alpha", "kendall_w"),
    pair_figure="lin_concordance",
    pair_columns=(
        "lin_concordance",
        "pearson_correlation",
        "bland_altman_bias",
        "bland_altman_lower",
        "bland_altman_upper",
    ),
    # The first figure is the one that the reasons in the matrix refer to.
    symmetric=("lin_concordance", "pearson_correlation"),
    # Rater of the row minus rater of the column.
    turned=("bland_altman_bias",),
    paper=("icc_a_1", "icc_c_1", "krippendorff_alpha", "kendall_w"),
    # Uses more items if the primary coefficient leaves some out.
    second_for_paper="krippendorff_alpha",
    rater=("lin_concordance", "bland_altman_bias"),
    others_say="mean of the others",
    consensus="the mean of the other raters’ numbers",
    answer="numeric ratings, {level}",
)
KINDS = {
    Question.Kind.SINGLE: SINGLE,
    Question.Kind.MULTIPLE: MULTIPLE,
    Question.Kind.NUMBER: NUMBER,
}


def result_kind(kind: str) -> ResultKind:
    """Return the result kind. kind: of the question when the report was computed."""
    return KINDS[Question.Kind(kind)]


def common_coefficient(row: QuestionAgreement) -> str:
    """Return the coefficient by which two reports on the question are compared."""
    return result_kind(row.asked["kind"]).common_coefficient(row)


def coefficient_of_parts(row: QuestionAgreement) -> str:
    """Return the coefficient by which rounds, windows, and groups are compared: the primary one.

    Parts of the labels have the one-way ICC rather than the ICC by REML.
    """
    name = stored_coefficient(row)
    return name if name in kind_of(scope_of(row)).part_names else "icc_1_1"


def design_of(row: QuestionAgreement) -> RatingDesign:
    """Return the design of the raters and items that the overall figures use."""
    alpha, two_way = row.coefficients.get(COMMON, {}), row.coefficients.get("icc_a_1", {})
    n_items = alpha.get("n_items") or 0
    return RatingDesign(
        n_raters=alpha.get("n_raters") or row.n_raters,
        crossed=(two_way.get("n_items") or 0) / n_items if n_items else 1.0,
        has_components=row.coefficients.get("icc_a_1_reml", {}).get("value") is not None,
    )


def tiles_of_design(row: QuestionAgreement, main: str) -> Sequence[str]:
    """Return the coefficients shown for a question, in the forms that fit its design. main: the first one."""
    usual, design = result_kind(scope_of(row).kind).tiles, design_of(row)
    fitting = (form_for(name, design) for name in usual)
    return list(dict.fromkeys([main, *fitting]))[: len(usual)]


def measure_of(row: QuestionAgreement) -> Measure:
    """Return the measure of the question: its own choice, else the project's, else the fitting one."""
    scope = scope_of(row)
    chosen, of_project = scope.measure, row.report.project.coefficient
    name = chosen["coefficient"]
    if not name and scope.kind == Question.Kind.SINGLE and of_project != CoefficientChoice.FITTING:
        name = of_project
    read = MeasureJson(coefficient=name, weights=str(scope.weights), criterion=chosen["criterion"])
    return measure_for(scope.kind, str(scope.level), design_of(row), read)


def measure_of_pair(row: QuestionAgreement) -> Measure:
    """Return the measure of two raters of a single choice, used if too few raters count for overall figures."""
    scope = scope_of(row)
    chosen = MeasureJson(coefficient=COHEN, weights=str(scope.weights), criterion=scope.measure["criterion"])
    return measure_for(scope.kind, str(scope.level), RatingDesign(n_raters=2), chosen)


def main_coefficient(row: QuestionAgreement) -> str:
    """Return the name of the primary coefficient, in its weighted form if the question has weights."""
    return named_with_weights(measure_of(row), row.coefficients)


def named_with_weights(measure: Measure, coefficients: Container[str]) -> str:
    """Return the name of a measure's coefficient, weighted if the measure is and `coefficients` has that form."""
    is_weighted = measure.weights is not Weights.UNWEIGHTED
    if measure.coefficient == COHEN:
        return weighted_name(COHEN) if is_weighted else COHEN
    weighted: str = {str(name): form for name, form in WEIGHTED.items()}.get(measure.coefficient, "")
    return weighted if is_weighted and weighted in coefficients else measure.coefficient


def in_its_weights(row: QuestionAgreement, name: str) -> str:
    """Return the name of a coefficient in the form with the question's weights, if there is one.

    Percent agreement stays unweighted, and alpha has the metric of the scale.
    """
    weighted = weighted_name(name)
    is_weighted = scope_of(row).is_weighted and weighted in row.coefficients
    return weighted if is_weighted and name not in ("percent_agreement", COMMON) else name


def stored_coefficient(row: QuestionAgreement) -> str:
    """Return the name of the primary coefficient as stored: among overall coefficients, Cohen's kappa of two is
    Light's.
    """
    return main_coefficient(row).replace(COHEN, "light_kappa")
