"""The members of a project, and its invitations."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from core.web.form_pages import require_form_of_page_above
from core.web.forms import require_form
from projects.access import own_membership, project_to
from projects.members import actions, invitations
from projects.members.forms import InvitationForm, RoleForm
from projects.members.invitation_mail import link_of, mail_invitation, send_invitation
from projects.models import Membership, Project
from projects.roles import Permission

N_INVITATIONS = 50


@require_safe
def members(request: HttpRequest, slug: str) -> HttpResponse:
    return _members_page(request, project_to(request.user, slug, Permission.EDIT_PROJECT), status=200)


@require_form_of_page_above
def change_member(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    project = project_to(request.user, slug, Permission.EDIT_PROJECT)
    member = get_object_or_404(project.memberships.select_related("user"), pk=pk)
    form = RoleForm(request.POST)
    if not form.is_valid():
        return _members_page(request, project, refusal="Choose a role.", status=400)
    try:
        actions.change_role(member, by=request.user, role=form.cleaned_data["role"])
    except Membership.DoesNotExist:
        raise Http404("This person is no longer a member.") from None
    except actions.LastLead as refusal:
        return _members_page(request, project, refusal=str(refusal), status=409)
    messages.success(request, f"Changed the role of {member.user} to {member.get_role_display().lower()}.")
    return _after_change(request, member)


@require_form
def remove_member(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Ask first, and say what happens to the member's work."""
    project = project_to(request.user, slug, Permission.EDIT_PROJECT)
    member = get_object_or_404(project.memberships.select_related("user", "project"), pk=pk)
    if member.user_id == request.user.pk:
        return redirect("project_leave", slug)
    if request.method != "POST":
        return render(request, "projects/remove_member.html", {"project": project, "member": member})
    try:
        actions.remove_member(member, by=request.user)
    except Membership.DoesNotExist:
        raise Http404("This person is no longer a member.") from None
    except actions.LastLead as refusal:
        return _members_page(request, project, refusal=str(refusal), status=409)
    messages.success(request, f"{member.user} is no longer a member.")
    return redirect("members", slug)


@require_form
def leave_project(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask first, and say what happens to one's own work."""
    member = own_membership(request.user, slug)
    context: dict[str, Any] = {"project": member.project, "member": member}
    if request.method != "POST":
        context["is_last_lead"] = actions.is_last_lead(member)
        return render(request, "projects/leave.html", context)
    try:
        actions.remove_member(member, by=request.user)
    except Membership.DoesNotExist:
        raise Http404("You are no longer a member.") from None
    except actions.LastLead:
        return render(request, "projects/leave.html", {**context, "is_last_lead": True}, status=409)
    messages.success(request, f"You have left {member.project.name}.")
    return redirect("projects")


def _after_change(request: HttpRequest, member: Membership) -> HttpResponse:
    """Back to the members, unless the person no longer has the right to see that page."""
    if member.user_id != request.user.pk or member.role == Membership.Role.LEAD:
        return redirect("members", member.project.slug)
    return redirect("project", member.project.slug)


@require_form_of_page_above
def invite(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the link in the response itself: the token is not stored, so no later page could show it."""
    project = project_to(request.user, slug, Permission.EDIT_PROJECT)
    form = InvitationForm(request.POST, auto_id="invitation_%s")
    if not form.is_valid():
        return _members_page(request, project, invitation_form=form, status=400)
    try:
        invitation, token = invitations.invite(project, by=request.user, **form.cleaned_data)
    except (invitations.AlreadyInvited, invitations.ImpossibleUsername) as refused:
        form.add_error("username", str(refused))
        return _members_page(request, project, invitation_form=form, status=400)
    if invitation.username:
        mail_invitation(invitation, link=request.build_absolute_uri(reverse("projects")))
        messages.success(
            request,
            f"Invited {invitation.username}. If the account exists, they can accept the invitation on their start "
            "page.",
        )
        return redirect("members", slug)
    link = link_of(request, token)
    if invitation.email and send_invitation(invitation, link=link):
        messages.success(request, f"Invitation sent to {invitation.email}.")
        return redirect("members", slug)
    return _members_page(request, project, link=link, invited=invitation.email, status=200)


@require_POST
def revoke(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    project = project_to(request.user, slug, Permission.EDIT_PROJECT)
    invitations.revoke(get_object_or_404(project.invitations, pk=pk), by=request.user)
    messages.success(request, "Invitation revoked. People who already joined stay members.")
    return redirect("members", slug)


def _members_page(
    request: HttpRequest,
    project: Project,
    *,
    invitation_form: InvitationForm | None = None,
    status: int,
    **more: Any,
) -> HttpResponse:
    sent = project.invitations.select_related("made_by").prefetch_related("redemptions__user")
    context = {
        "refusal": "",
        "link": "",
        "invited": "",
        "project": project,
        "invitation_form": invitation_form or InvitationForm(auto_id="invitation_%s"),
        "members": project.memberships.select_related("user").order_by("user__username"),
        "roles": Membership.Role.choices,
        "invitations": [invitations.invitation_row(invitation) for invitation in sent[:N_INVITATIONS]],
        **more,
    }
    return render(request, "projects/members.html", context, status=status)
