"""Conger's kappa: agreement of all raters, with chance agreement from each rater's own margins."""

import numpy as np

from reports.agreement.chance import corrected
from reports.agreement.overall.chance_corrected import (
    item_observed,
    observed_agreement,
    weights_of,
)
from reports.agreement.profiles import ItemProfiles
from reports.agreement.results import FloatArray
from reports.agreement.sample import Sample, Scale
from reports.agreement.statistic import Statistic


def conger_kappa(profiles: ItemProfiles, scale: Scale, weights: FloatArray) -> FloatArray:
    """(B,) (pa - pe) / (1 - pe), pa the item-mean agreement, pe that expected of two different raters by their margins.

    pe is the mean over ordered pairs of raters g, h of sum_kl w_kl p_gk p_hl, where p_gk is the share of category k
    among all items that g labeled, w the similarity of the scale's weights. Raters without a label are left out.
    NaN if fewer than two raters are left, no item has two labels, or pe is 1.
    Source: Conger 1980, Psychological Bulletin 88, 322; missing labels as in Gwet 2014, Handbook of Inter-Rater
    Reliability, 4th ed.
    """
    splits, of_split = profiles.split_weights(weights)
    observed = observed_agreement(splits, scale, of_split)
    return corrected(observed, 1 - _expected_cost(profiles.rater_counts(weights), scale))


def _expected_cost(counts: FloatArray, scale: Scale) -> FloatArray:
    """(B,) 1 - pe from the counts of each rater, (B, R, K)."""
    weighting = scale.weighting
    shares, n_raters = _shares(counts)
    # Summed in ascending order, so that the order of the raters changes no bit.
    sums = np.sort(shares, axis=1).sum(axis=1)
    of_all = np.einsum("bk,bk->b", np.einsum("bl,kl->bk", sums, weighting.costs), sums)
    of_each = np.einsum("brk,brk->br", np.einsum("brl,kl->brk", shares, weighting.costs), shares)
    of_same = np.sort(of_each, axis=1).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return (of_all - of_same) / (weighting.unit * n_raters * (n_raters - 1))


def _shares(counts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(B, R, K) the share of each category in a rater's labels, 0 without any; (B,) raters with labels."""
    totals = counts.sum(axis=2, keepdims=True)
    shares = np.divide(counts, totals, out=np.zeros_like(counts), where=totals > 0)
    return shares, (totals > 0).sum(axis=(1, 2)).astype(np.float64)


def item_conger(profiles: ItemProfiles, scale: Scale, value: float) -> FloatArray:
    """(U,) kappa_i = kappa + {[r_i >= 2] (n / n2) (pa_i - pa) - 2 (1 - kappa) (pe_i - pe)} / (1 - pe).

    pe_i - pe = sum over the item's labels, g's in category k, of (n / n_g) (u_gk - sum_l p_gl u_gl) / (R (R - 1)),
    u_gk = sum_l w_kl sum_{h != g} p_hl.
    Source: the variance of Gwet 2014, Handbook of Inter-Rater Reliability, 4th ed., chapter 5, in closed form, except
    for items with one label; see `item_chance_corrected`.
    """
    counts = profiles.rater_counts(profiles.n_items[None, :].astype(np.float64))
    room = float(_expected_cost(counts, scale)[0])
    change = profiles.rater_sums(_label_changes(counts, scale, int(profiles.n_items.sum())))
    observed = 1 - room + value * room
    beyond = item_observed(profiles.splits, scale, observed) - observed
    return value + (beyond - 2 * (1 - value) * change) / room


def _label_changes(counts: FloatArray, scale: Scale, n_items: int) -> FloatArray:
    """(R, K) the contribution of a rater's label of a category to pe_i - pe."""
    weighting = scale.weighting
    shares, n_raters = (found[0] for found in _shares(counts))
    others = shares.sum(axis=0) - shares
    by_category = -np.einsum("rl,kl->rk", others, weighting.costs) / weighting.unit
    mean = np.einsum("rk,rk->r", shares, by_category)[:, None]
    n_labels = np.maximum(counts[0].sum(axis=1, keepdims=True), 1)
    return n_items / n_labels * (by_category - mean) / (n_raters * (n_raters - 1))


def profiles_of(sample: Sample) -> ItemProfiles:
    return sample.profiles


CONGER_KAPPA = Statistic(
    name="conger_kappa",
    weighted_name="conger_kappa_weighted",
    units=profiles_of,
    values=conger_kappa,
    item_values=item_conger,
    method=weights_of,
    uses_single=True,
)
