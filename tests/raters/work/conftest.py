"""What the tests of a rater's own work share."""

import pytest

from tests.working import Work, new_work


@pytest.fixture
def work(db: None) -> Work:
    """Three items, each for two raters, in an open round with one question."""
    return new_work()
