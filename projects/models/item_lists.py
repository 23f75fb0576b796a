"""Named lists of selected items, such as those to be discussed."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from core.keys import MAX_KEY
from projects.models.items import Item
from projects.models.projects import Project


class ItemList(models.Model):
    """Items in an order of their own, unaffected by later labels."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="item_lists")
    name = models.CharField(max_length=MAX_KEY)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", editable=False
    )
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.name


class ItemListEntry(models.Model):
    """One item of a list. No database constraint, because undoing an import deletes the items that it created."""

    item_list = models.ForeignKey(ItemList, models.CASCADE, related_name="entries")
    item = models.ForeignKey(Item, models.CASCADE, related_name="list_entries", db_constraint=False)
    position = models.PositiveIntegerField()

    class Meta:
        ordering = ["position"]
        constraints = [models.UniqueConstraint(fields=["item_list", "item"], name="item_once_per_list")]

    def __str__(self) -> str:
        return f"{self.item_list} {self.position}"
