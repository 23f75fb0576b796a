"""The pages of this app."""

from django.urls import URLPattern, path

from projects import converters, views  # noqa: F401  (registers <id:> and <key:>)

urlpatterns: list[URLPattern] = [
    path("projects/new/", views.new_project, name="project_new"),
    path("p/<slug:slug>/settings/", views.edit_project, name="project_edit"),
    path("p/<slug:slug>/members/", views.members, name="members"),
    path("p/<slug:slug>/members/<id:pk>/", views.change_member, name="member_change"),
    path("p/<slug:slug>/members/<id:pk>/remove/", views.remove_member, name="member_remove"),
]
