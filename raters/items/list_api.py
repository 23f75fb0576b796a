"""API for lists of chosen items."""

from typing import Any, cast

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.keys import MAX_KEY
from core.refusals import RefusedWithCode
from core.web.api import PAGE_PARAMETERS, View, paginated
from core.web.strict import StrictLineField, StrictNameField, StrictSerializer
from projects.access import project_to
from projects.items.lists import MOST_ITEMS, items_of_list, make_list
from projects.models import Item, ItemList
from projects.roles import Permission
from raters.access import log_label_access, rounds_to_be_blind_in


class NewItemList(StrictSerializer):
    name = StrictNameField(max_length=MAX_KEY)
    items = serializers.ListField(
        child=StrictLineField(max_length=MAX_KEY),
        min_length=1,
        max_length=MOST_ITEMS,
        help_text="IDs, in order.",
    )


class ItemListSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    name = serializers.CharField()
    created_at = serializers.DateTimeField()
    created_by = serializers.CharField(allow_null=True)


class ListedItemSerializer(serializers.Serializer[Any]):
    item = serializers.CharField()
    withdrawn_at = serializers.DateTimeField(allow_null=True)


class ItemLists(View):
    parameters = {"get": ["page", "page_size"]}

    @extend_schema(
        parameters=PAGE_PARAMETERS,
        responses=paginated("ItemList", ItemListSerializer),
        operation_id="item_lists_list",
    )
    def get(self, request: Request, slug: str) -> Response:
        """List the saved lists of items, newest first."""
        project = project_to(request.user, slug, Permission.SEE_LABELS)
        lists = ItemList.objects.filter(project=project).select_related("created_by")
        return self.paged(lists, lambda each: dict(ItemListSerializer(each).data))

    @extend_schema(request=NewItemList, responses={201: ItemListSerializer}, operation_id="item_lists_create")
    def post(self, request: Request, slug: str) -> Response:
        """Save a list of items, for example to use in a round. A list can’t be changed."""
        project = project_to(request.user, slug, Permission.ASK_REPORTS)
        given = self.checked(NewItemList)
        keys = cast(list[str], given["items"])
        known = dict(Item.objects.filter(project=project, key__in=keys).values_list("key", "pk"))
        unknown = [(place, key) for place, key in enumerate(keys) if key not in known]
        if unknown:
            place, key = unknown[0]
            more = f" {len(unknown) - 1:,} more are not." if len(unknown) > 1 else ""
            raise RefusedWithCode(
                "no_such_item", f"items[{place}]: {key!r} is no item of this project.{more}"
            )
        made = make_list(project, given["name"], [known[key] for key in keys], by=request.user)
        return Response(ItemListSerializer(made).data, status=201)


class ItemListItems(View):
    parameters = {"get": ["page", "page_size"]}

    @extend_schema(
        parameters=PAGE_PARAMETERS,
        responses=paginated("ListedItem", ListedItemSerializer),
        operation_id="item_list_items",
    )
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """List the items of a saved list, in order. Items that you are still labeling are omitted."""
        project = project_to(request.user, slug, Permission.SEE_LABELS)
        found = get_object_or_404(ItemList, project=project, pk=pk)
        items = items_of_list(found).exclude(
            assignments__round__in=rounds_to_be_blind_in(request.user, project)
        )
        log_label_access(request.user, project, "list of items", list=found.name)
        return self.paged(items, lambda item: {"item": item.key, "withdrawn_at": item.withdrawn_at})
