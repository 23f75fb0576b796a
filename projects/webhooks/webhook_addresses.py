"""Where a webhook may be sent: which URLs are valid, and which machines they may lead to.

A lead chooses the URL, and this server sends to it from inside its own network. So the name is resolved once, every
resulting address is checked, and the connection goes to a checked one: a second lookup could return another
address.
"""

import re
import socket
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from urllib.parse import SplitResult, quote, urlsplit

from django.conf import settings

from core.refusals import Refused
from projects.models.webhooks import MAX_URL

Address = IPv4Address | IPv6Address

PORTS = {"https": 443, "http": 80}
# Servers on lower ports, such as mail servers, don't receive webhooks.
FIRST_FREE_PORT = 1024
RESOLVE_TIMEOUT = 5.0

_NAME = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)(\.(?!-)[a-z0-9_-]{1,63}(?<!-))*")
# Names that resolvers interpret as IPv4 addresses: 127.1, 2130706433, 0x7f.1.
_NUMBER = re.compile(r"(0x[0-9a-f]*|[0-9]+)")

# Never, whatever the operator allows: this machine's "any", neighbors without a router, where clouds tell their
# machines their passwords, and whatever is not one machine.
NEVER = tuple(
    map(
        IPv4Network,
        ("0.0.0.0/8", "169.254.0.0/16", "168.63.129.16/32", "100.100.100.200/32", "192.0.0.192/32"),
    )
) + tuple(map(IPv4Network, ("224.0.0.0/4", "240.0.0.0/4")))
NEVER_6 = tuple(
    map(IPv6Network, ("::/128", "fe80::/10", "ff00::/8", "fd00:ec2::254/128", "fd20:ce::254/128"))
)
# If the operator allows private addresses.
PRIVATE = tuple(
    map(IPv4Network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "127.0.0.0/8", "100.64.0.0/10"))
)
PRIVATE_6 = tuple(map(IPv6Network, ("::1/128", "fc00::/7")))
# Reserved for documentation, benchmarks and protocols; Python treats some of them as public.
SPECIAL = tuple(
    map(
        IPv4Network,
        (
            *("192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24"),
            *("198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"),
        ),
    )
)
# All others are unassigned. Within these: what tunnels to an IPv4 address, and what is reserved.
PUBLIC_6 = IPv6Network("2000::/3")
SPECIAL_6 = tuple(map(IPv6Network, ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")))
# IPv6-only networks reach 192.0.2.1 as 64:ff9b::192.0.2.1.
NAT64 = IPv6Network("64:ff9b::/96")


class BadAddress(Refused):
    """An invalid URL for a webhook, or one that leads to a forbidden machine."""

    code, status_code = "bad_address", 400


class Unresolved(Exception):
    """The host name can't be resolved at the moment."""


@dataclass(frozen=True, slots=True)
class WebhookAddress:
    """host: in lower case, without brackets. path: with the query string, as in the request."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def is_encrypted(self) -> bool:
        return self.scheme == "https"


def target_of(url: str) -> WebhookAddress:
    """The parts of a webhook's URL; raises BadAddress."""
    if len(url) > MAX_URL:
        raise BadAddress(f"An address can have at most {MAX_URL:,} characters.")
    if not url.isprintable() or " " in url or "\\" in url:
        raise BadAddress("An address can’t contain spaces, backslashes, or control characters.")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise BadAddress("This is not a valid address. Enter one like https://example.org/hook.") from None
    if parts.scheme not in PORTS or not parts.hostname:
        raise BadAddress("Enter a full address that starts with https://.")
    if parts.scheme == "http" and not settings.WEBHOOK_HTTP:
        raise BadAddress("Use https://. This server does not send webhooks unencrypted.")
    if "@" in parts.netloc:
        raise BadAddress("Leave out the username and password. Verify the signature instead.")
    if "#" in url:
        raise BadAddress("Leave out the part from # on. It is never sent.")
    port = PORTS[parts.scheme] if port is None else port
    if port not in PORTS.values() and port < FIRST_FREE_PORT:
        raise BadAddress(f"Use port 443, 80, or a port from {FIRST_FREE_PORT} on, not {port}.")
    return WebhookAddress(parts.scheme, _host_of(parts), port, _path_of(parts))


def _host_of(parts: SplitResult) -> str:
    name = (parts.hostname or "").rstrip(".")
    if "[" in parts.netloc or _NUMBER.fullmatch(name.rpartition(".")[2]):
        return str(_literal(name))
    try:
        host = name.encode("idna").decode().lower()
    except UnicodeError:
        host = ""
    if not _NAME.fullmatch(host) or len(host) > 253 or _NUMBER.fullmatch(host.rpartition(".")[2]):
        raise BadAddress("This is not a valid host name.")
    return host


def _literal(text: str) -> Address:
    """The IP address that is given instead of a name, in its canonical form."""
    try:
        if "%" in text:
            raise ValueError("an address with a zone")
        address = ip_address(text)
    except ValueError:
        raise BadAddress("This is not a valid IP address.") from None
    refuse(address)
    return address


def _path_of(parts: SplitResult) -> str:
    path = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~-._")
    query = quote(parts.query, safe="/?%:@!$&'()*+,;=~-._")
    return f"{path}?{query}" if query else path


def resolved(target: WebhookAddress) -> Sequence[Address]:
    """The checked addresses of the host, from a single lookup.

    Raises BadAddress, or Unresolved.
    """
    found = _resolved(target)
    for address in found:
        try:
            refuse(address)
        except BadAddress:
            if _is_literal(target):
                raise
            # Not the address itself, which is none of the leads' business: they could map a network by it.
            raise BadAddress(
                f"The address of {target.host} is not allowed. This server does not send webhooks there."
            ) from None
    return [_plain(address) for address in found]


def _is_literal(target: WebhookAddress) -> bool:
    try:
        ip_address(target.host.strip("[]"))
    except ValueError:
        return False
    return True


def _resolved(target: WebhookAddress) -> list[Address]:
    """In a separate thread: a name server that does not respond would block the worker for longer than a delivery."""
    answers: list[Address] = []

    def look_up() -> None:
        try:
            rows = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            return
        answers.extend(dict.fromkeys(ip_address(str(row[4][0]).partition("%")[0]) for row in rows))

    thread = threading.Thread(target=look_up, name="resolver", daemon=True)
    thread.start()
    thread.join(RESOLVE_TIMEOUT)
    found = list(answers)
    if not found:
        raise Unresolved(f"The host name {target.host} could not be resolved.")
    return found


def refuse(address: Address) -> None:
    """Raises BadAddress for an address that webhooks may not be sent to."""
    plain = _plain(address)
    if _is_public(plain):
        return
    if _is_private(plain) and settings.WEBHOOK_PRIVATE_ADDRESSES:
        return
    if _is_private(plain):
        raise BadAddress(
            f"The address {address} is on a private network. This server sends webhooks only to public addresses."
        )
    raise BadAddress(f"Webhooks can’t be sent to the address {address}.")


def _plain(address: Address) -> Address:
    """The IPv4 address that is embedded in an IPv6 address."""
    if isinstance(address, IPv4Address):
        return address
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address


def _is_private(address: Address) -> bool:
    if isinstance(address, IPv4Address):
        return any(address in network for network in PRIVATE) and not _is_in(address, NEVER)
    return any(address in network for network in PRIVATE_6) and not _is_in(address, NEVER_6)


def _is_public(address: Address) -> bool:
    if isinstance(address, IPv4Address):
        return address.is_global and not _is_in(address, (*NEVER, *PRIVATE, *SPECIAL))
    if address in NAT64:
        return _is_public(IPv4Address(int(address) & 0xFFFFFFFF))
    return address in PUBLIC_6 and not _is_in(address, SPECIAL_6)


def _is_in(address: Address, networks: Sequence[IPv4Network] | Sequence[IPv6Network]) -> bool:
    return any(address in network for network in networks)


def shown_host(url: str) -> str:
    """Only the host: the rest may contain a password, and stays out of logs."""
    return urlsplit(url).hostname or ""
