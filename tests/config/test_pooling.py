"""A web server whose threads share connections: how many there are, and what happens when none is free."""

import http.client
import json
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import psycopg
import pytest
from django.db import OperationalError
from psycopg_pool import PoolTimeout

from core.web.unavailable import unavailable
from tests import services
from tests.live import Live, Site, away, open_site, wait_until, with_name
from tests.sizes import only_in_full
from tests.together import at_once

MOST, N_PROCESSES = 2, 2
API = "/api/v1/projects/"
# Whoever shows a token has the database look for it.
WITH_TOKEN = {"Authorization": f"Token irr_{'0' * 64}"}


@pytest.fixture(scope="module")
def before(live_database: str) -> int:
    """Connections of this process, which earlier tests have left."""
    with administering(live_database) as opened:
        return n_connections(opened)


@pytest.fixture(scope="module")
def pooled_site(before: int, live: Live) -> Iterator[Site]:
    environment = {"WEB_CONNECTIONS": str(MOST), "WEB_WORKERS": str(N_PROCESSES)}
    # A thread waits for a lock for longer than others wait for its connection.
    with open_site(live, PGOPTIONS="-c lock_timeout=8s -c statement_timeout=60s", **environment) as site:
        yield site


def ask(site: Site, path: str) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection(urlsplit(site.url).netloc, timeout=60)
    try:
        connection.request("GET", path, headers=WITH_TOKEN)
        answer = connection.getresponse()
        return answer.status, dict(answer.headers), answer.read()
    finally:
        connection.close()


@contextmanager
def administering(database: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(with_name(services.admin_url(), database), autocommit=True) as opened:
        yield opened


def n_connections(opened: psycopg.Connection) -> int:
    [n] = opened.execute(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'interrater'"
    ).fetchone()
    return int(n)


def test_many_requests_share_few_connections(before, pooled_site, live_database):
    answers = at_once(24, lambda number: [ask(pooled_site, API)[0] for _ in range(5)])

    with administering(live_database) as opened:
        assert 1 <= n_connections(opened) <= before + MOST * N_PROCESSES
    # On a busy machine, some may wait for longer than three seconds.
    assert {401} <= {status for each in answers for status in each} <= {401, 503}


@only_in_full
def test_who_gets_no_connection_in_time_is_refused_with_a_time_to_come_back(pooled_site, live_database):
    with administering(live_database) as opened, opened.transaction():
        opened.execute("LOCK TABLE knox_authtoken IN ACCESS EXCLUSIVE MODE")
        answers = at_once(12, lambda number: ask(pooled_site, API))
        # Needs no connection.
        assert ask(pooled_site, "/healthz")[0] == 200

    assert {status for status, _, _ in answers} == {503}
    codes = [json.loads(body)["error"] for _, _, body in answers]
    assert 1 <= codes.count("locked") <= MOST * N_PROCESSES
    assert codes.count("locked") + codes.count("no_connection") == len(codes)
    assert all(int(headers["Retry-After"]) > 0 for _, headers, _ in answers)
    assert ask(pooled_site, API)[0] == 401


@only_in_full
def test_a_database_that_was_away_is_found_again(pooled_site, live_database):
    assert ask(pooled_site, API)[0] == 401

    with away(live_database):
        assert ask(pooled_site, API)[0] == 503

    wait_until(lambda: ask(pooled_site, API)[0] == 401)


def test_a_page_says_that_the_server_is_busy():
    error = OperationalError("couldn't get a connection after 3.00 sec")
    error.__cause__ = PoolTimeout(str(error))

    assert unavailable(error).code == "no_connection"
