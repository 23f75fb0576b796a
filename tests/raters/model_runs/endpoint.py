"""An endpoint for models on a free port of the loopback: real requests, and whatever reply a test wants."""

import json
import re
import socket
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_TEXT = re.compile(r"## text\n\n(.*)")


@dataclass(frozen=True, slots=True)
class Fault:
    """A reply other than an answer. cut: the connection ends in the middle of it. wait: set when it may be sent."""

    status: int = 200
    body: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: bool = False
    wait: threading.Event | None = None


def error(status: int, message: str = "", **headers: str) -> Fault:
    return Fault(status, json.dumps({"error": {"message": message}}), headers)


@dataclass(slots=True)
class Endpoint:
    """answer: what the model says of an item's text. faults: by text, the replies before that, in order."""

    url: str = ""
    answer: Callable[[str], Any] = lambda _: {"tone": "good"}
    faults: dict[str, list[Fault]] = field(default_factory=dict)
    usage: dict[str, int] | None = field(
        default_factory=lambda: {"prompt_tokens": 100, "completion_tokens": 10}
    )
    before: Callable[[str], None] | None = None
    received: list[tuple[dict[str, str], str]] = field(default_factory=list)
    guard: threading.Lock = field(default_factory=threading.Lock)

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [json.loads(body) for _, body in self.received]

    @property
    def texts(self) -> Counter[str]:
        """How often the text of each item was sent."""
        return Counter(text_of(body) for body in self.bodies)

    def reply_to(self, body: dict[str, Any]) -> Fault:
        text = text_of(body)
        with self.guard:
            faults = self.faults.get(text) or self.faults.get("any") or []
            if faults:
                return faults.pop(0)
        reply = self.answer(text)
        content = reply if isinstance(reply, str) else json.dumps(reply)
        message = {"role": "assistant", "content": content}
        completion = {"model": f"{body['model']}-2026-08", "choices": [{"message": message}]}
        return Fault(body=json.dumps(completion | ({"usage": self.usage} if self.usage else {})))


def text_of(body: dict[str, Any]) -> str:
    found = _TEXT.search(body["messages"][-1]["content"])
    return found.group(1) if found else body["messages"][-1]["content"]


@contextmanager
def answering() -> Iterator[Endpoint]:
    endpoint = Endpoint()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            with endpoint.guard:
                endpoint.received.append(({**dict(self.headers.items()), "path": self.path}, body))
            if endpoint.before is not None:
                endpoint.before(text_of(json.loads(body)))
            self.reply(endpoint.reply_to(json.loads(body)))

        def reply(self, reply: Fault) -> None:
            if reply.wait is not None:
                reply.wait.wait(60)
            sent = reply.body.encode()
            self.send_response(reply.status)
            for name, value in {**reply.headers, "Content-Length": str(len(sent))}.items():
                self.send_header(name, value)
            self.end_headers()
            if reply.cut:
                self.wfile.write(sent[: len(sent) // 2])
                self.wfile.flush()
                self.connection.shutdown(socket.SHUT_RDWR)
            else:
                self.wfile.write(sent)

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: object) -> None:
            """Whoever hangs up early is what some tests are about."""

    server = Server(("127.0.0.1", 0), Handler)
    endpoint.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield endpoint
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
