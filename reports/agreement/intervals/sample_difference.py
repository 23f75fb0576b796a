"""The difference in a statistic between two samples, such as rounds or groups of raters, which may share items."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from reports.agreement.intervals.bootstrap import N_REPLICATES
from reports.agreement.intervals.difference import (
    ComparedValue,
    Difference,
    bootstrap_difference,
    linearised_difference,
    uncertain,
)
from reports.agreement.intervals.jackknife import jackknife_values
from reports.agreement.intervals.joint import JointKinds, SampleKinds, join
from reports.agreement.intervals.replicates import has_too_many_undefined, used_kinds, why_undefined
from reports.agreement.intervals.resampling import item_weights, two_streams
from reports.agreement.ratings import DenseRatings, Ratings, to_dense
from reports.agreement.results import FloatArray, Reason, Undefined
from reports.agreement.sample import Sample, Scale
from reports.agreement.statistic import Statistic


def sample_difference(
    statistic: Statistic,
    first: Sample,
    second: Sample,
    scale: Scale,
    *,
    first_items: ArrayLike | None = None,
    second_items: ArrayLike | None = None,
    confidence: float = 0.95,
) -> Difference:
    """The first sample's value of a statistic minus the second's, from their linearized values on items.

    first_items, second_items: identities of the items of each sample's rows, so that shared ones are paired;
    None: no item is shared. A statistic without linearized values uses the pseudo-values of the jackknife,
    n value - (n - 1) value_(i). See `linearised_difference` for the error, the test, and undefined cases.
    """
    try:
        joint = join(statistic, first, second, first_items=first_items, second_items=second_items)
    except Undefined as undefined:
        return _undefined(undefined.reason)
    return joint_difference(joint, scale, confidence=confidence)


def bootstrap_sample_difference(
    statistic: Statistic,
    first: Sample,
    second: Sample,
    scale: Scale,
    *,
    seed: int,
    n_replicates: int = N_REPLICATES,
    first_items: ArrayLike | None = None,
    second_items: ArrayLike | None = None,
    confidence: float = 0.95,
) -> Difference:
    """Like `sample_difference`, by the bootstrap: items that both samples share are drawn together.

    Without shared items, each sample is drawn separately, so that both keep their numbers of items. Otherwise, all
    items of either are drawn together. See `bootstrap_difference`.
    """
    try:
        joint = join(statistic, first, second, first_items=first_items, second_items=second_items)
    except Undefined as undefined:
        return _undefined(undefined.reason)
    return bootstrap_joint_difference(
        joint, scale, seed=seed, n_replicates=n_replicates, confidence=confidence
    )


def joint_difference(
    joint: JointKinds, scale: Scale, *, second_scale: Scale | None = None, confidence: float = 0.95
) -> Difference:
    """The difference between the statistics of two joined samples, as in `sample_difference`.

    second_scale: of the second sample, if its categories differ from the first's.
    """
    first, second = _side(scale, joint.first), _side(second_scale or scale, joint.second)
    return linearised_difference(first, second, joint.n_items, confidence=confidence)


def bootstrap_joint_difference(
    joint: JointKinds,
    scale: Scale,
    *,
    seed: int,
    n_replicates: int = N_REPLICATES,
    confidence: float = 0.95,
) -> Difference:
    """Like `joint_difference`, by the bootstrap, as in `bootstrap_sample_difference`."""
    found = uncertain(*_sides(scale, joint), joint.n_items)
    if found.value is None:
        return found
    is_paired = bool(joint.is_shared.any())
    draw = _together if is_paired else _apart
    replicates = draw(scale, joint, seed=seed, n_replicates=n_replicates)
    return bootstrap_difference(found, *replicates, confidence=confidence)


def of_raters(ratings: Ratings, raters: Sequence[int]) -> DenseRatings:
    """Return only the labels of some raters, on the same rows of items."""
    dense = to_dense(ratings)
    codes = dense.codes[:, list(raters)]
    return DenseRatings(codes, dense.n_categories, int((codes != dense.n_categories).sum()))


def _undefined(reason: Reason) -> Difference:
    return Difference(n_shared=0, n_first=0, n_second=0, method="", reason=reason)


def _sides(scale: Scale, joint: JointKinds) -> tuple[ComparedValue, ComparedValue]:
    return _side(scale, joint.first), _side(scale, joint.second)


def _side(scale: Scale, kinds: SampleKinds) -> ComparedValue:
    """Return a value with its linearized values on the joint kinds of items."""
    statistic, units = kinds.statistic, kinds.units
    nothing = np.full(len(kinds.kinds), np.nan)
    reason = why_undefined(units)
    if reason and reason is not Reason.ONE_ITEM:
        return ComparedValue(value=np.nan, item_values=nothing, reason=reason)
    try:
        value = float(statistic.values(units, scale, units.n_items[None, :].astype(np.float64))[0])
        if np.isnan(value):
            return ComparedValue(value=np.nan, item_values=nothing, reason=Reason.NO_VARIATION)
        if reason:
            return ComparedValue(value=value, item_values=nothing, reason=reason)
        item_values = item_values_of(statistic, units, scale, value)
    except Undefined as undefined:
        return ComparedValue(value=np.nan, item_values=nothing, reason=undefined.reason)
    n_undefined = units.n_items[used_kinds(statistic, units) & np.isnan(item_values)].sum()
    if has_too_many_undefined(n_undefined, units.n_items[used_kinds(statistic, units)].sum()):
        reason = Reason.TOO_MANY_UNDEFINED
    return ComparedValue(value=value, item_values=kinds.of_items(item_values), reason=reason)


def item_values_of(statistic: Statistic, units: Any, scale: Scale, value: float) -> FloatArray:
    """(U,) linearized, or by the jackknife: value + (n - 1) (mean of value_(i) - value_(i)); NaN if not used."""
    if statistic.item_values is not None:
        return statistic.item_values(units, scale, value)
    is_used = used_kinds(statistic, units)
    left_out = jackknife_values(statistic, units, scale)
    n_items = units.n_items[is_used][~np.isnan(left_out)]
    mean = (left_out[~np.isnan(left_out)] * n_items).sum() / n_items.sum() if len(n_items) else np.nan
    found = np.full(len(units.n_items), np.nan)
    found[is_used] = value + (units.n_items[is_used].sum() - 1) * (mean - left_out)
    return found


def _together(
    scale: Scale, joint: JointKinds, *, seed: int, n_replicates: int
) -> tuple[FloatArray, FloatArray]:
    """(B,) values of both samples, with the items of both drawn together."""
    first: list[FloatArray] = []
    second: list[FloatArray] = []
    for weights in item_weights(joint.n_items, seed=seed, n_replicates=n_replicates):
        for half, found in ((joint.first, first), (joint.second, second)):
            found.append(half.statistic.values(half.units, scale, half.weights(weights)))
    return np.concatenate(first), np.concatenate(second)


def _apart(scale: Scale, joint: JointKinds, *, seed: int, n_replicates: int) -> tuple[FloatArray, FloatArray]:
    """(B,) values of both samples, each drawn separately, from independent streams of one seed."""
    first, second = (
        [
            half.statistic.values(half.units, scale, weights)
            for weights in item_weights(half.units.n_items, seed=stream, n_replicates=n_replicates)
        ]
        for half, stream in zip((joint.first, joint.second), two_streams(seed), strict=True)
    )
    return np.concatenate(first), np.concatenate(second)
