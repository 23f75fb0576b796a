"""A small program for the web server's tests: says what arrived, and answers as slowly as its client reads."""

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import parse_qs

PIECE = b"0123456789abcdef" * 4096


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    answer = {"/file": file, "/pieces": pieces, "/deaf": deaf}.get(environ["PATH_INFO"], echo)
    return answer(environ, start_response)


def echo(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """The number and digest of the body's bytes, and which process answers."""
    digest, n_bytes = hashlib.sha256(), 0
    while piece := environ["wsgi.input"].read(65536):
        digest.update(piece)
        n_bytes += len(piece)
    text = f"{n_bytes} {digest.hexdigest()} {os.getpid()}".encode()
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(text)))])
    return [text]


def deaf(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """Answers without a look at the body."""
    start_response("403 Forbidden", [("Content-Type", "text/plain"), ("Content-Length", "2")])
    return [b"no"]


def pieces(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """So many bytes (?n=) of no declared length, as exports are sent."""
    start_response("200 OK", [("Content-Type", "text/plain")])
    return (PIECE for _ in range(_wanted(environ) // len(PIECE)))


def file(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """A file of so many bytes (?n=), as media are sent."""
    n_bytes = _wanted(environ)
    source = tempfile.TemporaryFile()  # noqa: SIM115  (the server closes it)
    source.write(PIECE * (n_bytes // len(PIECE)))
    source.seek(0)
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(n_bytes))])
    return environ["wsgi.file_wrapper"](source)


def _wanted(environ: dict[str, Any]) -> int:
    return int(parse_qs(environ["QUERY_STRING"])["n"][0])
