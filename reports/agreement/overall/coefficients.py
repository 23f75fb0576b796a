"""The coefficients of all raters together, by name."""

from dataclasses import replace

from reports.agreement.overall.agreeing import (
    ALL_AGREE,
    PERCENT_AGREEMENT_BY_LABELS,
    PERCENT_AGREEMENT_BY_PAIRS,
)
from reports.agreement.overall.chance_corrected import (
    BRENNAN_PREDIGER,
    FLEISS_KAPPA,
    GWET_AC,
    PERCENT_AGREEMENT,
)
from reports.agreement.overall.conger import CONGER_KAPPA
from reports.agreement.overall.kendall import KENDALL_W, KENDALL_W_UNCORRECTED
from reports.agreement.overall.krippendorff import KRIPPENDORFF_ALPHA, WEIGHTED_ALPHA
from reports.agreement.overall.light import LIGHT_KAPPA
from reports.agreement.overall.statistic import estimate
from reports.agreement.results import Coefficient
from reports.agreement.sample import Sample, Scale
from reports.agreement.statistic import Statistic
from reports.agreement.weights import Level, Weights

COEFFICIENTS: tuple[Statistic, ...] = (
    PERCENT_AGREEMENT,
    FLEISS_KAPPA,
    KRIPPENDORFF_ALPHA,
    GWET_AC,
    BRENNAN_PREDIGER,
    CONGER_KAPPA,
    LIGHT_KAPPA,
    ALL_AGREE,
    PERCENT_AGREEMENT_BY_LABELS,
    PERCENT_AGREEMENT_BY_PAIRS,
)
# With weights that are not those of a level, alpha is a different coefficient, listed next to the unweighted one.
WEIGHTED = (*(each for each in COEFFICIENTS if each.weighted_name), WEIGHTED_ALPHA)
OF_RANKS = (KENDALL_W, KENDALL_W_UNCORRECTED)


def unweighted_statistics(scale: Scale) -> tuple[Statistic, ...]:
    """Return the unweighted statistics, with Kendall's W unless the level is nominal, where items have no ranks."""
    return COEFFICIENTS if scale.level is Level.NOMINAL else (*COEFFICIENTS, *OF_RANKS)


def overall(sample: Sample, scale: Scale, *, confidence: float = 0.95) -> dict[str, Coefficient]:
    """Every coefficient of all raters, by name: unweighted, then with the weights of the scale if it has any."""
    unweighted = replace(scale, weights=Weights.UNWEIGHTED, custom=None)
    found = {
        each.name: estimate(each, sample, unweighted, confidence=confidence)
        for each in unweighted_statistics(scale)
    }
    if scale.weights is Weights.UNWEIGHTED:
        return found
    return found | {
        each.weighted_name: estimate(each, sample, scale, confidence=confidence) for each in WEIGHTED
    }
