"""Projects, their questions and their items over the API."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from projects import actions
from projects.access import project_to, projects_of
from projects.api.base import PAGE_PARAMETERS, View
from projects.api.codebook import refused
from projects.api.errors import Refusal
from projects.api.serializers import (
    ItemShown,
    NewProject,
    NewQuestion,
    ProjectChange,
    ProjectShown,
    QuestionShown,
    page_shown,
)
from projects.codebook import questions
from projects.models import Item, Membership, Project
from projects.roles import Right


class ProjectList(View):
    for_labeling = frozenset({"get"})
    parameters = {"get": ["page", "page_size"]}

    @extend_schema(
        parameters=PAGE_PARAMETERS,
        responses=page_shown("Project", ProjectShown),
        operation_id="projects_list",
    )
    def get(self, request: Request) -> Response:
        """List your projects."""
        roles = dict(Membership.objects.filter(user=request.user.pk).values_list("project", "role"))
        projects = projects_of(request.user).order_by("id")
        return self.paged(projects, lambda project: _shown(project, roles))

    @extend_schema(request=NewProject, responses={201: ProjectShown})
    def post(self, request: Request) -> Response:
        """Create a project. You become its lead. If you send no slug, it is derived from the name."""
        try:
            project = actions.create_project(by=request.user, **self.checked(NewProject))
        except actions.KeyTaken as taken:
            raise Refusal("slug_taken", str(taken), status_code=409) from taken
        return Response(_shown(project, {project.pk: Membership.Role.LEAD}), status=201)


class ProjectDetail(View):
    for_labeling = frozenset({"get"})

    @extend_schema(responses=ProjectShown)
    def get(self, request: Request, slug: str) -> Response:
        project = project_to(request.user, slug, Right.SEE_PROJECT)
        return Response(_shown_to(request.user, project))

    @extend_schema(request=ProjectChange, responses=ProjectShown)
    def patch(self, request: Request, slug: str) -> Response:
        project = project_to(request.user, slug, Right.EDIT_PROJECT)
        try:
            actions.change_project(project, by=request.user, **self.checked(ProjectChange, partial=True))
        except actions.NoThresholds as refusal:
            raise Refusal("no_thresholds", str(refusal)) from refusal
        return Response(_shown_to(request.user, project))


class QuestionList(View):
    for_labeling = frozenset({"get"})

    @extend_schema(responses=QuestionShown(many=True), operation_id="questions_list")
    def get(self, request: Request, slug: str) -> Response:
        """List the questions in order."""
        project = project_to(request.user, slug, Right.SEE_PROJECT)
        return Response(QuestionShown(project.questions.prefetch_related("categories"), many=True).data)

    @extend_schema(request=NewQuestion, responses={201: QuestionShown})
    def post(self, request: Request, slug: str) -> Response:
        project = project_to(request.user, slug, Right.EDIT_PROJECT)
        fields = self.checked(NewQuestion)
        with refused():
            question = questions.create_question(
                project, by=request.user, categories=fields.pop("categories", []), **fields
            )
        return Response(QuestionShown(question).data, status=201)


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
        return Response(ItemShown(actions.withdraw_item(item, by=request.user)).data)

    @extend_schema(responses={200: ItemShown}, operation_id="item_put_back")
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """Restore a withdrawn item to labeling."""
        item = _item(request, slug, pk, Right.EDIT_PROJECT)
        return Response(ItemShown(actions.put_item_back(item, by=request.user)).data)


def _item(request: Request, slug: str, pk: int, right: Right) -> Item:
    project = project_to(request.user, slug, right)
    item = Item.objects.filter(project=project, pk=pk).first()
    if item is None:
        raise Refusal("not_found", "Not found.", status_code=404)
    return item


def _shown(project: Project, roles: dict[int, str]) -> dict[str, Any]:
    return dict(ProjectShown(project, context={"roles": roles}).data)


def _shown_to(user: Any, project: Project) -> dict[str, Any]:
    roles = dict(Membership.objects.filter(user=user.pk, project=project).values_list("project", "role"))
    return _shown(project, roles)
