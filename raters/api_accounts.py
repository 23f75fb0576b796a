"""Raters of a project, and the tokens of an account, over the API."""

from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema
from knox.models import AuthToken
from rest_framework import serializers
from rest_framework.authentication import SessionAuthentication
from rest_framework.request import Request
from rest_framework.response import Response

from projects.access import project_to
from projects.api.base import PAGE_PARAMETERS, View
from projects.api.errors import Refusal
from projects.api.serializers import page_shown
from projects.roles import Right
from raters.accounts import tokens_of
from raters.models import Rater


class RaterShown(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    key = serializers.CharField()
    kind = serializers.ChoiceField(choices=Rater.Kind.choices)


class RaterList(View):
    parameters = {"get": ["page", "page_size"]}

    @extend_schema(
        parameters=PAGE_PARAMETERS, responses=page_shown("Rater", RaterShown), operation_id="raters_list"
    )
    def get(self, request: Request, slug: str) -> Response:
        project = project_to(request.user, slug, Right.SEE_LABELS)
        raters = Rater.objects.filter(project=project).order_by("key", "id")
        return self.paged(raters, lambda rater: dict(RaterShown(rater).data))


class TokenShown(serializers.Serializer[Any]):
    token_key = serializers.CharField(help_text="How the token begins.")
    created = serializers.DateTimeField()
    expiry = serializers.DateTimeField()


class NewTokenShown(TokenShown):
    token = serializers.CharField(help_text="Shown only now; it is stored nowhere.")


class TokenList(View):
    @extend_schema(responses=TokenShown(many=True), operation_id="tokens_list")
    def get(self, request: Request) -> Response:
        """Your tokens that still work."""
        return Response(TokenShown(tokens_of(request.user), many=True).data)

    @extend_schema(request=None, responses={201: NewTokenShown})
    def post(self, request: Request) -> Response:
        """Make a token. Only a signed-in session may: a token that leaked must not be able to outlive itself."""
        if not isinstance(request.successful_authenticator, SessionAuthentication):
            raise Refusal("session_required", "Sign in to make a token; a token cannot.", status_code=403)
        made, token = AuthToken.objects.create(user=request.user)
        return Response({**TokenShown(made).data, "token": token}, status=201)


class TokenDetail(View):
    @extend_schema(responses={204: None})
    def delete(self, request: Request, token_key: str) -> Response:
        """Revoke a token by how it begins."""
        n_deleted, _ = tokens_of(request.user).filter(token_key=token_key).delete()
        if not n_deleted:
            raise Http404
        return Response(status=204)
