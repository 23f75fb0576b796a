"""Who may reach which work: one's own alone; and what others said, not while one labels the same oneself."""

from typing import Any

from django.core.exceptions import PermissionDenied

from projects.access import AnyUser, project_to
from projects.events import record
from projects.models import Batch, Event, Item, Project
from projects.roles import Right
from raters.actions import rater_of
from raters.models import Assignment, Rater


def rater_to_label(user: AnyUser, slug: str) -> Rater:
    """The user as a rater of the project, for one who may label in it."""
    return rater_of(project_to(user, slug, Right.LABEL), user)


class StillBlind(PermissionDenied):
    """Whoever labels an item sees nothing that others said of it until the round is closed."""

    def __init__(self, rounds: list[str]) -> None:
        super().__init__(
            f"You label in {', '.join(rounds)}, which is not closed yet: until it is, you do not see what others said "
            "of its items."
        )


def rounds_to_be_blind_in(user: AnyUser, project: Project) -> list[int]:
    """The rounds that are not closed in which the user has places.

    Nothing that others said of their items is shown to the user, in whatever round it was said: an item may be in
    several. Where others only take places, and the user has none, the user is no rater.
    """
    places = Assignment.objects.filter(rater__user=user.pk, rater__project=project, batch__isnull=False)
    open_places = places.exclude(batch__state=Batch.State.CLOSED)
    return sorted(open_places.values_list("batch", flat=True).distinct())


def refuse_blind(user: AnyUser, item: Item) -> None:
    """Raises StillBlind if the item is one that the user is still to label, or may change a label of."""
    project = item.project
    rounds = Assignment.objects.filter(item=item, batch__in=rounds_to_be_blind_in(user, project))
    if keys := sorted(set(rounds.values_list("batch__key", flat=True))):
        raise StillBlind(keys)


def also_rates(user: AnyUser, project: Project) -> bool:
    """Whether the user has labelled in the project, or is to."""
    rater = Rater.objects.filter(project=project, user=user.pk).first()
    return rater is not None and (rater.assignments.exists() or rater.labels.exists())


def note_look(user: Any, project: Project, about: str, **detail: Any) -> None:
    """Log that one who also rates was shown what others said."""
    if also_rates(user, project):
        record(Event.Kind.LABELS_SEEN, by=user, project=project, about=about, **detail)
