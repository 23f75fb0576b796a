"""Everything that is computed of all raters of a question together, as reports store it and programs get it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from reports.agreement.intervals.jackknife import jackknife
from reports.agreement.overall.coefficients import COEFFICIENTS, overall
from reports.agreement.overall.statistic import Statistic
from reports.agreement.results import Coefficient, Interval
from reports.agreement.sample import Sample, Scale
from reports.agreement.weights import Weights
from reports.options import IntervalMethod, Options


def coefficients_of(sample: Sample, scale: Scale, options: Options) -> dict[str, dict[str, Any]]:
    """Every coefficient of all raters by name, with the interval that the options ask for."""
    found = overall(sample, scale, confidence=options.confidence)
    intervals = _intervals(sample, scale, options)
    return {
        name: _with_interval(coefficient, intervals.get(name)).flat() for name, coefficient in found.items()
    }


def with_null_reasons(found: Any) -> Any:
    """The same JSON as programs get it: null for the reason of what is defined."""
    if isinstance(found, list):
        return [with_null_reasons(each) for each in found]
    if not isinstance(found, dict):
        return found
    return {
        name: value or None if name == "reason" else with_null_reasons(value) for name, value in found.items()
    }


def _with_interval(coefficient: Coefficient, interval: Interval | None) -> Coefficient:
    # A value that is undefined has no interval by any method; its reason says more than the interval's.
    if interval is None or coefficient.value is None:
        return coefficient
    return replace(
        coefficient,
        se=interval.se,
        ci_low=interval.low,
        ci_high=interval.high,
        reason=interval.reason,
        interval_method=interval.method,
    )


def _intervals(sample: Sample, scale: Scale, options: Options) -> dict[str, Interval]:
    """Intervals by another method than the formula's, by the name of the coefficient."""
    if options.interval is IntervalMethod.ANALYTIC:
        return {}
    unweighted = replace(scale, weights=Weights.UNWEIGHTED, custom=None)
    found = _resampled(COEFFICIENTS, sample, unweighted, options)
    if scale.weights is Weights.UNWEIGHTED:
        return found
    weighted = [each for each in COEFFICIENTS if each.weighted_name]
    by_name = _resampled(weighted, sample, scale, options)
    return found | {each.weighted_name: by_name[each.name] for each in weighted}


def _resampled(
    statistics: Sequence[Statistic], sample: Sample, scale: Scale, options: Options
) -> dict[str, Interval]:
    return {each.name: jackknife(each, sample, scale, confidence=options.confidence) for each in statistics}
