"""The coefficients of all raters together, by name."""

from dataclasses import replace

from reports.agreement.overall.chance_corrected import (
    BRENNAN_PREDIGER,
    FLEISS_KAPPA,
    GWET_AC,
    PERCENT_AGREEMENT,
)
from reports.agreement.overall.conger import CONGER_KAPPA
from reports.agreement.overall.krippendorff import KRIPPENDORFF_ALPHA
from reports.agreement.overall.statistic import Statistic, estimate
from reports.agreement.results import Coefficient
from reports.agreement.sample import Sample, Scale
from reports.agreement.weights import Weights

COEFFICIENTS: tuple[Statistic, ...] = (
    PERCENT_AGREEMENT,
    FLEISS_KAPPA,
    KRIPPENDORFF_ALPHA,
    GWET_AC,
    BRENNAN_PREDIGER,
    CONGER_KAPPA,
)


def overall(sample: Sample, scale: Scale, *, confidence: float = 0.95) -> dict[str, Coefficient]:
    """Every coefficient of all raters, by name: without weights, and then with those of the scale if it has any."""
    unweighted = replace(scale, weights=Weights.UNWEIGHTED, custom=None)
    found = {each.name: estimate(each, sample, unweighted, confidence=confidence) for each in COEFFICIENTS}
    if scale.weights is Weights.UNWEIGHTED:
        return found
    return found | {
        each.weighted_name: estimate(each, sample, scale, confidence=confidence)
        for each in COEFFICIENTS
        if each.weighted_name
    }
