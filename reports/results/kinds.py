"""What differs between the results of the kinds of questions: surfaces ask this, and never which kind it is."""

from dataclasses import dataclass

from projects.models import Question
from projects.thresholds import CoefficientChoice
from reports.analysis.catalog import StatisticFamily
from reports.models import QuestionAgreement

# Numbers and sets have alpha alone in common with the coefficients that a project chooses among.
COMMON = "krippendorff_alpha"
# What a coefficient of the project's choice is called with weights.
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
    """has_counts: whether two raters have a table of counts, with all that follows from it: cells with items behind
    them, other weights, a matrix of kappas, a consensus by category, and an estimate of errors.

    has_categories: whether an answer names some. family: of the statistics of all raters. leading: the coefficient that
    comes first, "" for the choice of the project. tiles, sentences: of the page of the question.
    pair_figure, pair_columns: what pairs are sorted by, and what a list of them shows. symmetric, turned: what a matrix
    of pairs has, and what changes its sign with the order of the raters. is_share: whether pair_figure is a share.
    paper: what a paper tells. rater: the figures of a rater that come first. others_say: what a rater is compared with.
    answer: how it is given, in words of a paper. has_sets: whether it may be several categories.
    """

    has_counts: bool
    has_categories: bool
    family: StatisticFamily
    leading: str
    tiles: tuple[str, ...]
    pair_figure: str
    pair_columns: tuple[str, ...]
    symmetric: tuple[str, ...]
    turned: tuple[str, ...]
    is_share: bool
    paper: tuple[str, ...]
    rater: tuple[str, ...]
    others_say: str
    answer: str
    has_sets: bool = False

    @property
    def items_tail(self) -> str:
        """Where the items of a pair are listed, after the address of its page."""
        return "items/" if self.has_counts else "#items"


SINGLE = ResultKind(
    has_counts=True,
    has_categories=True,
    family=StatisticFamily.ALL,
    leading="",
    tiles=("fleiss_kappa", "krippendorff_alpha", "gwet_ac1", "percent_agreement"),
    pair_figure="kappa",
    pair_columns=("kappa", "observed"),
    symmetric=(),
    turned=(),
    is_share=False,
    # With weights, each that has a weighted form goes by that.
    paper=("percent_agreement", "fleiss_kappa", "conger_kappa", "gwet_ac1", "brennan_prediger"),
    rater=("percent_agreement", "cohen_kappa"),
    others_say="most others",
    answer="single choice among {categories}, {level}",
)
MULTIPLE = ResultKind(
    has_counts=False,
    has_categories=True,
    family=StatisticFamily.SETS,
    leading=COMMON,
    tiles=("krippendorff_alpha", "krippendorff_alpha_jaccard", "percent_agreement", "mean_jaccard"),
    pair_figure="masi",
    pair_columns=("masi", "jaccard", "identical_sets"),
    symmetric=("masi", "jaccard", "identical_sets"),
    turned=(),
    is_share=True,
    paper=("mean_masi", "krippendorff_alpha", "krippendorff_alpha_jaccard"),
    rater=("masi", "identical_sets"),
    others_say="most others",
    answer="multiple choice among {categories}",
    has_sets=True,
)
NUMBER = ResultKind(
    has_counts=False,
    has_categories=False,
    family=StatisticFamily.NUMBERS,
    leading="icc_a_1",
    tiles=("icc_a_1", "icc_c_1", "krippendorff_alpha", "kendall_w"),
    pair_figure="lin_concordance",
    pair_columns=(
        "lin_concordance",
        "pearson_correlation",
        "bland_altman_bias",
        "bland_altman_lower",
        "bland_altman_upper",
    ),
    # The figure that the reasons of the matrix speak of comes first.
    symmetric=("lin_concordance", "pearson_correlation"),
    # The rater of the row minus that of the column.
    turned=("bland_altman_bias",),
    is_share=False,
    paper=("icc_a_1", "icc_c_1", "krippendorff_alpha", "kendall_w"),
    rater=("lin_concordance", "bland_altman_bias"),
    others_say="mean of the others",
    answer="a number, {level}",
)
KINDS = {
    Question.Kind.SINGLE: SINGLE,
    Question.Kind.MULTIPLE: MULTIPLE,
    Question.Kind.NUMBER: NUMBER,
}


def result_kind(kind: str) -> ResultKind:
    """kind: of a question, as it was declared when the report was computed."""
    return KINDS[Question.Kind(kind)]


def main_coefficient(agreement: QuestionAgreement) -> str:
    """The coefficient of the project's choice, with the weights of the report if it has a weighted form."""
    chosen = CoefficientChoice(agreement.report.project.coefficient)
    weighted = WEIGHTED.get(chosen, "")
    if agreement.report.chosen.is_weighted and weighted in agreement.coefficients:
        return weighted
    return str(chosen)
