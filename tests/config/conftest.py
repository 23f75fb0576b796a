"""Two worlds for the tests that ask every route."""

from collections.abc import Iterator
from copy import deepcopy

import pytest
from django.db import transaction

from tests.config.routes.asking import made_once
from tests.finished import World


@pytest.fixture
def worlds(committed_db) -> Iterator[tuple[World, World]]:
    """Two worlds that are made once; what a test does to them is taken back after it."""
    made = made_once("mine"), made_once("theirs")
    with transaction.atomic():
        yield deepcopy(made)
        transaction.set_rollback(True)
