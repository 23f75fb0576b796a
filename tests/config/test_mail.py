"""EMAIL_URL, and what the log holds of secrets."""

import logging

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.logs import SecretsFilter
from config.mail_server import CONSOLE, SMTP, MailSettings, mail_from, site_url


def test_without_an_address_no_mail_is_sent():
    assert mail_from("") == MailSettings()
    assert not mail_from("").is_sent


@pytest.mark.parametrize(
    ("url", "mail"),
    [
        (
            "smtp://me:pass%40word@mail.example:2525",
            MailSettings(SMTP, "mail.example", 2525, "me", "pass@word", use_tls=True),
        ),
        ("smtp://mail.example", MailSettings(SMTP, "mail.example", 587, use_tls=True)),
        ("smtp://localhost:25?tls=0", MailSettings(SMTP, "localhost", 25)),
        ("smtps://me:x@mail.example", MailSettings(SMTP, "mail.example", 465, "me", "x", use_ssl=True)),
        ("console://", MailSettings(CONSOLE)),
    ],
)
def test_an_address_says_all(url, mail):
    assert mail_from(url) == mail
    assert mail.is_sent


@pytest.mark.parametrize("url", ["mail.example", "http://mail.example", "smtp://"])
def test_another_address_is_refused(url):
    with pytest.raises(ImproperlyConfigured, match="EMAIL_URL"):
        mail_from(url)


def line(message: str, *args: object) -> str:
    record = logging.LogRecord("x", logging.WARNING, "x", 1, message, args, None)
    assert SecretsFilter().filter(record)
    return record.getMessage()


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/join/5tRjC7_Zq-secret/", "/join/…/"),
        ("/account/reset/1-d2abc-0123456789/", "/account/reset/…/"),
        ("/account/confirm/MQ:1abcd:xyz/", "/account/confirm/…/"),
        ("/notifications/stop/WzEs:1abcd:xyz/", "/notifications/stop/…/"),
        ("/p/reviews/", "/p/reviews/"),
        ("/join/", "/join/"),
    ],
)
def test_the_log_holds_no_secret_of_an_address(path, shown):
    assert line("Not Found: %s", path) == f"Not Found: {shown}"
    assert line(f"request 1 failed: GET '{path}'") == f"request 1 failed: GET '{shown}'"


@pytest.mark.parametrize(
    ("given", "hosts", "is_https", "expected"),
    [
        ("", ["labels.example.org", "localhost"], True, "https://labels.example.org"),
        ("", ["*", ".example.org"], False, "http://example.org"),
        ("", [], False, "http://localhost"),
        ("https://example.org:8443/", ["localhost"], False, "https://example.org:8443"),
    ],
)
def test_what_links_begin_with(given, hosts, is_https, expected):
    assert site_url(given, hosts=hosts, is_https=is_https) == expected


def test_an_address_without_a_scheme_is_refused():
    with pytest.raises(ImproperlyConfigured, match="SITE_URL"):
        site_url("labels.example.org", hosts=[], is_https=True)
