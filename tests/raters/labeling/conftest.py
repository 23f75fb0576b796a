"""Fixtures that the tests of this folder share."""

import pytest

from tests.working import Work, new_work


@pytest.fixture
def committed_work(committed_db) -> Work:
    """On committed rows: each saving is a transaction of its own, by which what it changed is known."""
    return new_work()
