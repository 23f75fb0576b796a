"""Distances of sets, by hand."""

import numpy as np
import pytest

from reports.agreement.sets.distances import BitSets

#                        -, A, AB, AC, ABC, C
MEMBERS = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 0, 1], [1, 1, 1], [0, 0, 1]], dtype=bool)


@pytest.mark.parametrize(
    ("one", "other", "jaccard", "masi"),
    [
        (0, 0, 1, 1),
        (0, 1, 0, 0),
        (1, 1, 1, 1),
        (1, 2, 1 / 2, 1 / 3),
        (2, 3, 1 / 3, 1 / 9),
        (2, 4, 2 / 3, 4 / 9),
        (2, 5, 0, 0),
    ],
)
def test_similarities_by_hand(one, other, jaccard, masi):
    """MASI is J M, with M = 2/3 for a subset and 1/3 for an overlap (Passonneau 2006)."""
    sets = BitSets.of(MEMBERS)

    for a, b in [(one, other), (other, one)]:
        assert sets.jaccard(np.array([a]), np.array([b]))[0] == pytest.approx(jaccard, abs=1e-15)
        assert sets.masi(np.array([a]), np.array([b]))[0] == pytest.approx(masi, abs=1e-15)


def test_more_categories_than_a_word_has_bits():
    members = np.zeros((2, 130), dtype=bool)
    members[0, [0, 63, 64, 129]] = True
    members[1, [63, 64, 65, 128]] = True

    sets = BitSets.of(members)

    assert sets.shared(np.array([0]), np.array([1])).tolist() == [2]
    assert sets.jaccard(np.array([0]), np.array([1])).tolist() == [2 / 6]
