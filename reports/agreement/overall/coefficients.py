"""The coefficients of all raters together, by name."""

from dataclasses import replace

from reports.agreement.overall.agreeing import ALL_AGREE
from reports.agreement.overall.chance_corrected import (
    BRENNAN_PREDIGER,
    FLEISS_KAPPA,
    GWET_AC,
    PERCENT_AGREEMENT,
)
from reports.agreement.overall.conger import CONGER_KAPPA
from reports.agreement.overall.kendall import KENDALL_W
from reports.agreement.overall.krippendorff import KRIPPENDORFF_ALPHA
from reports.agreement.overall.light import LIGHT_KAPPA
from reports.agreement.overall.statistic import Statistic, estimate
from reports.agreement.results import Coefficient
from reports.agreement.sample import Sample, Scale
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
)


def overall(sample: Sample, scale: Scale, *, confidence: float = 0.95) -> dict[str, Coefficient]:
    """Every coefficient of all raters, by name: without weights, and then with those of the scale if it has any.

    Kendall's W is among them unless the level is nominal, where items have no ranks.
    """
    unweighted = replace(scale, weights=Weights.UNWEIGHTED, custom=None)
    statistics = COEFFICIENTS if scale.level is Level.NOMINAL else (*COEFFICIENTS, KENDALL_W)
    found = {each.name: estimate(each, sample, unweighted, confidence=confidence) for each in statistics}
    if scale.weights is Weights.UNWEIGHTED:
        return found
    return found | {
        each.weighted_name: estimate(each, sample, scale, confidence=confidence)
        for each in COEFFICIENTS
        if each.weighted_name
    }
