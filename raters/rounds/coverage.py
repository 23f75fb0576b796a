"""The coverage of a round: each rater's workload and the items shared by each pair of raters."""

from dataclasses import dataclass

import numpy as np
from django.db.models import Count, F, Q
from numpy.typing import NDArray

from projects.models import Round
from raters.models import Assignment, Rater, counted
from raters.rounds.assigning.allocation import IntArray, shared_items
from raters.rounds.planning import items_of_round, pair_mask, pairs_of


@dataclass(frozen=True, slots=True, eq=False)
class Coverage:
    """Coverage by R raters, sorted by name. work, done: first passes. repeats: blind repeats. shared: (R, R) items."""

    names: list[str]
    work: NDArray[np.float64]
    done: IntArray
    repeats: IntArray
    shared: NDArray[np.float64]


def coverage_of(round_: Round) -> Coverage:
    having = Rater.objects.filter(counted("assignments__"), assignments__round=round_)
    raters = list(having.distinct().order_by("key"))
    ids = [rater.pk for rater in raters]
    assignments = Assignment.objects.filter(counted(), round=round_, rater__isnull=False)
    # A first pass is the rater's first in this round: they may have had the item in another one.
    numbers = assignments.values("rater").annotate(
        work=Count("item", distinct=True),
        repeats=Count("pk") - F("work"),
        done=Count("item", distinct=True, filter=Q(state=Assignment.State.DONE)),
    )
    of_rater = {row["rater"]: row for row in numbers}
    pairs = pairs_of(assignments.order_by().values_list("item", "rater").distinct())
    has = pair_mask(items_of_round(round_.pk), ids, pairs)
    return Coverage(
        names=[rater.key for rater in raters],
        work=np.array([of_rater[pk]["work"] for pk in ids], dtype=np.float64),
        done=np.array([of_rater[pk]["done"] for pk in ids], dtype=np.int64),
        repeats=np.array([of_rater[pk]["repeats"] for pk in ids], dtype=np.int64),
        shared=shared_items(has).astype(np.float64),
    )
