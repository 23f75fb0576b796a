"""Percent agreement of two raters, and chance-corrected coefficients: Scott, Brennan-Prediger, Gwet."""

import numpy as np

from reports.agreement.chance import (
    CERTAIN,
    ChanceModel,
    by_hard_items,
    by_number_of_categories,
    by_prevalence,
    corrected,
)
from reports.agreement.intervals.full_agreement import with_full_agreement
from reports.agreement.pairs.confusion_matrices import PairTables
from reports.agreement.pairs.estimates import in_blocks, reasons, symmetric_estimates, wilson_estimates
from reports.agreement.results import Estimates, FloatArray, IntArray, Reason, Undefined
from reports.agreement.weights import Weights


def percent_agreement(tables: PairTables, *, confidence: float = 0.95) -> Estimates:
    """(P,) observed agreement, sum_kl w_kl p_kl in [0, 1].

    Unweighted, it is a share of items, with its Wilson interval. Weighted: the variance of a mean of similarities,
    {sum p_kl w_kl^2 - po^2} / n, and the normal interval.
    Undefined if no item is shared (`no_overlap`).
    """
    undefined = reasons(tables.n.shape, (tables.n == 0, Reason.NO_OVERLAP))
    if tables.weighting.name is Weights.UNWEIGHTED:
        agreeing = np.einsum("pkk->p", tables.counts).astype(np.float64)
        return wilson_estimates(agreeing, tables.n, undefined=undefined, confidence=confidence)
    se = _standard_error(tables, tables.weighting.similarity - tables.observed[:, None, None])
    return symmetric_estimates(
        tables.observed, se, n=tables.n, undefined=undefined, confidence=confidence, lowest=0.0
    )


def scott_pi(tables: PairTables, *, confidence: float = 0.95) -> Estimates:
    """(P,) Scott's pi, with expected agreement from the pooled labels of both raters.

    Source: Scott 1955, Public Opinion Quarterly 19, 321-325.
    """
    return _chance_corrected(tables, by_prevalence, confidence)


def brennan_prediger(tables: PairTables, *, confidence: float = 0.95) -> Estimates:
    """(P,) Brennan and Prediger's kappa, with expected agreement from the number of declared categories.

    Undefined if only one category is declared (`no_variation`). In full agreement, see `with_full_agreement` for the
    interval.
    Sources: Bennett, Alpert & Goldstein 1954, Public Opinion Quarterly 18, 303-308; Brennan & Prediger 1981,
    Educational and Psychological Measurement 41, 687-699.
    """
    found = _chance_corrected(tables, by_number_of_categories, confidence)
    expected = float(tables.weighting.similarity.mean())
    return found if expected >= 1 else with_full_agreement(found, expected, confidence=confidence)


def gwet_ac(tables: PairTables, *, confidence: float = 0.95) -> Estimates:
    """(P,) Gwet's AC1, or AC2 if weighted, with chance agreement on hard items only.

    Undefined if only one category is declared (`no_variation`).
    Sources: Gwet 2008, British Journal of Mathematical and Statistical Psychology 61, 29-48; Gwet 2014, Handbook of
    Inter-Rater Reliability, 4th ed.
    """
    return _chance_corrected(tables, by_hard_items, confidence)


def _chance_corrected(tables: PairTables, model: ChanceModel, confidence: float) -> Estimates:
    """Return the estimates of all pairs, in blocks; see `_block`."""

    def of(counts: IntArray) -> Estimates:
        return _block(PairTables(counts, tables.weighting), model, confidence)

    return in_blocks(of, tables.counts)


def _block(tables: PairTables, model: ChanceModel, confidence: float) -> Estimates:
    """(po - pe) / (1 - pe) with pe = sum_k pi_k c_k, c the model's chance agreement of a label of category k.

    var = {sum p_kl [w_kl - (1 - kappa)(c_k + c_l)]^2 - [po - 2 (1 - kappa) pe]^2} / (n (1 - pe)^2); the interval is
    normal, its upper limit clipped at 1. With weights, the lowest value may be below -1.
    Undefined if no item is shared (`no_overlap`), or chance alone makes agreement certain (`no_variation`).
    Source of the variance: Gwet 2014, Handbook of Inter-Rater Reliability, 4th ed., chapter 5.
    """
    chance, expected = _expected(tables, model)
    value = corrected(tables.observed, expected)
    undefined = reasons(
        value.shape, (tables.n == 0, Reason.NO_OVERLAP), (~(1 - expected > CERTAIN), Reason.NO_VARIATION)
    )
    beyond = (1 - value)[:, None] * chance
    middle = tables.observed - 2 * (1 - value) * expected
    deviations = tables.weighting.similarity - beyond[:, :, None] - beyond[:, None, :] - middle[:, None, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        se = _standard_error(tables, deviations) / (1 - expected)
    return symmetric_estimates(
        value,
        se,
        n=tables.n,
        undefined=undefined,
        confidence=confidence,
        lowest=-np.inf,
        off_margins=(tables.counts.max(axis=(1, 2), initial=0) == tables.n) & (tables.observed < 1),
    )


def _expected(tables: PairTables, model: ChanceModel) -> tuple[FloatArray, FloatArray]:
    try:
        chance = model(tables.prevalence, tables.weighting.similarity)
    except Undefined:
        chance = np.full_like(tables.prevalence, np.nan)
    return chance, np.einsum("pk,pk->p", tables.prevalence, chance)


def _standard_error(tables: PairTables, deviations: FloatArray) -> FloatArray:
    """The square root of sum p_kl d_kl^2 / n; deviations: (P, K, K) from their mean."""
    with np.errstate(divide="ignore", invalid="ignore"):
        squares = np.einsum("pkl,pkl,pkl->p", tables.proportions, deviations, deviations)
        return np.sqrt(squares / tables.n)
