"""The order in which each rater gets items, and which of them are blind repeats."""

from dataclasses import dataclass

import numpy as np

from raters.rounds.assigning.allocation import BoolArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class RaterQueue:
    """One rater's work in order: item positions and passes (2 for a blind repeat, otherwise 1)."""

    items: IntArray
    passes: IntArray


def queues(
    new: BoolArray,
    *,
    repeat_share: float,
    random: np.random.Generator,
    is_repeatable: BoolArray | None = None,
) -> list[RaterQueue]:
    """Return each rater's queue, shuffled independently so that nobody can tell which items are shared.

    new: (N, R). repeat_share: share of each rater's items, from 0 to 1, to repeat blindly. A repeat comes at least half
    a queue of first passes after its original. is_repeatable: (N,) items that may be repeated; None for all.
    """
    repeatable = np.ones(len(new), dtype=bool) if is_repeatable is None else is_repeatable
    return [_queue(np.flatnonzero(column), repeatable, repeat_share, random) for column in new.T]


def _queue(
    items: IntArray, is_repeatable: BoolArray, repeat_share: float, random: np.random.Generator
) -> RaterQueue:
    order = random.permutation(items)
    # Only items in the first half can be repeated half a queue later.
    candidates = np.flatnonzero(is_repeatable[order[: len(order) // 2]])
    firsts = np.sort(random.permutation(candidates)[: round(repeat_share * len(order))])
    # A repeat follows a first pass at least half a queue later, at a random position.
    behind = random.integers(firsts + (len(order) + 1) // 2, len(order))
    places = np.concatenate((np.arange(len(order)), behind))
    is_repeat = np.concatenate((np.zeros(len(order), dtype=bool), np.ones(len(firsts), dtype=bool)))
    sorted_places = np.lexsort((is_repeat, places))
    all_items = np.concatenate((order, order[firsts]))
    return RaterQueue(all_items[sorted_places], 1 + is_repeat[sorted_places].astype(np.int64))
