"""The form of a webhook."""

from typing import Any

from django import forms

from core.web.form_fields import SingleLineField
from projects.models import Webhook
from projects.models.webhooks import MAX_URL
from projects.webhooks.actions import WebhookSettings
from projects.webhooks.webhook_addresses import BadAddress, target_of


class WebhookForm(forms.Form):
    url = SingleLineField(
        label="Address",
        max_length=MAX_URL,
        help_text="Where events are sent, such as https://example.org/interrater. Redirects are not followed.",
        widget=forms.TextInput(attrs={"inputmode": "url", "autocomplete": "off", "spellcheck": "false"}),
    )
    description = SingleLineField(
        required=False, max_length=200, help_text="What the receiver does with it. Only leads see this."
    )
    events = forms.MultipleChoiceField(choices=Webhook.Event, widget=forms.CheckboxSelectMultiple)
    is_active = forms.BooleanField(label="Active", required=False, initial=True)

    def clean_url(self) -> str:
        url = str(self.cleaned_data["url"])
        try:
            target_of(url)
        except BadAddress as refused:
            raise forms.ValidationError(str(refused)) from None
        return url

    @property
    def wanted(self) -> WebhookSettings:
        return WebhookSettings(**self.cleaned_data)

    @classmethod
    def of(cls, webhook: Webhook, posted: Any = None) -> "WebhookForm":
        """A form with the webhook's settings, or with submitted changes."""
        names = cls.base_fields
        return cls(posted, initial={name: getattr(webhook, name) for name in names})
