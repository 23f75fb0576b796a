"""The pages of webhooks: those of a project, and one with its log."""

from django.contrib import messages
from django.db.models import OuterRef, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST

from core.web.form_pages import require_form_of_page_above
from core.web.forms import posted, require_form
from core.web.paging import page_of
from core.web.refusals import refusals_as_messages, refusals_in_form
from projects.access import project_to
from projects.models import Delivery, Project, Webhook
from projects.roles import Permission
from projects.webhooks import actions
from projects.webhooks.event_queue import site_of
from projects.webhooks.forms import WebhookForm
from projects.webhooks.log import delivery_row


@require_form
def webhooks(request: HttpRequest, slug: str) -> HttpResponse:
    """The list, and a form to add one, whose secret is shown in the response itself: no later page could show it."""
    project = project_to(request.user, slug, Permission.EDIT_PROJECT)
    form = WebhookForm(posted(request))
    if form.is_valid():
        with refusals_in_form(form):
            webhook, secret = actions.add(project, form.wanted, by=request.user, site=site_of(request))
            return _webhook_page(request, webhook, secret=secret)
    last = Delivery.objects.filter(webhook=OuterRef("pk")).order_by("-id")
    found = project.webhooks.annotate(
        last_state=Subquery(last.values("state")[:1]), last_at=Subquery(last.values("asked_at")[:1])
    )
    context = {"project": project, "form": form, "webhooks": found, "most": actions.MOST_WEBHOOKS}
    return render(request, "webhooks/list.html", context, status=400 if form.errors else 200)


@require_form
def webhook(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    found = _found(request, slug, pk)
    form = WebhookForm.of(found, posted(request))
    if form.is_valid():
        with refusals_in_form(form):
            actions.change(found, form.wanted, by=request.user, site=site_of(request))
            messages.success(request, "Saved.")
            return redirect(found)
    return _webhook_page(request, found, form=form, status=400 if form.errors else 200)


@require_form_of_page_above
def renew_secret(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    found = _found(request, slug, pk)
    return _webhook_page(request, found, secret=actions.renew_secret(found, by=request.user))


@require_POST
def test_webhook(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    found = _found(request, slug, pk)
    with refusals_as_messages(request):
        actions.send_test(found, by=request.user)
        messages.success(request, "Test queued. Reload this page in a few seconds to see what was answered.")
    return redirect(found)


@require_POST
def delete_webhook(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    actions.delete(_found(request, slug, pk), by=request.user)
    messages.success(request, "Webhook deleted.")
    return redirect("webhooks", slug)


@require_POST
def send_again(request: HttpRequest, slug: str, pk: int, delivery: int) -> HttpResponse:
    found = _found(request, slug, pk)
    with refusals_as_messages(request):
        actions.send_again(
            get_object_or_404(found.deliveries.select_related("webhook__project"), pk=delivery),
            by=request.user,
        )
        messages.success(request, "Queued again. Reload this page in a few seconds to see what was answered.")
    return redirect(found)


def _found(request: HttpRequest, slug: str, pk: int) -> Webhook:
    project = project_to(request.user, slug, Permission.EDIT_PROJECT)
    return get_object_or_404(project.webhooks.select_related("project"), pk=pk)


def _webhook_page(
    request: HttpRequest,
    webhook: Webhook,
    *,
    form: WebhookForm | None = None,
    secret: str = "",
    status: int = 200,
) -> HttpResponse:
    project: Project = webhook.project
    page = page_of(request, webhook.deliveries.order_by("-id"))
    context: dict[str, object] = {
        "project": project,
        "webhook": webhook,
        "form": form or WebhookForm.of(webhook),
        "secret": secret,
        "page": page,
        "rows": [delivery_row(delivery) for delivery in page],
    }
    return render(request, "webhooks/webhook.html", context, status=status)
