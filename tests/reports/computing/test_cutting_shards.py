"""How work is cut into shards: of about the same cost, and only where that is worthwhile."""

from unittest import mock

import numpy as np
import pytest

from reports.analysis.kinds.feasible import pairs_by_rater
from reports.analysis.pair_blocks import ignore
from reports.store import shards
from tests.finished import finished_report
from tests.reports.computing.test_shards import NUMBERS, choices
from tests.reports.numbers_and_sets import add_numbers

__all__ = ["choices"]


@pytest.mark.parametrize(
    ("costs", "n_shards", "expected"),
    [
        ([1.0] * 10, 5, [0, 2, 4, 6, 8, 10]),
        ([1.0] * 3, 8, [0, 1, 2, 3]),
        ([6.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0], 3, [0, 1, 3, 7]),
        ([5.0], 4, [0, 1]),
    ],
)
def test_shards_cost_about_the_same(costs, n_shards, expected):
    assert shards.even_bounds(np.array(costs), n_shards) == expected


def test_shares_of_pairs_are_cut_by_their_number():
    """The first of 2,000 raters has 1,999 pairs with later ones, the last but one has one."""
    costs = pairs_by_rater(lambda: lambda rater: iter(()), 2_000, ignore).costs

    bounds = shards.even_bounds(costs, 64)
    shares = np.add.reduceat(costs, bounds[:-1])

    assert (len(costs), costs.sum()) == (1_999, 2_000 * 1_999 / 2)
    assert len(shares) == 64
    # A block is at most 1,999 pairs, and an equal share 31,234.
    assert abs(shares - costs.sum() / 64).max() < 1_999


def test_the_costs_of_blocks_are_their_pairs(lead, numbers):
    add_numbers(numbers, NUMBERS)
    found = []
    compute = shards.SharedWork.__call__

    def noting(self, work, report_progress):
        for place, block in enumerate(compute(self, work, report_progress)):
            if work.key == "pairs":
                found.append((block.n_pairs, work.costs[place]))
            yield block

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shards.SharedWork, "__call__", noting)
        finished_report(numbers.project, lead)

    assert found == [(4, 4.0), (3, 3.0), (2, 2.0), (1, 1.0)]


@pytest.mark.parametrize(("reading", "n_shards"), [(200.0, 0), (60.0, 0), (40.0, 2), (30.0, 3), (0.1, 21)])
def test_shards_take_longer_than_reading_the_labels(choices, lead, monkeypatch, reading, n_shards):
    """A hundred seconds of work are left, in a hundred blocks."""
    report = finished_report(choices, lead)
    scope, labels, raters = mock.Mock(question={"id": 1}), mock.Mock(digest=""), mock.Mock()
    together = shards.SharedWork(mock.Mock(run=report), scope, labels, raters, reading)
    cut: list[list[int]] = []
    monkeypatch.setattr(together, "_parts", lambda work, bounds: cut.append(bounds))
    monkeypatch.setattr(together._sharing, "apart", lambda do: do())
    monkeypatch.setattr(together._sharing, "cut", lambda parts: None)
    monkeypatch.setattr(shards, "LEAST_SHARDS", 8)
    work = mock.Mock(key="pairs", costs=np.ones(101))

    is_shared = together._is_better_shared(work, 1, 101, 1.01)

    assert is_shared == (n_shards > 0)
    assert [len(bounds) - 1 for bounds in cut] == [n_shards] * is_shared
