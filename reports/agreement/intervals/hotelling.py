"""Test whether several coefficients of the same items are equal, before pairwise comparisons."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtrc

from reports.agreement.intervals.difference import ComparedValue, why_uncertain
from reports.agreement.results import FloatArray, Reason

METHOD = "Hotelling's T-squared, items as units"
# Variance in a direction below this share of the largest one is rounding error.
SINGULAR = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class EqualityTest:
    """n_values: G coefficients; n_left_out: others, without a value or a standard error. n_units: the smallest number
    of items that one of them is based on.

    t_squared: dimensionless. f, df1, df2, p_value: of F. reason: why there is no test.
    """

    t_squared: float | None = None
    f: float | None = None
    df1: int | None = None
    df2: int | None = None
    p_value: float | None = None
    n_values: int
    n_left_out: int = 0
    n_units: int
    method: str = METHOD
    reason: Reason = Reason.NONE


def equality(values: Sequence[ComparedValue], n_items: NDArray[np.int64]) -> EqualityTest:
    """Test that G coefficients, which may share items, are equal, from their linearized values on items.

    n_items: (J,) of each kind of item. With a_i the linearized values of a coefficient, s_a^2 = n_a (n_a - 1), and
    parts (a_i - a) / s_a, 0 for items that do not enter it, the parts' sums of products are the covariances S of the
    coefficients. With C the differences from the last one, T^2 = (C k)' (C S C')^-1 (C k), and
    F = T^2 (n - G + 1) / ((n - 1) (G - 1)) has G - 1 and n - G + 1 degrees of freedom, n the smallest n_a. For two
    coefficients T^2 is the square of t in `linearised_difference`.
    Undefined: a value that is undefined or has no standard error, with its reason; fewer than two values
    (`too_few_counted`); no more items than values (`too_few_items`); differences that do not vary (`degenerate_se`).
    Sources: Hotelling 1931, Annals of Mathematical Statistics 2, 360-378; Vanbelle & Albert 2008, Journal of
    Statistical Computation and Simulation 78, 1009-1015.
    """
    n_values = len(values)
    enters = np.stack([~np.isnan(each.item_values) for each in values]) if values else np.zeros((0, 0), bool)
    n_units = int((enters * n_items).sum(axis=1).min(initial=np.iinfo(np.int64).max)) if n_values else 0

    def none(reason: Reason) -> EqualityTest:
        return EqualityTest(n_values=n_values, n_units=n_units, reason=reason)

    if n_values < 2:
        return none(Reason.TOO_FEW_COUNTED)
    for each in values:
        if np.isnan(each.value):
            return none(each.reason or Reason.NO_VARIATION)
        if reason := why_uncertain(each, n_items):
            return none(reason)
    if n_units <= n_values:
        return none(Reason.TOO_FEW_ITEMS)
    deviations = np.stack([
        np.where(some, each.item_values - each.value, 0.0) for some, each in zip(enters, values, strict=True)
    ])  # fmt: skip
    n = (enters * n_items).sum(axis=1).astype(np.float64)
    parts = deviations / np.sqrt(n * (n - 1))[:, None]
    found = t_squared(np.array([each.value for each in values]), parts, n_items)
    if found is None:
        return none(Reason.DEGENERATE_SE)
    df1, df2 = n_values - 1, n_units - n_values + 1
    f = found * df2 / ((n_units - 1) * df1)
    return EqualityTest(
        t_squared=found,
        f=f,
        df1=df1,
        df2=df2,
        p_value=float(fdtrc(df1, df2, f)),
        n_values=n_values,
        n_units=n_units,
    )


def t_squared(values: FloatArray, parts: FloatArray, n_items: NDArray[np.int64]) -> float | None:
    """(C k)' (C S C')^-1 (C k) with S = sum of the parts' products; None if C S C' cannot be inverted.

    values: (G,). parts: (G, J). n_items: (J,).
    """
    differences = values[:-1] - values[-1]
    of_items = parts[:-1] - parts[-1]
    covariance = np.einsum("gj,hj,j->gh", of_items, of_items, n_items.astype(np.float64))
    spread = np.linalg.eigvalsh(covariance)
    if spread[0] <= SINGULAR * max(spread[-1], np.einsum("gj,gj,j->", parts, parts, n_items)):
        return None
    return float(differences @ np.linalg.solve(covariance, differences))
