"""Members, invitations, and the activity log of a project over the API."""

from typing import Any

from django.conf import settings
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.shapes import Json
from core.web.api import PAGE_PARAMETERS, View, paginated
from core.web.strict import StrictChoiceField, StrictIntegerField, StrictLineField, StrictSerializer
from projects.access import own_membership, project_to
from projects.members import actions, invitations
from projects.members.invitation_mail import link_of, mail_invitation, send_invitation
from projects.members.invitations import MAX_DAYS, MAX_USES
from projects.models import Membership
from projects.roles import Permission


class MemberSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    user = serializers.CharField(source="user.username")
    role = serializers.ChoiceField(choices=Membership.Role.choices)
    joined_at = serializers.DateTimeField()


class MemberChange(StrictSerializer):
    role = StrictChoiceField(
        choices=Membership.Role.choices,
        help_text="A rater who gets another role can see other raters’ labels; those of items in rounds where they "
        "have or had assignments stay hidden until the round is closed. Adjudicators and auditors can’t label, so "
        "their open assignments stay pending. If a lead gets another role, open invitation links that they created "
        "are revoked.",
    )


class NewInvitation(StrictSerializer):
    role = StrictChoiceField(choices=Membership.Role.choices)
    user = StrictLineField(
        max_length=150,
        required=False,
        source="username",
        help_text="A username. The person sees the invitation on their start page and at `/invitations/`.",
    )
    email = serializers.EmailField(
        max_length=254,
        required=False,
        help_text="The invitation is sent to this address, and only its owner can use it.",
    )
    max_uses = StrictIntegerField(min_value=1, max_value=MAX_USES, required=False, help_text="Default: 1.")
    days = StrictIntegerField(min_value=1, max_value=MAX_DAYS, required=False, help_text="Default: 7.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs.get("email") and attrs.get("username"):
            raise serializers.ValidationError({"email": "Send a username or an email address, not both."})
        if (attrs.get("email") or attrs.get("username")) and attrs.get("max_uses", 1) != 1:
            raise serializers.ValidationError(
                {"max_uses": "An invitation to one person can be used only once."}
            )
        if attrs.get("email") and not settings.HAS_MAIL:
            raise serializers.ValidationError(
                {"email": "This server cannot send email. Create a link instead."}
            )
        return attrs


class InvitationSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField(source="invitation.id")
    role = serializers.ChoiceField(source="invitation.role", choices=Membership.Role.choices)
    user = serializers.CharField(
        source="invitation.username",
        help_text="The invited username, whether or not such an account exists.",
    )
    email = serializers.CharField(
        source="invitation.email",
        help_text="The invited email address. If this and `user` are empty, anyone with the link can join.",
    )
    max_uses = serializers.IntegerField(source="invitation.max_uses")
    n_used = serializers.IntegerField(source="invitation.n_used")
    expires_at = serializers.DateTimeField(source="invitation.expires_at")
    state = serializers.CharField(help_text="`open`, `used`, `expired`, `revoked`, or `declined`.")
    joined = serializers.ListField(
        child=serializers.CharField(), help_text="Usernames of the people who joined with this invitation."
    )


class CreatedInvitationSerializer(InvitationSerializer):
    link = serializers.CharField(
        help_text="The invitation link. It is not stored and can’t be retrieved later. Empty for an "
        "invitation to a username."
    )
    is_sent = serializers.BooleanField(help_text="Whether the invitation was emailed.")


class MemberList(View):
    parameters = {"get": ["page", "page_size"]}

    @extend_schema(
        parameters=PAGE_PARAMETERS,
        responses=paginated("Member", MemberSerializer),
        operation_id="members_list",
    )
    def get(self, request: Request, slug: str) -> Response:
        """List the members of the project."""
        project = project_to(request.user, slug, Permission.EDIT_PROJECT)
        members = project.memberships.select_related("user").order_by("id")
        return self.paged(members, lambda member: dict(MemberSerializer(member).data))


class MemberDetail(View):
    @extend_schema(request=MemberChange, responses=MemberSerializer)
    def patch(self, request: Request, slug: str, pk: int) -> Response:
        """Change a member’s role."""
        member = _member(request, slug, pk)
        try:
            given = self.checked(MemberChange, partial=True)
            if "role" in given:
                actions.change_role(member, by=request.user, role=given["role"])
        except Membership.DoesNotExist:
            raise Http404 from None
        return Response(MemberSerializer(member).data)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """Remove a member. They lose access immediately; their labels are kept."""
        return _removed(_member(request, slug, pk), request)


class OwnMembership(View):
    @extend_schema(responses={204: None})
    def delete(self, request: Request, slug: str) -> Response:
        """Leave the project. You lose access immediately; your labels are kept.

        The only lead is answered 409: make someone else a lead first.
        """
        return _removed(own_membership(request.user, slug), request)


def _removed(member: Membership, request: Request) -> Response:
    try:
        actions.remove_member(member, by=request.user)
    except Membership.DoesNotExist:
        raise Http404 from None
    return Response(status=204)


def _member(request: Request, slug: str, pk: int) -> Membership:
    project = project_to(request.user, slug, Permission.EDIT_PROJECT)
    return get_object_or_404(project.memberships.select_related("user", "project"), pk=pk)


class InvitationList(View):
    parameters = {"get": ["page", "page_size"]}

    @extend_schema(
        parameters=PAGE_PARAMETERS,
        responses=paginated("Invitation", InvitationSerializer),
        operation_id="invitations_list",
    )
    def get(self, request: Request, slug: str) -> Response:
        """List the invitations to the project."""
        project = project_to(request.user, slug, Permission.EDIT_PROJECT)
        return self.paged(project.invitations.prefetch_related("redemptions__user"), _serialized)

    @extend_schema(request=NewInvitation, responses={201: CreatedInvitationSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Invite a person by username or email, or create a link to share. People join when they accept."""
        project = project_to(request.user, slug, Permission.EDIT_PROJECT)
        invitation, token = invitations.invite(project, by=request.user, **self.checked(NewInvitation))
        if invitation.username:
            mail_invitation(invitation, link=request.build_absolute_uri(reverse("projects")))
            return Response({**_serialized(invitation), "link": "", "is_sent": False}, status=201)
        link = link_of(request, token)
        is_sent = bool(invitation.email) and send_invitation(invitation, link=link)
        return Response({**_serialized(invitation), "link": link, "is_sent": is_sent}, status=201)


class InvitationDetail(View):
    @extend_schema(responses={204: None})
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """Revoke an invitation. People who already joined stay members."""
        project = project_to(request.user, slug, Permission.EDIT_PROJECT)
        invitations.revoke(get_object_or_404(project.invitations, pk=pk), by=request.user)
        return Response(status=204)


def _serialized(invitation: Any) -> Json:
    row = invitations.invitation_row(invitation)
    names = [person.username for person in row.joined]
    return dict(InvitationSerializer({"invitation": invitation, "state": row.state, "joined": names}).data)
