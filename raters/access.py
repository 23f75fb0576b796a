"""Who may access which work: raters only their own, and others' labels only when not labeling the same items."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db.models import Exists, OuterRef, Q
from django.http import Http404

from projects.access import AnyUser, permissions_in, project_to
from projects.codebook.rendered_guidelines import is_in_guidelines
from projects.events import record
from projects.items.content import media_names
from projects.items.layout import visible_content
from projects.media.names import spellings
from projects.models import Event, Item, ItemListEntry, ItemVersion, MediaFile, Project, Round
from projects.roles import Permission
from raters.actions import known_rater
from raters.models import AdaptiveOverlap, Assignment, FormerAssignee, Label, Rater


def rater_to_label(user: AnyUser, slug: str) -> Rater:
    """Return the user as a rater of a project they may label in. Raises Http404 if they have no work there yet."""
    rater = rater_or_newcomer(user, slug)
    if rater.is_newcomer:
        raise Http404("No such assignment.")
    return rater


def rater_or_newcomer(user: AnyUser, slug: str) -> Rater:
    """Return the user as a rater; if they have no work there yet, the rater is not saved."""
    project = project_to(user, slug, Permission.LABEL)
    return known_rater(project, user) or Rater(project=project)


class LabelsHidden(PermissionDenied):
    """Anyone labeling an item sees no labels of others for it until the round is closed."""

    def __init__(self, rounds: list[str]) -> None:
        until = "they are" if len(rounds) > 1 else "it is"
        super().__init__(
            f"You have assignments in {', '.join(rounds)}, or had some. Until {until} closed, you can’t see other "
            "raters’ labels for the same items."
        )


def rounds_to_be_blind_in(user: AnyUser, project: Project) -> list[int]:
    """Return the rounds that are not closed and in which the user has assignments, or had some.

    No labels of others for the items of these rounds are shown to the user, whichever round they were made in: an
    item may be in several. If only others take assignments in a round and the user has none, they do not rate there.
    Being unlinked or taken out of a round ends nothing: the same person could be linked or assigned again.
    """
    assigned = Assignment.objects.filter(rater__user=user.pk, rater__project=project).values("round")
    formerly = FormerAssignee.objects.filter(user=user.pk, round__project=project).values("round")
    rounds = Round.objects.filter(Q(pk__in=assigned) | Q(pk__in=formerly), project=project)
    return sorted(rounds.exclude(state=Round.State.CLOSED).values_list("pk", flat=True))


def refuse_blind(user: AnyUser, item: Item) -> None:
    """Raises LabelsHidden if the user still has to label the item, or may still change a label of it."""
    project = item.project
    rounds = Assignment.objects.filter(item=item, round__in=rounds_to_be_blind_in(user, project))
    if keys := sorted(set(rounds.values_list("round__key", flat=True))):
        log_refused_access(user, project, keys, item.key)
        raise LabelsHidden(keys)


@dataclass(frozen=True, slots=True)
class Blindness:
    """What is hidden from a project member: the labels of items in the rounds they are labeling in.

    rounds: the keys of these rounds. free: the keys of rounds that share no items with them.
    """

    rounds: tuple[str, ...]
    free: frozenset[str]

    def hides(self, rounds: Collection[str] | None) -> bool:
        """Return whether labels of these rounds, or for None any labels of the project, belong to hidden items."""
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
    """Raises LabelsHidden if labels of these rounds (None: the whole project) belong to items hidden from the user.

    For anything computed from many labels at once: a result without the hidden part would be mistaken for the whole.
    """
    blindness = blindness_of(user, project)
    if blindness.hides(rounds):
        log_refused_access(user, project, list(blindness.rounds), about)
        raise LabelsHidden(list(blindness.rounds))


def further_rounds(project: Project, hidden: Collection[int]) -> list[int]:
    """Return rounds of further raters that were added by labels of items of the hidden rounds, where these disagreed.

    How many assignments such a round has, and of which items, says something about labels that are hidden.
    """
    items = Assignment.objects.filter(round__in=hidden).values("item")
    of_round = Assignment.objects.filter(round=OuterRef("round"), item__in=items)
    adaptive = AdaptiveOverlap.objects.filter(Exists(of_round), round__project=project, further__isnull=False)
    return list(adaptive.values_list("further", flat=True)) if hidden else []


def hides_assignments(user: AnyUser, round_: Round) -> bool:
    """Return whether the number of assignments in the round depends on labels that are hidden from the user."""
    return round_.pk in further_rounds(round_.project, rounds_to_be_blind_in(user, round_.project))


def refuse_hidden_assignments(user: AnyUser, round_: Round) -> None:
    """Raises LabelsHidden if the number of assignments in the round depends on labels hidden from the user."""
    if hides_assignments(user, round_):
        blind_in = rounds_to_be_blind_in(user, round_.project)
        keys = sorted(Round.objects.filter(pk__in=blind_in).values_list("key", flat=True))
        log_refused_access(user, round_.project, keys, round_.key)
        raise LabelsHidden(keys)


# Sources of the items of a round that say something about labels: a list can be made from a report.
CHOSEN_BY_LABELS = ("disputed", "confidence", "list")


def rounds_chosen_by_labels(project: Project, keys: Collection[str] | None) -> list[str]:
    """Return those of the rounds (None: all) whose items say something about their labels in other rounds."""
    rounds = project.rounds.all() if keys is None else project.rounds.filter(key__in=keys)
    by_plan = [Q(plans__0__chosen__kind=kind) for kind in CHOSEN_BY_LABELS]
    return list(rounds.filter(reduce(or_, by_plan)).values_list("key", flat=True))


def refuse_blind_to_items_of(user: AnyUser, project: Project, rounds: Collection[str] | None) -> None:
    """Raises LabelsHidden if one of the rounds was chosen by labels that are hidden from the user."""
    if keys := rounds_chosen_by_labels(project, rounds):
        refuse_blind_to(user, project, keys, about="items of a round chosen by labels")


def refuse_blind_to_list(user: AnyUser, project: Project, item_list: int) -> None:
    """Raises LabelsHidden if the list has items hidden from the user, which the page of the list leaves out."""
    entries = ItemListEntry.objects.filter(item_list=item_list)
    blind_in = rounds_to_be_blind_in(user, project)
    if blind_in and entries.filter(item__assignments__round__in=blind_in).exists():
        keys = list(Round.objects.filter(pk__in=blind_in).order_by("key").values_list("key", flat=True))
        log_refused_access(user, project, keys, "list of items")
        raise LabelsHidden(keys)


def log_refused_access(user: Any, project: Project, rounds: list[str], about: str) -> None:
    """Log that someone who is still labeling tried to see labels of others."""
    record(Event.Kind.LOOK_REFUSED, by=user, project=project, about=about, rounds=rounds)


def also_rates(user: AnyUser, project: Project) -> bool:
    """Return whether the user has labeled in the project, or has or had assignments there."""
    rater = Rater.objects.filter(project=project, user=user.pk).first()
    if rater is not None and (rater.assignments.exists() or rater.labels.exists()):
        return True
    return FormerAssignee.objects.filter(user=user.pk, round__project=project).exists()


def log_label_access(user: Any, project: Project, about: str, **detail: Any) -> None:
    """Log that someone who also rates was shown labels of others."""
    if also_rates(user, project):
        record(Event.Kind.LABELS_SEEN, by=user, project=project, about=about, **detail)


def media_to(user: AnyUser, slug: str, pk: int) -> MediaFile:
    """Return a media file: any file for members who see labels, and files of their own items for raters.

    Files shown in the guidelines are available to every member.
    """
    project = project_to(user, slug, Permission.SEE_PROJECT)
    media = MediaFile.objects.filter(project=project, pk=pk).first()
    if media is not None and (
        Permission.SEE_LABELS in permissions_in(user, project)
        or _is_assigned_to(user, media)
        or is_in_guidelines(media)
    ):
        return media
    raise Http404("No such file.")


def _is_assigned_to(user: AnyUser, media: MediaFile) -> bool:
    """Return whether one of the user's items in an opened round shows the file, or did before it was replaced."""
    assignments = Assignment.objects.filter(rater__user=user.pk, round__isnull=False)
    assignments = assignments.exclude(round__state=Round.State.DRAFT)
    # Few items match, and an index finds them; a rater may have many thousands of assignments.
    says_so = reduce(or_, [Q(content__contains=[{"value": spelling}]) for spelling in spellings(media.name)])
    items = Item.objects.filter(
        says_so, Exists(assignments.filter(item=OuterRef("pk"))), project=media.project_id
    )
    earlier = ItemVersion.objects.filter(
        says_so, Exists(assignments.filter(item=OuterRef("item"))), item__project=media.project_id
    )
    # A file name merely mentioned in a text, for example about another item's picture, does not grant access.
    return any(
        media.name in media_names(visible_content(content, media.project))
        for rows in (items, earlier)
        for content in rows.order_by().values_list("content", flat=True).iterator()
    )
