"""The API as a whole: its OpenAPI document, and a page that explains how to use it."""

from functools import cache

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from drf_spectacular.contrib.knox_auth_token import KnoxTokenScheme
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.renderers import OpenApiJsonRenderer, OpenApiYamlRenderer
from drf_spectacular.utils import extend_schema
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.views import APIView

from config import openapi  # noqa: F401  (its extensions must be known before the document is made)

SCOPES = (
    "Each token has a scope. `read` allows GET requests. `label` allows a rater's work: reading assigned items, saving "
    "labels, and skipping. `manage` allows everything its owner can do. Requests outside the scope return 403 with the "
    "error `insufficient_scope`."
)


class TokenScheme(KnoxTokenScheme):
    """Describes our tokens, which are knox's, in the OpenAPI document."""

    target_class = "raters.accounts.tokens.TokenAuthentication"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, object]:
        definition = super().get_security_definition(auto_schema)
        return {**definition, "description": f"{definition['description']}. {SCOPES}"}


@extend_schema(exclude=True)
class Schema(APIView):
    """The OpenAPI document as YAML or JSON."""

    for_labeling = frozenset({"get"})
    renderer_classes = [OpenApiYamlRenderer, OpenApiJsonRenderer]
    permission_classes = [IsAuthenticated]

    def get(self, request: Request) -> HttpResponse:
        renderer = request.accepted_renderer
        headers = {"Content-Disposition": f'inline; filename="Interrater.{renderer.format}"'}
        return HttpResponse(_document(renderer.format), content_type=renderer.media_type, headers=headers)


@cache
def _document(format: str) -> str | bytes:
    """Return the document, which is the same for everyone; making it takes 0.3 s."""
    renderer = next(each for each in Schema.renderer_classes if each.format == format)()
    return renderer.render(SchemaGenerator().get_schema(request=None, public=True))


@require_safe
def help_page(request: HttpRequest) -> HttpResponse:
    return render(request, "api.html", {"server": request.build_absolute_uri("/")})
