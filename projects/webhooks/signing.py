"""A webhook's secret, and the signing of deliveries as described by https://www.standardwebhooks.com."""

import base64
import hashlib
import hmac
import secrets
from contextlib import suppress
from datetime import datetime

from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings
from django.utils import timezone

from projects.models import Webhook

PREFIX = "whsec_"


class SecretUnreadable(Exception):
    """It was encrypted with another SECRET_KEY."""

    def __init__(self) -> None:
        super().__init__("The signing secret can’t be read: SECRET_KEY has changed. Create a new secret.")


def new_secret() -> str:
    return PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()


def sealed(secret: str) -> str:
    """The secret encrypted for the database, so that a copy of the database can't sign anything."""
    return _lock().encrypt(secret.encode()).decode()


def opened(kept: str) -> str:
    """Raises SecretUnreadable."""
    try:
        return _lock().decrypt(kept.encode()).decode()
    except InvalidToken:
        raise SecretUnreadable from None


def signed_headers(webhook: Webhook, event_id: str, body: bytes, *, at: datetime) -> dict[str, str]:
    """The headers that prove to the receiver that a delivery is ours and recent. Raises SecretUnreadable."""
    timestamp = str(int(at.timestamp()))
    signatures = [_signature(secret, event_id, timestamp, body) for secret in _valid(webhook)]
    return {
        "webhook-id": event_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": " ".join(signatures),
    }


def _valid(webhook: Webhook) -> list[str]:
    valid = [opened(webhook.secret)]
    until = webhook.former_secret_until
    if webhook.former_secret and until is not None and until > timezone.now():
        # The previous secret may be unreadable because SECRET_KEY changed.
        with suppress(SecretUnreadable):
            valid.append(opened(webhook.former_secret))
    return valid


def _signature(secret: str, event_id: str, timestamp: str, body: bytes) -> str:
    key = base64.b64decode(secret.removeprefix(PREFIX))
    signed = f"{event_id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


def _lock() -> Fernet:
    digest = hashlib.sha256(b"webhook\0" + settings.SECRET_KEY.encode()).digest()
    return Fernet(base64.urlsafe_b64encode(digest))
