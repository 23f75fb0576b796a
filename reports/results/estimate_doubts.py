"""When the accuracies that Dawid & Skene's model estimates are not to be relied on, and why."""

from collections.abc import Iterable
from enum import StrEnum

from reports.analysis.results import LatentClassEstimates

# With two raters, the rates of both and the prevalence have more parameters than the data; with three, two categories
# use up all degrees of freedom, so that nothing is left to test whether raters err independently (Walter & Irwig 1988).
UNTESTED_RATERS = 3
UNTESTED_CATEGORIES = 2
# Labels of a rater for each category, on average: each of a rater's error rates is estimated from about as many.
LEAST_LABELS = 10
# An accuracy above is practically at the boundary, where estimates have no standard error.
ALMOST_ONE = 0.999


class EstimateDoubt(StrEnum):
    """Why estimated accuracies are unreliable."""

    TWO_RATERS = "two_raters"
    THREE_RATERS = "three_raters"
    FEW_LABELS = "few_labels"
    AT_BOUNDARY = "at_boundary"


CLAUSES = {
    EstimateDoubt.TWO_RATERS: "two raters cannot show which of them is right",
    EstimateDoubt.THREE_RATERS: "three raters and two categories cannot show whether raters err independently",
    EstimateDoubt.FEW_LABELS: f"there are fewer than {LEAST_LABELS} labels per rater and category",
    EstimateDoubt.AT_BOUNDARY: "an estimate of almost 100% means that labels show no errors, not that there are none",
}


def doubts_of(found: LatentClassEstimates, of: float | None = None) -> list[EstimateDoubt]:
    """Return why the accuracies are unreliable; [] if nothing speaks against them. of: only this accuracy is shown.

    Sources: Walter & Irwig 1988, Journal of Clinical Epidemiology 41, 923-937; Vacek 1985, Biometrics 41, 959-968.
    """
    shown = [each.share_right for each in found.raters] if of is None else [of]
    holds = {
        EstimateDoubt.TWO_RATERS: found.n_raters <= 2,
        EstimateDoubt.THREE_RATERS: found.n_raters == UNTESTED_RATERS
        and len(found.prevalence) == UNTESTED_CATEGORIES,
        EstimateDoubt.FEW_LABELS: found.n_labels < LEAST_LABELS * found.n_raters * len(found.prevalence),
        EstimateDoubt.AT_BOUNDARY: any(share is not None and share > ALMOST_ONE for share in shown),
    }
    return [doubt for doubt, does_hold in holds.items() if does_hold]


def doubts_sentence(doubts: Iterable[EstimateDoubt]) -> str:
    """Return one sentence; "" without doubts."""
    clauses = "; ".join(CLAUSES[each] for each in doubts)
    if not clauses:
        return ""
    return f"Don’t rely on the estimated accuracy: {clauses}. If raters make the same mistakes, it is also too high."
