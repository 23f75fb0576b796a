"""Where a webhook may lead: the matrix of server-side request forgery. Nothing here asks a real name server."""

import socket
import threading
from ipaddress import ip_address

import pytest

from projects.webhooks import webhook_addresses
from projects.webhooks.posting import send
from projects.webhooks.webhook_addresses import BadAddress, Unresolved, refuse, resolved, target_of

# Forms of an address that no receiver on the internet has.
NEVER_WRITTEN = [
    "",
    "example.org/hook",
    "//example.org/hook",
    "ftp://example.org/",
    "file:///etc/passwd",
    "gopher://example.org/",
    "javascript:alert(1)",
    "https:///hook",
    "https://",
    "https://exa mple.org/",
    "https://example.org/a b",
    "https://example.org/\r\nHost: other",
    "https://example.org/\tx",
    "https://example.org\\@127.0.0.1/",
    "https://user:secret@example.org/",
    "https://example.org@127.0.0.1/",
    "https://@example.org/",
    "https://example.org/#fragment",
    "https://example.org:0/",
    "https://example.org:22/",
    "https://example.org:25/",
    "https://example.org:65536/",
    "https://example.org:x/",
    "https://-bad.example.org/",
    "https://a..b/",
    "https://[::1/",
    "https://[fe80::1%25eth0]/",
    "https://[fe80::1%eth0]/",
    "https://exam%70le.org/",
    # Numbers that resolvers read as IPv4 addresses.
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0x7f.1/",
    "https://017700000001/",
    "https://0177.0.0.1/",
    "https://127.1/",
    "https://127.0.0.1.1/",
    "https://1.2.3.4.0x5/",
    "https://１２７.０.０.１/",
    "https://①②⑦.⓪.⓪.①/",
    "https://127。0。0。1/",
    "https://" + "a" * 1000 + ".org/",
]
# Addresses of machines that are no receivers on the internet.
PRIVATE = [
    "127.0.0.1",
    "127.255.255.254",
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "100.64.0.1",
    "100.127.255.255",
    "::1",
    "fc00::1",
    "fd12:3456:789a::1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
]
NEVER = [
    "0.0.0.0",
    "0.1.2.3",
    "169.254.169.254",
    "169.254.0.1",
    "168.63.129.16",
    "100.100.100.200",
    "192.0.0.192",
    "192.0.0.1",
    "192.0.2.1",
    "192.88.99.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::127.0.0.1",
    "::ffff:169.254.169.254",
    "::ffff:0.0.0.0",
    "64:ff9b::127.0.0.1",
    "64:ff9b::10.0.0.1",
    "64:ff9b::169.254.169.254",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "2002:a00:1::",
    "3fff::1",
    "5f00::1",
    "fe80::1",
    "fec0::1",
    "ff02::1",
    "fd00:ec2::254",
    "fd20:ce::254",
]
PUBLIC = [
    "93.184.216.34",
    "8.8.8.8",
    "172.32.0.1",
    "100.63.255.255",
    "100.128.0.1",
    "2606:2800:220:1:248:1893:25c8:1946",
    "2a00:1450:4001::200e",
    "::ffff:8.8.8.8",
    "64:ff9b::8.8.8.8",
]


@pytest.fixture
def names(monkeypatch):
    """A name server of the test's own: answers by name, the next one each time, and the names that were asked for."""
    answers: dict[str, list[list[str]]] = {}
    asked: list[str] = []

    def getaddrinfo(host, port, *_, **__):
        asked.append(host)
        if host not in answers:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        found = answers[host].pop(0) if len(answers[host]) > 1 else answers[host][0]
        return [
            (
                socket.AF_INET6 if ":" in text else socket.AF_INET,
                socket.SOCK_STREAM,
                6,
                "",
                (text, port, 0, 0) if ":" in text else (text, port),
            )
            for text in found
        ]

    monkeypatch.setattr(webhook_addresses.socket, "getaddrinfo", getaddrinfo)
    return answers, asked


@pytest.fixture
def opened(monkeypatch):
    """The addresses that were connected to; nobody answers at any."""
    tried: list[tuple[str, int]] = []

    def create_connection(address, timeout=None):
        tried.append(address)
        raise ConnectionRefusedError(111, "Connection refused")

    monkeypatch.setattr(socket, "create_connection", create_connection)
    return tried


@pytest.mark.parametrize("url", NEVER_WRITTEN)
def test_what_is_not_written_well_is_refused(url):
    with pytest.raises(BadAddress):
        target_of(url)


@pytest.mark.parametrize("url", NEVER_WRITTEN)
def test_it_is_refused_whatever_the_operator_allows(url, private_allowed):
    with pytest.raises(BadAddress):
        target_of(url)


def test_the_parts_of_an_address():
    target = target_of("https://Hooks.Example.ORG.:8443/in ö/?a=1&b=ü".replace(" ", ""))

    assert (target.scheme, target.host, target.port) == ("https", "hooks.example.org", 8443)
    assert target.path == "/in%C3%B6/?a=1&b=%C3%BC"
    assert target_of("https://bücher.example/").host == "xn--bcher-kva.example"
    assert target_of("https://8.8.8.8/").host == "8.8.8.8"
    assert target_of("https://[2606:2800:220:1::1]/x").host == "2606:2800:220:1::1"


def test_unencrypted_only_where_the_operator_allows_it(settings):
    with pytest.raises(BadAddress, match="Use https"):
        target_of("http://example.org/")

    settings.WEBHOOK_HTTP = True

    assert target_of("http://example.org/").port == 80


@pytest.mark.parametrize("text", [*PRIVATE, *NEVER])
def test_machines_of_private_networks_are_refused(text):
    with pytest.raises(BadAddress):
        refuse(ip_address(text))
    with pytest.raises(BadAddress):
        target_of(f"https://[{text}]/" if ":" in text else f"https://{text}/")


@pytest.mark.parametrize("text", PUBLIC)
def test_machines_of_the_internet_are_allowed(text):
    refuse(ip_address(text))


@pytest.mark.parametrize("text", PRIVATE)
def test_the_operator_may_allow_private_networks(text, private_allowed):
    refuse(ip_address(text))


@pytest.mark.parametrize("text", NEVER)
def test_some_are_never_allowed(text, private_allowed):
    with pytest.raises(BadAddress):
        refuse(ip_address(text))


@pytest.mark.parametrize("text", [*PRIVATE, *NEVER])
def test_a_name_that_leads_to_one_is_refused_before_any_connection(text, names, opened):
    names[0]["hook.example.org"] = [["93.184.216.34", text]]

    answer = send("https://hook.example.org/", b"{}", {})

    assert answer.status is None
    assert "hook.example.org is not allowed" in answer.fault
    assert text.partition("%")[0] not in answer.fault
    assert "private" not in answer.fault
    assert opened == []


def test_the_name_is_asked_for_once_and_the_address_is_kept(names, opened):
    """DNS rebinding: a name that leads to the loopback the second time it is asked for."""
    names[0]["rebind.example.org"] = [["93.184.216.34"], ["127.0.0.1"]]

    answer = send("https://rebind.example.org:8443/", b"{}", {})

    assert names[1] == ["rebind.example.org"]
    assert opened == [("93.184.216.34", 8443)]
    assert answer.fault == "The connection failed: Connection refused."


def test_each_address_of_a_name_is_tried(names, opened):
    names[0]["two.example.org"] = [["93.184.216.34", "2606:2800:220:1::1", "93.184.216.34"]]

    send("https://two.example.org/", b"{}", {})

    assert opened == [("93.184.216.34", 443), ("2606:2800:220:1::1", 443)]


def test_a_name_that_leads_nowhere(names):
    with pytest.raises(Unresolved):
        resolved(target_of("https://nowhere.example.org/"))

    assert "could not be resolved" in send("https://nowhere.example.org/", b"{}", {}).fault


def test_a_name_server_that_hangs_holds_nobody_for_long(monkeypatch):
    monkeypatch.setattr(webhook_addresses, "RESOLVE_TIMEOUT", 0.05)
    is_over = threading.Event()

    def hang(*_, **__):
        is_over.wait(10)
        return []

    monkeypatch.setattr(webhook_addresses.socket, "getaddrinfo", hang)

    with pytest.raises(Unresolved):
        resolved(target_of("https://slow.example.org/"))
    is_over.set()
