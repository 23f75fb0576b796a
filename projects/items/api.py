"""Items over the API."""

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from core.refusals import Refusal
from core.web.api import PAGE_PARAMETERS, View, page_shown
from projects.access import project_to
from projects.items.actions import put_item_back, withdraw_item
from projects.items.serializers import ItemShown
from projects.models import Item
from projects.roles import Right


class ItemList(View):
    parameters = {"get": ["page", "page_size", "key"]}

    @extend_schema(
        parameters=[
            *PAGE_PARAMETERS,
            OpenApiParameter("key", str, description="Only the item with exactly this key."),
        ],
        responses=page_shown("Item", ItemShown),
        operation_id="items_list",
    )
    def get(self, request: Request, slug: str) -> Response:
        project = project_to(request.user, slug, Right.SEE_LABELS)
        items = Item.objects.filter(project=project).order_by("id")
        if "key" in request.query_params:
            items = items.filter(key=request.query_params["key"])
        return self.paged(items, lambda item: dict(ItemShown(item).data))


class ItemDetail(View):
    @extend_schema(responses=ItemShown)
    def get(self, request: Request, slug: str, pk: int) -> Response:
        return Response(ItemShown(_item(request, slug, pk, Right.SEE_LABELS)).data)


class ItemWithdrawal(View):
    @extend_schema(request=None, responses=ItemShown, operation_id="item_withdraw")
    def put(self, request: Request, slug: str, pk: int) -> Response:
        """Withdraw an item from labeling. Its labels are kept and still count in reports."""
        item = _item(request, slug, pk, Right.EDIT_PROJECT)
        return Response(ItemShown(withdraw_item(item, by=request.user)).data)

    @extend_schema(responses={200: ItemShown}, operation_id="item_restore")
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """Restore a withdrawn item to labeling."""
        item = _item(request, slug, pk, Right.EDIT_PROJECT)
        return Response(ItemShown(put_item_back(item, by=request.user)).data)


def _item(request: Request, slug: str, pk: int, right: Right) -> Item:
    project = project_to(request.user, slug, right)
    item = Item.objects.filter(project=project, pk=pk).first()
    if item is None:
        raise Refusal("not_found", "Page not found.", status_code=404)
    return item
