"""Changes between releases: figures of an earlier report that are not compared when it is verified."""

import math
from typing import Any

from reports.agreement.results import FITTED as FITTED_METHOD
from reports.agreement.results import is_clipped, kappa_method
from reports.agreement.weights import Level
from reports.analysis.results import Json

# Until then, ICC(1,1) and ICC(1,k) left out items that some rater had not labeled; shares of all raters had t
# intervals, which could leave [0, 1]; and no CI limit was bounded by its statistic's lowest value. Ordinal alpha had a
# different standard error, limits of agreement approximate intervals, and kappa with few labels of a category a normal
# interval or none. Errors of kappas of all raters counted items with a single label as items without agreement.
# Other values and standard errors were the same.
BEFORE_0_3 = frozenset({"0.1.0", "0.2.0"})
BOUNDED_INTERVALS = (
    "Intervals of percent agreement, of the share on which all raters agree, and of specific agreement: this version"
    " uses Wilson’s method."
)
ONE_WAY = "ICC(1,1) and ICC(1,k): this version uses every item with two or more labels."
ORDINAL = (
    "Krippendorff’s alpha, ordinal: this version’s standard error includes that ranks depend on the sample."
)
LIMITS = "Limits of agreement: this version has exact intervals."
FITTED = (
    "Intervals of Cohen’s kappa: this version uses the goodness of fit where two categories occur, one with fewer than"
    " 50 labels."
)
ONE_WAY_NAMES = frozenset({"icc_1_1", "icc_1_k"})
# For incomplete designs, which had no two-way correlations.
BY_REML = frozenset({"icc_a_1_reml", "icc_c_1_reml", "icc_a_k_reml", "icc_c_k_reml"})
SHARES = frozenset({
    "percent_agreement",
    "percent_agreement_weighted",
    "all_agree",
    "percent_agreement_by_labels",
    "percent_agreement_by_labels_weighted",
    "percent_agreement_by_pairs",
    "percent_agreement_by_pairs_weighted",
    "specific_agreement",
})  # fmt: skip
# In the unit of the numbers, which has no lowest value.
IN_UNITS = frozenset({"bland_altman_bias"})
NOT_COMPARED = ONE_WAY_NAMES | BY_REML | {"dawid_skene"}
LIMITS_OF_AGREEMENT = frozenset({"bland_altman_lower", "bland_altman_upper"})
ALPHA = "krippendorff_alpha"
KAPPAS = frozenset({"cohen_kappa", "cohen_kappa_weighted", "kappa", "kappa_weighted"})
SIMILARITIES = frozenset({"mean_jaccard", "mean_masi"})
LOWEST = dict.fromkeys({"kendall_w", "kendall_w_uncorrected", *SHARES, *SIMILARITIES}, 0.0)
BY_T, JACKKNIFE = "t over items", "jackknife, t over items"
INTERVAL = frozenset({"se", "ci_low", "ci_high", "is_clipped", "reason", "interval_method"})


STARTS = "Dawid & Skene’s estimates: this version tries several starts."
SINGLE = (
    "Standard errors of Fleiss’ kappa, Conger’s kappa, AC1, and Brennan–Prediger: this version’s are"
    " smaller where items have a single label."
)
FULL = "Intervals of Brennan–Prediger in full agreement: this version has Wilson’s, transformed; there were none."
WITH_SINGLE = frozenset({
    name + weighted
    for name in ("fleiss_kappa", "conger_kappa", "brennan_prediger", "gwet_ac1", "gwet_ac2")
    for weighted in ("", "_weighted")
})  # fmt: skip


# Families of statistics that a stored report may lack, because they were added without a new version.
ADDED = frozenset({"findings", "standings"})


def of_stored(computed: Json, stored: Json) -> Json:
    """Return the computed families, without those that the stored report is too old to have."""
    return {name: each for name, each in computed.items() if name in stored or name not in ADDED}


def not_compared(version: str) -> list[str]:
    """Return sentences about what is not compared in a report of this version."""
    return (
        [BOUNDED_INTERVALS, ONE_WAY, ORDINAL, LIMITS, FITTED, SINGLE, FULL, STARTS]
        if version in BEFORE_0_3
        else []
    )


def are_kappas_refitted(version: str) -> bool:
    """Return whether kappa intervals of this version, which pairs have in separate columns, are not compared."""
    return version in BEFORE_0_3


def comparable(found: Any, stored: Any, version: str, *, name: str = "") -> tuple[Any, Any]:
    """Return the JSON computed now and that stored by this version, without what differs by definition."""
    if version not in BEFORE_0_3:
        return found, stored
    if isinstance(found, dict) and isinstance(stored, dict):
        if "ci_low" in found and "ci_low" in stored:
            return _comparable_figures(found, stored, name)
        found, stored = (
            {key: each[key] for key in each if key not in NOT_COMPARED} for each in (found, stored)
        )
        both = {key: comparable(found[key], stored[key], version, name=key) for key in found if key in stored}
        return (
            found | {key: each for key, (each, _) in both.items()},
            stored | {key: each for key, (_, each) in both.items()},
        )
    if isinstance(found, list) and isinstance(stored, list) and len(found) == len(stored):
        pairs = [comparable(*each, version, name=name) for each in zip(found, stored, strict=True)]
        return [each for each, _ in pairs], [each for _, each in pairs]
    return found, stored


def _comparable_figures(found: Json, stored: Json, name: str) -> tuple[Any, Any]:
    # Stacked figures of one kind do not repeat the method.
    method = stored.get("interval_method", BY_T)
    if name in LIMITS_OF_AGREEMENT or _is_ordinal(stored, name, method) or _is_fitted(found, name):
        return _without_interval(found), _without_interval(stored)
    if name in SHARES | WITH_SINGLE and method in {BY_T, ""}:
        return _without_interval(found), _without_interval(stored)
    low, lowest = stored["ci_low"], LOWEST.get(name, -1.0 if method == BY_T else -math.inf)
    is_bounded = method in {BY_T, JACKKNIFE} and name not in IN_UNITS
    if not is_bounded or low is None or low >= lowest or stored["value"] < lowest:
        return found, stored
    bounded = stored | {"ci_low": lowest}
    if "is_clipped" in stored:
        bounded["is_clipped"] = is_clipped(stored["value"], lowest, stored["ci_high"], method)
    return found, bounded


def _is_ordinal(stored: Json, name: str, method: str) -> bool:
    return name == ALPHA and stored.get("method") == Level.ORDINAL and method in {BY_T, ""}


def _is_fitted(found: Json, name: str) -> bool:
    if name not in KAPPAS:
        return False
    return FITTED_METHOD in (
        found.get("interval_method"),
        kappa_method(found["value"], found["ci_low"], found["ci_high"]),
    )


def _without_interval(figure: Json) -> Json:
    return {key: each for key, each in figure.items() if key not in INTERVAL}
