"""The connection to one server."""

from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import Self

import httpx

from interrater_client import schemas
from interrater_client.api import API
from interrater_client.projects import Project


class Interrater:
    """A server, as the owner of a token.

    url: of the server, such as "https://interrater.example.org". token: from the account page; its scope and its
    owner's roles decide what is allowed. timeout: seconds without an answer. transport: how requests travel, for
    tests and proxies; see httpx.
    """

    def __init__(
        self, url: str, token: str, *, timeout: float = 60.0, transport: httpx.BaseTransport | None = None
    ) -> None:
        # A token never follows a redirect to another address.
        self._http = httpx.Client(
            base_url=f"{url.rstrip('/')}/api/v1/",
            headers={"Authorization": f"Token {token}", "Accept": "application/json"},
            timeout=timeout,
            transport=transport,
        )
        self._api = API(self._http)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def projects(self) -> Iterator[schemas.Project]:
        """The projects that you are a member of."""
        return self._api.pages("projects/")

    def project(self, slug: str) -> Project:
        """A project by the last part of its address; raises APIError if you cannot see it."""
        return Project(self._api, self._api.get(f"projects/{slug}/"))

    def create_project(self, name: str, *, slug: str | None = None, guidelines: str | None = None) -> Project:
        """A new project, with you as its lead. slug: for its address; None derives it from the name."""
        fields: Mapping[str, str | None] = {"name": name, "slug": slug, "guidelines": guidelines}
        body = {key: value for key, value in fields.items() if value is not None}
        return Project(self._api, self._api.post("projects/", body))
