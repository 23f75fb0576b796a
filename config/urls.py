"""Every address of the program; each app brings its own."""

from django.urls import URLPattern, URLResolver, include, path

urlpatterns: list[URLPattern | URLResolver] = [
    path("", include("projects.urls")),
    path("", include("raters.urls")),
    path("", include("reports.urls")),
]
