"""Variance components of items, raters, and residual by REML, for crossed designs with any cells empty."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse.csgraph import connected_components

from reports.agreement.numbers.matrix import NumberSample
from reports.agreement.results import FloatArray, Reason, Undefined

MAX_STEPS = 200
# Tolerance of the components as a share of their sum.
TOLERANCE = 1e-12
# A sum of squares below this share of the total is rounding error.
ROUNDING = 1e-20
# A system of this many raters takes about ten seconds.
MAX_RATERS = 1_000


@dataclass(frozen=True, slots=True, eq=False)
class Components:
    """Variances of items, raters, and residual, and the covariance of their estimates (3, 3) in this order.

    The covariance is the inverse of the expected information, NaN without residual variation.
    """

    items: float
    raters: float
    residual: float
    covariance: FloatArray
    crossed: "CenteredLabels"


def reml_components(sample: NumberSample) -> Components:
    """The components of number = mean + item + rater + residual, all three random and normal, over items with two or
    more labels.

    The components are 0 or more, in the squared unit of the numbers in `CenteredLabels`. They are found by Fisher
    scoring on the mixed-model equations, from which items are eliminated: the largest matrix is raters by raters.
    Undefined: as `CenteredLabels`; `too_large`, more than MAX_RATERS raters. Sources: Patterson & Thompson 1971,
    Biometrika 58, 545-554; Searle, Casella & McCulloch 1992, Variance Components, chapters 6 and 8.
    """
    crossed = CenteredLabels(sample)
    if crossed.residual_squares <= crossed.rounding:
        # Both effects are observed without error, so each component is the variance of its effects.
        items, raters = (float(each.var(ddof=1)) for each in crossed.additive)
        beyond = crossed.rounding / len(crossed.values)
        return Components(
            items=items if items > beyond else 0.0,
            raters=raters if raters > beyond else 0.0,
            residual=0.0,
            covariance=np.full((3, 3), np.nan),
            crossed=crossed,
        )
    return _scored(crossed)


class CenteredLabels:
    """The labels of items with two or more labels, centered, in a unit in which their standard deviation is 1.

    Raises Undefined like `rated_items`; `not_connected` where raters and items fall into groups without labels between
    them, whose levels cannot be distinguished from those of the items; `no_residual` where there are as many effects as
    labels.
    """

    def __init__(self, sample: NumberSample) -> None:
        if not sample.size.n_items:
            raise Undefined(Reason.NO_ITEMS)
        if not sample.pairable_size.n_items:
            raise Undefined(Reason.NO_OVERLAP)
        if sample.pairable_size.n_items < 2:
            raise Undefined(Reason.ONE_ITEM)
        is_used = (sample.labels_per_item >= 2)[sample.items]
        values = sample.values[is_used]
        if (values == values[0]).all():
            raise Undefined(Reason.NO_VARIATION)
        self.items = np.unique(sample.items[is_used], return_inverse=True)[1]
        self.raters = np.unique(sample.raters[is_used], return_inverse=True)[1]
        values = np.ldexp(values, -int(np.frexp(np.abs(values).max())[1]))
        far = float(np.abs(values).max()) * 4e-16
        values = values - values.mean()
        unit = float(values.std())
        self.values: FloatArray = values / unit
        # Rounding error of a sum of squares: a share of it, and the error that centering leaves for numbers far from 0.
        self.rounding = len(values) * max(ROUNDING, (far / unit) ** 2)
        self.n, self.n_raters = int(self.items.max()) + 1, int(self.raters.max()) + 1
        if self.n_raters > MAX_RATERS:
            raise Undefined(Reason.TOO_LARGE)
        if n_groups(self.items, self.raters) > 1:
            raise Undefined(Reason.NOT_CONNECTED)
        if len(values) < self.n + self.n_raters:
            raise Undefined(Reason.NO_RESIDUAL)

    @cached_property
    def n_labels(self) -> NDArray[np.int64]:
        """(n,) number of labels on each item."""
        return np.bincount(self.items)

    @cached_property
    def sums(self) -> FloatArray:
        """(n,) sum of each item's numbers."""
        found: FloatArray = np.bincount(self.items, weights=self.values).astype(np.float64)
        return found

    @cached_property
    def numbers_of_labels(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The distinct numbers of labels per item, and the index of each item's number among them."""
        found, which = np.unique(self.n_labels, return_inverse=True)
        return found, which

    @cached_property
    def incidence(self) -> sparse.csr_matrix:
        """(n, R) 1 where the rater labeled the item."""
        ones = np.ones(len(self.items))
        return sparse.csr_matrix((ones, (self.items, self.raters)), shape=(self.n, self.n_raters))

    @cached_property
    def _shared(self) -> sparse.csr_matrix:
        """One row for each number of labels: on how many such items two raters co-occur, (R, R) flattened."""
        numbers, which = self.numbers_of_labels
        rows = []
        for place in range(len(numbers)):
            mine = self.incidence[which == place]
            rows.append((mine.T @ mine).tocsr().reshape(1, -1))
        return sparse.vstack(rows, format="csr")

    def shared(self, weights: FloatArray) -> FloatArray:
        """(R, R) N'DN for the incidence N and a weight for each number of labels on an item."""
        found: FloatArray = (self._shared.T @ weights).reshape(self.n_raters, self.n_raters)
        return found

    @cached_property
    def additive(self) -> tuple[FloatArray, FloatArray]:
        """(n,), (R,) effects of items and raters by least squares; the raters' effects sum to 0."""
        numbers, _ = self.numbers_of_labels
        system = np.diag(np.bincount(self.raters).astype(np.float64)) - self.shared(1 / numbers)
        right = np.bincount(self.raters, weights=self.values - (self.sums / self.n_labels)[self.items])
        # A connected design leaves one direction free, the sum.
        of_raters: FloatArray = np.linalg.solve(system + 1 / self.n_raters, right).astype(np.float64)
        of_items: FloatArray = (self.sums - self.incidence @ of_raters) / self.n_labels
        return of_items, of_raters

    @cached_property
    def residual_squares(self) -> float:
        of_items, of_raters = self.additive
        left = self.values - of_items[self.items] - of_raters[self.raters]
        return float(left @ left)

    @property
    def df(self) -> int:
        """The degrees of freedom of the residual."""
        return len(self.values) - self.n - self.n_raters + 1

    @property
    def labels_per_item(self) -> float:
        """The harmonic mean of the numbers of labels per item."""
        return self.n / float((1 / self.n_labels).sum())


def n_groups(items: NDArray[np.int64], raters: NDArray[np.int64]) -> int:
    """Return the number of groups of raters and items without labels between them; both (L,), counted from 0."""
    n, n_raters = int(items.max()) + 1, int(raters.max()) + 1
    edges = sparse.coo_matrix((np.ones(len(items)), (items, n + raters)), shape=(n + n_raters,) * 2)
    n_found, _ = connected_components(edges, directed=False)
    return int(n_found)


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """The fit at given ratios to the residual's component: minus twice the log-likelihood, with the best residual.

    score, information: of the components of items, raters, and residual themselves, (3,) and (3, 3).
    """

    components: FloatArray
    deviance: float
    score: FloatArray
    information: FloatArray


def fitted(crossed: CenteredLabels, of_items: float, of_raters: float) -> Fit:
    """Return the fit at given ratios g and r of the items' and raters' components to the residual's.

    With Z and N for the incidence, W = (I + g Zi Zi')^-1 is I - c 11' on each item of m labels, with
    d = 1 / (1 + m g) and c = g d. M = Zr'W Zr,
    K = (I + r M)^-1, and P = W - W Zr B Zr'W with B = r K + K 11'K / (1'M K 1).
    """
    numbers, which = crossed.numbers_of_labels
    n_of, labels = np.bincount(which), len(crossed.values)
    m = numbers.astype(np.float64)
    d = 1 / (1 + m * of_items)
    c = of_items * d
    per_rater = np.bincount(crossed.raters).astype(np.float64)
    weighted = np.diag(per_rater) - crossed.shared(c)
    identity = np.eye(crossed.n_raters)
    factor = cho_factor(identity + of_raters * weighted, lower=True)
    inverse = cho_solve(factor, identity)
    level = inverse.sum(axis=0)
    precision = float(level @ weighted.sum(axis=0))
    b = of_raters * inverse + np.outer(level, level) / precision

    own = crossed.values - c[which][crossed.items] * crossed.sums[crossed.items]
    z = np.bincount(crossed.raters, weights=own)
    bz = b @ z
    on_items = crossed.incidence @ bz
    residuals = own - bz[crossed.raters] + (c[which] * on_items)[crossed.items]
    squares = float(crossed.values @ residuals)
    df = labels - 1
    residual = squares / df
    log_determinants = float(n_of @ np.log1p(m * of_items)) + 2 * float(np.log(np.diag(factor[0])).sum())
    deviance = df * float(np.log(squares)) + log_determinants + float(np.log(precision))

    quadratic = np.array([
        float((d[which] * (crossed.sums - on_items)) @ (d[which] * (crossed.sums - on_items))),
        float(((z - weighted @ bz) ** 2).sum()),
        float(residuals @ residuals),
    ])  # fmt: skip
    # Zi'P Zr is D N (I - B M), and Zi'P Zi is diag(m d) - D N B N'D.
    two = crossed.shared(d**2)
    two_b, left = two @ b, identity - b @ weighted
    of_both = weighted @ left
    traces = np.array([float(n_of @ (m * d)) - np.trace(two_b), np.trace(of_both), 0.0])
    traces[2] = df - of_items * traces[0] - of_raters * traces[1]
    information = np.empty((3, 3))
    information[0, 0] = (
        float(n_of @ (m * d) ** 2) - 2 * np.sum(b * crossed.shared(m * d**3)) + np.sum(two_b * two_b.T)
    )
    information[0, 1] = np.sum(left * (two @ left))
    information[1, 1] = np.sum(of_both * of_both.T)
    # From P V P = P, where V is the sum of the three parts.
    information[0, 2] = traces[0] - of_items * information[0, 0] - of_raters * information[0, 1]
    information[1, 2] = traces[1] - of_items * information[0, 1] - of_raters * information[1, 1]
    information[2, 2] = traces[2] - of_items * information[0, 2] - of_raters * information[1, 2]
    information = np.triu(information) + np.triu(information, 1).T
    return Fit(
        components=residual * np.array([of_items, of_raters, 1.0]),
        deviance=deviance,
        score=(quadratic / residual - traces) / (2 * residual),
        information=information / (2 * residual**2),
    )


def _scored(crossed: CenteredLabels) -> Components:
    """Maximize by Fisher scoring; a component that would fall below 0 is kept at 0."""
    fit = fitted(crossed, 1.0, 0.5)
    for _ in range(MAX_STEPS):
        found = _better(crossed, fit)
        if found is None:
            break
        moved = np.abs(found.components - fit.components).max() / fit.components.sum()
        fit = found
        if moved < TOLERANCE:
            break
    items, raters, residual = fit.components.tolist()
    return Components(items, raters, residual, _inverse(fit.information), crossed)


def _inverse(information: FloatArray) -> FloatArray:
    """Return the inverse, for components that may differ by many orders of magnitude."""
    unit = 1 / np.sqrt(np.diag(information))
    found: FloatArray = np.linalg.inv(information * np.outer(unit, unit)) * np.outer(unit, unit)
    return found


def _better(crossed: CenteredLabels, fit: Fit) -> Fit | None:
    """Take a step of Fisher scoring, halved until it does not lower the likelihood; None where no step raises it."""
    is_free = (fit.components > 0) | (fit.score > 0)
    step = np.zeros(3)
    step[is_free] = _inverse(fit.information[np.ix_(is_free, is_free)]) @ fit.score[is_free]
    for halvings in range(30):
        items, raters, residual = np.maximum(fit.components + step / 2**halvings, 0)
        residual = max(residual, fit.components[2] / 10)
        found = fitted(crossed, items / residual, raters / residual)
        if found.deviance <= fit.deviance + 1e-10 * len(crossed.values):
            return found
    return None
