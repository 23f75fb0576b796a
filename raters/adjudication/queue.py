"""The queue of disputes for adjudicators. The order is computed once and cached for some minutes, so that a decision
need not wait for all labels to be counted again. Disputes decided meanwhile by anyone, or no longer asked, are
skipped. The order is recomputed only if other questions depend on the one that was decided.
"""

from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from django.core.cache import cache

from projects.models import Project
from raters.adjudication.conditional_questions import ConditionState
from raters.adjudication.disputes import DisputeFilter
from raters.adjudication.rule_conditions import states_of
from raters.adjudication.stored_disputes import open_disputes
from raters.figures.stored_figures import FiguresNotComputed
from raters.models import Label, Rater

Place = tuple[int, int]

CACHE_SECONDS = 300
LENGTH = 200


@dataclass(frozen=True, slots=True)
class DisputeQueue:
    """open: undecided items and questions, most disputed first. n, n_open: total numbers.

    places: the cached order, including those decided since.
    """

    open: list[Place]
    n: int
    n_open: int
    places: list[Place] = field(default_factory=list)

    def after(self, place: Place | None) -> Place | None:
        """Return the next place: None after the last, the first if `place` is not in the queue."""
        start = self.open.index(place) + 1 if place in self.open else 0
        return next((each for each in self.open[start:] if each != place), None)


def at_the_end(n_open: int) -> str:
    """Return what to say after the last dispute of a list, of which some may have been skipped or not be listed."""
    if not n_open:
        return "All disputes are resolved."
    is_one = n_open == 1
    return (
        f"You have reached the end of the list. {n_open:,} dispute{' is' if is_one else 's are'} still open."
    )


def queue_of(
    project: Project, wanted: DisputeFilter, *, by: Any = None, now: Place | None = None
) -> DisputeQueue:
    """Return the queue. now: the place on screen, which stays in the queue even if it is decided.

    Raises FiguresNotComputed if it takes long to find, and nothing is stored.
    """
    found = _still_open(project, _stored_queue(project, wanted, by), now)
    if found.n_open and not [each for each in found.open if each != now]:
        # The cached ones are done, but there were more.
        found = _still_open(project, _fresh(project, wanted, by), now)
    return found


def known_queue_of(
    project: Project, wanted: DisputeFilter, *, by: Any, now: Place | None = None
) -> DisputeQueue:
    """Return the queue, or an empty one if nothing is stored: what was sent is answered without waiting for it."""
    try:
        return queue_of(project, wanted, by=by, now=now)
    except FiguresNotComputed:
        return DisputeQueue([], 0, 0)


def forget(project: Project, wanted: DisputeFilter) -> None:
    cache.delete(_key(project, wanted))


def _stored_queue(project: Project, wanted: DisputeFilter, by: Any) -> DisputeQueue:
    kept = cache.get(_key(project, wanted))
    if kept is None:
        return _fresh(project, wanted, by)
    places = [(item, question) for item, question in kept["open"]]
    return DisputeQueue(places, kept["n"], kept["n_open"], places)


def _fresh(project: Project, wanted: DisputeFilter, by: Any) -> DisputeQueue:
    found = open_disputes(project, wanted, first=LENGTH, by=by)
    places = [(dispute.item, dispute.question) for dispute in found.firsts]
    n, n_open = found.total.n, found.total.n_open
    cache.set(_key(project, wanted), {"open": places, "n": n, "n_open": n_open}, CACHE_SECONDS)
    return DisputeQueue(places, n, n_open, places)


def _still_open(project: Project, queue: DisputeQueue, now: Place | None) -> DisputeQueue:
    states = states_of(project, queue.open)
    asked = [place for place in queue.open if states[place] is ConditionState.ASKED or place == now]
    decided = set(
        Label.objects.filter(
            rater__project=project,
            rater__kind=Rater.Kind.CONSENSUS,
            item__in=[item for item, _ in queue.open],
        ).values_list("item", "question")
    )
    n_decided = sum(place in decided for place in asked)
    n_gone = len(queue.open) - len(asked)
    still = [place for place in asked if place not in decided or place == now]
    return DisputeQueue(still, queue.n - n_gone, queue.n_open - n_gone - n_decided, queue.places)


def forget_all(project: Project) -> None:
    """Drop the queues of all filters, because a decision may ask other questions or rule them out."""
    cache.set(_turn(project), uuid4().hex[:12], CACHE_SECONDS)


def _turn(project: Project) -> str:
    return f"disputes:{project.pk}"


def _key(project: Project, wanted: DisputeFilter) -> str:
    hidden = ".".join(map(str, sorted(wanted.hidden)))
    chosen = f"{wanted.question or 0}:{wanted.round or 0}:{wanted.list or 0}:{hidden}"
    return f"{_turn(project)}:{cache.get(_turn(project), '')}:{chosen}"[:200]
