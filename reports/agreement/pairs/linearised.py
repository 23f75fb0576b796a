"""Cohen's kappa as a mean over items: the contribution of each item, by its cell of the table."""

import numpy as np

from reports.agreement.results import FloatArray, IntArray
from reports.agreement.weights import Weighting


def linearised_kappa(tables: IntArray, weighting: Weighting) -> FloatArray:
    """The linearized value of kappa for an item in each cell; its mean over the items of a pair is kappa.

    tables: (P, K, K) int, counts of items. weighting: the costs of disagreements.
    Returns (P, K, K): kappa_kl = kappa + u_kl - mean u, u_kl = (w_kl - (1 - kappa) (wbar_k. + wbar_.l)) / (1 - pe),
    with wbar_k. = sum_l w_kl p_.l and wbar_.l = sum_k w_kl p_k. . Their variance over items, divided by n, is the
    square of kappa's standard error; their covariance over items that two pairs share is that of both kappas.
    NaN without items, or where expected agreement is 1.
    Source: Fleiss, Cohen & Everitt 1969, Psychological Bulletin 72, 323-327.
    """
    costs = weighting.costs
    counts = tables.astype(np.float64)
    rows, columns = counts.sum(axis=2), counts.sum(axis=1)
    n = rows.sum(axis=1)
    # In costs v: w = 1 - v / unit, and the unit cancels. 1 - kappa = Do / De, so that the mean of u is -Do.
    with np.errstate(divide="ignore", invalid="ignore"):
        row_costs = np.einsum("pl,kl->pk", columns, costs) / n[:, None]
        column_costs = np.einsum("pk,kl->pl", rows, costs) / n[:, None]
        expected = np.einsum("pk,pk->p", rows, row_costs) / n
        ratio = np.einsum("pkl,kl->p", counts, costs) / n / expected
        sums = row_costs[:, :, None] + column_costs[:, None, :]
        change = (ratio[:, None, None] * (sums - 2 * expected[:, None, None]) - costs) / expected[
            :, None, None
        ]
    return np.where(expected[:, None, None] > 0, 1 + change, np.nan)
