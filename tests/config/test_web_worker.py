"""The web server under slow, large, broken and hasty clients."""

import hashlib
import http.client
import os
import re
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from config import gunicorn, web_connections, web_worker
from config.environment import BASE_DIR
from config.probe import probe
from config.supervisor.web_socket import listen
from tests.config.echo import PIECE
from tests.live import Site, wait_until
from tests.sizes import only_in_full

# Of each kind: more than four times the threads of both processes.
N_SLOW = 60
HEAD = b"POST /sign-in/ HTTP/1.1\r\nHost: localhost\r\n"


@contextmanager
def serve(**environment: str) -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
    """gunicorn as configured, with the small program in place of ours."""
    with listen("0") as listener, tempfile.NamedTemporaryFile() as log:
        command = [
            sys.executable,
            "-m",
            "gunicorn",
            "--config",
            "config/gunicorn.py",
            "tests.config.echo:application",
        ]
        popen = subprocess.Popen(
            command,
            cwd=BASE_DIR,
            env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings"}
            | {"WEB_BIND": f"fd://{listener.fileno()}", **environment},
            pass_fds=[listener.fileno()],
            stdout=log,
            stderr=log,
        )
        port = listener.getsockname()[1]
        try:
            wait_until(lambda: probe("/", port=port) == 200)
            yield port, popen
        finally:
            popen.terminate()
            popen.wait(60)
        assert "Traceback" not in Path(log.name).read_text(), Path(log.name).read_text()[-3000:]


@pytest.fixture(scope="module")
def echo() -> Iterator[int]:
    with serve() as (port, _):
        yield port


@pytest.fixture
def connection(echo: int) -> Iterator[http.client.HTTPConnection]:
    connection = http.client.HTTPConnection("127.0.0.1", echo, timeout=60)
    yield connection
    connection.close()


def ask(client: http.client.HTTPConnection, *request: object, **more: object) -> tuple[int, bytes]:
    client.request(*request, **more)
    answer = client.getresponse()
    return answer.status, answer.read()


def response_to(body: bytes) -> bytes:
    return f"{len(body)} {hashlib.sha256(body).hexdigest()}".encode()


# --- Slow clients


@only_in_full
@pytest.mark.faults
def test_slow_clients_of_every_kind_hold_up_nobody(echo: int, site: Site):
    """And are all sent away: idle, slow headers, slow bodies of declared length and in chunks, slow readers."""
    port = urlsplit(site.url).port
    beginnings = [
        b"",
        HEAD,
        HEAD + b"Content-Length: 5000000\r\n\r\n",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\nffffff\r\n",
    ]
    slowest, n_asked = 0.0, 0
    with ExitStack() as stack:
        slow = [
            stack.enter_context(connect(port, beginning)) for beginning in beginnings for _ in range(N_SLOW)
        ]
        trickling = slow[N_SLOW:]
        left, until = set(slow), time.monotonic() + 60
        while left and time.monotonic() < until:
            before = time.monotonic()
            assert probe("/healthz", port=port) == 200
            slowest, n_asked = max(slowest, time.monotonic() - before), n_asked + 1
            for client in trickling:
                trickle(client)
            left = {client for client in left if not is_closed(client)}
            select_for(0.25)

    assert slowest < 1.0
    assert n_asked > 20
    assert left == set()


def connect(port: int | None, beginning: bytes, *, window: int = 0) -> socket.socket:
    client = socket.socket()
    if window:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
    client.connect(("127.0.0.1", port))
    client.sendall(beginning)
    client.setblocking(False)
    return client


def trickle(client: socket.socket) -> None:
    try:
        client.send(b"x")
    except OSError:
        return


def is_closed(client: socket.socket) -> bool:
    """Whether the server has ended this connection; what it said before is read and forgotten."""
    try:
        while client.recv(65536):
            pass
    except BlockingIOError:
        return False
    except OSError:
        pass
    return True


def select_for(seconds: float) -> None:
    with selectors.DefaultSelector() as selector:
        selector.select(seconds)


def pid_at(port: int) -> bytes:
    return spoken(port, b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n").rpartition(b" ")[2]


@pytest.mark.parametrize("path", ["/pieces", "/file"])
def test_slow_readers_hold_no_thread_and_get_everything(echo: int, path: str):
    n_bytes = len(PIECE) * 160
    request = f"GET {path}?n={n_bytes} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()
    with ExitStack() as stack:
        readers = [stack.enter_context(connect(echo, request, window=4096)) for _ in range(40)]

        before = time.monotonic()
        answers = [probe("/", port=echo) for _ in range(10)]
        took = time.monotonic() - before
        readers[0].setblocking(True)
        with readers[0].makefile("rb") as answer:
            response = answer.read()

    assert answers == [200] * 10
    assert took < 10
    head, _, body = response.partition(b"\r\n\r\n")
    assert (unchunked(body) if b"chunked" in head else body) == PIECE * 160


def unchunked(body: bytes) -> bytes:
    parts = []
    while (found := re.match(rb"([0-9A-F]+)\r\n", body)) and (size := int(found.group(1), 16)):
        parts.append(body[found.end() : found.end() + size])
        body = body[found.end() + size + 2 :]
    return b"".join(parts)


@only_in_full
def test_body_at_an_honest_but_slow_speed_arrives(echo: int, monkeypatch):
    """Longer than a body may take to begin, at more than the least rate."""
    length = 60_000
    with connect(echo, HEAD + f"Content-Length: {length}\r\n\r\n".encode()) as client:
        client.setblocking(True)
        began = time.monotonic()
        for _ in range(60):
            client.sendall(b"y" * (length // 60))
            select_for((web_connections.START_SECONDS + 4) / 60)
        took = time.monotonic() - began
        answer = client.recv(65536)

    assert took > web_connections.START_SECONDS
    assert answer.startswith(b"HTTP/1.1 200 OK")
    assert response_to(b"y" * length) in answer


# --- Requests as they come


def test_large_body_arrives_whole(connection: http.client.HTTPConnection):
    body = os.urandom(1 << 20) * 24

    status, response = ask(connection, "POST", "/", body)

    assert status == 200
    assert response.startswith(response_to(body))


def test_body_in_chunks_arrives_whole(connection: http.client.HTTPConnection):
    parts = [os.urandom(size) for size in (1, 7, 8190, 65_536, 300_000, 2)]

    status, response = ask(connection, "POST", "/", iter(parts), encode_chunked=True)

    assert status == 200
    assert response.startswith(response_to(b"".join(parts)))


@pytest.mark.parametrize("size", ["-5", "+5", "0x5", "5_0", "g", ""])
def test_chunks_of_no_size_are_refused(echo: int, size: str):
    request = HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + size.encode() + b"\r\nhello\r\n0\r\n\r\n"

    assert spoken(echo, request).startswith(b"HTTP/1.1 400 ")


def test_nothing_is_read_as_a_request_after_chunks(echo: int):
    smuggled = b"5\r\nhello\r\n0\r\n\r\nGET /pieces?n=0 HTTP/1.1\r\nHost: localhost\r\n\r\n"

    response = spoken(
        echo, HEAD.replace(b"/sign-in/", b"/deaf") + b"Transfer-Encoding: chunked\r\n\r\n" + smuggled
    )

    assert response.count(b"HTTP/1.1 ") == 1


def spoken(port: int, request: bytes) -> bytes:
    """All that the server says to these bytes until it closes."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as client:
        client.sendall(request)
        with client.makefile("rb") as answer:
            return answer.read()


def test_body_longer_than_any_limit_is_cut_before_the_program_sees_it(echo: int):
    request = HEAD + b"Content-Length: 900000000\r\n\r\n" + b"z" * web_worker.FORM

    response = spoken(echo, request)

    assert response_to(b"z" * web_worker.FORM) in response
    assert b"Connection: close" in response


def test_a_client_that_expects_continue_gets_it_once(echo: int):
    with socket.create_connection(("127.0.0.1", echo), timeout=30) as client:
        client.sendall(HEAD + b"Content-Length: 5\r\nConnection: close\r\nExpect: 100-continue\r\n\r\n")
        first = client.recv(1000)
        client.sendall(b"hello")
        with client.makefile("rb") as answer:
            rest = answer.read()

    assert first == b"HTTP/1.1 100 Continue\r\n\r\n"
    assert rest.startswith(b"HTTP/1.1 200 OK")
    assert response_to(b"hello") in rest


def test_connection_is_kept_for_the_next_request(connection: http.client.HTTPConnection):
    first = ask(connection, "POST", "/", b"one")
    kept = connection.sock
    select_for(3)
    second = ask(connection, "POST", "/deaf", b"two" * 100_000)
    third = ask(connection, "GET", "/")

    assert (first[0], second, third[0]) == (200, (403, b"no"), 200)
    assert connection.sock is kept is not None
    assert gunicorn.keepalive == 15


def test_requests_sent_at_once_are_answered_in_their_order(echo: int):
    body = b"Host: localhost\r\nContent-Length: %d\r\n%s\r\n%s"
    bodies = [b"a", b"bb" * 70_000, b"ccc"]
    ends = [b"", b"", b"Connection: close\r\n"]

    response = spoken(
        echo,
        b"".join(
            b"POST / HTTP/1.1\r\n" + body % (len(text), end, text)
            for text, end in zip(bodies, ends, strict=True)
        ),
    )

    assert re.findall(rb"\r\n\r\n(\d+ \w+)", response) == [response_to(text) for text in bodies]


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"GET /\xff HTTP/1.1\r\nHost: a\r\n\r\n", b"400"),
        (b"rubbish\r\n\r\n", b"400"),
        (b"GET /" + b"a" * 5000 + b" HTTP/1.1\r\n\r\n", b"414"),
        (b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 200 + b"\r\n", b"431"),
        (b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\n" + b"A" * 900_000, b"431"),
    ],
)
def test_broken_requests_are_refused(echo: int, request_: bytes, status: bytes):
    assert spoken(echo, request_).startswith(b"HTTP/1.1 " + status)


def test_more_clients_than_places_shut_nobody_out(echo: int):
    with ExitStack() as stack:
        for _ in range(2 * gunicorn.worker_connections + 100):
            stack.enter_context(connect(echo, b"GET / HTTP/1.1\r\n"))

        answers = [probe("/", port=echo) for _ in range(5)]

    assert answers == [200] * 5


@only_in_full
def test_server_stops_at_once_with_idle_and_slow_clients():
    with serve() as (port, popen), ExitStack() as stack:
        # A process that is still starting does not heed the signal.
        wait_until(lambda: len({pid_at(port) for _ in range(20)}) == gunicorn.workers)
        for beginning in (b"", HEAD):
            for _ in range(20):
                stack.enter_context(connect(port, beginning))
        began = time.monotonic()

        popen.send_signal(signal.SIGTERM)
        popen.wait(30)

    assert time.monotonic() - began < gunicorn.graceful_timeout
