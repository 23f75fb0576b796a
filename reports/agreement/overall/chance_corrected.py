"""Percent agreement of all raters, and chance-corrected coefficients: Fleiss, Brennan-Prediger, Gwet."""

from dataclasses import replace
from functools import partial

import numpy as np

from reports.agreement.chance import (
    ChanceModel,
    by_hard_items,
    by_number_of_categories,
    by_prevalence,
    corrected,
)
from reports.agreement.intervals.full_agreement import transformed_limits
from reports.agreement.overall.linearised import WILSON, linearised_interval, share_interval
from reports.agreement.patterns import ItemPatterns
from reports.agreement.results import FloatArray, Interval
from reports.agreement.sample import Sample, Scale
from reports.agreement.statistic import Statistic


def item_agreement(patterns: ItemPatterns, scale: Scale) -> FloatArray:
    """(U,) the agreement of an item's pairs of labels, sum_k r_ik (r*_ik - 1) / (r_i (r_i - 1)); 0 for one label.

    r*_ik = sum_l w_kl r_il, w the similarity of the scale's weights.
    """
    r = patterns.n_labels
    n_pairs = np.maximum(r * (r - 1), 1)
    weighting = scale.weighting
    if (weighting.costs == weighting.unit).sum() == len(weighting.costs) * (len(weighting.costs) - 1):
        return patterns.n_agreeing / n_pairs
    return np.where(r >= 2, 1 - patterns.item_products(weighting.costs) / (weighting.unit * n_pairs), 0)


def observed_agreement(patterns: ItemPatterns, scale: Scale, weights: FloatArray) -> FloatArray:
    """(B,) the mean agreement of items with two or more labels; NaN where there are none."""
    is_pairable = patterns.n_labels >= 2
    n_pairable = np.einsum("bu,u->b", weights, is_pairable.astype(np.float64))
    with np.errstate(invalid="ignore"):
        return np.einsum("bu,u->b", weights, item_agreement(patterns, scale)) / n_pairable


def item_observed(patterns: ItemPatterns, scale: Scale, value: float) -> FloatArray:
    """(U,) pa + (n / n2) (pa_i - pa), the linearized observed agreement; pa for items with one label."""
    beyond = pairable_ratio(patterns) * (item_agreement(patterns, scale) - value)
    return value + np.where(patterns.n_labels >= 2, beyond, 0)


def pairable_ratio(patterns: ItemPatterns) -> float:
    """n / n2, all items over those with two or more labels."""
    return float(patterns.n_items.sum() / patterns.n_items[patterns.n_labels >= 2].sum())


def chance_corrected(
    patterns: ItemPatterns, scale: Scale, weights: FloatArray, *, model: ChanceModel
) -> FloatArray:
    """(B,) (pa - pe) / (1 - pe) with the item-mean agreement pa and the expected agreement pe of the model."""
    observed = observed_agreement(patterns, scale, weights)
    prevalence = patterns.prevalences(weights)
    expected = np.einsum("bk,bk->b", prevalence, model(prevalence, scale.weighting.similarity))
    return corrected(observed, expected)


def item_chance_corrected(
    patterns: ItemPatterns, scale: Scale, value: float, *, model: ChanceModel
) -> FloatArray:
    """(U,) kappa_i = kappa + {[r_i >= 2] (n / n2) (pa_i - pa) - 2 (1 - kappa) (pe_i - pe)} / (1 - pe).

    pe_i is the mean over the item's labels of the chance agreement of their category. An item with one label carries no
    information on pa. Gwet 2014 counts it there as one without agreement, which overestimates the error; if every item
    has two labels, both are the same.
    Sources: the derivative of kappa by the number of items of a kind (Efron 1982); Gwet 2014, Handbook of Inter-Rater
    Reliability, 4th ed., chapter 5.
    """
    prevalence = patterns.prevalence
    chance = model(prevalence, scale.weighting.similarity)
    expected = float(np.einsum("k,k->", prevalence, chance))
    item_expected = patterns.item_sums(chance) / patterns.n_labels
    observed = expected + value * (1 - expected)
    beyond = item_observed(patterns, scale, observed) - observed
    return value + (beyond - 2 * (1 - value) * (item_expected - expected)) / (1 - expected)


def weights_of(scale: Scale) -> str:
    """Return the weights, which distinguish the versions of a coefficient."""
    return str(scale.weights)


def patterns_of(sample: Sample) -> ItemPatterns:
    return sample.patterns


def _statistic(name: str, weighted_name: str, model: ChanceModel) -> Statistic:
    return Statistic(
        name=name,
        weighted_name=weighted_name,
        units=patterns_of,
        values=partial(chance_corrected, model=model),
        item_values=partial(item_chance_corrected, model=model),
        method=weights_of,
        uses_single=True,
    )


def observed_interval(
    value: float, item_values: FloatArray, patterns: ItemPatterns, confidence: float
) -> Interval:
    """The linearized error, and the interval of the share of agreement among items with two or more labels.

    item_values: of `item_observed`.
    """
    agreement = value + (item_values - value) / pairable_ratio(patterns)
    agreement = np.where(patterns.n_labels >= 2, agreement, np.nan)
    error = linearised_interval(value, item_values, patterns, confidence).se
    return replace(share_interval(value, agreement, patterns, confidence), se=error)


def full_interval(patterns: ItemPatterns, scale: Scale, confidence: float) -> Interval:
    """The interval of Brennan and Prediger's kappa where all labels agree: Wilson's for percent agreement, transformed.

    n: items with two or more labels, regardless of how many.
    """
    n = np.array([patterns.n_items[patterns.n_labels >= 2].sum()], dtype=np.float64)
    expected = float(scale.weighting.similarity.mean())
    (low,), (high,) = transformed_limits(n, expected, confidence=confidence)
    return Interval(se=0.0, low=float(low), high=float(high), method=WILSON)


PERCENT_AGREEMENT = Statistic(
    name="percent_agreement",
    weighted_name="percent_agreement_weighted",
    units=patterns_of,
    values=observed_agreement,
    item_values=item_observed,
    interval=observed_interval,
    lowest=0.0,
    is_share=True,
    method=lambda scale: "item mean" if scale.weights == "unweighted" else f"item mean, {scale.weights}",
)
FLEISS_KAPPA = _statistic("fleiss_kappa", "fleiss_kappa_weighted", by_prevalence)
BRENNAN_PREDIGER = replace(
    _statistic("brennan_prediger", "brennan_prediger_weighted", by_number_of_categories),
    full_interval=full_interval,
)
GWET_AC = _statistic("gwet_ac1", "gwet_ac2", by_hard_items)
