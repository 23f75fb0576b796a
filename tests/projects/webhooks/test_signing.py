"""Signatures, verified by the example of the documentation, and by arithmetic of the test's own."""

import base64
import hashlib
import hmac
import re
from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from config.environment import BASE_DIR
from projects.models import Webhook
from projects.webhooks import actions
from projects.webhooks.signing import SecretUnreadable, opened, signed_headers

BODY = '{"type":"test","data":{"ä":1}}'.encode()
ID = "0b6ad2a4-1a57-4a70-b7a1-3c2a2f8f7b11"


def documented():
    """What the page of the documentation tells receivers to do."""
    page = (BASE_DIR / "docs" / "how-to" / "webhooks.md").read_text(encoding="utf-8")
    [example] = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    names: dict[str, object] = {}
    exec(example, names)
    return names["verify"]


def test_the_signature_is_that_of_standard_webhooks(hooked):
    webhook, secret = hooked
    at = datetime(2026, 11, 23, 12, 0, 0, 500, tzinfo=UTC)

    headers = signed_headers(webhook, ID, BODY, at=at)

    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = hmac.digest(key, f"{ID}.{int(at.timestamp())}.".encode() + BODY, hashlib.sha256)
    assert headers == {
        "webhook-id": ID,
        "webhook-timestamp": "1795435200",
        "webhook-signature": f"v1,{base64.b64encode(signed).decode()}",
    }
    assert len(key) == 32


def test_the_example_of_the_documentation_verifies_it(hooked):
    webhook, secret = hooked
    headers = signed_headers(webhook, ID, BODY, at=timezone.now())

    verify = documented()

    assert verify(secret, headers, BODY)
    assert not verify(secret, headers, BODY + b" ")
    assert not verify(secret, {**headers, "webhook-id": "other"}, BODY)
    assert not verify("whsec_" + base64.b64encode(b"other" * 6).decode(), headers, BODY)
    old = signed_headers(webhook, ID, BODY, at=timezone.now() - timedelta(minutes=6))
    assert not verify(secret, old, BODY)


def test_a_new_secret_and_the_former_one_sign_for_a_day(hooked, lead):
    webhook, former = hooked
    secret = actions.renew_secret(webhook, by=lead)
    verify = documented()

    headers = signed_headers(webhook, ID, BODY, at=timezone.now())
    assert secret != former
    assert verify(secret, headers, BODY)
    assert verify(former, headers, BODY)

    webhook.former_secret_until = timezone.now() - timedelta(seconds=1)
    later = signed_headers(webhook, ID, BODY, at=timezone.now())
    assert verify(secret, later, BODY)
    assert not verify(former, later, BODY)


def test_the_database_does_not_hold_the_secret(hooked, settings):
    webhook, secret = hooked

    kept = Webhook.objects.get(pk=webhook.pk).secret

    assert secret.removeprefix("whsec_") not in kept
    assert opened(kept) == secret
    settings.SECRET_KEY = "another key, such as that of another server " * 2
    with pytest.raises(SecretUnreadable):
        opened(kept)


def test_after_another_secret_key_a_new_secret_signs_at_once(hooked, settings, lead):
    webhook, _ = hooked
    settings.SECRET_KEY = "another key, such as that of another server " * 2

    secret = actions.renew_secret(webhook, by=lead)

    headers = signed_headers(webhook, ID, BODY, at=timezone.now())
    assert documented()(secret, headers, BODY)
