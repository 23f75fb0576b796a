"""Which coefficients are alike enough to be read on one scale."""

from enum import StrEnum


class Family(StrEnum):
    """Coefficients of one kind, as the authors of scales tell them apart.

    KAPPA: agreement corrected for the chance that the margins give, all disagreements alike: Cohen, Scott, Fleiss,
    Conger, Light. WEIGHTED_KAPPA: the same with weights; the values depend on the weights, so that a threshold for
    one weighting says nothing for another. ALPHA: Krippendorff's. AC: Gwet's, whose chance agreement is another.
    BRENNAN_PREDIGER: with PABAK and Randolph's. ICC: intraclass correlations.
    """

    KAPPA = "kappa"
    WEIGHTED_KAPPA = "weighted_kappa"
    ALPHA = "alpha"
    AC = "ac"
    BRENNAN_PREDIGER = "brennan_prediger"
    ICC = "icc"


KAPPAS = (
    "cohen_kappa",
    "scott_pi",
    "fleiss_kappa",
    "conger_kappa",
    "light_kappa",
    # Light's kappa by the name that reports give it.
    "mean_pairwise_kappa",
)
WEIGHTED = "_weighted"
FAMILIES = {
    **dict.fromkeys(KAPPAS, Family.KAPPA),
    **{name + WEIGHTED: Family.WEIGHTED_KAPPA for name in KAPPAS},
    "gwet_ac1": Family.AC,
    "gwet_ac2": Family.AC,
    "gwet_ac": Family.AC,
    "brennan_prediger": Family.BRENNAN_PREDIGER,
    "brennan_prediger_weighted": Family.BRENNAN_PREDIGER,
    "pabak": Family.BRENNAN_PREDIGER,
}


def family_of(statistic: str, *, is_weighted: bool = False) -> Family | None:
    """The family of a statistic by its name; None for one that no scale is for, such as percent agreement.

    is_weighted: whether weights were used, for statistics of pairs, whose names do not say so.
    """
    if is_weighted and statistic in KAPPAS:
        return Family.WEIGHTED_KAPPA
    if statistic.startswith("icc"):
        return Family.ICC
    # The thresholds for alpha are for the differences of a level of measurement.
    if statistic == "krippendorff_alpha_weighted":
        return None
    # Whatever its distance: on sets, alpha has names of its own.
    if statistic.startswith("krippendorff_alpha"):
        return Family.ALPHA
    return FAMILIES.get(statistic)
