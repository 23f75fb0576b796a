"""A lead, signed in, with a project of known figures; committed, so that reports can be computed."""

from collections.abc import Iterator

import pytest
from django.db import transaction
from django.test import Client

from projects.models import Question
from tests import cast
from tests.labelling import add_labels, from_table, new_question
from tests.reports.later import ask_and_compute
from tests.reports.looking import led_by
from tests.reports.rated import Rated, rated_once


@pytest.fixture(autouse=True)
def computed_at_once(monkeypatch):
    """What pages leave to a worker is there when they ask for it."""
    monkeypatch.setattr("reports.store.on_demand.ask_for", ask_and_compute)


@pytest.fixture
def lead(committed_db):
    return cast.person("lena", unique=True)


@pytest.fixture
def client(lead):
    client = Client()
    client.force_login(lead)
    return client


@pytest.fixture
def cats(lead):
    """[22 9; 7 13]: kappa 0.353407."""
    project = led_by(lead, cast.new_project("Cats and dogs", unique=True))
    add_labels(
        new_question(project, categories=("cat", "dog")), from_table([[22, 9], [7, 13]], ["cat", "dog"])
    )
    return project


@pytest.fixture
def numbers(lead):
    """A number question without labels."""
    project = led_by(lead, cast.new_project("Numbers", unique=True))
    return new_question(
        project, key="score", categories=(), kind=Question.Kind.NUMBER, level=Question.Level.INTERVAL
    )


@pytest.fixture
def sets(lead):
    """A multiple choice of A, B and C without labels."""
    project = led_by(lead, cast.new_project("Sets", unique=True))
    return new_question(project, key="topics", categories="ABC", kind=Question.Kind.MULTIPLE)


@pytest.fixture
def world(committed_db) -> Iterator[Rated]:
    """A revealed round with everything to be said of a rater; what a test does to it is taken back after it."""
    made = rated_once()
    with transaction.atomic():
        yield made
        transaction.set_rollback(True)
