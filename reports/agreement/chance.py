"""Models of chance agreement: the probability that a label meets agreement by chance, by its category.

Each is a function of the prevalence of the categories, (..., K), and the (K, K) similarity of categories, and returns
(..., K): the agreement that a label of category k would meet by chance. Expected agreement is its mean over labels,
pe = sum_k prevalence_k chance_k; the same numbers linearize pe over items and over the cells of a table.
"""

from collections.abc import Callable

import numpy as np

from reports.agreement.results import FloatArray, Reason, Undefined

ChanceModel = Callable[[FloatArray, FloatArray], FloatArray]

# 1 - pe below this is rounding error: expected agreement is 1.
CERTAIN = 1e-12


def by_prevalence(prevalence: FloatArray, similarity: FloatArray) -> FloatArray:
    """Another label is drawn from the existing labels (Scott 1955; Fleiss 1971)."""
    return 1 - np.einsum("...l,kl->...k", prevalence, 1 - similarity)


def by_hard_items(prevalence: FloatArray, similarity: FloatArray) -> FloatArray:
    """Only labels of hard items are drawn at random, T_w / (q (q - 1)) (1 - prevalence_k) (Gwet 2008).

    T_w is the sum of the similarities, q the number of declared categories. Raises Undefined if q < 2.
    """
    q = len(similarity)
    if q < 2:
        raise Undefined(Reason.NO_VARIATION)
    return similarity.sum() / (q * (q - 1)) * (1 - prevalence)


def by_number_of_categories(prevalence: FloatArray, similarity: FloatArray) -> FloatArray:
    """Another label is any declared category, equally likely, T_w / q^2 (Bennett et al. 1954; Brennan & Prediger 1981).

    Raises Undefined if q < 2.
    """
    q = len(similarity)
    if q < 2:
        raise Undefined(Reason.NO_VARIATION)
    return np.full_like(prevalence, similarity.sum() / q**2)


def corrected(observed: FloatArray, expected: FloatArray) -> FloatArray:
    """(po - pe) / (1 - pe), NaN where expected agreement is 1; any shape."""
    room = 1 - expected
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(room > CERTAIN, (observed - expected) / room, np.nan)
