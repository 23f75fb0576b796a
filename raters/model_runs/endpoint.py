"""Sends one request to the operator's endpoint, without redirects or a proxy, and within a time limit.

The operator chooses the address, so it may be on this machine or in its network, unlike that of a webhook.
"""

import socket
import ssl
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse
from urllib.parse import urlsplit

from django.conf import settings

from core.web.deadlines import Deadline, DeadlineExceeded, deadline

CONNECT_TIMEOUT = 10.0
MAX_REPLY = 1024 * 1024
PATH = "/chat/completions"
_PORTS = {"https": 443, "http": 80}


@dataclass(frozen=True, slots=True)
class Reply:
    """status: None without a complete reply; fault then says why. retry_after: as the endpoint sent it."""

    status: int | None
    text: str = ""
    retry_after: str = ""
    fault: str = ""


def post_request(endpoint: str, body: str) -> Reply:
    """Post the body, and return the reply; errors of the network raise nothing."""
    try:
        with deadline(settings.MODEL_TIMEOUT) as limit:
            return _posted(endpoint, body.encode(), limit)
    except DeadlineExceeded:
        return Reply(None, fault=f"The endpoint did not answer within {settings.MODEL_TIMEOUT:g} seconds.")
    except TimeoutError:
        return Reply(
            None, fault=f"The endpoint did not accept a connection within {CONNECT_TIMEOUT:.0f} seconds."
        )
    except ssl.SSLError as error:
        return Reply(None, fault=f"The encrypted connection to the endpoint failed: {error.reason or error}.")
    except (HTTPException, OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        return Reply(None, fault=f"The connection to the endpoint failed: {reason}.")


class _Connection(HTTPConnection):
    def __init__(self, host: str, port: int, *, is_encrypted: bool, limit: Deadline) -> None:
        super().__init__(host, port)
        self.default_port = _PORTS["https" if is_encrypted else "http"]
        self._is_encrypted, self._limit = is_encrypted, limit

    def connect(self) -> None:
        opened = socket.create_connection((self.host, self.port), timeout=CONNECT_TIMEOUT)
        self._limit.watch(opened)
        # From here on, the limit ends the request.
        opened.settimeout(2 * settings.MODEL_TIMEOUT)
        try:
            if self._is_encrypted:
                opened = ssl.create_default_context().wrap_socket(opened, server_hostname=self.host)
        except BaseException:
            opened.close()
            raise
        self.sock = opened


def _posted(endpoint: str, body: bytes, limit: Deadline) -> Reply:
    parts = urlsplit(endpoint)
    is_encrypted = parts.scheme == "https"
    port = parts.port or _PORTS[parts.scheme]
    connection = _Connection(parts.hostname or "", port, is_encrypted=is_encrypted, limit=limit)
    try:
        connection.request("POST", parts.path + PATH, body=body, headers=_headers())
        response = connection.getresponse()
        text = _text_of(response)
        return Reply(response.status, text, retry_after=response.getheader("Retry-After", ""))
    finally:
        connection.close()


def _headers() -> dict[str, str]:
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json",
        "User-Agent": f"Interrater/{settings.VERSION}",
        "Connection": "close",
    }
    if settings.MODEL_KEY:
        headers["Authorization"] = f"Bearer {settings.MODEL_KEY}"
    return headers


class _CutOff(HTTPException):
    pass


def _text_of(response: HTTPResponse) -> str:
    read = response.read(MAX_REPLY)
    if response.length and len(read) < MAX_REPLY:
        # The connection ended before the announced length.
        raise _CutOff
    return read.decode("utf-8", "replace").replace("\0", "\N{REPLACEMENT CHARACTER}")
