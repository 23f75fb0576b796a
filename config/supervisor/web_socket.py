"""The socket that the web server listens on, held by the supervisor."""

import errno
import socket

from config.supervisor.console import StartError, say

ADDRESS = "127.0.0.1"
USUAL, N_TRIES = 8000, 20


def listen(wanted: str | None) -> socket.socket:
    """Listen on the requested port, or else on the default one or the next free one; on loopback only."""
    if wanted:
        return _listen_on(_port(wanted))
    for port in range(USUAL, USUAL + N_TRIES):
        if listener := _try(port):
            if port != USUAL:
                say(f"Port {USUAL} is in use. Using port {port} instead.")
            return listener
    raise StartError(
        f"Ports {USUAL} to {USUAL + N_TRIES - 1} are all in use. Choose a free port: make run PORT=9000"
    )


def _port(wanted: str) -> int:
    if not wanted.isdecimal() or not 0 <= int(wanted) <= 65535:
        raise StartError(f"PORT must be a number from 1 to 65535, got {wanted!r}.")
    return int(wanted)


def _listen_on(port: int) -> socket.socket:
    if listener := _try(port):
        return listener
    raise StartError(
        f"Port {port} is in use. Stop the program that uses it, or choose another port: make run PORT={port + 1}"
    )


def _try(port: int) -> socket.socket | None:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((ADDRESS, port))
        listener.listen(512)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            return None
        if error.errno == errno.EACCES:
            raise StartError(
                f"Port {port} requires root. Choose a port above 1023: make run PORT=8000"
            ) from error
        raise
    return listener
