"""Linking imported raters to members' accounts, unlinking them, and changing their types and attributes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Count, QuerySet

from core.field_changes import changes_of
from core.refusals import Refused
from core.shapes import Json
from projects.attributes import in_words
from projects.events import record
from projects.models import Event, Membership, Project, Round
from raters.access import rounds_to_be_blind_in
from raters.figures.size import is_large
from raters.models import Label, Rater, User
from raters.progress.progress_figures import labels_of_raters


class CannotLink(Refused):
    """The message says why, and what to do instead."""

    code = "cannot_link"


class CannotChangeKind(Refused):
    """The message says why, and what to do instead."""

    code = "cannot_change_kind"


# What a rater with imported labels can be; there is one consensus, and adjudication makes it.
KINDS = [Rater.Kind.HUMAN, Rater.Kind.MODEL, Rater.Kind.REFERENCE]


def raters_of(project: Project) -> QuerySet[Rater]:
    return Rater.objects.filter(project=project).select_related("user").order_by("key", "id")


def label_counts(raters: list[Rater]) -> dict[int, int]:
    """Return how many labels each of these raters has given."""
    rows = Label.objects.filter(rater__in=raters).order_by().values_list("rater").annotate(n=Count("pk"))
    return dict(rows)


@dataclass(frozen=True, slots=True)
class LinkableRater:
    rater: Rater
    n_labels: int
    # False if the person is no longer a member.
    is_member: bool

    @property
    def attributes(self) -> list[tuple[str, str]]:
        return [(name, in_words(value)) for name, value in self.rater.attributes.items()]

    @property
    def may_be_linked(self) -> bool:
        return self.rater.kind == Rater.Kind.HUMAN and self.rater.user_id is None

    @property
    def may_change_kind(self) -> bool:
        return self.rater.kind in KINDS and self.rater.user_id is None


def linkable_raters(project: Project, raters: list[Rater], *, by: Any) -> list[LinkableRater]:
    """Return the raters with their numbers of labels.

    Raises FiguresNotComputed if there are very many, and none are stored.
    """
    counts = labels_of_raters(project, by=by) if is_large(project) else label_counts(raters)
    members = set(project.memberships.values_list("user_id", flat=True))
    return [LinkableRater(rater, counts.get(rater.pk, 0), rater.user_id in members) for rater in raters]


def people_to_link(project: Project) -> QuerySet[User]:
    """Return the members who are not yet a rater in the project."""
    taken = Rater.objects.filter(project=project, user__isnull=False).values("user")
    return User.objects.filter(memberships__project=project).exclude(pk__in=taken).order_by("username")


@transaction.atomic
def link(rater: Rater, *, by: Any, user: User) -> Rater:
    """Make the rater's past and future labels this member's own."""
    rater = _locked(rater)
    if rater.user_id == user.pk:
        return rater
    _refuse_unlinkable(rater, user)
    rater.user = user
    try:
        with transaction.atomic():
            rater.save(update_fields=["user"])
    except IntegrityError:
        raise CannotLink(
            f"{user} is already linked to another rater in this project. Unlink that rater first."
        ) from None
    record(
        Event.Kind.RATER_LINKED,
        by=by,
        project=rater.project,
        about=rater.key,
        user=user.pk,
        rater=rater.pk,
    )
    return rater


def _refuse_unlinkable(rater: Rater, user: User) -> None:
    if rater.kind != Rater.Kind.HUMAN:
        raise CannotLink(
            f"{rater.key} can’t be linked to a member because its type is {rater.get_kind_display().lower()}."
        )
    if rater.user is not None:
        raise CannotLink(f"{rater.key} is already linked to {rater.user}. Unlink the rater first.")
    if not Membership.objects.filter(project=rater.project, user=user).exists():
        raise CannotLink(f"{user} is not a member of this project. Invite them first.")


@transaction.atomic
def unlink(rater: Rater, *, by: Any) -> Rater:
    """Unlink the rater; the labels stay with the rater, who no longer has an account.

    The user stays blind in the rounds of the rater until they are closed.
    """
    rater = _locked(rater)
    if rater.user is None:
        return rater
    user = rater.user
    rater.user = None
    rater.save(update_fields=["user"])
    blind_in = Round.objects.filter(pk__in=rounds_to_be_blind_in(user, rater.project)).order_by("key")
    record(
        Event.Kind.RATER_UNLINKED,
        by=by,
        project=rater.project,
        about=rater.key,
        user=user.pk,
        rater=rater.pk,
        blind_in=list(blind_in.values_list("key", flat=True)),
    )
    return rater


@transaction.atomic
def describe(rater: Rater, attributes: Json, *, by: Any) -> None:
    """Replace the rater's attributes with these."""
    _change(rater, {"attributes": attributes}, by=by)


@transaction.atomic
def change_kind(rater: Rater, kind: str, *, by: Any) -> Rater:
    """Make the rater a person, a model, or a reference. Finished reports keep the type they were computed with."""
    rater = _locked(rater)
    if rater.kind != kind:
        _refuse_kind(rater, kind)
        _change(rater, {"kind": kind}, by=by)
    return rater


def _locked(rater: Rater) -> Rater:
    return Rater.objects.select_for_update(of=["self"]).select_related("project", "user").get(pk=rater.pk)


def _change(rater: Rater, fields: Mapping[str, Any], *, by: Any) -> None:
    if not (changed := changes_of(rater, fields)):
        return
    for name, value in fields.items():
        setattr(rater, name, value)
    rater.save(update_fields=list(fields))
    record(
        Event.Kind.PROJECT_CHANGED,
        by=by,
        project=rater.project,
        about=rater.key,
        rater=rater.pk,
        changed=changed,
    )


def _refuse_kind(rater: Rater, kind: str) -> None:
    if Rater.Kind.CONSENSUS in (rater.kind, kind):
        raise CannotChangeKind("The consensus is made by adjudication, so its type can’t be changed.")
    if rater.user is not None:
        raise CannotChangeKind(
            f"{rater.key} is linked to {rater.user}, so the type must be Person. Unlink the rater first."
        )
    if rater.assignments.exists():
        raise CannotChangeKind(f"{rater.key} has assignments in a round, so the type must be Person.")
    if rater.model_runs.exists():
        raise CannotChangeKind(f"{rater.key} was labeled by a model run, so the type must be Model.")
