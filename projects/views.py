"""The pages on which a project is made and changed."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from projects import actions
from projects.access import project_to
from projects.forms import NewMemberForm, NewProjectForm, ProjectForm, RoleForm
from projects.models import Membership, Project
from projects.roles import Right

require_form = require_http_methods(["GET", "HEAD", "POST"])


def posted(request: HttpRequest) -> QueryDict | None:
    """What a form was sent, also if that is nothing at all; None for a form that is only shown."""
    return request.POST if request.method == "POST" else None


@require_form
def new_project(request: HttpRequest) -> HttpResponse:
    form = NewProjectForm(posted(request))
    if form.is_valid():
        project = actions.create_project(by=request.user, **form.cleaned_data)
        messages.success(request, "The project is made, and you are its lead. Now import labels.")
        return redirect(project)
    return render(request, "projects/new.html", {"form": form}, status=400 if form.errors else 200)


@require_form
def edit_project(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_to(request.user, slug, Right.EDIT_PROJECT)
    form = ProjectForm(posted(request), instance=project)
    if form.is_valid():
        actions.change_project(project, by=request.user, **form.cleaned_data)
        messages.success(request, "Saved.")
        return redirect(project)
    context = {"form": form, "project": Project.objects.get(pk=project.pk)}
    return render(request, "projects/edit.html", context, status=400 if form.errors else 200)


@require_form
def members(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_to(request.user, slug, Right.EDIT_PROJECT)
    form = NewMemberForm(posted(request))
    if form.is_valid():
        try:
            actions.add_member(
                project, by=request.user, user=form.cleaned_data["username"], role=form.cleaned_data["role"]
            )
        except actions.KeyTaken as refusal:
            form.add_error("username", str(refusal))
        else:
            messages.success(request, f"{form.cleaned_data['username']} is a member now.")
            return redirect("members", slug)
    return _members_page(request, project, form, status=400 if form.errors else 200)


@require_POST
def change_member(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    project = project_to(request.user, slug, Right.EDIT_PROJECT)
    member = get_object_or_404(project.memberships.select_related("user"), pk=pk)
    form = RoleForm(request.POST)
    if not form.is_valid():
        return _members_page(request, project, NewMemberForm(), refusal="Choose a role.", status=400)
    try:
        actions.change_role(member, by=request.user, role=form.cleaned_data["role"])
    except Membership.DoesNotExist:
        raise Http404("This member has been removed.") from None
    except actions.LastLead as refusal:
        return _members_page(request, project, NewMemberForm(), refusal=str(refusal), status=409)
    messages.success(request, f"{member.user} is {member.get_role_display().lower()} now.")
    return _after_change(request, member)


@require_POST
def remove_member(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    project = project_to(request.user, slug, Right.EDIT_PROJECT)
    member = get_object_or_404(project.memberships.select_related("user"), pk=pk)
    try:
        actions.remove_member(member, by=request.user)
    except actions.LastLead as refusal:
        return _members_page(request, project, NewMemberForm(), refusal=str(refusal), status=409)
    messages.success(request, f"{member.user} is no longer a member.")
    return _after_change(request, member)


def _after_change(request: HttpRequest, member: Membership) -> HttpResponse:
    """Back to the members, unless the person has just given up the right to see that page."""
    if member.user_id != request.user.pk or (member.role == Membership.Role.LEAD and member.pk):
        return redirect("members", member.project.slug)
    return redirect("project", member.project.slug) if member.pk else redirect("projects")


def _members_page(
    request: HttpRequest, project: Project, form: NewMemberForm, *, refusal: str = "", status: int
) -> HttpResponse:
    rows = project.memberships.select_related("user").order_by("user__username")
    context = {
        "project": project,
        "form": form,
        "members": rows,
        "roles": Membership.Role.choices,
        "refusal": refusal,
    }
    return render(request, "projects/members.html", context, status=status)
