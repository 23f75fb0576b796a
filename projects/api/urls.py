"""The API of projects, below /api/v1/."""

from django.urls import URLPattern, path

from projects import converters  # noqa: F401  (registers <id:> and <key:>)
from projects.api import codebook_urls, deletion, media, members, views

urlpatterns: list[URLPattern] = [
    *codebook_urls.urlpatterns,
    path("projects/", views.ProjectList.as_view(), name="api_projects"),
    path("projects/<slug:slug>/", views.ProjectDetail.as_view(), name="api_project"),
    path("projects/<slug:slug>/deletion/", deletion.Deletion.as_view(), name="api_project_deletion"),
    path("projects/<slug:slug>/members/", members.MemberList.as_view(), name="api_members"),
    path("projects/<slug:slug>/members/<id:pk>/", members.MemberDetail.as_view(), name="api_member"),
    path("projects/<slug:slug>/invitations/", members.InvitationList.as_view(), name="api_invitations"),
    path(
        "projects/<slug:slug>/invitations/<id:pk>/",
        members.InvitationDetail.as_view(),
        name="api_invitation",
    ),
    path("projects/<slug:slug>/questions/", views.QuestionList.as_view(), name="api_questions"),
    path("projects/<slug:slug>/items/", views.ItemList.as_view(), name="api_items"),
    path("projects/<slug:slug>/items/<id:pk>/", views.ItemDetail.as_view(), name="api_item"),
    path(
        "projects/<slug:slug>/items/<id:pk>/withdrawal/",
        views.ItemWithdrawal.as_view(),
        name="api_item_withdrawal",
    ),
    path("projects/<slug:slug>/media/", media.MediaList.as_view(), name="api_media"),
    path("projects/<slug:slug>/media/<id:pk>/", media.MediaDetail.as_view(), name="api_medium"),
]
