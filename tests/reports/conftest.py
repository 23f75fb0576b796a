"""A lead, signed in, with a project of known figures; committed, so that reports can be computed."""

from collections.abc import Iterator

import pytest
from django.db import transaction

from projects.models import Project, Question
from reports.models import Report
from tests import cast
from tests.labeling import new_question
from tests.reports import gallery
from tests.reports.gallery import on_show
from tests.reports.looking import led_by
from tests.reports.on_demand import ask_and_compute
from tests.reports.rated import Rated, rated_once


@pytest.fixture(autouse=True)
def computed_at_once(monkeypatch):
    """What pages leave to a worker is there when they ask for it."""
    monkeypatch.setattr("reports.store.on_demand.ask_for", ask_and_compute)


@pytest.fixture
def lead(committed_db):
    return cast.person("lena", unique=True)


@pytest.fixture
def cats(lead) -> Iterator[Project]:
    """[22 9; 7 13]: kappa 0.353407. Nothing is computed yet."""
    with on_show(gallery.cats, lead) as project:
        yield project


@pytest.fixture
def own_cats(lead) -> Project:
    """The same for this test alone, whose labels it may change: reports read what is committed."""
    return led_by(lead, gallery.cats(lead))


@pytest.fixture
def cats_computed(lead) -> Iterator[Report]:
    """A report on [22 9; 7 13]."""
    with on_show(gallery.cats_computed, lead) as report:
        yield report


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
def rated_round(committed_db) -> Iterator[Rated]:
    """A revealed round with everything to be said of a rater; what a test does to it is taken back after it."""
    made = rated_once()
    with transaction.atomic():
        yield made
        transaction.set_rollback(True)
