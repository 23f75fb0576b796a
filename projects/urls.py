"""URLs of the pages of this app."""

from django.urls import URLPattern, path

from projects import views
from projects.codebook import urls as codebook_urls
from projects.deletion import pages as deletion_pages
from projects.media import pages as media_pages
from projects.members import pages as member_pages
from projects.webhooks import pages as webhook_pages

WEBHOOK = "p/<slug:slug>/settings/webhooks/<id:pk>/"

urlpatterns: list[URLPattern] = [
    *codebook_urls.urlpatterns,
    path("projects/new/", views.new_project, name="project_new"),
    path("p/<slug:slug>/settings/", views.edit_project, name="project_edit"),
    path("p/<slug:slug>/delete/", deletion_pages.delete_project, name="project_delete"),
    path("p/<slug:slug>/restore/", deletion_pages.restore_project, name="project_restore"),
    path("p/<slug:slug>/import/media/", media_pages.media, name="media"),
    path("p/<slug:slug>/import/media/<id:pk>/remove/", media_pages.remove_media, name="media_remove"),
    path("p/<slug:slug>/members/", member_pages.members, name="members"),
    path("p/<slug:slug>/members/<id:pk>/", member_pages.change_member, name="member_change"),
    path("p/<slug:slug>/members/<id:pk>/remove/", member_pages.remove_member, name="member_remove"),
    path("p/<slug:slug>/leave/", member_pages.leave_project, name="project_leave"),
    path("p/<slug:slug>/members/invite/", member_pages.invite, name="invite"),
    path(
        "p/<slug:slug>/members/invitations/<id:pk>/revoke/",
        member_pages.revoke,
        name="invitation_revoke",
    ),
    path("p/<slug:slug>/settings/webhooks/", webhook_pages.webhooks, name="webhooks"),
    path(WEBHOOK, webhook_pages.webhook, name="webhook"),
    path(f"{WEBHOOK}secret/", webhook_pages.renew_secret, name="webhook_secret"),
    path(f"{WEBHOOK}test/", webhook_pages.test_webhook, name="webhook_test"),
    path(f"{WEBHOOK}delete/", webhook_pages.delete_webhook, name="webhook_delete"),
    path(f"{WEBHOOK}deliveries/<id:delivery>/send/", webhook_pages.send_again, name="webhook_send_again"),
]
