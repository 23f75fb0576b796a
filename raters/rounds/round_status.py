"""The progress of a round: what each rater has left, and what is still unassigned."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max, Q, QuerySet

from projects.models import Membership, Round
from projects.roles import PERMISSIONS, Permission
from raters.models import Assignment, LabelRevision, User, counted


@dataclass(frozen=True, slots=True)
class RoundRaterStatus:
    """Progress of one rater in a round. last_done_at: when the last item was labeled. user: the user ID, if any."""

    rater: int
    key: str
    user: int | None
    is_member: bool
    n: int
    n_done: int
    last_done_at: datetime | None

    @property
    def n_left(self) -> int:
        return self.n - self.n_done


@dataclass(frozen=True, slots=True)
class RoundStatus:
    """raters: sorted by name. n_free: assignments without a rater. is_empty: nobody has ever labeled in the round."""

    raters: list[RoundRaterStatus]
    n_free: int
    is_empty: bool

    @property
    def n(self) -> int:
        return sum(row.n for row in self.raters) + self.n_free

    @property
    def n_done(self) -> int:
        return sum(row.n_done for row in self.raters)

    @property
    def n_left(self) -> int:
        return self.n - self.n_done


def round_status(round_: Round) -> RoundStatus:
    assignments = Assignment.objects.filter(counted(), round=round_).order_by()
    rows = assignments.filter(rater__isnull=False).values("rater", "rater__key", "rater__user")
    rows = rows.annotate(
        n=Count("pk"), n_done=Count("pk", filter=Q(state=Assignment.State.DONE)), last=Max("done_at")
    )
    members = set(may_label(round_).values_list("pk", flat=True))
    raters = [
        RoundRaterStatus(
            row["rater"],
            row["rater__key"],
            row["rater__user"],
            row["rater__user"] in members,
            row["n"],
            row["n_done"],
            row["last"],
        )
        for row in rows.order_by("rater__key")
    ]
    return RoundStatus(raters, assignments.filter(rater__isnull=True).count(), is_empty(round_))


@dataclass(frozen=True, slots=True)
class WaitingRater:
    """A member with pending assignments in a round."""

    rater: int
    key: str
    user: int
    n_left: int


def waiting_in(round_: Round) -> list[WaitingRater]:
    """Return the members who have something left, by name; what is done is not read."""
    pending = Assignment.objects.filter(
        round=round_,
        state=Assignment.State.PENDING,
        item__withdrawn_at=None,
        rater__user__in=may_label(round_),
    )
    rows = pending.order_by("rater__key").values_list("rater", "rater__key", "rater__user")
    return [WaitingRater(*row) for row in rows.annotate(n=Count("pk"))]


def may_label(round_: Round) -> QuerySet[User]:
    roles = [role for role, permissions in PERMISSIONS.items() if Permission.LABEL in permissions]
    members = Membership.objects.filter(project=round_.project_id, role__in=roles).values("user")
    return User.objects.filter(pk__in=members, is_active=True)


def is_empty(round_: Round) -> bool:
    """Return whether nobody has ever labeled in the round. Each label is in the history, also if it was deleted."""
    if LabelRevision.objects.filter(round_id=round_.pk).exists():
        return False
    # One that was done without an answer, as all its questions are optional.
    return not round_.assignments.filter(state=Assignment.State.DONE).exists()
