"""Sends one POST to a checked address, without redirects or a proxy, and with a deadline."""

import socket
import ssl
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse

from core.web.deadlines import Deadline, DeadlineExceeded, deadline
from projects.models.webhooks import MAX_ANSWER
from projects.webhooks.webhook_addresses import (
    PORTS,
    Address,
    BadAddress,
    Unresolved,
    WebhookAddress,
    resolved,
    target_of,
)

CONNECT_TIMEOUT = 5.0
# From the first connection to the last byte of the answer.
TOTAL_TIMEOUT = 10.0
MAX_BODY = 64 * 1024
GONE = 410


@dataclass(frozen=True, slots=True)
class WebhookResponse:
    """status: None without a response. excerpt: the beginning of the body. fault: why it counts as failed, or empty.

    is_final: sending it again would never succeed.
    """

    status: int | None
    excerpt: str
    fault: str
    seconds: float
    is_final: bool = False

    @property
    def is_fine(self) -> bool:
        return not self.fault


def send(url: str, body: bytes, headers: Mapping[str, str]) -> WebhookResponse:
    """Post the body, and return the outcome; errors of the network or the address raise nothing."""
    began = time.monotonic()

    def failed(fault: str) -> WebhookResponse:
        return WebhookResponse(None, "", fault, time.monotonic() - began)

    try:
        target = target_of(url)
        addresses = resolved(target)
        with deadline(TOTAL_TIMEOUT) as limit:
            status, excerpt = _posted(target, addresses, body, headers, limit)
    except (BadAddress, Unresolved) as refused:
        return failed(str(refused))
    except DeadlineExceeded:
        return failed(f"No complete answer within {TOTAL_TIMEOUT:.0f} seconds.")
    except TimeoutError:
        return failed(f"No connection within {CONNECT_TIMEOUT:.0f} seconds.")
    except ssl.SSLCertVerificationError as error:
        return failed(f"The certificate is not valid: {error.verify_message}.")
    except ssl.SSLError as error:
        return failed(f"The encrypted connection failed: {error.reason or error}.")
    except HTTPException as error:
        return failed(f"The answer is not valid HTTP ({type(error).__name__}).")
    except (OSError, ValueError) as error:
        return failed(f"The connection failed: {getattr(error, 'strerror', None) or error}.")
    fault = _fault_of(status)
    return WebhookResponse(status, excerpt, fault, time.monotonic() - began, is_final=status == GONE)


def _fault_of(status: int) -> str:
    if 200 <= status < 300:
        return ""
    if 300 <= status < 400:
        return f"The server answered {status}. Redirects are not followed: enter the final address."
    if status == GONE:
        return "The server answered 410: the address is gone."
    return f"The server answered {status}."


class _PinnedConnection(HTTPConnection):
    """Connects to a checked address, no matter what the host name resolves to by now."""

    def __init__(self, target: WebhookAddress, addresses: Sequence[Address], deadline: Deadline) -> None:
        super().__init__(target.host, target.port)
        # So that the Host header contains the port only if it is not the default.
        self.default_port = PORTS[target.scheme]
        self._target, self._addresses, self._deadline = target, addresses, deadline

    def connect(self) -> None:
        opened = self._open()
        self._deadline.watch(opened)
        if not self._target.is_encrypted:
            self.sock = opened
            return
        try:
            # The certificate must match the host name.
            self.sock = ssl.create_default_context().wrap_socket(opened, server_hostname=self._target.host)
        except BaseException:
            opened.close()
            raise

    def _open(self) -> socket.socket:
        *others, last = self._addresses
        for address in others:
            if self._deadline.is_over:
                break
            try:
                return self._connected(address)
            except OSError:
                continue
        return self._connected(last)

    def _connected(self, address: Address) -> socket.socket:
        return socket.create_connection((str(address), self._target.port), timeout=CONNECT_TIMEOUT)


def _posted(
    target: WebhookAddress,
    addresses: Sequence[Address],
    body: bytes,
    headers: Mapping[str, str],
    deadline: Deadline,
) -> tuple[int, str]:
    connection = _PinnedConnection(target, addresses, deadline)
    try:
        connection.request("POST", target.path, body=body, headers=dict(headers))
        # Once connected, the request may use the remaining time; the deadline ends it first.
        connection.sock.settimeout(2 * TOTAL_TIMEOUT)
        response = connection.getresponse()
        return response.status, _excerpt(response)
    finally:
        connection.close()


def _excerpt(response: HTTPResponse) -> str:
    text = (
        response.read(MAX_BODY)[: 4 * MAX_ANSWER]
        .decode("utf-8", "replace")
        .replace("\0", "\N{REPLACEMENT CHARACTER}")
    )
    return text[:MAX_ANSWER]
