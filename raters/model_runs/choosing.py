"""Which items a model labels: all, those of a round or a list, or given ones; optionally only new ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self, TypedDict

from django.db.models import QuerySet

from core.refusals import RefusedWithCode
from projects.models import Item, ItemList, Project, Round
from raters.models import Label
from raters.rounds.assigning.assignment_design import DesignRefused
from raters.rounds.chosen_items import ItemChoice, ItemSource, items_chosen


class StoredItemChoice(TypedDict):
    """A choice as stored with the draft of a run, so that it can be made again."""

    round: int | None
    list: int | None
    keys: list[str]
    is_only_new: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """round, list: ID of the round or list; keys: item keys. None of them: all items.

    is_only_new: without those that this configuration has labeled.
    """

    round: int | None = None
    list: int | None = None
    keys: Sequence[str] = ()
    is_only_new: bool = True

    @classmethod
    def of_json(cls, stored: StoredItemChoice) -> Self:
        return cls(**stored)

    def as_json(self) -> StoredItemChoice:
        return {
            "round": self.round,
            "list": self.list,
            "keys": list(self.keys),
            "is_only_new": self.is_only_new,
        }


def items_to_label(project: Project, items: Items, digest: str, *, by: Any) -> "QuerySet[Item]":
    """Return the items, without withdrawn ones, in order. digest: of the configuration.

    Raises RefusedWithCode, and LabelsHidden if which items these are would tell `by` about labels hidden from them.
    """
    found = Item.objects.filter(project=project, withdrawn_at=None).order_by("pk")
    if choice := _choice(project, items):
        try:
            found = found.filter(pk__in=items_chosen(project, choice, by=by).tolist())
        except DesignRefused as refused:
            raise RefusedWithCode("no_items", str(refused), status_code=409) from None
    if items.is_only_new:
        labeled = Label.objects.filter(rater__project=project, rater__configuration__digest=digest)
        found = found.exclude(pk__in=labeled.order_by().values("item"))
    return found


def in_words(project: Project, items: Items) -> str:
    """Return, for example, “those of round 1, without those already labeled”."""
    choice = _choice(project, items)
    words = choice.words if choice else "all"
    return f"{words}, without those already labeled" if items.is_only_new else words


def _choice(project: Project, items: Items) -> ItemChoice | None:
    if items.round is not None:
        round_: Any = Round.objects.filter(project=project, pk=items.round).first()
        return _of(ItemSource.ROUND, round_, "round")
    if items.list is not None:
        return _of(ItemSource.LIST, ItemList.objects.filter(project=project, pk=items.list).first(), "list")
    if items.keys:
        return ItemChoice(source=ItemSource.IDS, about=str(len(items.keys)), ids=tuple(items.keys))
    return None


def _of(source: ItemSource, row: Any, thing: str) -> ItemChoice:
    if row is None:
        raise RefusedWithCode(f"no_such_{thing}", f"There is no such {thing}.")
    return ItemChoice(source=source, about=str(row), pk=row.pk)
