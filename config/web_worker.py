"""gunicorn's threaded worker, protected against slow clients.

A thread gets a request only once it has arrived completely, and releases the connection once the response is ready: a
single loop receives, sends the rest to slow clients, and closes connections that are too slow. So slow clients cost
connections and disk space, never threads.
"""

import selectors
import socket
import tempfile
import time
from collections import deque
from functools import partial
from typing import Any

from gunicorn.http import RequestParser
from gunicorn.http.body import ChunkedReader
from gunicorn.http.errors import LimitRequestHeaders, NoMoreData
from gunicorn.workers.gthread import ThreadWorker

from config.web_connections import PIECE, ChunkedBody, Client, Connection

# Seconds for the request line and all headers, counted from their first byte.
HEAD_SECONDS = 10.0
# How long we wait for the client to close after our last byte (seconds).
LINGER_SECONDS = 2.0
# How long a thread waits for a client that does not accept its response before the loop takes over (seconds).
SEND_PATIENCE = 0.25
# Bytes: bodies up to this size are kept in memory, longer ones in a temporary file; total for all bodies of a process.
IN_MEMORY, MOST_WAITING = 128 * 1024, 1 << 30
# Twice the allowance for form parts other than files: a view must see more than its limit to report it.
FORM = 4 << 20
# How often to look for slow connections (seconds).
EVERY = 0.5
TOO_SLOW = b"408 Request Timeout"
NO_ROOM = b"503 Service Unavailable"
REFUSED = b"\r\nRetry-After: 10\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


class Worker(ThreadWorker):
    """Differs from gunicorn's worker in who reads requests, closes slow connections, and sends to slow clients."""

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
        """Close the longest idle connection, or else the slowest, to make room for a new one."""
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
        """A kept-alive connection sends its next request."""
        if client.fileno() < 0:
            return
        self.poller.unregister(client)
        self.keepalived_conns.remove(conn)
        self._wait(conn)
        self._receive(conn, client)

    def _receive(self, conn: Connection, client: Client) -> None:
        # Another event of the same iteration may have closed it.
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
        """Add received data to the request, and pass it to a thread once it is complete."""
        if not conn.has_head and not self._take_head(conn):
            return
        if conn.fault is None:
            try:
                is_whole = self._take_body(conn)
            except OSError:
                # No space for temporary files.
                self._refuse(conn, NO_ROOM)
                return
            if not is_whole:
                if self.n_waiting > MOST_WAITING:
                    self._refuse(conn, NO_ROOM)
                return
        self._stop_waiting(conn)
        # The thread's sends return at once; what the client does not accept is left to the loop.
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
            conn.chunks, conn.is_last = ChunkedBody(), True
        else:
            conn.n_body = conn.request.body.reader.length
        if conn.request._expected_100_continue:
            conn.request._expected_100_continue = False
            if (conn.chunks or conn.n_body) and not conn.arrived:
                self._tell(conn, b"HTTP/1.1 100 Continue\r\n\r\n")
        conn.begin()
        return True

    def _take_body(self, conn: Connection) -> bool:
        """Whether the body is complete, or has as many bytes as any view reads."""
        if not conn.chunks and not conn.n_body:
            return True
        if conn.body is None:
            conn.body = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115  (closed when answered)
        # Longer than any accepted body: a view refuses it by its length, or by its first megabyte.
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
        """Respond to a complete request; runs in a thread."""
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
        """Back in the loop: send the rest, then wait for the next request or close."""
        is_kept = not future.cancelled() and future.exception() is None and bool(future.result())
        self._forget_request(conn)
        if conn.sock.fileno() < 0:
            # gunicorn closes the connection if a response was interrupted.
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
        """Close once the client has; closing while it still sends would cut off the response in transit."""
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
        """When the worker stops, wait only briefly for connections without a complete request head."""
        super()._cap_keepalive(deadline)
        for conn in self.pending_conns:
            if not conn.has_head and not conn.sock.left:
                conn.timeout = min(conn.timeout, deadline)
