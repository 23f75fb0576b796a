"""Lists of chosen items: created once, and readable by everyone who may see labels."""

from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from core.refusals import Refused
from projects.events import record
from projects.models import Event, Item, ItemList, ItemListEntry, Project

MOST_ITEMS = 1000


class NoItems(Refused):
    """An empty list would be useless."""

    code, status_code = "no_items", 400

    def __init__(self) -> None:
        super().__init__("There are no items to put on the list.")


@transaction.atomic
def make_list(project: Project, name: str, items: Sequence[int], *, by: Any) -> ItemList:
    """items: IDs, in the order of the list. Raises NoItems if none belongs to the project."""
    known = set(Item.objects.filter(project=project, pk__in=items).values_list("pk", flat=True))
    chosen = [pk for pk in dict.fromkeys(items) if pk in known]
    if not chosen:
        raise NoItems
    made = ItemList.objects.create(project=project, name=name, created_by=by)
    ItemListEntry.objects.bulk_create(
        ItemListEntry(item_list=made, item_id=pk, position=place) for place, pk in enumerate(chosen)
    )
    record(Event.Kind.ITEM_LIST_MADE, by=by, project=project, about=name, list=made.pk, items=len(chosen))
    return made


def items_of_list(item_list: ItemList) -> QuerySet[Item]:
    """The items in the order of the list, including withdrawn ones."""
    return Item.objects.filter(list_entries__item_list=item_list).order_by("list_entries__position")
