"""Webhooks and their deliveries over the API."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.shapes import Json
from core.web.api import PAGE_PARAMETERS, View, paginated
from core.web.strict import StrictBooleanField, StrictChoiceField, StrictLineField, StrictSerializer
from projects.access import project_to
from projects.models import Delivery, Webhook
from projects.models.webhooks import MAX_URL
from projects.roles import Permission
from projects.webhooks import actions
from projects.webhooks.actions import WebhookSettings
from projects.webhooks.event_queue import site_of
from projects.webhooks.log import tries_of


class WebhookSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    url = serializers.CharField()
    description = serializers.CharField()
    events = serializers.ListField(child=serializers.ChoiceField(choices=Webhook.Event.choices))
    is_active = serializers.BooleanField()
    n_failed = serializers.IntegerField(
        help_text="Consecutive deliveries that failed permanently. After five, the webhook is turned off."
    )
    disabled_at = serializers.DateTimeField(
        allow_null=True, help_text="When it was turned off because of failures; null otherwise."
    )
    disabled_why = serializers.CharField(help_text="The error that turned it off.")
    made_at = serializers.DateTimeField()


class WebhookWithSecretSerializer(WebhookSerializer):
    secret = serializers.CharField(help_text="Secret for verifying signatures. It can’t be retrieved later.")


class NewWebhook(StrictSerializer):
    url = StrictLineField(
        max_length=MAX_URL, help_text="An https:// address. Private networks and redirects are refused."
    )
    events = serializers.ListField(
        child=StrictChoiceField(choices=Webhook.Event.choices),
        allow_empty=False,
        max_length=len(Webhook.Event),
    )
    description = StrictLineField(max_length=200, required=False, allow_blank=True)
    is_active = StrictBooleanField(
        required=False, help_text="Default: true. A webhook that is turned on again starts with new events."
    )


class WebhookSecretSerializer(serializers.Serializer[Any]):
    secret = serializers.CharField(
        help_text="Secret for verifying signatures from now on. It can’t be retrieved later. Deliveries are "
        "also signed with the previous secret for a day."
    )


class DeliveryAttemptSerializer(serializers.Serializer[Any]):
    at = serializers.DateTimeField()
    status = serializers.IntegerField(allow_null=True, help_text="Null if there was no response.")
    fault = serializers.CharField(help_text="Why the attempt failed; empty if it was delivered.")
    seconds = serializers.FloatField()


class DeliverySerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    event_id = serializers.UUIDField(
        help_text="The `webhook-id` header, which is the same each time the event is sent."
    )
    kind = serializers.ChoiceField(choices=Delivery.KINDS)
    state = serializers.ChoiceField(choices=Delivery.State.choices)
    payload = serializers.JSONField()
    asked_at = serializers.DateTimeField(help_text="When the event was queued.")
    next_try_at = serializers.DateTimeField(allow_null=True)
    answer = serializers.CharField(help_text="The beginning of the last response.")
    tries = DeliveryAttemptSerializer(many=True)


class WebhookList(View):
    parameters = {"get": ["page", "page_size"]}

    @extend_schema(
        parameters=PAGE_PARAMETERS,
        responses=paginated("Webhook", WebhookSerializer),
        operation_id="webhooks_list",
    )
    def get(self, request: Request, slug: str) -> Response:
        """List the webhooks of the project."""
        project = project_to(request.user, slug, Permission.EDIT_PROJECT)
        return self.paged(project.webhooks.all(), lambda webhook: dict(WebhookSerializer(webhook).data))

    @extend_schema(request=NewWebhook, responses={201: WebhookWithSecretSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Create a webhook. The response contains the secret for verifying signatures; it is not shown again."""
        project = project_to(request.user, slug, Permission.EDIT_PROJECT)
        wanted = WebhookSettings(**self.checked(NewWebhook))
        webhook, secret = actions.add(project, wanted, by=request.user, site=site_of(request))
        return Response({**WebhookSerializer(webhook).data, "secret": secret}, status=201)


class WebhookDetail(View):
    @extend_schema(responses=WebhookSerializer, operation_id="webhooks_retrieve")
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """Get a webhook."""
        return Response(WebhookSerializer(_webhook(request, slug, pk)).data)

    @extend_schema(request=NewWebhook, responses=WebhookSerializer)
    def patch(self, request: Request, slug: str, pk: int) -> Response:
        """Update a webhook."""
        webhook = _webhook(request, slug, pk)
        now = {name: getattr(webhook, name) for name in ("url", "events", "description", "is_active")}
        wanted = WebhookSettings(**{**now, **self.checked(NewWebhook, partial=True)})
        actions.change(webhook, wanted, by=request.user, site=site_of(request))
        return Response(WebhookSerializer(webhook).data)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """Delete a webhook and its delivery log."""
        actions.delete(_webhook(request, slug, pk), by=request.user)
        return Response(status=204)


class WebhookSecret(View):
    @extend_schema(request=None, responses=WebhookSecretSerializer, operation_id="webhooks_secret")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Create a new secret. For a day, deliveries are also signed with the previous one."""
        webhook = _webhook(request, slug, pk)
        return Response({"secret": actions.renew_secret(webhook, by=request.user)})


class WebhookTest(View):
    @extend_schema(request=None, responses={202: DeliverySerializer}, operation_id="webhooks_test")
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Send an event of type `test`, once. The response is listed in the deliveries."""
        test = actions.send_test(_webhook(request, slug, pk), by=request.user)
        test.refresh_from_db()
        return Response(_serialized(test), status=202)


class DeliveryList(View):
    parameters = {"get": ["page", "page_size"]}

    @extend_schema(
        parameters=PAGE_PARAMETERS,
        responses=paginated("Delivery", DeliverySerializer),
        operation_id="webhooks_deliveries_list",
    )
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """List the deliveries of a webhook, newest first. Deliveries are kept for 30 days."""
        return self.paged(_webhook(request, slug, pk).deliveries.order_by("-id"), _serialized)


class DeliveryResend(View):
    @extend_schema(request=None, responses={202: DeliverySerializer}, operation_id="webhooks_deliveries_send")
    def post(self, request: Request, slug: str, pk: int, delivery: int) -> Response:
        """Send a delivery again, under the same `webhook-id`."""
        deliveries = _webhook(request, slug, pk).deliveries.select_related("webhook__project")
        found = get_object_or_404(deliveries, pk=delivery)
        actions.send_again(found, by=request.user)
        found.refresh_from_db()
        return Response(_serialized(found), status=202)


def _webhook(request: Request, slug: str, pk: int) -> Webhook:
    project = project_to(request.user, slug, Permission.EDIT_PROJECT)
    return get_object_or_404(project.webhooks.select_related("project"), pk=pk)


def _serialized(delivery: Delivery) -> Json:
    values = {
        name: getattr(delivery, name)
        for name in ("id", "event_id", "kind", "state", "payload", "asked_at", "answer")
    }
    next_at = delivery.due_at if delivery.state == Delivery.State.QUEUED else None
    return dict(DeliverySerializer({**values, "next_try_at": next_at, "tries": tries_of(delivery)}).data)
