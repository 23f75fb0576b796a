"""No answer to a person who is signed in is kept by a browser or a proxy."""

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.views.decorators.cache import cache_control

from config.caching import NoStoreMiddleware
from tests.config.routes import ROWS
from tests.config.routes.asking import client_of
from tests.faults.matrix import send
from tests.sizes import FULL, some

SUBJECTS = ("lead", "rater", "stranger")
# Kept by one browser, which asks each time: the bytes never change, the right to see them may.
# Media files are asked for again each time; the documentation is the same for everyone.
STORED = {
    "api_media_file": "private, no-cache",
    "documentation": "no-cache",
    "documentation_file": "no-cache",
}


def cached(response) -> list[str]:
    return [part.strip() for part in response.headers["Cache-Control"].split(",")]


@pytest.mark.parametrize("row", some(ROWS, every=5), ids=str)
def test_no_answer_to_one_who_is_signed_in_is_stored(worlds, row):
    world, _ = worlds
    address = reverse(row.name, args=row.args(world)) + row.query

    # In `make test` every fifth row is asked for, by one of them.
    for subject in SUBJECTS if FULL else SUBJECTS[ROWS.index(row) % 3 :][:1]:
        response = send(client_of(world, subject), row, address)

        if response.status_code == 200 and row.name in STORED:
            assert response.headers["Cache-Control"] == STORED[row.name]
        else:
            assert "no-store" in cached(response), f"{subject}: {response.status_code}"


def test_what_no_view_answers_is_not_stored_either(db, stranger, settings):
    settings.DEBUG = False
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)
    client.force_login(stranger)

    for response in (
        client.get("/nothing/"),
        client.get("/projects/new"),
        client.post("/projects/new/", {"name": "Mine"}),
        client.get("/api/v1/nothing/"),
        client.get("/", headers={"Host": "elsewhere.example"}),
    ):
        assert cached(response) == ["no-store"], response.status_code


def test_an_error_is_not_stored(db, stranger, monkeypatch):
    client = Client(raise_request_exception=False)
    client.force_login(stranger)

    def broken(*args):
        raise RuntimeError

    monkeypatch.setattr("reports.results.queries.project_rows", broken)
    response = client.get("/")

    assert (response.status_code, cached(response)) == (500, ["no-store"])


def test_a_view_may_say_otherwise(db, rf):
    @cache_control(private=True, no_cache=True)
    def view(request):
        return HttpResponse()

    assert sorted(cached(NoStoreMiddleware(view)(rf.get("/")))) == ["no-cache", "private"]


def test_static_files_are_kept(db, settings, stranger):
    settings.WHITENOISE_USE_FINDERS = settings.WHITENOISE_AUTOREFRESH = True
    settings.WHITENOISE_MAX_AGE = 60
    outermost, *others = settings.MIDDLEWARE
    settings.MIDDLEWARE = [outermost, "whitenoise.middleware.WhiteNoiseMiddleware", *others]
    client = Client()
    client.force_login(stranger)

    response = client.get("/static/js/progress.js")
    response.getvalue()
    response.close()

    assert cached(response) == ["max-age=60", "public"]
