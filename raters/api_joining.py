"""Joining by an invitation over the API."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from projects import invitations
from projects.api.base import View
from projects.api.errors import Refusal
from projects.api.strict import Strict, Text
from projects.models import Membership
from raters.joining import confirmed_addresses

MAX_TOKEN = 100


class Token(Strict):
    token = Text(max_length=MAX_TOKEN, help_text="The last part of the invitation's link.")


class Joined(serializers.Serializer[Any]):
    project = serializers.CharField(help_text="The slug of the project.")
    role = serializers.ChoiceField(choices=Membership.Role.choices)


class Redeem(View):
    @extend_schema(request=Token, responses=Joined, operation_id="invitations_redeem")
    def post(self, request: Request) -> Response:
        """Join by an invitation. One that is unknown, expired, used up, withdrawn or not yours is not found."""
        token_hash = invitations.hashed(self.checked(Token)["token"])
        try:
            member = invitations.redeem(
                token_hash, user=request.user, addresses=confirmed_addresses(request.user)
            )
        except invitations.NoInvitation:
            raise Refusal("not_found", "There is no such invitation.", status_code=404) from None
        return Response({"project": member.project.slug, "role": member.role})
