"""A plan carried out in arrays, before anything is assigned: who gets what, and what every two raters share."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.models import QuerySet
from numpy.typing import NDArray

from projects.models import Item, Project
from raters.labeling.references import items_with_reference
from raters.models import Assignment, Label, Rater
from raters.rounds.assigning.allocation import BoolArray, IntArray, allocate, shared_items
from raters.rounds.assigning.queues import RaterQueue, queues
from raters.rounds.assigning.wanted import Design, DesignRefused
from raters.rounds.plans import RoundPlan

# Limits of one round: what it holds in memory while it is planned, and how long writing it takes.
MAX_CELLS = 100_000_000
MAX_ASSIGNMENTS = 3_000_000

# Each draw of a plan by itself: which items, how many raters for each, and who.
_ITEMS, _WANTED, _RATERS = 1, 2, 3


@dataclass(frozen=True, slots=True, eq=False)
class Planned:
    """items: (N,) ids. wanted: (N,) raters for each item. names: of R raters.

    queues: of each rater, positions in `items`; empty on demand. order: (N,) the order of the free assignments.
    taken: (N, R) who has an item already, before this plan. is_reference: (N,) items mixed in because their
    answer is known.
    """

    items: IntArray
    wanted: IntArray
    names: list[str]
    taken: BoolArray
    queues: list[RaterQueue]
    order: IntArray
    is_on_demand: bool
    is_reference: BoolArray

    @property
    def n_reference_items(self) -> int:
        return int(self.is_reference.sum())

    @property
    def n_assignments(self) -> int:
        return int(self.wanted.sum()) if self.is_on_demand else sum(len(queue.items) for queue in self.queues)

    @property
    def work(self) -> NDArray[np.float64]:
        """(R,) new items of each rater, first passes alone; on demand, what each does if all are as fast."""
        if self.is_on_demand:
            return np.full(len(self.names), self.wanted.sum() / max(len(self.names), 1))
        return np.array([(queue.passes == 1).sum() for queue in self.queues], dtype=np.float64)

    @property
    def repeats(self) -> IntArray:
        """(R,) blind repeats of each rater."""
        return np.array([(queue.passes > 1).sum() for queue in self.queues] or [0] * len(self.names))

    @property
    def shared(self) -> NDArray[np.float64]:
        """(R, R) items that every two raters share; on demand, as many as they share on average if all are as fast."""
        n = len(self.names)
        if self.is_on_demand:
            pairs = (self.wanted * (self.wanted - 1)).sum() / 2
            each = pairs / (n * (n - 1) / 2) if n > 1 else 0.0
            return np.full((n, n), each) * ~np.eye(n, dtype=bool)
        has = self.taken.copy()
        for rater, queue in enumerate(self.queues):
            has[queue.items, rater] = True
        return shared_items(has).astype(np.float64)


def plan_items(
    project: Project,
    plan: RoundPlan,
    raters: Sequence[tuple[Rater | None, str]],
    *,
    besides: IntArray | None = None,
) -> Planned:
    """The plan for items that are in no round yet; raters: each with the name it is shown by. Raises DesignRefused.

    besides: ids of items that a round planned in the same breath takes.
    """
    items = free_items(project)
    if besides is not None:
        items = np.setdiff1d(items, besides)
    items = _drawn(
        items, plan, items_with_reference(project) if plan.reference_items is not None else items[:0]
    )
    if len(items) * len(raters) > MAX_CELLS:
        raise DesignRefused(
            f"Items times raters must be at most {MAX_CELLS:,} in one round, got {len(items):,} × {len(raters):,}. "
            "Plan fewer items at a time."
        )
    taken = _labeled(items, [rater for rater, _ in raters])
    return carry_out(
        plan,
        items,
        [name for _, name in raters],
        taken=taken,
        is_reference=reference_items_among(items, project, plan),
    )


def reference_items_among(items: IntArray, project: Project, plan: RoundPlan) -> BoolArray:
    """(N,) which of the items were mixed in because their answer is known."""
    if plan.reference_items is None:
        return np.zeros(len(items), dtype=bool)
    return np.isin(items, items_with_reference(project))


def carry_out(
    plan: RoundPlan, items: IntArray, names: list[str], *, taken: BoolArray, is_reference: BoolArray
) -> Planned:
    """Raises DesignRefused."""
    random = np.random.default_rng([plan.seed, _RATERS])
    available = np.ones(len(names), dtype=bool)
    wanted = wanted_of(plan, taken, available, is_reference)
    refuse_many(int(wanted.sum()))
    found: list[RaterQueue] = []
    if not plan.is_on_demand:
        new = allocate(wanted, available=available, taken=taken, random=random)
        # Once its reference may have been seen, a repeat of it would say nothing.
        found = queues(new, repeat_share=plan.repeat_share, random=random, is_repeatable=~is_reference)
    order = random.permutation(len(items))
    return Planned(items, wanted, names, taken, found, order, plan.is_on_demand, is_reference)


def refuse_many(n_assignments: int) -> None:
    if n_assignments > MAX_ASSIGNMENTS:
        raise DesignRefused(
            f"A round can have at most {MAX_ASSIGNMENTS:,} assignments, got {n_assignments:,}. "
            "Plan fewer items at a time, or fewer raters per item."
        )


def wanted_of(plan: RoundPlan, taken: BoolArray, available: BoolArray, is_reference: BoolArray) -> IntArray:
    """(N,) raters for each item, drawn by the seed of the plan: planned again, the same items are labeled twice.

    taken: (N, R) who has the item already. available: (R,) who can get more. is_reference: (N,) items that
    go to everyone. Raises DesignRefused.
    """
    n_items, n_available = len(taken), int(available.sum())
    wanted = plan.overlap.wanted(n_items, n_available, np.random.default_rng([plan.seed, _WANTED]))
    for_all = np.full(n_items, plan.overlap.design is Design.EVERYONE) | is_reference
    # Who left after labeling an item counts beside everyone who stays.
    return np.where(for_all, (taken | available).sum(axis=1), wanted)


def free_items(project: Project) -> IntArray:
    """The ids of the items that are in no round, in their order, but for those that were withdrawn."""
    rows = Item.objects.filter(project=project, assignments__isnull=True, withdrawn_at=None).order_by("pk")
    return np.fromiter(rows.values_list("pk", flat=True).iterator(), dtype=np.int64)


def _drawn(items: IntArray, plan: RoundPlan, references: IntArray) -> IntArray:
    """The items of the round among those that are free; references: ids of the items whose answer is known."""
    if not len(items):
        raise DesignRefused("There are no unassigned items. Import more items first.")
    random = np.random.default_rng([plan.seed, _ITEMS])
    if plan.reference_items is None:
        return _sample(items, plan.n_items, "items", random)
    others, free_known = np.setdiff1d(items, references), np.intersect1d(items, references)
    if plan.n_items is None:
        n_reference_items, n_others = plan.reference_items.beside(len(others)), None
    else:
        n_reference_items = plan.reference_items.among(plan.n_items)
        n_others = plan.n_items - n_reference_items
        if n_others < 0:
            raise DesignRefused(
                f"{n_reference_items:,} reference items do not fit in a round of {plan.n_items:,} items."
            )
    chosen = _sample(others, n_others, "items without a reference answer", random)
    known = _sample(free_known, n_reference_items, "items with a reference answer", random)
    if not len(chosen) + len(known):
        raise DesignRefused(
            "All unassigned items have a reference answer. Enter a number of reference items."
        )
    return np.sort(np.concatenate((chosen, known)))


def _sample(items: IntArray, number: int | None, words: str, random: np.random.Generator) -> IntArray:
    if number is None:
        return items
    if number > len(items):
        raise DesignRefused(f"Only {len(items):,} {words} are unassigned, but the plan needs {number:,}.")
    return np.sort(random.choice(items, number, replace=False))


def _labeled(items: IntArray, raters: Sequence[Rater | None]) -> BoolArray:
    """(N, R) who has labels of an item from elsewhere, such as an import: it is not given to them again."""
    ids = [rater.pk for rater in raters if rater is not None]
    rows = Label.objects.filter(rater__in=ids).order_by().values_list("item", "rater").distinct()
    return marked(items, [rater.pk if rater else None for rater in raters], pairs_of(rows))


def pairs_of(rows: QuerySet[Any, tuple[int, int]]) -> IntArray:
    """(n, 2) ids of items and raters; read in blocks, for there may be millions."""
    return np.fromiter(rows.iterator(chunk_size=20_000), dtype=np.dtype((np.int64, 2)))


def marked(items: IntArray, raters: Sequence[int | None], pairs: IntArray) -> BoolArray:
    """(N, R), True where (item, rater) is among the pairs. items: ascending ids."""
    found = np.zeros((len(items), len(raters)), dtype=bool)
    if not len(items):
        return found
    rows = np.minimum(np.searchsorted(items, pairs[:, 0]), len(items) - 1)
    is_there = items[rows] == pairs[:, 0]
    for column, rater in enumerate(raters):
        if rater is not None:
            found[rows[is_there & (pairs[:, 1] == rater)], column] = True
    return found


def items_of_round(round_id: int) -> IntArray:
    return _items_of(Assignment.objects.filter(round=round_id))


def items_to_share(round_id: int) -> IntArray:
    """The items of a round that were not withdrawn."""
    return _items_of(Assignment.objects.filter(round=round_id, item__withdrawn_at=None))


def _items_of(assignments: QuerySet[Assignment]) -> IntArray:
    # Sorted here: Postgres would sort millions of rows on disk.
    rows = assignments.order_by().values_list("item", flat=True)
    return np.unique(np.fromiter(rows.iterator(chunk_size=20_000), dtype=np.int64))
