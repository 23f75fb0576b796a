"""Families of coefficients that can be read on the same scale."""

from enum import StrEnum


class Family(StrEnum):
    """Coefficients of one kind, as distinguished by the authors of scales.

    KAPPA: agreement corrected for chance by the margins, with all disagreements equal: Cohen, Scott, Fleiss,
    Conger, Light. WEIGHTED_KAPPA: the same with weights; the values depend on the weights, so that a threshold for
    one weighting does not apply to another. ALPHA: Krippendorff's. AC: Gwet's, with a different chance agreement.
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
    # Light's kappa by its name in reports.
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
    """Return the family of a statistic by name; None if there is no scale for it, such as for percent agreement.

    is_weighted: whether weights were used, for statistics of pairs, whose names do not show it.
    """
    if is_weighted and statistic in KAPPAS:
        return Family.WEIGHTED_KAPPA
    if statistic.startswith("icc"):
        return Family.ICC
    # The thresholds for alpha apply to the difference functions of a level of measurement.
    if statistic == "krippendorff_alpha_weighted":
        return None
    # For any distance: alpha of sets has separate names.
    if statistic.startswith("krippendorff_alpha"):
        return Family.ALPHA
    return FAMILIES.get(statistic)
