"""What the tests of raters share: an open round, and somebody else at the database."""

import psycopg
import pytest
from django.db import connection

from raters.models import User
from tests.working import Work, new_work


@pytest.fixture
def work(db: None) -> Work:
    """Three items, each for two raters, in an open round with one question."""
    return new_work()


@pytest.fixture
def first_rater(work: Work) -> User:
    return work.user()


@pytest.fixture
def other(db):
    """A connection of somebody else; ours waits for it but a moment."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL lock_timeout = '50ms'")
    with psycopg.connect(**params_of(connection)) as opened:
        yield opened


def params_of(wrapper):
    params = wrapper.get_connection_params()
    return {name: params[name] for name in ("dbname", "user", "password", "host", "port") if name in params}
