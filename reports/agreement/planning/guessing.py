"""Raters who know the truth of some items and guess the others: a model for a target coefficient."""

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from reports.agreement.planning.checked import shares
from reports.agreement.planning.latent_class import LatentClassModel
from reports.agreement.planning.simulation import Simulation
from reports.agreement.sample import Scale


def raters_who_guess(usage: ArrayLike, *, known: float, n_raters: int) -> LatentClassModel:
    """Raters who each know an item's category with this probability, and otherwise draw one with probability `usage`.

    usage: (K,) how often each category is used, and true. known: in [0, 1].
    Two such raters have the table of the common correlation model with an intraclass kappa of known^2:
    P(k, k) = u_k^2 + known^2 u_k (1 - u_k), P(k, l) = u_k u_l (1 - known^2).
    Source of that model: Donner & Eliasziw 1992, Statistics in Medicine 11, 1511.
    """
    used = shares(usage, "shares of categories")
    rates = known * np.eye(len(used)) + (1 - known) * used[None, :]
    return LatentClassModel(used, np.repeat(rates[None], n_raters, axis=0))


def model_for(
    statistic: str, value: float, usage: ArrayLike, *, n_raters: int, scale: Scale | None = None
) -> LatentClassModel:
    """Raters who guess as often as gives a coefficient of this value in a very large study.

    statistic: a name in `simulation.SIMULATED`. scale: nominal and unweighted by default.
    Raises ValueError for a value below that of pure guessing, or 1 and more, and for invalid usage.
    """
    # Imported here, since it would delay the start of every process by a quarter of a second.
    from scipy.optimize import brentq

    used = shares(usage, "shares of categories")
    # Two raters are enough: without missing labels, more raters have the same pairwise agreement.
    two = Simulation(
        model=raters_who_guess(used, known=0.5, n_raters=2),
        statistic=statistic,
        scale=scale or Scale(len(used)),
    )

    def excess(known: float) -> float:
        return replace(two, model=raters_who_guess(used, known=known, n_raters=2)).expected() - value

    if not excess(0) <= 0 < excess(1):
        raise ValueError(
            f"raters who only guess reach {excess(0) + value:.3f}; the expected value must be from there to below 1, "
            f"got {value:g}"
        )
    return raters_who_guess(used, known=float(brentq(excess, 0, 1)), n_raters=n_raters)
