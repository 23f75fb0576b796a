"""The API of projects, below /api/v1/."""

from django.urls import URLPattern, path

from projects.api import views
from projects.codebook import api as codebook
from projects.codebook import api_urls as codebook_urls
from projects.deletion import api as deletion
from projects.items import api as items
from projects.media import api as media
from projects.members import api as members
from projects.webhooks import api as webhooks

WEBHOOK = "projects/<slug:slug>/webhooks/<id:pk>/"

urlpatterns: list[URLPattern] = [
    *codebook_urls.urlpatterns,
    path("projects/", views.ProjectList.as_view(), name="api_projects"),
    path("projects/<slug:slug>/", views.ProjectDetail.as_view(), name="api_project"),
    path("projects/<slug:slug>/deletion/", deletion.Deletion.as_view(), name="api_project_deletion"),
    path("projects/<slug:slug>/members/", members.MemberList.as_view(), name="api_members"),
    path("projects/<slug:slug>/members/<id:pk>/", members.MemberDetail.as_view(), name="api_member"),
    path("projects/<slug:slug>/membership/", members.OwnMembership.as_view(), name="api_own_membership"),
    path("projects/<slug:slug>/invitations/", members.InvitationList.as_view(), name="api_invitations"),
    path(
        "projects/<slug:slug>/invitations/<id:pk>/",
        members.InvitationDetail.as_view(),
        name="api_invitation",
    ),
    path("projects/<slug:slug>/questions/", codebook.QuestionList.as_view(), name="api_questions"),
    path("projects/<slug:slug>/items/", items.ProjectItems.as_view(), name="api_items"),
    path("projects/<slug:slug>/items/<id:pk>/", items.ItemDetail.as_view(), name="api_item"),
    path(
        "projects/<slug:slug>/items/<id:pk>/withdrawal/",
        items.ItemWithdrawal.as_view(),
        name="api_item_withdrawal",
    ),
    path("projects/<slug:slug>/media/", media.MediaList.as_view(), name="api_media"),
    path("projects/<slug:slug>/media/<id:pk>/", media.MediaDetail.as_view(), name="api_medium"),
    path("projects/<slug:slug>/webhooks/", webhooks.WebhookList.as_view(), name="api_webhooks"),
    path(WEBHOOK, webhooks.WebhookDetail.as_view(), name="api_webhook"),
    path(f"{WEBHOOK}secret/", webhooks.WebhookSecret.as_view(), name="api_webhook_secret"),
    path(f"{WEBHOOK}test/", webhooks.WebhookTest.as_view(), name="api_webhook_test"),
    path(f"{WEBHOOK}deliveries/", webhooks.DeliveryList.as_view(), name="api_deliveries"),
    path(
        f"{WEBHOOK}deliveries/<id:delivery>/send/",
        webhooks.DeliveryResend.as_view(),
        name="api_delivery_send",
    ),
]
