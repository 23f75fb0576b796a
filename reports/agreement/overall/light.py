"""Light's kappa: the mean of Cohen's kappas of all pairs of raters."""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from reports.agreement.overall.chance_corrected import weights_of
from reports.agreement.profiles import ItemProfiles
from reports.agreement.results import FloatArray, IntArray, Reason, Undefined
from reports.agreement.sample import Sample, Scale
from reports.agreement.statistic import Statistic

# Limit on labels to compare with other raters', or cells of the tables of all pairs: some seconds of work.
MOST_COMPARISONS = 1 << 28
# Comparisons processed at a time, so that intermediate values stay in cache.
BLOCK_CELLS = 1 << 18
# Often, the first items already show that a rater shares some with everyone.
FEW_ITEMS = 1 << 8
# Kappas of pairs kept at a time for summation.
MOST_KAPPAS = 1 << 22


def light_kappa(profiles: ItemProfiles, scale: Scale, weights: FloatArray) -> FloatArray:
    """(B,) the mean of Cohen's kappa over the pairs of raters for which it is defined; NaN if there is none.

    Each pair uses the items that both labeled.
    Source: Light 1971, Psychological Bulletin 76, 365.
    """
    step = max(1, MOST_KAPPAS // max(1, profiles.n_raters * (profiles.n_raters - 1) // 2))
    parts = [
        _kappas(profiles, scale, weights[start : start + step]) for start in range(0, len(weights), step)
    ]
    return np.array([_mean(kappas) for part in parts for kappas in part])


def defined_pairs(profiles: ItemProfiles, scale: Scale) -> str:
    """Return how many of all pairs of raters have a kappa, in words."""
    kappas = _kappas(profiles, scale, profiles.n_items[None, :].astype(np.float64))
    n_pairs = profiles.n_raters * (profiles.n_raters - 1) // 2
    return f"mean of {np.count_nonzero(~np.isnan(kappas))} of {n_pairs} pairs"


def _kappas(profiles: ItemProfiles, scale: Scale, weights: FloatArray) -> FloatArray:
    """(B, P) kappa of every pair of raters who share an item; NaN where it is undefined."""
    found = [np.empty((len(weights), 0))]
    for rater in range(profiles.n_raters - 1):
        _, observed, expected = _costs(_tables(profiles, rater, weights), scale)
        nothing = np.full_like(observed, np.nan)
        found.append(1 - np.divide(observed, expected, out=nothing, where=expected > 0))
    return np.concatenate(found, axis=1)


def _mean(kappas: FloatArray) -> float:
    """The mean of the defined kappas; exact, so that the order of the raters does not matter."""
    defined = kappas[~np.isnan(kappas)]
    return math.fsum(defined) / len(defined) if len(defined) else math.nan


def item_light(profiles: ItemProfiles, scale: Scale, value: float) -> FloatArray:
    """(U,) the mean over defined pairs of linearized kappa on this kind of item; NaN for items with one label.

    A pair g, h with n_gh items contributes (n / n_gh) (Do / De (vbar_k. + vbar_.l - De) - v_kl) / De on the items that
    both labeled, k and l their labels, v the costs: the quantity whose variance Fleiss, Cohen & Everitt 1969 use.
    """
    weights = profiles.n_items[None, :].astype(np.float64)
    n_pairable = int(profiles.n_items[profiles.n_labels >= 2].sum())
    total = np.zeros(len(profiles.codes))
    n_defined = 0
    for rater in range(profiles.n_raters - 1):
        changes, is_defined = _pair_changes(_tables(profiles, rater, weights), scale)
        n_defined += int(is_defined.sum())
        # A separate position with value 0 for items that the other rater did not label.
        places = np.concatenate((changes, np.zeros_like(changes[:, :, :1])), axis=2).ravel()
        for rows, cells in _comparisons(profiles, rater):
            total[rows] += np.einsum("nh->n", places[cells])
    return np.where(profiles.n_labels >= 2, value + n_pairable * total / n_defined, np.nan)


def _pair_changes(tables: FloatArray, scale: Scale) -> tuple[FloatArray, NDArray[np.bool_]]:
    """(H, K, K) the contribution of an item in a cell to a pair's kappa, over n_gh; 0 and (H,) False if undefined."""
    costs = scale.weighting.costs
    n, observed, expected = (found[0, :, None, None] for found in _costs(tables, scale))
    by_row = np.einsum("hl,kl->hk", tables[0].sum(axis=1), costs)[:, :, None]
    by_column = np.einsum("hk,kl->hl", tables[0].sum(axis=2), costs)[:, None, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        changes = (observed / expected * ((by_row + by_column) / n - expected / n) - costs) / expected
    is_defined = expected > 0
    return np.where(is_defined, changes, 0), is_defined[:, 0, 0]


def _costs(tables: FloatArray, scale: Scale) -> tuple[FloatArray, FloatArray, FloatArray]:
    """(B, H) each: items of a pair, and the sums of costs, observed and expected from the margins."""
    costs = scale.weighting.costs
    rows, columns = tables.sum(axis=3), tables.sum(axis=2)
    n = rows.sum(axis=2)
    observed = np.einsum("bhkl,kl->bh", tables, costs)
    products = np.einsum("bhk,bhk->bh", rows, np.einsum("bhl,kl->bhk", columns, costs))
    return n, observed, np.divide(products, n, out=np.zeros_like(n), where=n > 0)


def _tables(profiles: ItemProfiles, rater: int, weights: FloatArray) -> FloatArray:
    """(B, H, K, K) the tables of a rater (rows) with each of the H later raters who share an item."""
    k, others = profiles.n_categories, _others(profiles, rater)
    tables = np.zeros((len(weights), len(others) * k * (k + 1)))
    for rows, cells in _comparisons(profiles, rater):
        for sample, row in enumerate(weights):
            # Integers, and so exact in any order of items.
            each = np.repeat(row[rows], len(others))
            tables[sample] += np.bincount(cells.ravel(), weights=each, minlength=tables.shape[1])
    return tables.reshape(len(weights), len(others), k, k + 1)[:, :, :, :k]


def _others(profiles: ItemProfiles, rater: int) -> IntArray:
    """(H,) the raters after this one who labeled any of the same items."""
    labeled, later = np.flatnonzero(profiles.is_labeled[:, rater]), profiles.is_labeled[:, rater + 1 :]
    met = later[labeled[:FEW_ITEMS]].any(axis=0)
    if not met.all():
        met |= later[labeled[FEW_ITEMS:]].any(axis=0)
    return rater + 1 + np.flatnonzero(met)


def _comparisons(profiles: ItemProfiles, rater: int) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield blocks of the items that a rater labeled, with their cells in the tables with each later rater.

    rows: (n,); cells: (n, H), positions in (H, K, K + 1), the last column for items without the other's label.
    """
    k, others = profiles.n_categories, _others(profiles, rater)
    labeled = np.flatnonzero(profiles.is_labeled[:, rater])
    tables = np.arange(len(others), dtype=np.int64) * (k * (k + 1))
    step = max(1, BLOCK_CELLS // max(1, len(others)))
    for start in range(0, len(labeled), step):
        rows = labeled[start : start + step]
        own = profiles.codes[rows, rater].astype(np.int64) * (k + 1)
        theirs = profiles.codes[rows, rater + 1 :]
        if len(others) < theirs.shape[1]:
            theirs = theirs[:, others - rater - 1]
        yield rows, tables + own[:, None] + theirs


def comparable_profiles(sample: Sample) -> ItemProfiles:
    """Return the profiles; raises Undefined (`too_large`) if all pairs of raters take more than some seconds."""
    profiles = sample.profiles
    n_labels = profiles.is_labeled.sum(axis=0, dtype=np.int64)
    # A rater shares items with no more raters than there are other labels on these items.
    met = np.einsum("ur,u->r", profiles.is_labeled, profiles.n_labels - 1)
    n_others = np.minimum(np.arange(profiles.n_raters - 1, -1, -1), met)
    n_cells = n_others * profiles.n_categories**2
    if int(np.maximum(n_labels * n_others, n_cells).sum()) > MOST_COMPARISONS:
        raise Undefined(Reason.TOO_LARGE)
    return profiles


LIGHT_KAPPA = Statistic(
    name="light_kappa",
    weighted_name="light_kappa_weighted",
    units=comparable_profiles,
    values=light_kappa,
    item_values=item_light,
    method=weights_of,
    note=defined_pairs,
)
