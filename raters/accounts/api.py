"""API for the raters of a project and the tokens of an account."""

from typing import Any

from django.db import transaction
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.authentication import SessionAuthentication
from rest_framework.request import Request
from rest_framework.response import Response

from core.refusals import RefusedWithCode
from core.web.api import PAGE_PARAMETERS, View, chosen_parameter, paginated
from core.web.strict import (
    StrictCharField,
    StrictChoiceField,
    StrictNameField,
    StrictSerializer,
)
from projects.access import project_to
from projects.items.serializers import AttributesField, AttributesInputField
from projects.models import Project
from projects.roles import Permission
from raters.accounts import tokens
from raters.linking import actions as linking
from raters.models import Rater, TokenGrant, User


class RaterSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    key = serializers.CharField()
    kind = serializers.ChoiceField(choices=Rater.Kind.choices)
    user = serializers.CharField(
        source="user.username",
        allow_null=True,
        default=None,
        help_text="The member linked to this rater, if any.",
    )

    attributes = AttributesField(help_text="Names, each with a text, number, or boolean.")


class RaterChange(StrictSerializer):
    user = StrictCharField(
        max_length=150,
        allow_null=True,
        required=False,
        help_text="The username of the member to link; null to unlink.",
    )
    kind = StrictChoiceField(
        choices=[each.value for each in linking.KINDS],
        required=False,
        help_text="Not for raters with an account, assignments, or model runs. Later reports use the new kind.",
    )
    attributes = AttributesInputField(required=False, help_text="Replaces all attributes.")


class RaterList(View):
    parameters = {"get": ["page", "page_size", "key", "kind"]}

    @extend_schema(
        parameters=[
            *PAGE_PARAMETERS,
            OpenApiParameter("key", str, description="Only the rater with exactly this key."),
            OpenApiParameter("kind", str, enum=Rater.Kind.values, description="Only raters of this kind."),
        ],
        responses=paginated("Rater", RaterSerializer),
        operation_id="raters_list",
    )
    def get(self, request: Request, slug: str) -> Response:
        """List the raters of the project."""
        project = project_to(request.user, slug, Permission.SEE_LABELS)
        raters = linking.raters_of(project)
        if "key" in request.query_params:
            raters = raters.filter(key=request.query_params["key"])
        if kind := chosen_parameter(request, "kind", Rater.Kind.values):
            raters = raters.filter(kind=kind)
        return self.paged(raters, lambda rater: dict(RaterSerializer(rater).data))


class RaterDetail(View):
    @extend_schema(request=RaterChange, responses=RaterSerializer, operation_id="raters_change")
    def patch(self, request: Request, slug: str, pk: int) -> Response:
        """Update a rater’s kind or attributes, or link the rater to a member, who then owns all the rater’s labels."""
        project = project_to(request.user, slug, Permission.EDIT_PROJECT)
        rater = get_object_or_404(linking.raters_of(project), pk=pk)
        given = self.checked(RaterChange)
        if not given:
            raise RefusedWithCode("required", "Send user, kind, or attributes.")
        with transaction.atomic():
            if "user" in given:
                rater = self._link(request, project, rater, given["user"])
            if "kind" in given:
                rater = linking.change_kind(rater, given["kind"], by=request.user)
            if "attributes" in given:
                linking.describe(rater, given["attributes"], by=request.user)
        return Response(RaterSerializer(rater).data)

    def _link(self, request: Request, project: Project, rater: Rater, name: str | None) -> Rater:
        if name is None:
            return linking.unlink(rater, by=request.user)
        user = User.objects.filter(memberships__project=project, username=name).first()
        if user is None:
            raise RefusedWithCode("no_such_member", f"Member not found: {name!r}")
        return linking.link(rater, by=request.user, user=user)


class TokenInfoSerializer(serializers.Serializer[Any]):
    token_key = serializers.CharField(help_text="The first characters of the token.")
    name = serializers.CharField()
    scope = serializers.ChoiceField(
        TokenGrant.Scope.choices,
        help_text="`read`: GET requests. `label`: also save and skip your own work. `manage`: everything you can do.",
    )
    created = serializers.DateTimeField()
    expiry = serializers.DateTimeField(allow_null=True, help_text="null if the token never expires.")
    last_used_at = serializers.DateTimeField(
        allow_null=True, help_text="Accurate to the hour; null if never used."
    )


class CreatedTokenSerializer(TokenInfoSerializer):
    token = serializers.CharField(help_text="The token. It is not stored and can’t be retrieved later.")


class TokenDaysField(serializers.ChoiceField):
    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, int) or isinstance(data, bool):
            self.fail("invalid_choice", input=data)
        return super().to_internal_value(data)


class NewToken(StrictSerializer):
    name = StrictNameField(max_length=80)
    scope = StrictChoiceField(TokenGrant.Scope.choices)
    days = TokenDaysField(
        tokens.LIFETIMES,
        required=False,
        default=tokens.LIFETIME,
        allow_null=True,
        help_text="Days until it expires; null for never, if the operator of the server allows that.",
    )


class TokenList(View):
    @extend_schema(responses=TokenInfoSerializer(many=True), operation_id="tokens_list")
    def get(self, request: Request) -> Response:
        """List your active tokens."""
        return Response(TokenInfoSerializer(tokens.tokens_of(request.user), many=True).data)

    @extend_schema(request=NewToken, responses={201: CreatedTokenSerializer})
    def post(self, request: Request) -> Response:
        """Create a token. Requires a signed-in session: a token can’t create tokens."""
        if not isinstance(request.successful_authenticator, SessionAuthentication):
            raise RefusedWithCode(
                "session_required", "Sign in to create a token. A token can’t create tokens.", status_code=403
            )
        made, words = tokens.make_token(request.user, **self.checked(NewToken))
        return Response({**TokenInfoSerializer(tokens.token_row(made)).data, "token": words}, status=201)


class TokenDetail(View):
    @extend_schema(responses={204: None})
    def delete(self, request: Request, token_key: str) -> Response:
        """Revoke a token, identified by its first characters."""
        tokens.revoke(token_key, by=request.user)
        return Response(status=204)
