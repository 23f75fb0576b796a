"""The API as a whole: its OpenAPI document, and a page that explains how to use it."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from drf_spectacular.renderers import OpenApiJsonRenderer, OpenApiYamlRenderer
from drf_spectacular.views import SpectacularAPIView
from rest_framework.permissions import IsAuthenticated

from config import openapi  # noqa: F401  (its extensions must be known before the document is made)


class Schema(SpectacularAPIView):
    renderer_classes = [OpenApiYamlRenderer, OpenApiJsonRenderer]
    permission_classes = [IsAuthenticated]


@require_safe
def help_page(request: HttpRequest) -> HttpResponse:
    return render(request, "api.html", {"server": request.build_absolute_uri("/")})
