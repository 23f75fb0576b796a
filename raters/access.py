"""Who may reach which work: one's own alone; and what others said, not while one labels the same oneself."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db.models import Exists, OuterRef, Q
from django.http import Http404

from projects.access import AnyUser, project_to, rights_in
from projects.codebook.guidelines_shown import is_in_guidelines
from projects.events import record
from projects.items.content import media_names
from projects.items.layout import shown_to_raters
from projects.media.names import spellings
from projects.models import Event, Item, ItemVersion, MediaFile, Project, Round
from projects.roles import Right
from raters.actions import known_rater
from raters.models import Assignment, Label, Rater


def rater_to_label(user: AnyUser, slug: str) -> Rater:
    """The user as a rater of the project, for one who may label in it; Http404 for one who has no work there yet."""
    rater = rater_or_newcomer(user, slug)
    if rater.is_newcomer:
        raise Http404("No such assignment.")
    return rater


def rater_or_newcomer(user: AnyUser, slug: str) -> Rater:
    """The same; one who has no work there yet is a rater who is not saved."""
    project = project_to(user, slug, Right.LABEL)
    return known_rater(project, user) or Rater(project=project)


class StillBlind(PermissionDenied):
    """Whoever labels an item sees nothing that others said of it until the round is closed."""

    def __init__(self, rounds: list[str]) -> None:
        until = "they are" if len(rounds) > 1 else "it is"
        super().__init__(
            f"You are labeling in {', '.join(rounds)}. Until {until} closed, you cannot see other raters’ labels for "
            "the same items."
        )


def rounds_to_be_blind_in(user: AnyUser, project: Project) -> list[int]:
    """The rounds that are not closed in which the user has assignments.

    Nothing that others said of their items is shown to the user, in whatever round it was said: an item may be in
    several. Where others only take assignments, and the user has none, the user is no rater.
    """
    assignments = Assignment.objects.filter(rater__user=user.pk, rater__project=project, round__isnull=False)
    open_assignments = assignments.exclude(round__state=Round.State.CLOSED)
    return sorted(open_assignments.values_list("round", flat=True).distinct())


def refuse_blind(user: AnyUser, item: Item) -> None:
    """Raises StillBlind if the item is one that the user is still to label, or may change a label of."""
    project = item.project
    rounds = Assignment.objects.filter(item=item, round__in=rounds_to_be_blind_in(user, project))
    if keys := sorted(set(rounds.values_list("round__key", flat=True))):
        refused_look(user, project, keys, item.key)
        raise StillBlind(keys)


@dataclass(frozen=True, slots=True)
class Blindness:
    """What is hidden of a project from one of its members: the labels of the items of the rounds they label in.

    rounds: the keys of these rounds. free: the keys of the rounds that share no item with them.
    """

    rounds: tuple[str, ...]
    free: frozenset[str]

    def hides(self, rounds: Collection[str] | None) -> bool:
        """Whether labels of these rounds, or all labels of the project for None, are of hidden items."""
        return bool(self.rounds) and (rounds is None or not self.free.issuperset(rounds))


SEES_ALL = Blindness((), frozenset())


def blindness_of(user: AnyUser, project: Project) -> Blindness:
    blind_in = rounds_to_be_blind_in(user, project)
    if not blind_in:
        return SEES_ALL
    keys = dict(Round.objects.filter(project=project).values_list("pk", "key"))
    hidden = Assignment.objects.filter(round__in=blind_in).values("item")
    shared: set[int | None] = set()
    for rows in (Assignment.objects.filter(item__in=hidden), Label.objects.filter(item__in=hidden)):
        shared.update(rows.order_by().values_list("round", flat=True).distinct())
    free = frozenset(key for pk, key in keys.items() if pk not in shared)
    return Blindness(tuple(sorted(keys[pk] for pk in blind_in)), free)


def refuse_blind_to(user: AnyUser, project: Project, rounds: Collection[str] | None, *, about: str) -> None:
    """Raises StillBlind if labels of these rounds (None: all of the project) are of items hidden from the user.

    For what is made of many labels at once: leaving a part out would be taken for the whole.
    """
    blindness = blindness_of(user, project)
    if blindness.hides(rounds):
        refused_look(user, project, list(blindness.rounds), about)
        raise StillBlind(list(blindness.rounds))


def refused_look(user: Any, project: Project, rounds: list[str], about: str) -> None:
    """Log that one who still labels tried to see what others said."""
    record(Event.Kind.LOOK_REFUSED, by=user, project=project, about=about, rounds=rounds)


def also_rates(user: AnyUser, project: Project) -> bool:
    """Whether the user has labeled in the project, or is to."""
    rater = Rater.objects.filter(project=project, user=user.pk).first()
    return rater is not None and (rater.assignments.exists() or rater.labels.exists())


def note_look(user: Any, project: Project, about: str, **detail: Any) -> None:
    """Log that one who also rates was shown what others said."""
    if also_rates(user, project):
        record(Event.Kind.LABELS_SEEN, by=user, project=project, about=about, **detail)


def media_to(user: AnyUser, slug: str, pk: int) -> MediaFile:
    """A media file: of the whole project for those who see labels, for a rater of the items given to them.

    What the guidelines show is for every member.
    """
    project = project_to(user, slug, Right.SEE_PROJECT)
    media = MediaFile.objects.filter(project=project, pk=pk).first()
    if media is not None and (
        Right.SEE_LABELS in rights_in(user, project) or _is_given_to(user, media) or is_in_guidelines(media)
    ):
        return media
    raise Http404("No such file.")


def _is_given_to(user: AnyUser, media: MediaFile) -> bool:
    """Whether an item that is the user's in a round that was opened shows the file, or did before it was replaced."""
    assignments = Assignment.objects.filter(rater__user=user.pk, round__isnull=False)
    assignments = assignments.exclude(round__state=Round.State.DRAFT)
    # The items that say so are few, and found by an index; the assignments of a rater may be many thousands.
    says_so = reduce(or_, [Q(content__contains=[{"value": spelling}]) for spelling in spellings(media.name)])
    items = Item.objects.filter(
        says_so, Exists(assignments.filter(item=OuterRef("pk"))), project=media.project_id
    )
    earlier = ItemVersion.objects.filter(
        says_so, Exists(assignments.filter(item=OuterRef("item"))), item__project=media.project_id
    )
    # The name in a text, such as one that speaks of another item's picture, gives no right to it.
    return any(
        media.name in media_names(shown_to_raters(content, media.project))
        for rows in (items, earlier)
        for content in rows.order_by().values_list("content", flat=True).iterator()
    )
