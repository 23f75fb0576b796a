"""Fixtures that the tests of this folder share."""

import pytest

from raters.models import User
from tests import cast


@pytest.fixture
def petra(committed_db: None) -> User:
    return cast.person("petra", unique=True)
