"""Differences between two samples, or two pairs of raters, with interval and test."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from numpy.typing import ArrayLike

from reports.agreement.intervals.difference import Difference
from reports.agreement.intervals.pair_difference import bootstrap_pair_difference, pair_difference
from reports.agreement.intervals.sample_difference import bootstrap_sample_difference, sample_difference
from reports.agreement.overall.coefficients import WEIGHTED, unweighted_statistics
from reports.agreement.ratings import Ratings
from reports.agreement.sample import Sample, Scale
from reports.agreement.statistic import Statistic
from reports.agreement.ticks import Tick, part_of
from reports.agreement.weights import Weights
from reports.analysis.options import Options
from reports.analysis.pairs import weighted_name
from reports.analysis.results import Differences
from reports.analysis.steps import each_of


def asked_statistics(scale: Scale) -> dict[str, tuple[Statistic, Scale]]:
    """Every coefficient by its name, with the scale it is computed on: without weights, and with those of the scale."""
    plain = replace(scale, weights=Weights.UNWEIGHTED, custom=None)
    asked = {each.name: (each, plain) for each in unweighted_statistics(scale)}
    if scale.weights is Weights.UNWEIGHTED:
        return asked
    return asked | {each.weighted_name: (each, scale) for each in WEIGHTED}


def sample_differences(
    first: Sample,
    second: Sample,
    scale: Scale,
    options: Options,
    *,
    first_items: ArrayLike,
    second_items: ArrayLike,
    only: Collection[str] = (),
    tick: Tick | None = None,
) -> Differences:
    """Every coefficient of the first sample less that of the second, by name; shared items are paired.

    only: of these alone, empty for all.
    """
    asked = [each for each in asked_statistics(scale).items() if not only or each[0] in only]
    return {
        name: difference_of(statistic, first, second, some, options, first_items, second_items)
        for (name, (statistic, some)), _ in each_of(asked, part_of(tick, 0, 1))
    }


def difference_of(
    statistic: Statistic,
    first: Sample,
    second: Sample,
    scale: Scale,
    options: Options,
    first_items: ArrayLike,
    second_items: ArrayLike,
) -> Difference:
    """One coefficient of the first sample less that of the second; items: the same number for the same item."""
    if not options.is_bootstrap:
        return sample_difference(
            statistic,
            first,
            second,
            scale,
            first_items=first_items,
            second_items=second_items,
            confidence=options.confidence,
        )
    return bootstrap_sample_difference(
        statistic,
        first,
        second,
        scale,
        seed=options.seed,
        n_replicates=options.replicates,
        first_items=first_items,
        second_items=second_items,
        confidence=options.confidence,
    )


def pair_differences(
    ratings: Ratings, first: Sequence[int], second: Sequence[int], scale: Scale, options: Options
) -> Differences:
    """Cohen's kappa of the first pair less that of the second; positions of two raters each."""
    scales = {"cohen_kappa": replace(scale, weights=Weights.UNWEIGHTED, custom=None)}
    if scale.weights is not Weights.UNWEIGHTED:
        scales[weighted_name("cohen_kappa")] = scale
    return {name: _of_pairs(ratings, first, second, some, options) for name, some in scales.items()}


def _of_pairs(
    ratings: Ratings, first: Sequence[int], second: Sequence[int], scale: Scale, options: Options
) -> Difference:
    (a, b), (c, d) = first, second
    if not options.is_bootstrap:
        return pair_difference(ratings, (a, b), (c, d), scale.weighting, confidence=options.confidence)
    return bootstrap_pair_difference(
        ratings,
        (a, b),
        (c, d),
        scale.weighting,
        seed=options.seed,
        n_replicates=options.replicates,
        confidence=options.confidence,
    )
