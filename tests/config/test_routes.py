"""Each row of the table of routes holds; a route without a row fails."""

from collections.abc import Iterator
from uuid import UUID

import pytest
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from tests.config.access_table import FILE, SUBJECTS, document
from tests.config.codebook_rows import draft_args
from tests.config.routes import ROWS
from tests.config.routes.arguments import audit_args
from tests.config.routes.asking import client_of, send
from tests.config.routes.row import HUGE, nothing, slug_only
from tests.sizes import FULL


def route_names(patterns: list[URLPattern | URLResolver]) -> Iterator[str]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from route_names(pattern.url_patterns)
        else:
            assert pattern.name, f"the route {pattern.pattern} has no name"
            yield pattern.name


def test_every_route_has_a_row():
    assert set(route_names(get_resolver().url_patterns)) == {row.name for row in ROWS}


def test_the_table_of_the_documentation_is_these_rows():
    assert FILE.read_text(encoding="utf-8") == document(ROWS), "Run: python -m tests.config.access_table"


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_each_subject_is_answered_as_they_may(worlds, row):
    world, _ = worlds
    address = reverse(row.name, args=row.args(world)) + row.query

    answers = [send(client_of(world, subject), row.method, address, row) for subject in SUBJECTS]

    assert dict(zip(SUBJECTS, answers, strict=True)) == dict(zip(SUBJECTS, row.answers, strict=True))


METHODS = {name: {row.method for row in ROWS if row.name == name} for name in {row.name for row in ROWS}}


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_a_wrong_method_is_refused(worlds, row):
    world, _ = worlds
    address = reverse(row.name, args=row.args(world))

    for method in (row.wrong_method, "trace") if FULL else (row.wrong_method,):
        response = client_of(world, "lead").generic(method.upper(), address)

        assert response.status_code == 405
        allowed = {name.lower() for name in response["Allow"].split(", ")} - {"head", "options"}
        if "get" in allowed - METHODS[row.name]:
            # The address of a form leads to its page.
            allowed -= {"get"} if client_of(world, "lead").get(address).status_code == 302 else set()
        # Pages of one's own account are forms of a library, which test_sign_up and others send.
        assert row.args is nothing or not row.is_of_project or allowed <= METHODS[row.name]


PROJECT_ROWS = [
    row for row in ROWS if row.args is not nothing and "token" not in row.name and row.is_of_project
]


@pytest.mark.parametrize("row", PROJECT_ROWS, ids=str)
def test_ids_of_another_project_do_not_exist_in_mine(worlds, row):
    mine, theirs = worlds
    args = row.args(theirs)
    smuggled = [mine.project.slug, *args[1:]] if len(args) > 1 else args
    address = reverse(row.name, args=smuggled)

    assert send(client_of(mine, "lead"), row.method, address, row) == 404


def _strange(arg: object) -> object:
    if isinstance(arg, UUID):
        return UUID(int=0)
    return HUGE if isinstance(arg, int) else "no such key"


# What names nothing but the project.
WITHOUT_IDS = {slug_only, draft_args, audit_args}


@pytest.mark.parametrize("row", [row for row in PROJECT_ROWS if row.args not in WITHOUT_IDS], ids=str)
def test_ids_that_nothing_has_are_not_found(worlds, row):
    world, _ = worlds
    slug, *args = row.args(world)
    strange = [slug, *(_strange(arg) for arg in args)]

    assert send(client_of(world, "lead"), row.method, reverse(row.name, args=strange), row) == 404
