"""Everything that is computed of all raters of a question together, as reports store it and programs get it."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from reports.agreement.intervals.bootstrap import bootstrap
from reports.agreement.intervals.jackknife import jackknife
from reports.agreement.overall.coefficients import COEFFICIENTS, overall
from reports.agreement.overall.statistic import Statistic
from reports.agreement.results import Coefficient, Interval
from reports.agreement.sample import Sample, Scale
from reports.agreement.weights import Weights
from reports.catalogue import Family
from reports.consensus_figures import consensus_of
from reports.options import IntervalMethod, Options

# What a report computes of a single choice beside the coefficients.
STORED = (Family.CATEGORIES, Family.TESTS, Family.CONSENSUS)


def coefficients_of(sample: Sample, scale: Scale, options: Options) -> dict[str, dict[str, Any]]:
    """Every coefficient of all raters by name, with the interval that the options ask for."""
    found = overall(sample, scale, confidence=options.confidence)
    intervals = _intervals(sample, scale, options)
    return {name: _flat(coefficient, intervals.get(name)) for name, coefficient in found.items()}


def _flat(coefficient: Coefficient, interval: Interval | None) -> dict[str, Any]:
    # A value that is undefined has no interval by any method; its reason says more than the interval's.
    if interval is None or coefficient.value is None:
        return coefficient.flat()
    changed = replace(
        coefficient,
        se=interval.se,
        ci_low=interval.low,
        ci_high=interval.high,
        reason=interval.reason,
        interval_method=interval.method,
    )
    if not interval.n_replicates:
        return changed.flat()
    return changed.flat() | {
        "n_replicates": interval.n_replicates,
        "n_undefined_replicates": interval.n_undefined,
    }


def statistics_of(
    sample: Sample, scale: Scale, options: Options, *, raters: Sequence[str], families: Collection[Family]
) -> dict[str, Any]:
    """What is computed of all raters beside the coefficients, by family.

    raters: their names in the order of the columns of the ratings.
    """
    found: dict[str, Any] = {}
    if Family.CONSENSUS in families:
        found[Family.CONSENSUS] = consensus_of(sample, raters)
    return {str(family): figures for family, figures in found.items()}


def with_null_reasons(found: Any) -> Any:
    """The same JSON as programs get it: null for the reason of what is defined."""
    if isinstance(found, list):
        return [with_null_reasons(each) for each in found]
    if not isinstance(found, dict):
        return found
    return {
        name: value or None if name == "reason" else with_null_reasons(value) for name, value in found.items()
    }


def _intervals(sample: Sample, scale: Scale, options: Options) -> dict[str, Interval]:
    """Intervals by another method than the formula's, by the name of the coefficient."""
    if options.interval is IntervalMethod.ANALYTIC:
        return {}
    found = _resampled(COEFFICIENTS, sample, replace(scale, weights=Weights.UNWEIGHTED, custom=None), options)
    if scale.weights is Weights.UNWEIGHTED:
        return found
    weighted = [each for each in COEFFICIENTS if each.weighted_name]
    by_name = _resampled(weighted, sample, scale, options)
    return found | {each.weighted_name: by_name[each.name] for each in weighted}


def _resampled(
    statistics: Sequence[Statistic], sample: Sample, scale: Scale, options: Options
) -> dict[str, Interval]:
    if options.interval is IntervalMethod.JACKKNIFE:
        return {
            each.name: jackknife(each, sample, scale, confidence=options.confidence) for each in statistics
        }
    return bootstrap(
        statistics,
        sample,
        scale,
        seed=options.seed,
        n_replicates=options.replicates,
        method=str(options.interval),
        confidence=options.confidence,
    )
