"""A project with a history of every kind of entry."""

import pytest
from django.db import connection, transaction

from projects.events import record
from projects.models import Event
from raters.models import Label
from tests import cast
from tests.labeling import add_labels, new_question


@pytest.fixture
def chained_project(committed_db):
    """Six single labels of three raters, 40 in one statement, two changes, a withdrawal, and three events."""
    project = cast.new_project("Chain", unique=True)
    question = new_question(project, key="tone", categories=("good", "fair", "bad"))
    for item in ("i-1", "i-2"):
        for rater in ("ana", "ben", "eve"):
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute("SET LOCAL interrater.user_id = '7'")
                add_labels(question, [(item, rater, "good")])
    add_labels(question, [(f"j-{n}", "ana", "fair") for n in range(40)])
    bad = question.categories.get(key="bad")
    for label in Label.objects.filter(question=question, item__key="i-1")[:2]:
        label.category = bad
        label.save()
    Label.objects.get(question=question, item__key="i-2", rater__key="eve").delete()
    for about in ("a.csv", "b.csv", "c.csv"):
        record(Event.Kind.EXPORTED, project=project, about=about)
    return project
