"""Items over the API."""

from typing import cast

from django.db.models import F, Func, Q, QuerySet, TextField, Value
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from core.refusals import RefusedWithCode
from core.web.api import FLAG, PAGE_PARAMETERS, Rows, View, choice_parameter, flag_parameter, paginated
from projects.access import project_to
from projects.imports.import_lock import lock_timeout_refusals
from projects.items.actions import restore_item, withdraw_item
from projects.items.round_items import RoundItems
from projects.items.serializers import ItemSerializer, NewItem, SavedItemsSerializer
from projects.items.submitted_items import MOST_ITEMS, ValidatedItem, ids_of, save_items
from projects.models import Item, Project, Round
from projects.roles import Permission

ON_CONFLICT = ("refuse", "replace")
FILTERS = [
    OpenApiParameter("key", str, description="Only the item with exactly this key."),
    OpenApiParameter("key_prefix", str, description="Only items whose key begins with this."),
    OpenApiParameter(
        "round",
        str,
        description="Only items with assignments or labels in the round of this key. If there are more than "
        "10,000, `count` can be up to a minute old.",
    ),
    OpenApiParameter(
        "attribute",
        str,
        description="NAME:VALUE. Only items with this value of the attribute, such as site:Bern.",
    ),
    OpenApiParameter("withdrawn", str, enum=FLAG, description="Only withdrawn items, or only the others."),
]


class ProjectItems(View):
    parameters = {
        "get": ["page", "page_size", *(parameter.name for parameter in FILTERS)],
        "post": ["on_conflict"],
    }

    @extend_schema(
        parameters=[*PAGE_PARAMETERS, *FILTERS],
        responses=paginated("Item", ItemSerializer),
        operation_id="items_list",
    )
    def get(self, request: Request, slug: str) -> Response:
        """List the items of the project."""
        project = project_to(request.user, slug, Permission.SEE_LABELS)
        return self.paged(_requested_rows(request, project), lambda item: dict(ItemSerializer(item).data))

    @extend_schema(
        parameters=[
            OpenApiParameter(
                "on_conflict",
                str,
                enum=ON_CONFLICT,
                description="What to do with an item that already exists with different content or attributes. "
                "Default: refuse.",
            )
        ],
        request=NewItem(many=True),
        responses={200: SavedItemsSerializer, 201: SavedItemsSerializer},
        operation_id="items_create",
    )
    def post(self, request: Request, slug: str) -> Response:
        """Create up to 5,000 items: all of them, or none. Items that already exist unchanged are left as they
        are.
        """
        project = project_to(request.user, slug, Permission.IMPORT)
        replace = choice_parameter(request, "on_conflict", ON_CONFLICT, default="refuse") == "replace"
        items = cast(list[ValidatedItem], self.checked_rows(NewItem, most=MOST_ITEMS))
        with lock_timeout_refusals():
            done = save_items(project, items, replace=replace, by=request.user)
        counts = {"n_created": done.n_created, "n_changed": done.n_changed, "n_unchanged": done.n_unchanged}
        return Response({**counts, "items": ids_of(project, items)}, status=201 if done.n_created else 200)


class ItemDetail(View):
    @extend_schema(responses=ItemSerializer)
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """Get an item."""
        return Response(ItemSerializer(_item(request, slug, pk, Permission.SEE_LABELS)).data)


class ItemWithdrawal(View):
    @extend_schema(request=None, responses=ItemSerializer, operation_id="item_withdraw")
    def put(self, request: Request, slug: str, pk: int) -> Response:
        """Withdraw an item from labeling. Its labels are kept and still count in reports."""
        item = _item(request, slug, pk, Permission.EDIT_PROJECT)
        return Response(ItemSerializer(withdraw_item(item, by=request.user)).data)

    @extend_schema(responses={200: ItemSerializer}, operation_id="item_restore")
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """Restore a withdrawn item to labeling."""
        item = _item(request, slug, pk, Permission.EDIT_PROJECT)
        return Response(ItemSerializer(restore_item(item, by=request.user)).data)


def _item(request: Request, slug: str, pk: int, permission: Permission) -> Item:
    project = project_to(request.user, slug, permission)
    item = Item.objects.filter(project=project, pk=pk).first()
    if item is None:
        raise RefusedWithCode("not_found", "Page not found.", status_code=404)
    return item


def _requested_rows(request: Request, project: Project) -> Rows:
    if set(request.query_params) <= {"round", "page", "page_size"} and "round" in request.query_params:
        round_ = get_object_or_404(Round, project=project, key=request.query_params["round"])
        return RoundItems(round_, reader=request.user)
    return _requested_items(request, project)


def _requested_items(request: Request, project: Project) -> QuerySet[Item]:
    """The items that match the filters of the query string."""
    items, asked = Item.objects.filter(project=project).order_by("id"), request.query_params
    if "key" in asked:
        items = items.filter(key=asked["key"])
    if "key_prefix" in asked:
        items = items.filter(key__startswith=asked["key_prefix"])
    if "round" in asked:
        round_ = get_object_or_404(Round, project=project, key=asked["round"])
        of_round = Item.objects.filter(
            Q(assignments__round=round_) | Q(labels__round=round_), project=project
        )
        items = items.filter(pk__in=of_round.values("pk"))
    if "attribute" in asked:
        name, colon, value = asked["attribute"].partition(":")
        if not colon:
            raise RefusedWithCode("invalid_parameter", "attribute must be NAME:VALUE, such as site:Bern.")
        attribute_value = Func(
            F("attributes"), Value(name), function="jsonb_extract_path_text", output_field=TextField()
        )
        items = items.alias(attribute_value=attribute_value).filter(attribute_value=value)
    withdrawn = flag_parameter(request, "withdrawn")
    if withdrawn is not None:
        items = items.filter(withdrawn_at__isnull=not withdrawn)
    return items
