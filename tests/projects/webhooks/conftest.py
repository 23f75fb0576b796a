"""A receiver on this machine, which the operator allows, and webhooks that lead to it."""

from collections.abc import Iterator

import pytest
from pytest_django.fixtures import Settings

from projects.models import Project, Webhook
from projects.webhooks import actions
from projects.webhooks.actions import WebhookSettings
from raters.models import User
from tests.projects.webhooks.receiver import Receiver, receiving

SITE = "https://labels.example.org"


@pytest.fixture
def private_allowed(settings: Settings) -> None:
    settings.WEBHOOK_PRIVATE_ADDRESSES = settings.WEBHOOK_HTTP = True


@pytest.fixture
def receiver(private_allowed: None) -> Iterator[Receiver]:
    with receiving() as opened:
        yield opened


@pytest.fixture
def hooked(project: Project, lead: User, receiver: Receiver) -> tuple[Webhook, str]:
    """A webhook for everything, and its secret."""
    return actions.add(project, WebhookSettings(receiver.url, Webhook.Event.values), by=lead, site=SITE)


@pytest.fixture
def webhook(hooked: tuple[Webhook, str]) -> Webhook:
    return hooked[0]
