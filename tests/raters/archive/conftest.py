"""Fixtures that the tests of this folder share."""

import pytest

from raters.models import User
from tests import cast, live


@pytest.fixture
def petra(committed_db: None) -> User:
    return cast.person("petra", unique=True)


@pytest.fixture(scope="module")
def empty_server(live_database):
    """Another database, as empty as on the first day."""
    name = live.copy_test_database("empty")
    yield name
    live.drop_database(name)
