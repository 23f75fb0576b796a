"""gunicorn's threaded worker, made safe from slow clients.

A thread gets a request only when all of it has arrived, and gives up the connection when its response is made: one loop
receives, sends what a slow client has not taken yet, and closes connections that are too slow. So slow clients cost
connections and room on the disk, never threads.
"""

import os
import re
import selectors
import socket
import tempfile
import time
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, BinaryIO

from gunicorn.http import RequestParser
from gunicorn.http.body import ChunkedReader
from gunicorn.http.errors import LimitRequestHeaders, NoMoreData
from gunicorn.workers.gthread import ThreadWorker

# Seconds for the request line and all headers, counted from their first byte.
HEAD_SECONDS = 10.0
# A body, or a response, may begin slowly; from then on this many bytes per second are the least, on average, and no
# pause may be longer than this (seconds). 200 MB at 100 kB/s are welcome.
START_SECONDS, MIN_RATE, LONGEST_PAUSE = 20.0, 1000, 30.0
# A client that has not closed by then, after our last byte, is left alone (seconds).
LINGER_SECONDS = 2.0
# How long a thread waits for a client that does not take its response, before the loop sends the rest (seconds).
SEND_PATIENCE = 0.25
# Bytes: bodies up to here wait in memory, longer ones in a temporary file; all bodies of one process together.
IN_MEMORY, MOST_WAITING = 128 * 1024, 1 << 30
# The parts of a form around its files, twice: a view must see more than its limit to name it.
FORM = 4 << 20
PIECE = 256 * 1024
LONGEST_LINE = 8190
# How often connections that are too slow are looked for (seconds).
EVERY = 0.5
TOO_SLOW = b"408 Request Timeout"
NO_ROOM = b"503 Service Unavailable"
REFUSED = b"\r\nRetry-After: 10\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


class Client(socket.socket):
    """A client's socket; what it does not take at once is kept for the loop to send."""

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
    """What is left to send: a part of a file."""

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
        """Send what the client takes now; returns how many bytes that were."""
        self.file.flush()
        n_sent = os.sendfile(client.fileno(), self.file.fileno(), self.at, min(self.end - self.at, PIECE))
        if n_sent == 0:
            raise ConnectionAbortedError("the file is shorter than it was")
        self.at += n_sent
        return n_sent


@dataclass(slots=True)
class Chunks:
    """Where a chunked body ends, or cannot be followed; judging it is left to gunicorn's parser."""

    line: bytearray = field(default_factory=bytearray)
    n_left: int = 0
    is_last: bool = False
    is_over: bool = False

    def feed(self, data: bytearray, room: int) -> int:
        """How many of these bytes belong to the body, of so many that it may take."""
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
        # The data of a chunk end in CRLF.
        self.n_left = size + 2 if size else 0


@dataclass(slots=True, eq=False)
class Connection:
    """One client, with what of its next request has arrived."""

    sock: Client
    client: Any
    server: Any
    # When it is closed for being too slow, unless it goes on.
    timeout: float
    began: float = 0.0
    n_moved: int = 0
    # Bytes that belong to no request yet.
    arrived: bytearray = field(default_factory=bytearray)
    has_head: bool = False
    head: bytes = b""
    request: Any = None
    fault: Exception | None = None
    body: Any = None
    n_body: int = 0
    chunks: Chunks | None = None
    # Where a request's end is not certain, no other follows it on this connection.
    is_last: bool = False
    is_leaving: bool = False

    def pieces(self) -> Iterator[bytes]:
        """The request as it has arrived, for the parser: first the head, and once that is read, the body."""
        yield self.head
        if self.body is not None:
            self.body.seek(0)
            while piece := self.body.read(PIECE):
                yield piece

    def begin(self) -> None:
        """Start the clock of a body or a response."""
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
            # Closing writes what is left in the buffer, and the disk may be full.
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


class Worker(ThreadWorker):
    """Differs from gunicorn's in who reads requests, who ends slow connections, and who sends to slow readers."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.pending_conns: set[Connection] = set()
        self.keepalived_conns: deque[Connection] = deque()
        self.n_waiting = 0
        self.look_at = 0.0

    def init_process(self) -> None:
        from django.conf import settings

        self.most = max(settings.IMPORT_MAX_BYTES, settings.MEDIA_MAX_BYTES) + FORM
        super().init_process()

    def accept(self, listener: Any) -> None:
        try:
            accepted, address = listener.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return
        self.nr_conns += 1
        sock = Client(accepted.detach())
        sock.setblocking(False)
        until = time.monotonic() + self.cfg.keepalive
        if self.nr_conns >= self.worker_connections:
            self._make_room()
        self._wait(Connection(sock, address, listener.getsockname(), until))

    def _make_room(self) -> None:
        """Close the connection that is idle for the longest time, or else the slowest, in favour of a new one."""
        if self.keepalived_conns:
            self._drop(self.keepalived_conns[0])
        elif self.pending_conns:
            self._drop(min(self.pending_conns, key=lambda each: (each.is_busy, each.timeout)))

    # --- Receiving

    def _wait(self, conn: Connection) -> None:
        self.pending_conns.add(conn)
        self.poller.register(conn.sock, selectors.EVENT_READ, partial(self._receive, conn))

    def _stop_waiting(self, conn: Connection) -> None:
        self.poller.unregister(conn.sock)
        self.pending_conns.discard(conn)

    def on_client_socket_readable(self, conn: Connection, client: Client) -> None:
        """A connection that was kept alive goes on."""
        if client.fileno() < 0:
            return
        self.poller.unregister(client)
        self.keepalived_conns.remove(conn)
        self._wait(conn)
        self._receive(conn, client)

    def _receive(self, conn: Connection, client: Client) -> None:
        # Another event of the same round may have closed it.
        if client.fileno() < 0:
            return
        try:
            data = client.recv(PIECE)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._drop(conn)
        elif not conn.is_leaving:
            if not conn.is_busy:
                conn.timeout = time.monotonic() + HEAD_SECONDS
            conn.arrived += data
            self._advance(conn)

    def _advance(self, conn: Connection) -> None:
        """Take what has arrived into the request, and give it to a thread once it is whole."""
        if not conn.has_head and not self._take_head(conn):
            return
        if conn.fault is None:
            try:
                is_whole = self._take_body(conn)
            except OSError:
                # No room for temporary files.
                self._refuse(conn, NO_ROOM)
                return
            if not is_whole:
                if self.n_waiting > MOST_WAITING:
                    self._refuse(conn, NO_ROOM)
                return
        self._stop_waiting(conn)
        # The thread's sends return at once; what is not taken by the client comes back to the loop.
        conn.sock.patience = SEND_PATIENCE
        self.enqueue_req(conn)

    def _take_head(self, conn: Connection) -> bool:
        end = conn.arrived.find(b"\r\n\r\n")
        most = self.cfg.limit_request_fields * self.cfg.limit_request_field_size + self.cfg.limit_request_line
        if end < 0 and len(conn.arrived) <= most:
            return False
        conn.has_head, conn.head = True, bytes(conn.arrived[: end + 4])
        del conn.arrived[: end + 4]
        try:
            if end < 0:
                raise LimitRequestHeaders("the headers are too long")
            conn.request = next(RequestParser(self.cfg, conn.pieces(), conn.client))
        except Exception as fault:
            conn.fault = fault
            return True
        if isinstance(conn.request.body.reader, ChunkedReader):
            conn.chunks, conn.is_last = Chunks(), True
        else:
            conn.n_body = conn.request.body.reader.length
        if conn.request._expected_100_continue:
            conn.request._expected_100_continue = False
            if (conn.chunks or conn.n_body) and not conn.arrived:
                self._tell(conn, b"HTTP/1.1 100 Continue\r\n\r\n")
        conn.begin()
        return True

    def _take_body(self, conn: Connection) -> bool:
        """Whether the body is whole, or as much of it as any view looks at."""
        if not conn.chunks and not conn.n_body:
            return True
        if conn.body is None:
            conn.body = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115  (closed when answered)
        # Longer than anything that is taken: a view refuses it by its length, or by its first megabyte.
        most = min(conn.n_body, FORM) if conn.n_body > self.most else self.most
        room = most - conn.n_moved
        size = conn.chunks.feed(conn.arrived, room) if conn.chunks else min(room, conn.n_body - conn.n_moved)
        taken = conn.body.write(conn.arrived[:size])
        del conn.arrived[:taken]
        conn.moved(taken)
        self.n_waiting += taken
        is_whole = conn.chunks.is_over if conn.chunks else conn.n_moved == conn.n_body
        is_cut = not is_whole and conn.n_moved >= most
        conn.is_last |= is_cut
        return is_whole or is_cut

    # --- Answering

    def handle(self, conn: Connection) -> bool:
        """Answer a request that has arrived; runs in a thread."""
        conn.sock.setblocking(False)
        try:
            if conn.fault:
                raise conn.fault
            if conn.is_last:
                conn.request.force_close()
            return bool(self.handle_request(conn.request, conn)) and not conn.request.body.failed
        except (StopIteration, NoMoreData):
            self.log.debug("Closing connection.")
        except OSError as error:
            self.log.debug("Client disconnected: %s", error)
        except Exception as error:
            self.handle_error(conn.request, conn.sock, conn.client, error)
        return False

    def finish_request(self, conn: Connection, future: Any) -> None:
        """Back in the loop: send what is left, then wait for the next request or say goodbye."""
        is_kept = not future.cancelled() and future.exception() is None and bool(future.result())
        self._forget_request(conn)
        if conn.sock.fileno() < 0:
            # gunicorn closes where a response broke off in its middle.
            self.nr_conns -= 1
            conn.close()
        elif conn.sock.left:
            conn.begin()
            self.pending_conns.add(conn)
            send = partial(self._send, conn, is_kept=is_kept)
            self.poller.register(conn.sock, selectors.EVENT_WRITE, send)
        else:
            self._next(conn, is_kept=is_kept)

    def _send(self, conn: Connection, client: Client, *, is_kept: bool) -> None:
        if client.fileno() < 0:
            return
        left = client.left[0]
        try:
            conn.moved(left.send(client))
        except BlockingIOError:
            return
        except OSError:
            self._drop(conn)
            return
        if left.is_sent:
            left.file.close()
            client.left.remove(left)
        if not client.left:
            self._stop_waiting(conn)
            self._next(conn, is_kept=is_kept)

    def _next(self, conn: Connection, *, is_kept: bool) -> None:
        if not is_kept:
            self._leave(conn)
        elif conn.arrived:
            conn.timeout = time.monotonic() + HEAD_SECONDS
            self._wait(conn)
            self._advance(conn)
        else:
            conn.timeout = time.monotonic() + (self.cfg.keepalive if self.alive else LINGER_SECONDS)
            self.keepalived_conns.append(conn)
            self.poller.register(
                conn.sock, selectors.EVENT_READ, partial(self.on_client_socket_readable, conn)
            )

    # --- Ending

    def _refuse(self, conn: Connection, status: bytes) -> None:
        self._stop_waiting(conn)
        self._forget_request(conn)
        self._tell(conn, b"HTTP/1.1 " + status + REFUSED)
        self._leave(conn)

    def _tell(self, conn: Connection, words: bytes) -> None:
        try:
            conn.sock.send(words)
        except OSError as error:
            self.log.debug("Client disconnected: %s", error)

    def _leave(self, conn: Connection) -> None:
        """Close once the client has; before that, what it still sends would cut off the response on its way."""
        conn.is_leaving, conn.timeout = True, time.monotonic() + LINGER_SECONDS
        conn.arrived.clear()
        self._wait(conn)
        try:
            conn.sock.shutdown(socket.SHUT_WR)
        except OSError:
            self._drop(conn)

    def _drop(self, conn: Connection) -> None:
        self.poller.unregister(conn.sock)
        self.pending_conns.discard(conn)
        if conn in self.keepalived_conns:
            self.keepalived_conns.remove(conn)
        self.nr_conns -= 1
        self._forget_request(conn)
        conn.close()

    def _forget_request(self, conn: Connection) -> None:
        if conn.body:
            self.n_waiting -= conn.n_moved
        conn.forget_request()

    def murder_pending(self) -> None:
        """End the connections that are too slow."""
        now = time.monotonic()
        if now < self.look_at:
            return
        self.look_at = now + EVERY
        for conn in [each for each in self.pending_conns if each.timeout <= now]:
            if conn.is_busy and not conn.sock.left:
                self._refuse(conn, TOO_SLOW)
            else:
                self._drop(conn)

    def _cap_keepalive(self, deadline: float) -> None:
        """When the worker stops, connections that have not sent a whole head yet are waited for only briefly."""
        super()._cap_keepalive(deadline)
        for conn in self.pending_conns:
            if not conn.has_head and not conn.sock.left:
                conn.timeout = min(conn.timeout, deadline)
