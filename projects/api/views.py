"""Projects, their questions and their items over the API."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from core.shapes import Json
from core.web.api import PAGE_PARAMETERS, View, paginated
from projects import actions
from projects.access import project_to, projects_of
from projects.api.serializers import NewProject, ProjectChange, ProjectSerializer
from projects.models import Membership, Project
from projects.roles import Permission


class ProjectList(View):
    for_labeling = frozenset({"get"})
    parameters = {"get": ["page", "page_size"]}

    @extend_schema(
        parameters=PAGE_PARAMETERS,
        responses=paginated("Project", ProjectSerializer),
        operation_id="projects_list",
    )
    def get(self, request: Request) -> Response:
        """List your projects."""
        roles = dict(Membership.objects.filter(user=request.user.pk).values_list("project", "role"))
        projects = projects_of(request.user).order_by("id")
        return self.paged(projects, lambda project: _serialized(project, roles))

    @extend_schema(request=NewProject, responses={201: ProjectSerializer})
    def post(self, request: Request) -> Response:
        """Create a project. You become its lead. If you send no slug, it is derived from the name."""
        project = actions.create_project(by=request.user, **self.checked(NewProject))
        return Response(_serialized(project, {project.pk: Membership.Role.LEAD}), status=201)


class ProjectDetail(View):
    for_labeling = frozenset({"get"})

    @extend_schema(responses=ProjectSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Get a project."""
        project = project_to(request.user, slug, Permission.SEE_PROJECT)
        return Response(_serialized_for(request.user, project))

    @extend_schema(request=ProjectChange, responses=ProjectSerializer)
    def patch(self, request: Request, slug: str) -> Response:
        """Update a project’s settings."""
        project = project_to(request.user, slug, Permission.EDIT_PROJECT)
        actions.change_project(project, by=request.user, **self.checked(ProjectChange, partial=True))
        return Response(_serialized_for(request.user, project))


def _serialized(project: Project, roles: dict[int, str]) -> Json:
    return dict(ProjectSerializer(project, context={"roles": roles}).data)


def _serialized_for(user: Any, project: Project) -> Json:
    roles = dict(Membership.objects.filter(user=user.pk, project=project).values_list("project", "role"))
    return _serialized(project, roles)
