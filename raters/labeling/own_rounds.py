"""A rater's open rounds: work left, deadline, and pause of each."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from django.db.models import Count, Exists, OuterRef, Q
from django.utils import timezone

from projects.models import Round
from raters.models import Assignment, Rater, counted
from raters.quality.passing import gates_closed_to, missed_gates


@dataclass(frozen=True, slots=True)
class OwnRound:
    """An open round of a rater. n_total: the rater's assignments. has_free: items are available on demand.

    gates: rounds of which the rater has to pass one first; empty if the round is open to the rater. is_barred: whether
    the rater missed the pass mark of all of them, and has no other attempt.
    """

    round: Round
    n_done: int
    n_total: int
    has_free: bool
    gates: tuple[str, ...] = ()
    is_barred: bool = False

    @property
    def key(self) -> str:
        return self.round.key

    @property
    def n_left(self) -> int:
        return self.n_total - self.n_done

    @property
    def has_work(self) -> bool:
        return self.n_left > 0 or self.has_free

    @property
    def due_on(self) -> date | None:
        return self.round.due_on

    @property
    def is_overdue(self) -> bool:
        if self.due_on is None or self.gates or not self.n_left:
            return False
        return self.due_on < timezone.localdate()

    @property
    def paused_at(self) -> datetime | None:
        return self.round.paused_at

    @property
    def paused_by(self) -> str:
        """The name of the person who paused the round; "" if it is not paused."""
        return str(self.round.paused_by or "") if self.round.is_paused else ""

    @property
    def note(self) -> str:
        """The message to raters from the person who paused the round."""
        return self.round.pause_note


def own_rounds(rater: Rater) -> list[OwnRound]:
    """Return open rounds in which the rater has items or may take some, in labeling order; none of a closed project.

    The rater may be a newcomer.
    """
    if rater.project.is_closed:
        return []
    # A rater of None would match the free assignments.
    mine = Assignment.objects.filter(rater=rater.pk or 0)
    free = Assignment.objects.filter(
        round=OuterRef("pk"), rater=None, is_on_demand=True, state=Assignment.State.PENDING
    )
    # Raters do not get an item twice.
    free = free.filter(item__withdrawn_at=None).exclude(Exists(mine.filter(item=OuterRef("item"))))
    rounds = Round.objects.filter(project=rater.project_id, state=Round.State.OPEN)
    counts = (
        mine.filter(counted(), round__in=rounds)
        .order_by()
        .values("round")
        .annotate(n_done=Count("pk", filter=Q(state=Assignment.State.DONE)), n_total=Count("pk"))
    )
    known = {row["round"]: (row["n_done"], row["n_total"]) for row in counts}
    rows = rounds.annotate(has_free=Exists(free)).select_related("paused_by").order_by("position", "pk")
    gates = gates_closed_to(rater)
    missed = missed_gates(rater) if gates else frozenset()
    return [
        OwnRound(
            row,
            *known.get(row.pk, (0, 0)),
            row.has_free,
            gates.get(row.pk, ()),
            is_barred=row.pk in gates and missed.issuperset(gates[row.pk]),
        )
        for row in rows
        if row.pk in known or row.has_free
    ]


def rounds_with_work(rounds: Sequence[OwnRound]) -> list[OwnRound]:
    """Return the rounds in which something is left for the rater."""
    return [each for each in rounds if each.has_work]


def paused_in(rounds: Sequence[OwnRound]) -> list[OwnRound]:
    return [each for each in rounds_with_work(rounds) if each.paused_at is not None]
