"""A client connection of the web server: the received part of its request, and the unsent part of its response."""

import os
import re
import selectors
import socket
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, BinaryIO

# A body or a response may start slowly; after that, this average of bytes per second is the minimum, and no pause may
# be longer than this (seconds). 200 MB at 100 kB/s are fine.
START_SECONDS, MIN_RATE, LONGEST_PAUSE = 20.0, 1000, 30.0
PIECE = 256 * 1024
LONGEST_LINE = 8190


class Client(socket.socket):
    """A client's socket; data it does not accept at once is left for the loop to send."""

    def __init__(self, fileno: int) -> None:
        super().__init__(fileno=fileno)
        self.left: list[Unsent] = []
        self.patience = 0.0

    def sendall(self, data: Any, flags: int = 0, /) -> None:
        view = memoryview(data)
        while view and not self.left:
            try:
                view = view[self.send(view, flags) :]
            except BlockingIOError:
                self._wait_until_writable()
        if view:
            self.left[-1].append(view)

    def sendfile(self, file: Any, offset: int = 0, count: int | None = None) -> int:
        """The loop sends files; nothing but the next response follows one."""
        size = os.fstat(file.fileno()).st_size - offset if count is None else count
        self.left.append(Unsent(os.fdopen(os.dup(file.fileno()), "rb"), at=offset, end=offset + size))
        return size

    def _wait_until_writable(self) -> None:
        before = time.monotonic()
        with selectors.DefaultSelector() as selector:
            selector.register(self, selectors.EVENT_WRITE)
            is_writable = selector.select(max(self.patience, 0.0))
        self.patience -= time.monotonic() - before
        if not is_writable:
            self.left.append(Unsent(tempfile.TemporaryFile()))  # noqa: SIM115  (closed by the loop)


@dataclass(slots=True)
class Unsent:
    """The unsent part of a file."""

    file: BinaryIO
    at: int = 0
    end: int = 0

    def append(self, data: memoryview) -> None:
        self.file.write(data)
        self.end += len(data)

    @property
    def is_sent(self) -> bool:
        return self.at >= self.end

    def send(self, client: Client) -> int:
        """Send what the client accepts now; returns the number of bytes."""
        self.file.flush()
        n_sent = os.sendfile(client.fileno(), self.file.fileno(), self.at, min(self.end - self.at, PIECE))
        if n_sent == 0:
            raise ConnectionAbortedError("the file is shorter than it was")
        self.at += n_sent
        return n_sent


@dataclass(slots=True)
class ChunkedBody:
    """Finds the end of a chunked body; validation is left to gunicorn's parser."""

    line: bytearray = field(default_factory=bytearray)
    n_left: int = 0
    is_last: bool = False
    is_over: bool = False

    def feed(self, data: bytearray, room: int) -> int:
        """How many of these bytes belong to the body, up to a limit."""
        at, end = 0, min(len(data), room)
        while at < end and not self.is_over:
            if self.n_left:
                step = min(self.n_left, end - at)
                self.n_left -= step
                at += step
                continue
            stop = data.find(b"\n", at, end) + 1 or end
            self.line += data[at:stop]
            at = stop
            if self.line.endswith(b"\r\n"):
                self._end_line(bytes(self.line[:-2]))
                self.line.clear()
            elif len(self.line) > LONGEST_LINE:
                self.is_over = True
        return at

    def _end_line(self, line: bytes) -> None:
        if self.is_last:
            self.is_over = not line
            return
        digits = line.partition(b";")[0].strip(b" \t")
        if not re.fullmatch(rb"[0-9A-Fa-f]+", digits):
            self.is_over = True
            return
        size = int(digits, 16)
        self.is_last = size == 0
        # The data of a chunk ends with CRLF.
        self.n_left = size + 2 if size else 0


@dataclass(slots=True, eq=False)
class Connection:
    """A client, with the received part of its next request."""

    sock: Client
    client: Any
    server: Any
    # When it will be closed for being too slow.
    timeout: float
    began: float = 0.0
    n_moved: int = 0
    # Received bytes that belong to no request yet.
    arrived: bytearray = field(default_factory=bytearray)
    has_head: bool = False
    head: bytes = b""
    request: Any = None
    fault: Exception | None = None
    body: Any = None
    n_body: int = 0
    chunks: ChunkedBody | None = None
    # If a request's end is uncertain, no other may follow it on this connection.
    is_last: bool = False
    is_leaving: bool = False

    def pieces(self) -> Iterator[bytes]:
        """The received request, for the parser: first the head, and once that is parsed, the body."""
        yield self.head
        if self.body is not None:
            self.body.seek(0)
            while piece := self.body.read(PIECE):
                yield piece

    def begin(self) -> None:
        """Start timing a body or a response."""
        self.began, self.n_moved = time.monotonic(), 0
        self.moved(0)

    def moved(self, n_bytes: int) -> None:
        now = time.monotonic()
        self.n_moved += n_bytes
        self.timeout = min(self.began + START_SECONDS + self.n_moved / MIN_RATE, now + LONGEST_PAUSE)

    @property
    def is_busy(self) -> bool:
        return bool(self.arrived or self.has_head or self.sock.left)

    def forget_request(self) -> None:
        if self.body is not None:
            # Closing flushes the buffer, and the disk may be full.
            with suppress(OSError):
                self.body.close()
        self.request = self.fault = self.body = self.chunks = None
        self.has_head, self.head, self.n_body = False, b"", 0

    def close(self) -> None:
        for left in self.sock.left:
            with suppress(OSError):
                left.file.close()
        self.sock.left.clear()
        self.sock.close()
