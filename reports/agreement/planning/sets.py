"""Sets of categories as the answers of a planned study: how alike they are."""

from collections.abc import Sequence

import numpy as np

from reports.agreement.results import IntArray
from reports.agreement.sample import Scale
from reports.agreement.sets.distances import BitSets
from reports.agreement.weights import Weights


def scale_of_sets(sets: Sequence[Sequence[str]]) -> Scale:
    """A scale whose categories are these sets, compared by the MASI similarity.

    sets: the categories that each holds; none for the empty set. On it, alpha with weights is alpha with MASI.
    Raises ValueError if there are two of the same.
    """
    if len({frozenset(each) for each in sets}) != len(sets):
        raise ValueError("the sets must differ from each other")
    names = sorted({name for each in sets for name in each})
    held = [[name in each for name in names] for each in sets]
    members = np.array(held, dtype=bool).reshape(len(sets), len(names))
    codes: IntArray = np.arange(len(sets))
    similarity = BitSets.of(members).masi(codes[:, None], codes[None, :])
    return Scale(len(sets), weights=Weights.CUSTOM, custom=similarity)
