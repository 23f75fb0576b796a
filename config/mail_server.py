"""The mail server, from one URL: smtp://user:password@host:587?tls=1, or smtps:// for implicit TLS."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import parse_qs, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

SMTP = "django.core.mail.backends.smtp.EmailBackend"
CONSOLE = "django.core.mail.backends.console.EmailBackend"
# Discards mail, so that a forgotten call does not break a page.
NONE = "django.core.mail.backends.dummy.EmailBackend"
PORTS = {"smtp": 587, "smtps": 465}


@dataclass(frozen=True, slots=True)
class MailSettings:
    backend: str = NONE
    host: str = ""
    port: int = 25
    user: str = ""
    password: str = ""
    use_tls: bool = False
    use_ssl: bool = False

    @property
    def is_sent(self) -> bool:
        return self.backend != NONE


def mail_from(url: str) -> MailSettings:
    """The mail server named by EMAIL_URL, if any."""
    if not url:
        return MailSettings()
    parts = urlsplit(url)
    if parts.scheme == "console":
        return MailSettings(backend=CONSOLE)
    if parts.scheme not in PORTS or not parts.hostname:
        raise ImproperlyConfigured("EMAIL_URL must have the form smtp://user:password@host:587?tls=1.")
    is_ssl = parts.scheme == "smtps"
    # TLS unless it is turned off: otherwise the password would be sent in clear text.
    wants_tls = parse_qs(parts.query).get("tls", ["1"])[0] not in {"0", "false", "no"}
    return MailSettings(
        backend=SMTP,
        host=parts.hostname,
        port=parts.port or PORTS[parts.scheme],
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
        use_tls=wants_tls and not is_ssl,
        use_ssl=is_ssl,
    )


def site_url(given: str, *, hosts: Sequence[str], is_https: bool) -> str:
    """What links in mail begin with: SITE_URL, or else the first host that the site answers to by name."""
    if given and urlsplit(given).scheme not in {"http", "https"}:
        raise ImproperlyConfigured(f"SITE_URL must begin with https:// or http://, got {given!r}.")
    host = next((host.lstrip(".") for host in hosts if host != "*"), "localhost")
    return (given or f"http{'s' if is_https else ''}://{host}").rstrip("/")
