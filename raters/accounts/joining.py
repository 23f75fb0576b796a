"""Join by an invitation: the link, and the page for accepting it."""

from allauth.account.models import EmailAddress
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.decorators import method_decorator
from django.views import View
from django.views.decorators.http import require_POST, require_safe

from core.templatetags.shown import with_article
from projects.access import AnyUser, role_in
from projects.members import invitations
from projects.models import Invitation, Membership


def confirmed_addresses(user: AnyUser) -> list[str]:
    """Return the user's verified email addresses."""
    return list(EmailAddress.objects.filter(user=user.pk, verified=True).values_list("email", flat=True))


@login_not_required
@require_safe
def receive_invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Remove the token from the URL at once; the next page says whether it is valid.

    A 404 here would write the URL with the token to the log.
    """
    invitations.store_in_session(request, token)
    response = redirect("join")
    response.headers["Referrer-Policy"] = "no-referrer"
    return response


@method_decorator(login_not_required, name="dispatch")
class Join(View):
    """Show the invitation with a button to accept it. Joining requires POST, since links must not change data."""

    http_method_names = ["get", "head", "post"]

    def get(self, request: HttpRequest) -> HttpResponse:
        invitation = invitations.invitation_in_session(request)
        if invitation is None or invitations.used_by(request):
            return _no_invitation(request)
        addresses = confirmed_addresses(request.user) if request.user.is_authenticated else []
        if request.user.is_authenticated and not invitations.is_for(invitation, request.user, addresses):
            return _no_invitation(request)
        context = {
            "invitation": invitation,
            "role": Membership.Role(invitation.role).label,
            "is_member": role_in(request.user, invitation.project) is not None,
        }
        return render(request, "invitations/join.html", context)

    def post(self, request: HttpRequest) -> HttpResponse:
        if not request.user.is_authenticated:
            return redirect("account_login")
        invitation = invitations.invitation_in_session(request)
        try:
            if invitation is None:
                raise invitations.InvalidInvitation
            member = invitations.redeem(
                invitation.token_hash, user=request.user, addresses=confirmed_addresses(request.user)
            )
        except invitations.InvalidInvitation:
            return _no_invitation(request)
        invitations.remove_from_session(request)
        messages.success(request, _joined(member))
        return redirect(member.project)


def _joined(member: Membership) -> str:
    return f"You joined {member.project} as {with_article(member.get_role_display())}."


@require_POST
def accept(request: HttpRequest, pk: int) -> HttpResponse:
    """Accept an invitation by username or address, from the start page."""
    member = accepted(request.user, pk)
    messages.success(request, _joined(member))
    return redirect(member.project)


@require_POST
def decline(request: HttpRequest, pk: int) -> HttpResponse:
    invitation = invitation_to(request.user, pk)
    invitations.decline(invitation, by=request.user)
    messages.success(request, f"You declined the invitation to {invitation.project}.")
    return redirect("projects")


def invitations_to(user: AnyUser) -> QuerySet[Invitation]:
    """Return the invitations that the user can accept or decline."""
    return invitations.waiting_for(user, confirmed_addresses(user))


def invitation_to(user: AnyUser, pk: int) -> Invitation:
    return get_object_or_404(invitations_to(user), pk=pk)


def accepted(user: AnyUser, pk: int) -> Membership:
    """Accept the invitation and return the new membership. Raises Http404."""
    token_hash = invitation_to(user, pk).token_hash
    try:
        return invitations.redeem(token_hash, user=user, addresses=confirmed_addresses(user))
    except invitations.InvalidInvitation:
        raise Http404("No such invitation.") from None


def _no_invitation(request: HttpRequest) -> HttpResponse:
    """Return the same page for any problem, so as not to reveal which invitations exist and for whom.

    Only someone who joined by the invitation sees that it was used.
    """
    if used := invitations.used_by(request):
        context = {"invitation": used, "is_member": role_in(request.user, used.project) is not None}
        return render(request, "invitations/used.html", context, status=200 if context["is_member"] else 404)
    return render(request, "invitations/invalid.html", status=404)
