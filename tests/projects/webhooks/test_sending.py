"""One request to a real server: what is sent, what counts as arrived, and that it ends."""

import datetime
import ipaddress
import socket
import ssl
import time

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from projects.webhooks import posting
from projects.webhooks.posting import send
from tests.projects.webhooks.receiver import receiving

HEADERS = {"Content-Type": "application/json", "webhook-id": "1"}


def certificate(folder, *names: str):
    """A context of a server, and the file by which its certificate is trusted."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test")])
    now = datetime.datetime.now(datetime.UTC)
    alternatives = [
        x509.IPAddress(ipaddress.ip_address(each)) if each[0].isdigit() else x509.DNSName(each)
        for each in names
    ]
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem, trusted = folder / "server.pem", folder / "trusted.pem"
    trusted.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    pem.write_bytes(private + trusted.read_bytes())
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    return context, trusted


def test_it_arrives_as_it_was_sent(receiver):
    answer = send(f"{receiver.url}?a=1", b'{"x":1}', HEADERS)

    [received] = receiver.received
    assert answer.is_fine
    assert (answer.status, answer.excerpt) == (200, "thanks")
    assert (received.path, received.body) == ("/hook?a=1", b'{"x":1}')
    assert received.headers["host"] == f"127.0.0.1:{receiver.port}"
    assert received.headers["content-type"] == "application/json"


def test_over_ipv6(private_allowed):
    with receiving(host="::1") as receiver:
        answer = send(receiver.url, b"{}", HEADERS)

        assert answer.status == 200
        assert receiver.received[0].headers["host"] == f"[::1]:{receiver.port}"


def test_without_permission_the_loopback_is_not_reached(receiver, settings):
    settings.WEBHOOK_PRIVATE_ADDRESSES = False

    for host in ("127.0.0.1", "localhost", "[::ffff:127.0.0.1]"):
        answer = send(f"http://{host}:{receiver.port}/", b"{}", HEADERS)

        assert answer.status is None
        assert ("is not allowed" if host == "localhost" else "private network") in answer.fault
    assert receiver.received == []


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_not_followed(receiver, status):
    receiver.status, receiver.headers = status, {"Location": f"http://127.0.0.1:{receiver.port}/elsewhere"}

    answer = send(receiver.url, b"{}", HEADERS)

    assert answer.fault == (
        f"The server answered {status}. Redirects are not followed: enter the final address."
    )
    assert len(receiver.received) == 1


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500, 503])
def test_other_answers_are_failures(receiver, status):
    receiver.status = status

    answer = send(receiver.url, b"{}", HEADERS)

    assert (answer.status, answer.fault, answer.is_final) == (status, f"The server answered {status}.", False)


def test_gone_is_final(receiver):
    receiver.status = 410

    assert send(receiver.url, b"{}", HEADERS).is_final


@pytest.mark.parametrize("status", [200, 201, 202])
def test_the_twenties_are_fine(receiver, status):
    receiver.status = status

    assert send(receiver.url, b"{}", HEADERS).is_fine


def test_a_proxy_of_the_environment_is_not_asked(receiver, monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1/")

    assert send(receiver.url, b"{}", HEADERS).is_fine


def test_only_the_beginning_of_an_answer_is_read_and_kept(receiver):
    receiver.body = "ä\0".encode() * 1_000_000

    answer = send(receiver.url, b"{}", HEADERS)

    assert answer.is_fine
    assert len(answer.excerpt) == 1000
    assert "\0" not in answer.excerpt


def test_a_server_that_does_not_answer(receiver, monkeypatch):
    monkeypatch.setattr(posting, "TOTAL_TIMEOUT", 0.3)
    receiver.before = lambda handler: time.sleep(2)

    began = time.monotonic()
    answer = send(receiver.url, b"{}", HEADERS)

    assert time.monotonic() - began < 1.5
    assert answer.fault.startswith("No complete answer within")


def drip(handler) -> None:
    """A byte at a time: each comes soon enough, and all of them never."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    for _ in range(100):
        handler.wfile.write(b"x")
        time.sleep(0.05)


def test_a_server_that_answers_byte_by_byte(receiver, monkeypatch):
    monkeypatch.setattr(posting, "TOTAL_TIMEOUT", 0.4)
    receiver.before = drip

    began = time.monotonic()
    answer = send(receiver.url, b"{}", HEADERS)

    assert time.monotonic() - began < 2
    assert answer.fault.startswith("No complete answer within")


def test_nobody_listens(private_allowed):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    assert send(f"http://127.0.0.1:{port}/", b"{}", HEADERS).fault == (
        "The connection failed: Connection refused."
    )


def test_what_is_no_http(private_allowed):
    def answer_nonsense(handler) -> None:
        handler.wfile.write(b"220 mail.example.org ESMTP\r\n")
        handler.connection.close()

    with receiving() as receiver:
        receiver.before = answer_nonsense

        assert "not valid HTTP" in send(receiver.url, b"{}", HEADERS).fault


def test_the_certificate_must_be_that_of_the_name(private_allowed, tmp_path, monkeypatch):
    context, trusted = certificate(tmp_path, "localhost")
    monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
    with receiving(context=context, name="localhost") as receiver:
        fine = send(receiver.url, b"{}", HEADERS)
        # The same server by a name that is not in its certificate.
        wrong = send(receiver.url.replace("localhost", "127.0.0.1"), b"{}", HEADERS)

    assert fine.is_fine
    assert receiver.received[0].headers["host"] == f"localhost:{receiver.port}"
    assert wrong.fault.startswith("The certificate is not valid: IP address mismatch")
    assert len(receiver.received) == 1


def test_a_certificate_that_nobody_vouches_for(private_allowed, tmp_path):
    context, _ = certificate(tmp_path, "localhost")
    with receiving(context=context, name="localhost") as receiver:
        answer = send(receiver.url, b"{}", HEADERS)

    assert answer.fault.startswith("The certificate is not valid: self-signed certificate")
    assert receiver.received == []


def test_encryption_where_there_is_none(receiver):
    answer = send(receiver.url.replace("http://", "https://"), b"{}", HEADERS)

    assert answer.fault.startswith("The encrypted connection failed: ")
