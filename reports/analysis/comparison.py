"""Differences between two samples, or two pairs of raters, with confidence interval and test."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial

from reports.agreement.intervals.difference import Difference
from reports.agreement.intervals.pair_difference import bootstrap_pair_difference, pair_difference
from reports.agreement.intervals.sample_difference import bootstrap_sample_difference, sample_difference
from reports.agreement.overall.coefficients import WEIGHTED, unweighted_statistics
from reports.agreement.progress_callbacks import ReportProgress, part_of
from reports.agreement.ratings import Ratings
from reports.agreement.sample import Scale
from reports.agreement.statistic import Statistic
from reports.agreement.weights import Weights
from reports.analysis.label_arrays import LabelSubset
from reports.analysis.options import Options
from reports.analysis.pairs import weighted_name
from reports.analysis.results import Differences
from reports.analysis.steps import each_of


def requested_statistics(scale: Scale) -> dict[str, tuple[Statistic, Scale]]:
    """Return every coefficient by name, with its scale: unweighted, and with the weights of the scale."""
    plain = replace(scale, weights=Weights.UNWEIGHTED, custom=None)
    asked = {each.name: (each, plain) for each in unweighted_statistics(scale)}
    if scale.weights is Weights.UNWEIGHTED:
        return asked
    return asked | {each.weighted_name: (each, scale) for each in WEIGHTED}


def sample_differences(
    first: LabelSubset,
    second: LabelSubset,
    scale: Scale,
    options: Options,
    *,
    only: Collection[str] = (),
    report_progress: ReportProgress | None = None,
) -> Differences:
    """Return the difference of every coefficient, first part minus second, by name; shared items are paired.

    only: names to limit this to; empty for all.
    """
    asked = [each for each in requested_statistics(scale).items() if not only or each[0] in only]
    return {
        name: difference_of(statistic, first, second, some, options)
        for (name, (statistic, some)), _ in each_of(asked, part_of(report_progress, 0, 1))
    }


def difference_of(
    statistic: Statistic, first: LabelSubset, second: LabelSubset, scale: Scale, options: Options
) -> Difference:
    difference: Callable[..., Difference] = (
        partial(bootstrap_sample_difference, seed=options.seed, n_replicates=options.replicates)
        if options.is_bootstrap
        else sample_difference
    )
    return difference(
        statistic,
        first.sample,
        second.sample,
        scale,
        first_items=first.item_ids,
        second_items=second.item_ids,
        confidence=options.confidence,
    )


def pair_differences(
    ratings: Ratings, first: Sequence[int], second: Sequence[int], scale: Scale, options: Options
) -> Differences:
    """Return Cohen's kappa of the first pair minus that of the second; each pair is two raters' positions."""
    scales = {"cohen_kappa": replace(scale, weights=Weights.UNWEIGHTED, custom=None)}
    if scale.weights is not Weights.UNWEIGHTED:
        scales[weighted_name("cohen_kappa")] = scale
    difference: Callable[..., Difference] = (
        partial(bootstrap_pair_difference, seed=options.seed, n_replicates=options.replicates)
        if options.is_bootstrap
        else pair_difference
    )
    return {
        name: difference(ratings, tuple(first), tuple(second), some.weighting, confidence=options.confidence)
        for name, some in scales.items()
    }
