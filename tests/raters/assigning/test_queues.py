"""Queues hold all of a rater's work, in an order of their own, with repeats far behind."""

import numpy as np
import pytest

from raters.rounds.assigning.assignment_design import AssignmentDesign, DesignRefused, Overlap
from raters.rounds.assigning.queues import queues


def test_every_item_comes_once_and_repeats_come_again_half_a_queue_later():
    new = np.ones((100, 2), dtype=bool)

    found = queues(new, repeat_share=0.1, random=np.random.default_rng(1))

    for queue in found:
        firsts = queue.items[queue.passes == 1]
        repeats = queue.items[queue.passes == 2]
        assert sorted(firsts.tolist()) == list(range(100))
        assert len(set(repeats.tolist())) == 10
        for item in repeats:
            first, second = np.flatnonzero(queue.items == item)
            assert queue.passes[[first, second]].tolist() == [1, 2]
            assert (queue.passes[first:second] == 1).sum() > 50
    assert (found[0].items[:100] != found[1].items[:100]).any()


@pytest.mark.parametrize("n_items", [0, 1, 2, 3])
def test_short_queues(n_items):
    [queue] = queues(np.ones((n_items, 1), dtype=bool), repeat_share=1, random=np.random.default_rng(1))

    assert (queue.passes == 1).sum() == n_items
    assert (queue.passes == 2).sum() == n_items // 2


@pytest.mark.parametrize(
    ("overlap", "numbers"),
    [
        (Overlap(AssignmentDesign.EVERYONE), {4: 10}),
        (Overlap(AssignmentDesign.SOME, raters_per_item=3), {3: 10}),
        (Overlap(AssignmentDesign.SHARE_TWICE, share=0.3), {1: 7, 2: 3}),
    ],
)
def test_raters_wanted_for_each_item(overlap, numbers):
    wanted = overlap.wanted(10, 4, np.random.default_rng(1))

    found = dict(zip(*(part.tolist() for part in np.unique(wanted, return_counts=True)), strict=True))
    assert found == numbers


@pytest.mark.parametrize(
    ("overlap", "n_raters", "text"),
    [
        (Overlap(AssignmentDesign.EVERYONE), 0, "at least one rater"),
        (Overlap(AssignmentDesign.SOME, raters_per_item=5), 4, "from 1 to 4"),
        (Overlap(AssignmentDesign.SHARE_TWICE, share=1.2), 4, "from 0 to 100%"),
        (Overlap(AssignmentDesign.SHARE_TWICE, share=0.5), 1, "two raters"),
    ],
)
def test_designs_that_cannot_be_carried_out_are_refused(overlap, n_raters, text):
    with pytest.raises(DesignRefused, match=text):
        overlap.wanted(10, n_raters, np.random.default_rng(1))
