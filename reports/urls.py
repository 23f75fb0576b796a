"""The pages of this app."""

from django.urls import URLPattern, path

from reports import overview

urlpatterns: list[URLPattern] = [
    path("", overview.projects, name="projects"),
    path("p/<slug:slug>/", overview.project, name="project"),
]
