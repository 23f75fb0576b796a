"""What a round holds: how much each rater has of it, and how many items every two of them share."""

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from projects.models import Batch
from raters.assigning.allocation import IntArray, shared_items
from raters.models import Assignment, Rater, counted
from raters.rounds.planning import items_of_round, marked


@dataclass(frozen=True, slots=True, eq=False)
class Coverage:
    """Of R raters in the order of their names: work and done, first passes; repeats; shared: (R, R) items."""

    names: list[str]
    work: NDArray[np.float64]
    done: IntArray
    repeats: IntArray
    shared: NDArray[np.float64]


def coverage_of(batch: Batch) -> Coverage:
    having = Rater.objects.filter(counted("assignments__"), assignments__batch=batch)
    raters = list(having.distinct().order_by("key"))
    ids = [rater.pk for rater in raters]
    rows = list(
        Assignment.objects.filter(counted(), batch=batch, rater__isnull=False).values_list(
            "item", "rater", "pass_number", "state"
        )
    )
    firsts = [(item, rater) for item, rater, number, _ in rows if number == 1]
    work = Counter(rater for _, rater in firsts)
    repeats = Counter(rater for _, rater, number, _ in rows if number > 1)
    done = Counter(rater for _, rater, number, state in rows if number == 1 and state == "done")
    has = marked(items_of_round(batch.pk), ids, firsts)
    return Coverage(
        names=[rater.key for rater in raters],
        work=np.array([work[pk] for pk in ids], dtype=np.float64),
        done=np.array([done[pk] for pk in ids], dtype=np.int64),
        repeats=np.array([repeats[pk] for pk in ids], dtype=np.int64),
        shared=shared_items(has).astype(np.float64),
    )
