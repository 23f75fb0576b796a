"""A limit on how long an exchange with another server takes in total, whatever that server does."""

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class DeadlineExceeded(Exception):
    """Time was up."""


class Deadline:
    """Closes the watched connection when time is up, even during a read."""

    def __init__(self) -> None:
        self.is_over = False
        self._guard = threading.Lock()
        self._handle: int | None = None

    def watch(self, opened: socket.socket) -> None:
        """Through a duplicated handle: wrapping the socket in TLS takes over the original one."""
        with self._guard:
            self._forget()
            self._handle = os.dup(opened.fileno())
        if self.is_over:
            self.end()

    def end(self) -> None:
        self.is_over = True
        with self._guard:
            if self._handle is None:
                return
            with socket.socket(fileno=os.dup(self._handle)) as connection:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    # The peer has already closed it.
                    return

    def close(self) -> None:
        with self._guard:
            self._forget()

    def _forget(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


@contextmanager
def deadline(seconds: float) -> Iterator[Deadline]:
    """Raises DeadlineExceeded instead of the error that the cut-off caused."""
    limit = Deadline()
    timer = threading.Timer(seconds, limit.end)
    timer.daemon = True
    timer.start()
    try:
        yield limit
    except Exception as error:
        if limit.is_over:
            raise DeadlineExceeded from error
        raise
    finally:
        timer.cancel()
        limit.close()
    if limit.is_over:
        raise DeadlineExceeded
