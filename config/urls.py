"""The root URL configuration; each app has its own."""

from django.urls import URLPattern, URLResolver, include, path

from config import api, documentation, health

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("", include("projects.urls")),
    path("", include("raters.urls")),
    path("", include("reports.urls")),
    path("help/", documentation.documentation, name="documentation"),
    path("help/<path:path>", documentation.documentation, name="documentation_file"),
    path("api/", api.help_page, name="api_help"),
    path("api/v1/schema/", api.Schema.as_view(), name="api_schema"),
    path("api/v1/", include("projects.api.urls")),
    path("api/v1/", include("raters.api_urls")),
    path("api/v1/", include("reports.api_urls")),
]

handler400 = "config.errors.bad_request"
handler403 = "config.errors.permission_denied"
# For django-allauth, which limits attempts.
handler429 = "config.errors.too_many"
handler404 = "config.errors.not_found"
handler500 = "config.errors.server_error"
