"""Withdrawing items, putting them back, and describing them."""

from typing import Any

from django.db import transaction
from django.utils import timezone

from core.changes import changes_of
from projects.events import record
from projects.models import Event, Item


@transaction.atomic
def withdraw_item(item: Item, *, by: Any) -> Item:
    """From now on no rater is asked for it, and those who have it before them can save nothing; what was said stays."""
    item = _held(item)
    if item.withdrawn_at is None:
        item.withdrawn_at = timezone.now()
        item.save(update_fields=["withdrawn_at"])
        record(Event.Kind.ITEM_WITHDRAWN, by=by, project=item.project, about=item.key)
    return item


@transaction.atomic
def put_item_back(item: Item, *, by: Any) -> Item:
    """What waited on it in the rounds that are open goes on."""
    item = _held(item)
    if item.withdrawn_at is not None:
        item.withdrawn_at = None
        item.save(update_fields=["withdrawn_at"])
        record(Event.Kind.ITEM_PUT_BACK, by=by, project=item.project, about=item.key)
    return item


def _held(item: Item) -> Item:
    """The item as it is now; whoever is just saving a label of it is waited for, and saves before."""
    return Item.objects.select_for_update(of=["self"]).select_related("project").get(pk=item.pk)


@transaction.atomic
def describe_item(item: Item, attributes: dict[str, Any], *, by: Any) -> None:
    """Give the item these attributes in place of what it has; reports that are computed keep those they read."""
    item = _held(item)
    if changed := changes_of(item, {"attributes": attributes}):
        item.attributes = attributes
        item.save(update_fields=["attributes"])
        record(
            Event.Kind.PROJECT_CHANGED,
            by=by,
            project=item.project,
            about=item.key,
            item=item.pk,
            changed=changed,
        )
