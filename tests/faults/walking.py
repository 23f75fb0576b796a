"""Every route of the program as one person walks it: requests made from the URL configuration, and their answers."""

import json
import logging
import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.contrib.auth.models import AbstractBaseUser
from django.db import connection
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from tests import cast

METHODS = ("get", "post", "put", "patch", "delete")


@dataclass(frozen=True, slots=True)
class Route:
    name: str
    # Of each part of the address: its name, and what kind it is.
    parts: dict[str, str]
    methods: tuple[str, ...]

    @property
    def is_api(self) -> bool:
        return self.name.startswith("api_") and self.name != "api_help"


@dataclass(frozen=True, slots=True)
class Step:
    """One request."""

    route: str
    method: str
    address: str
    form: dict[str, Any] = field(default_factory=dict)
    # JSON instead of a form.
    body: str | None = None
    headers: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.method.upper()} {self.address} {self.body or self.form or ''}"


@dataclass(frozen=True, slots=True)
class Seen:
    """All that an answer tells; n_queries: the work behind it, which somebody might measure by the clock."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: str
    n_queries: int


def routes() -> list[Route]:
    return [_route(pattern) for pattern in patterns()]


def patterns() -> Iterator[URLPattern]:
    return _patterns(get_resolver().url_patterns)


def _patterns(found: Iterable[URLPattern | URLResolver]) -> Iterator[URLPattern]:
    for pattern in found:
        if isinstance(pattern, URLResolver):
            yield from _patterns(pattern.url_patterns)
        else:
            yield pattern


def _route(pattern: URLPattern) -> Route:
    kinds = {name: type(of).__name__ for name, of in getattr(pattern.pattern, "converters", {}).items()}
    if not kinds:
        kinds = dict.fromkeys(pattern.pattern.regex.groupindex, "regex")
    view = getattr(pattern.callback, "view_class", None) or getattr(pattern.callback, "cls", None)
    methods = tuple(method for method in METHODS if hasattr(view, method)) if view else ("get", "post")
    return Route(str(pattern.name), kinds, methods)


def walk(steps: Iterable[Step], *, by: AbstractBaseUser) -> list[Seen]:
    """Send all, one after the other, signed in as one person; who is signed out by one of them signs in again."""
    client = Client(raise_request_exception=False)
    cast.sign_in(client, by)
    seen = []
    # Refusals are what is walked into all the time: writing each with its trace would take most of the time.
    logging.disable(logging.WARNING)
    try:
        for step in steps:
            seen.append(_sent(client, step))
            if "session" not in client.cookies or not client.cookies["session"].value:
                cast.sign_in(client, by)
    finally:
        logging.disable(logging.NOTSET)
    return seen


def _sent(client: Client, step: Step) -> Seen:
    n_queries = 0

    def count(execute: Callable[..., Any], *query: Any) -> Any:
        nonlocal n_queries
        n_queries += 1
        return execute(*query)

    with connection.execute_wrapper(count):
        if step.body is not None:
            answer = client.generic(
                step.method.upper(),
                step.address,
                step.body,
                content_type="application/json",
                headers=step.headers,
            )
        else:
            answer = getattr(client, step.method)(step.address, step.form)
        content = b"".join(answer.streaming_content) if answer.streaming else answer.content
    headers = tuple(
        sorted((name, masked(value)) for name, value in answer.headers.items() if name not in OF_EACH)
    )
    cookies = tuple(sorted(("Set-Cookie", _cookie(morsel)) for morsel in answer.cookies.values()))
    body = masked(content.decode("utf-8", "backslashreplace"))
    return Seen(answer.status_code, headers + cookies, body, n_queries)


# Of each answer by itself, whatever it says.
OF_EACH = frozenset({"Expires", "X-Request-ID"})


def _cookie(morsel: Any) -> str:
    return f"{morsel.key} {sorted((name, bool(value)) for name, value in morsel.items())}"


# What is new for every request, whoever asks: forms' tokens, keys, request ids, tokens of the API.
MASKS = [
    (re.compile(r'(name="csrfmiddlewaretoken" value=")[A-Za-z0-9]+'), r"\1-"),
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), "<uuid>"),
    (re.compile(r'("request_id": ?")[0-9a-f]{16}'), r"\1-"),
    (re.compile(r"(X-Request-ID: )[0-9a-f]{16}"), r"\1-"),
    (re.compile(r"irr_[0-9a-f]+"), "<token>"),
    (re.compile(r'(name="seed" value=")[0-9]+'), r"\1-"),
    (re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(Z|[+][0-9:]+)"), "<time>"),
]


def masked(text: str) -> str:
    for pattern, instead in MASKS:
        text = pattern.sub(instead, text)
    return text


Sent = tuple[dict[str, Any], dict[str, str]]


@dataclass(slots=True)
class Script:
    """Makes requests for all routes out of ids that exist, of one's own and of others."""

    chance: random.Random
    slugs: list[str]
    ids: list[int]
    # Ids that one's own pages are asked for more often than chance would.
    own: list[int]
    # For routes that take more than an empty form: what to send.
    special: dict[tuple[str, str], Callable[[dict[str, Any]], Sent]]

    def steps(self, chosen: Sequence[Route]) -> list[Step]:
        """A request for each method of these routes, in any order."""
        made = [self.step(route, method) for route in chosen for method in route.methods]
        self.chance.shuffle(made)
        return made

    def step(self, route: Route, method: str) -> Step:
        parts = {name: self._part(name, kind) for name, kind in route.parts.items()}
        address = reverse(route.name, kwargs=parts)
        make = self.special.get((route.name, method))
        sent, headers = make(parts) if make else ({}, {})
        if route.is_api and method != "get":
            return Step(route.name, method, address, body=json.dumps(sent), headers=headers)
        return Step(route.name, method, address, form=sent)

    def _part(self, name: str, kind: str) -> Any:
        if name == "slug":
            return self.slugs[0] if self.chance.random() < 0.9 else self.chance.choice(self.slugs)
        if kind == "IdConverter":
            return self.chance.choice(self.own if name == "pk" and self.chance.random() < 0.6 else self.ids)
        if kind == "IntConverter":
            return self.chance.randrange(3)
        if kind == "UUIDConverter":
            return UUID(int=self.chance.getrandbits(128), version=4)
        return self.chance.choice(["tone", "none-0"])
