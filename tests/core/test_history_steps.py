"""New entries of the history are read in steps of about the same number of rows."""

import pytest
from django.db import connection

from core import history
from core.models import HistoryEntry
from tests.labeling import add_labels, new_question


def end_of_step(project, after):
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {history.end_of_step('%(project)s', '%(after)s')}",
            {"project": project.pk, "after": after},
        )
        [end] = cursor.fetchone()
    return end


@pytest.fixture
def positions(project):
    """Of three entries with four rows each."""
    question = new_question(project)
    before = HistoryEntry.objects.filter(project_id=project.pk).count()
    for rater in ("ann", "bob", "eve"):
        add_labels(question, [(f"i{n}", rater, "yes") for n in range(4)])
    with connection.cursor() as cursor:
        # As a commit does.
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    entries = HistoryEntry.objects.filter(project_id=project.pk, kind="R").order_by("position")
    assert list(entries.values_list("n_rows", flat=True)) == [4, 4, 4]
    assert HistoryEntry.objects.filter(project_id=project.pk).count() == before + 3
    return list(entries.values_list("position", flat=True))


@pytest.mark.parametrize(("most_rows", "n_read"), [(1, 1), (4, 1), (5, 2), (100, 3)])
def test_a_step_has_whole_entries_and_about_the_given_number_of_rows(
    project, positions, monkeypatch, most_rows, n_read
):
    monkeypatch.setattr(history, "_MOST_ROWS", most_rows)

    assert end_of_step(project, positions[0] - 1) == positions[n_read - 1]


def test_a_step_has_a_limited_number_of_entries(project, positions, monkeypatch):
    monkeypatch.setattr(history, "_MOST_ENTRIES", 2)

    assert end_of_step(project, positions[0] - 1) == positions[1]
    assert end_of_step(project, positions[1]) == positions[2]


def test_after_the_last_entry_there_is_no_step(project, positions):
    assert end_of_step(project, positions[-1]) is None
