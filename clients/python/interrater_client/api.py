"""Requests to the API: errors with their reasons, pages as one sequence, and a second try where one is safe."""

import random
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import httpx

# A server that restarts is back within a minute.
MOST_TRIES = 6
MOST_SECONDS = 30.0
# The server says so before it has done anything.
NOTHING_DONE = {429, 503}


class APIError(Exception):
    """A request that the server refused.

    status: of HTTP. code: the reason, for programs. errors: which field of the request or line of the file, and why.
    request_id: what the operator of the server finds in its log.
    """

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        errors: Sequence[Mapping[str, Any]] = (),
        request_id: str = "",
    ) -> None:
        super().__init__(f"{detail} ({status} {code})")
        self.status, self.code, self.detail = status, code, detail
        self.errors, self.request_id = errors, request_id


class API:
    """The requests of one client, below /api/v1/."""

    def __init__(self, http: httpx.Client) -> None:
        self.http = http

    def get(self, path: str, **params: str | int | None) -> Any:
        return self.send("GET", path, params={k: v for k, v in params.items() if v is not None}).json()

    def get_when_ready(self, path: str, timeout: float) -> Any:
        """The same, asked for again while the server answers 202; raises TimeoutError after so many seconds."""
        until = time.monotonic() + timeout
        while (response := self.send("GET", path)).status_code == 202:
            if time.monotonic() > until:
                raise TimeoutError(f"{path} is still being computed after {timeout:g} seconds.")
            time.sleep(_retry_after(response) or 1.0)
        return response.json()

    def post(self, path: str, body: Any = None, **params: str) -> Any:
        return self.send("POST", path, json={} if body is None else body, params=params).json()

    def pages(self, path: str, **params: str | int | None) -> Iterator[Any]:
        """Every result of a list, page by page."""
        page, seen = 1, 0
        while True:
            found = self.get(path, page=page, page_size=1000, **params)
            yield from found["results"]
            seen += len(found["results"])
            if seen >= found["count"] or not found["results"]:
                return
            page += 1

    def send(self, method: str, path: str, **request: Any) -> httpx.Response:
        """The response, if the server did what was asked; raises APIError or httpx.TransportError.

        Tries again when the server is busy or starting, and a GET also when the connection broke. The body of any
        other request whose connection broke may have arrived: that is for the caller to decide.
        """
        for tries in range(1, MOST_TRIES + 1):
            wait = min(MOST_SECONDS, 2.0 ** (tries - 1)) * random.uniform(0.5, 1)  # noqa: S311  Not a secret.
            try:
                response = self.http.request(method, path, **request)
            except httpx.TransportError:
                if method != "GET" or tries == MOST_TRIES:
                    raise
            else:
                if response.is_success:
                    return response
                if response.status_code not in NOTHING_DONE or tries == MOST_TRIES:
                    raise _error_of(response)
                wait = min(MOST_SECONDS, _retry_after(response) or wait)
            time.sleep(wait)
        raise AssertionError("unreachable")


def _retry_after(response: httpx.Response) -> float:
    text = response.headers.get("Retry-After", "")
    return float(text) if text.isdigit() else 0.0


def _error_of(response: httpx.Response) -> APIError:
    try:
        body = response.json()
    except ValueError:
        body = None
    if not isinstance(body, Mapping) or "error" not in body:
        return APIError(response.status_code, "unexpected", f"The server answered {response.reason_phrase}.")
    return APIError(
        response.status_code,
        str(body["error"]),
        str(body.get("detail", "")),
        body.get("errors", []),
        str(body.get("request_id", "")),
    )
