"""Withdraws, restores, and describes items."""

from typing import Any

from django.db import transaction
from django.utils import timezone

from core.field_changes import changes_of
from projects.events import record
from projects.models import Event, Item


@transaction.atomic
def withdraw_item(item: Item, *, by: Any) -> Item:
    """Withdraw the item: no rater gets it, and labels in progress can't be saved; existing labels stay."""
    item = _held(item)
    if item.withdrawn_at is None:
        item.withdrawn_at = timezone.now()
        item.save(update_fields=["withdrawn_at"])
        record(Event.Kind.ITEM_WITHDRAWN, by=by, project=item.project, about=item.key)
    return item


@transaction.atomic
def restore_item(item: Item, *, by: Any) -> Item:
    """Restore the item; its pending assignments in open rounds continue."""
    item = _held(item)
    if item.withdrawn_at is not None:
        item.withdrawn_at = None
        item.save(update_fields=["withdrawn_at"])
        record(Event.Kind.ITEM_PUT_BACK, by=by, project=item.project, about=item.key)
    return item


def _held(item: Item) -> Item:
    """The current item, locked; labels of it that are being saved are saved first."""
    return Item.objects.select_for_update(of=["self"]).select_related("project").get(pk=item.pk)


@transaction.atomic
def describe_item(item: Item, attributes: dict[str, object], *, by: Any) -> None:
    """Replace the item's attributes; existing reports keep the attributes they were computed with."""
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
