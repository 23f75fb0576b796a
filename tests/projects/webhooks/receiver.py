"""A server that takes webhooks, on a free port of the loopback: real requests, and whatever answer a test wants."""

import json
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True, slots=True)
class Received:
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def event_id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def payload(self) -> dict[str, Any]:
        return json.loads(self.body)


@dataclass(slots=True)
class Receiver:
    """answer: what each request is answered with: status, headers, body. before: done first, such as waiting."""

    url: str = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b"thanks"
    before: Callable[[Any], None] | None = None
    received: list[Received] = field(default_factory=list)

    @property
    def port(self) -> int:
        return int(self.url.rsplit(":", 1)[1].partition("/")[0])


@contextmanager
def receiving(
    *, host: str = "127.0.0.1", context: ssl.SSLContext | None = None, name: str | None = None
) -> Iterator[Receiver]:
    """name: of the host in the address, if it is another one than it listens at."""
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = {key.lower(): value for key, value in self.headers.items()}
            receiver.received.append(Received(self.path, headers, body))
            if receiver.before is not None:
                receiver.before(self)
            self.send_response(receiver.status)
            for key, value in {"Content-Length": str(len(receiver.body)), **receiver.headers}.items():
                self.send_header(key, value)
            self.end_headers()
            self.wfile.write(receiver.body)

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        daemon_threads = True

        def handle_error(self, *_: object) -> None:
            """Who hangs up early is what some tests are about."""

    server = Server((host, 0), Handler)
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    shown = name or (f"[{host}]" if ":" in host else host)
    receiver.url = f"http{'s' if context else ''}://{shown}:{server.server_address[1]}/hook"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
