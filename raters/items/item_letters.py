"""Names for raters that adjudicators must not identify: letters that differ from item to item."""

from collections.abc import Iterable

from django.utils.crypto import salted_hmac

from core.numbers import letters
from projects.access import AnyUser, permissions_in
from projects.models import Item, Project
from projects.roles import Permission
from raters.lettered import Letters
from raters.models import Label, LabelRevision, Rater

HIDDEN = "name hidden"


def are_hidden_from(user: AnyUser, project: Project) -> bool:
    """Return whether the user adjudicates without seeing who the raters are, and is not their lead."""
    permissions = permissions_in(user, project)
    return (
        not project.adjudicators_see_names
        and Permission.ADJUDICATE in permissions
        and Permission.EDIT_PROJECT not in permissions
    )


def hidden_letters(user: AnyUser, project: Project) -> Letters | None:
    """Return letters for all raters of the project, in an order that only the server can compute; None if names are
    shown.

    They differ from the letters on single items, so that nobody can be identified on an item from a report.
    """
    if not are_hidden_from(user, project):
        return None
    raters = [(rater.pk, rater.key) for rater in Rater.objects.filter(project=project)]
    raters.sort(key=lambda each: salted_hmac("raters of a project", f"{project.pk} {each[0]}").digest())
    return Letters(tuple(pk for pk, _ in raters), tuple(key for _, key in raters))


def lettered_names(item: Item, raters: Iterable[Rater]) -> dict[int, str]:
    """Return letters in an order that only the server can compute and that differs for each item.

    Who “Rater A” is cannot be inferred from other items, the order of names, or who labeled first.
    """
    known = {rater.pk: rater for rater in raters}
    voters = [pk for pk, rater in known.items() if rater.kind != Rater.Kind.REFERENCE]
    shuffled = sorted(voters, key=lambda pk: salted_hmac("raters of an item", f"{item.pk} {pk}").digest())
    return dict.fromkeys(known, "Reference") | {
        pk: f"Rater {letters(place)}" for place, pk in enumerate(shuffled)
    }


def letters_for_item(user: AnyUser, item: Item) -> dict[int, str] | None:
    """Return the letter names of everyone who ever labeled the item; None if names are shown."""
    if not are_hidden_from(user, item.project):
        return None
    ids = set(Label.objects.filter(item=item).values_list("rater", flat=True))
    ids |= set(LabelRevision.objects.filter(item_id=item.pk).values_list("rater_id", flat=True))
    raters = Rater.objects.filter(pk__in=ids)
    decided = {rater.pk: rater.key for rater in raters if rater.kind == Rater.Kind.CONSENSUS}
    return lettered_names(item, [rater for rater in raters if rater.pk not in decided]) | decided
