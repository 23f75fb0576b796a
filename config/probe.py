"""Checks the health of this machine's web server; run as a program, it is the image's health check."""

import http.client
import os
import sys


def probe(path: str, *, port: int) -> int | None:
    """The status of the server's response, or None if there is none."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", path, headers={"Host": _host(), "X-Forwarded-Proto": "https"})
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def _host() -> str:
    """A host name that the server accepts: the first of ALLOWED_HOSTS."""
    first = os.environ.get("ALLOWED_HOSTS", "").split(",")[0].strip().lstrip(".")
    return first if first not in {"", "*"} else "localhost"


if __name__ == "__main__":
    sys.exit(0 if probe(sys.argv[1], port=int(sys.argv[2])) == 200 else 1)
