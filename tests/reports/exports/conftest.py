"""A project with one question of each kind."""

import pytest

from tests import cast
from tests.labeling import add_labels, new_question
from tests.reports.exports.test_tables import NASTY
from tests.reports.looking import led_by
from tests.reports.numbers_and_sets import add_numbers, add_sets


@pytest.fixture
def mixed(lead):
    """One question of each kind; names that a spreadsheet would run, and a label that was withdrawn."""
    project = led_by(lead, cast.new_project("Mixed", unique=True))
    single = new_question(project, key="=answer", categories=NASTY)
    add_labels(single, [(f"item {n % 7}", f"+{n % 3}", NASTY[n * n % len(NASTY)]) for n in range(7 * 3)])
    number = new_question(project, key="score", categories=(), kind="number", level="interval")
    add_numbers(number, [[1.5, 2, None], [-3, -3.25, 1e-9], [0, 1, 2]])
    topics = new_question(project, key="topics", categories="ABC", kind="multiple")
    add_sets(topics, [[{"A"}, {"A", "B"}], [set(), {"C"}], [{"B"}, {"B"}]])
    return project
