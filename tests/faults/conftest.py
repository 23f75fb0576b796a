"""Fixtures that the tests of this folder share."""

import logging
from collections.abc import Iterator

import pytest

from tests.faults.blind_world import no_superuser_left  # noqa: F401


@pytest.fixture
def quiet() -> Iterator[None]:
    """Where nearly everything is refused, writing each refusal with its trace would take most of the time."""
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)
