"""API for joining by an invitation."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.web.api import PAGE_PARAMETERS, View, paginated
from core.web.strict import StrictCharField, StrictSerializer
from projects.members import invitations
from projects.models import Membership
from raters.accounts.joining import accepted, confirmed_addresses, invitation_to, invitations_to

MAX_TOKEN = 100


class InvitationTokenInput(StrictSerializer):
    token = StrictCharField(max_length=MAX_TOKEN, help_text="The last part of the invitation link.")


class JoinedProjectSerializer(serializers.Serializer[Any]):
    project = serializers.CharField(help_text="The project slug.")
    role = serializers.ChoiceField(choices=Membership.Role.choices)


class Redeem(View):
    @extend_schema(
        request=InvitationTokenInput, responses=JoinedProjectSerializer, operation_id="invitations_redeem"
    )
    def post(self, request: Request) -> Response:
        """Join a project with an invitation link. Returns 404 if the invitation is not valid for you."""
        token_hash = invitations.hashed(self.checked(InvitationTokenInput)["token"])
        member = invitations.redeem(
            token_hash, user=request.user, addresses=confirmed_addresses(request.user)
        )
        return Response({"project": member.project.slug, "role": member.role})


class OwnInvitationSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    project = serializers.CharField(source="project.name", help_text="The project name.")
    role = serializers.ChoiceField(choices=Membership.Role.choices)
    invited_by = serializers.CharField(source="made_by.username")
    expires_at = serializers.DateTimeField()


class OwnInvitations(View):
    for_labeling = frozenset({"get"})
    parameters = {"get": ["page", "page_size"]}

    @extend_schema(
        parameters=PAGE_PARAMETERS,
        responses=paginated("OwnInvitation", OwnInvitationSerializer),
        operation_id="own_invitations_list",
    )
    def get(self, request: Request) -> Response:
        """List the invitations to your username or confirmed email addresses, newest first."""
        return self.paged(invitations_to(request.user), lambda row: dict(OwnInvitationSerializer(row).data))


class Accept(View):
    @extend_schema(request=None, responses=JoinedProjectSerializer, operation_id="own_invitations_accept")
    def post(self, request: Request, pk: int) -> Response:
        """Accept an invitation and become a member."""
        member = accepted(request.user, pk)
        return Response({"project": member.project.slug, "role": member.role})


class Decline(View):
    @extend_schema(request=None, responses={204: None}, operation_id="own_invitations_decline")
    def post(self, request: Request, pk: int) -> Response:
        """Decline an invitation. Project leads see it as declined."""
        invitations.decline(invitation_to(request.user, pk), by=request.user)
        return Response(status=204)
