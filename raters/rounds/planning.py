"""Compute a plan as arrays, before anything is assigned: who gets which items, and what each pair shares."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from django.db.models import Max, Model, QuerySet
from numpy.typing import NDArray

from core.refusals import Refused
from projects.models import Project
from raters.labeling.references import items_with_reference
from raters.models import Assignment, Label, Rater
from raters.rounds.assigning.allocation import BoolArray, IntArray, allocate, shared_items
from raters.rounds.assigning.assignment_design import AssignmentDesign, DesignRefused
from raters.rounds.assigning.queues import RaterQueue, queues
from raters.rounds.chosen_items import items_chosen, sampled, still_eligible, strata_of
from raters.rounds.round_plan import RoundPlan

M = TypeVar("M", bound=Model)
# Limits per round: memory used while planning, and the time to save it.
MAX_CELLS = 100_000_000
MAX_ASSIGNMENTS = 3_000_000

# The rows of so many items are looked up, however many others there are.
FEW = 10_000

# Independent random streams of a plan: which items, how many raters for each, and which raters.
_ITEMS, _WANTED, _RATERS = 1, 2, 3


class PlanChanged(Refused):
    """Other items or raters would be assigned than the preview showed."""

    code = "stale_preview"

    def __init__(self) -> None:
        super().__init__(
            "Nothing was assigned. The plan, or the items that it chooses from, have changed since the preview. Check "
            "the new preview, then assign."
        )


@dataclass(frozen=True, slots=True, eq=False)
class ComputedPlan:
    """A computed plan. items: (N,) IDs. wanted: (N,) number of raters per item. names: names of the R raters.

    queues: each rater's positions in `items`; empty on demand. order: (N,) the order of unassigned items.
    taken: (N, R) who already has an item and does not get it again. passes_before: (N, R) each rater's last pass
    on each item, 0 for none. is_reference: (N,) items mixed in because their answer is known. strata: for a stratified
    sample, each value with its counts among the chosen items and in the round. n_left_out: items that were drawn, but
    whose disputes have been resolved since they were found.
    """

    items: IntArray
    wanted: IntArray
    names: list[str]
    taken: BoolArray
    passes_before: IntArray
    queues: list[RaterQueue]
    order: IntArray
    is_on_demand: bool
    is_reference: BoolArray
    strata: list[tuple[str, int, int]] = field(default_factory=list)
    n_left_out: int = 0

    @property
    def n_reference_items(self) -> int:
        return int(self.is_reference.sum())

    @property
    def n_assignments(self) -> int:
        return int(self.wanted.sum()) if self.is_on_demand else sum(len(queue.items) for queue in self.queues)

    @property
    def n_again(self) -> int:
        """Number of assignments to raters who had the item before, without the blind repeats of this plan."""
        columns = zip(self.queues, self.passes_before.T, strict=False)
        return sum(int((before[queue.items[queue.passes == 1]] > 0).sum()) for queue, before in columns)

    @property
    def work(self) -> NDArray[np.float64]:
        """(R,) new items per rater, first passes only; on demand, the expectation if all work at the same pace."""
        if self.is_on_demand:
            return np.full(len(self.names), self.wanted.sum() / max(len(self.names), 1))
        return np.array([(queue.passes == 1).sum() for queue in self.queues], dtype=np.float64)

    @property
    def repeats(self) -> IntArray:
        """(R,) blind repeats per rater."""
        return np.array([(queue.passes > 1).sum() for queue in self.queues] or [0] * len(self.names))

    @property
    def shared(self) -> NDArray[np.float64]:
        """(R, R) items shared by each pair of raters; on demand, the average if all work at the same pace."""
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
    excluded: IntArray | None = None,
    by: Any = None,
) -> ComputedPlan:
    """Return the plan for the chosen items. raters: each with its display name.

    Raises DesignRefused, FiguresNotComputed.

    excluded: IDs of items taken by rounds that are planned at the same time.
    """
    of_choice = items_chosen(project, plan.chosen, by=by)
    if excluded is not None:
        of_choice = np.setdiff1d(of_choice, excluded)
    references = items_with_reference(project) if plan.reference_items is not None else of_choice[:0]
    drawn = _drawn(project, of_choice, plan, references, n_excluded=0 if excluded is None else len(excluded))
    items = still_eligible(project, drawn, plan.chosen)
    if len(items) * len(raters) > MAX_CELLS:
        raise DesignRefused(
            f"Items times raters must be at most {MAX_CELLS:,} in one round, got {len(items):,} × {len(raters):,}. "
            "Plan fewer items at a time."
        )
    ids = [rater.pk if rater else None for rater, _ in raters]
    names = [name for _, name in raters]
    before = passes_before(items, ids)
    if plan.overlap.design is AssignmentDesign.SAME:
        planned = _by_the_same(plan, items, names, before, _labeled(items, ids))
    else:
        is_reference = reference_item_mask(items, project, plan)
        planned = compute_plan(plan, items, names, passes_before=before, is_reference=is_reference)
    if plan.chosen.stratify_by:
        planned = replace(planned, strata=strata_of(project, of_choice, items, plan.chosen.stratify_by))
    return replace(planned, n_left_out=len(drawn) - len(items))


def digest_of(planned: ComputedPlan, users: Sequence[Any]) -> str:
    """Return a hash of who gets which items in which order, so that only what was seen is assigned.

    users: those of the plan's raters, in the same order.
    """
    queued = [part for queue in planned.queues for part in (queue.items, queue.passes)]
    found = hashlib.sha256(repr([user.pk for user in users]).encode())
    for part in (planned.items, planned.wanted, planned.order, *queued):
        found.update(f"{len(part)}:".encode())
        found.update(np.ascontiguousarray(part, dtype=np.int64).tobytes())
    return found.hexdigest()


def reference_item_mask(items: IntArray, project: Project, plan: RoundPlan) -> BoolArray:
    """Return which items are mixed in because their answer is known, (N,)."""
    if plan.reference_items is None:
        return np.zeros(len(items), dtype=bool)
    return np.isin(items, items_with_reference(project))


def compute_plan(
    plan: RoundPlan, items: IntArray, names: list[str], *, passes_before: IntArray, is_reference: BoolArray
) -> ComputedPlan:
    """Compute who gets which items. Raises DesignRefused."""
    random = np.random.default_rng([plan.seed, _RATERS])
    taken = np.zeros(passes_before.shape, dtype=bool) if plan.chosen.again else passes_before > 0
    available = np.ones(len(names), dtype=bool)
    wanted = wanted_of(plan, taken, available, is_reference)
    refuse_many(int(wanted.sum()))
    found: list[RaterQueue] = []
    if not plan.is_on_demand:
        new = allocate(wanted, available=available, taken=taken, random=random)
        # A repeat would tell nothing once the rater may have seen the reference.
        found = queues(new, repeat_share=plan.repeat_share, random=random, is_repeatable=~is_reference)
        if not new.any():
            raise DesignRefused(
                "Each of these items already has as many raters as planned. Plan more raters per item, or let raters "
                "label the items again."
            )
    order = random.permutation(len(items))
    return ComputedPlan(
        items, wanted, names, taken, passes_before, found, order, plan.is_on_demand, is_reference
    )


def _by_the_same(
    plan: RoundPlan, items: IntArray, names: list[str], before: IntArray, labeled: BoolArray
) -> ComputedPlan:
    """Assign each item again to those of the raters who labeled it; leave out items that none of them labeled."""
    is_known = labeled.any(axis=1)
    if not is_known.any():
        raise DesignRefused("None of these raters has labeled any of these items before.")
    items, before, new = items[is_known], before[is_known], labeled[is_known]
    wanted = new.sum(axis=1)
    refuse_many(int(wanted.sum()))
    random = np.random.default_rng([plan.seed, _RATERS])
    found = queues(new, repeat_share=plan.repeat_share, random=random)
    none = np.zeros(len(items), dtype=bool)
    return ComputedPlan(
        items,
        wanted,
        names,
        np.zeros(new.shape, dtype=bool),
        before,
        found,
        np.arange(len(items)),
        False,
        none,
    )


def refuse_many(n_assignments: int) -> None:
    if n_assignments > MAX_ASSIGNMENTS:
        raise DesignRefused(
            f"A round can have at most {MAX_ASSIGNMENTS:,} assignments, got {n_assignments:,}. "
            "Plan fewer items at a time, or fewer raters per item."
        )


def wanted_of(plan: RoundPlan, taken: BoolArray, available: BoolArray, is_reference: BoolArray) -> IntArray:
    """Return the number of raters for each item, (N,). It depends only on the plan's seed, so replanning keeps it.

    taken: (N, R) who already has the item. available: (R,) who can get more. is_reference: (N,) items that
    go to everyone. Raises DesignRefused.
    """
    n_items, n_available = len(taken), int(available.sum())
    wanted = plan.overlap.wanted(n_items, n_available, np.random.default_rng([plan.seed, _WANTED]))
    for_all = np.full(n_items, plan.overlap.design is AssignmentDesign.EVERYONE) | is_reference
    # Raters who left after labeling an item count in addition to everyone who stays.
    return np.where(for_all, (taken | available).sum(axis=1), wanted)


def _drawn(
    project: Project, items: IntArray, plan: RoundPlan, references: IntArray, *, n_excluded: int
) -> IntArray:
    """Draw the items of the round from the chosen ones. references: IDs of items whose answer is known.

    n_excluded: number of items excluded because the calibration round takes them.
    """
    if not len(items):
        raise DesignRefused(
            f"The {n_excluded:,} calibration items are all there are. Enter fewer of them, or import more items."
        )
    random = np.random.default_rng([plan.seed, _ITEMS])
    if plan.reference_items is None:
        if plan.n_items is None:
            return items
        _refuse_more(len(items), plan.n_items, "items", n_excluded)
        return sampled(project, items, plan.n_items, plan.chosen, random)
    others, free_known = np.setdiff1d(items, references), np.intersect1d(items, references)
    if plan.n_items is None:
        n_reference_items, n_others = plan.reference_items.n_in_addition(len(others)), None
    else:
        n_reference_items = plan.reference_items.count_among(plan.n_items)
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
    _refuse_more(len(items), number, words, 0)
    return np.sort(random.choice(items, number, replace=False))


def _refuse_more(n_items: int, number: int, words: str, n_excluded: int) -> None:
    if number > n_items:
        n_in_addition = f" in addition to the {n_excluded:,} calibration items" if n_excluded else ""
        raise DesignRefused(
            f"Only {n_items:,} {words} are available{n_in_addition}, but the plan needs {number:,}."
        )


def _labeled(items: IntArray, raters: Sequence[int | None]) -> BoolArray:
    """Return which raters have labeled each item, (N, R)."""
    rows = _rows_of_items(items, Label.objects.filter(rater__in=[pk for pk in raters if pk])).order_by()
    return pair_mask(items, raters, pairs_of(rows.values_list("item", "rater").distinct()))


def passes_before(items: IntArray, raters: Sequence[int | None]) -> IntArray:
    """Return each rater's last pass on each item, labeled (including by import) or assigned, (N, R); 0 for none."""
    found = np.zeros((len(items), len(raters)), dtype=np.int64)
    ids = [pk for pk in raters if pk]
    places = {pk: place for place, pk in enumerate(raters) if pk}
    for model in (Label, Assignment):
        rows = (
            _rows_of_items(items, model.objects.filter(rater__in=ids)).order_by().values_list("item", "rater")
        )
        last = rows.annotate(last=Max("pass_number"))
        numbers = np.fromiter(last.iterator(chunk_size=20_000), dtype=np.dtype((np.int64, 3)))
        is_there = np.isin(numbers[:, 0], items)
        for item, rater, number in numbers[is_there].tolist():
            cell = int(np.searchsorted(items, item)), places[rater]
            found[cell] = max(found[cell], number)
    return found


def _rows_of_items(items: IntArray, rows: QuerySet[M]) -> QuerySet[M]:
    """Return the rows of these items if they are few; all rows are faster to read than those of many items."""
    return rows.filter(item__in=items.tolist()) if len(items) <= FEW else rows


def pairs_of(rows: QuerySet[Any, tuple[int, int]]) -> IntArray:
    """Return item and rater IDs, (n, 2), read in chunks because there may be millions."""
    return np.fromiter(rows.iterator(chunk_size=20_000), dtype=np.dtype((np.int64, 2)))


def pair_mask(items: IntArray, raters: Sequence[int | None], pairs: IntArray) -> BoolArray:
    """Return an (N, R) mask, True where (item, rater) is in pairs. items: ascending IDs."""
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
    """Return the items of a round that have not been withdrawn."""
    return _items_of(Assignment.objects.filter(round=round_id, item__withdrawn_at=None))


def _items_of(assignments: QuerySet[Assignment]) -> IntArray:
    # Sort in memory: PostgreSQL would sort millions of rows on disk.
    rows = assignments.order_by().values_list("item", flat=True)
    return np.unique(np.fromiter(rows.iterator(chunk_size=20_000), dtype=np.int64))
