"""Sets of categories as the answers of a planned study, with their similarity."""

from collections.abc import Sequence

import numpy as np

from reports.agreement.results import IntArray
from reports.agreement.sample import Scale
from reports.agreement.sets.distances import BitSets
from reports.agreement.weights import Weights


def scale_of_sets(sets: Sequence[Sequence[str]]) -> Scale:
    """Return a scale whose categories are these sets, compared by the MASI similarity.

    sets: the categories in each; none for the empty set. On this scale, weighted alpha is alpha with MASI.
    Raises ValueError if two sets are the same.
    """
    if len({frozenset(each) for each in sets}) != len(sets):
        raise ValueError("the sets must differ from each other")
    names = sorted({name for each in sets for name in each})
    held = [[name in each for name in names] for each in sets]
    members = np.array(held, dtype=bool).reshape(len(sets), len(names))
    codes: IntArray = np.arange(len(sets))
    similarity = BitSets.of(members).masi(codes[:, None], codes[None, :])
    return Scale(len(sets), weights=Weights.CUSTOM, custom=similarity)
