"""Whether labels have changed since they were read."""

from dataclasses import replace

from django.db import connection

from core.history import head_of
from projects.models import Project
from raters.changed_labels import labels_changed_since
from raters.models import Label
from tests.labeling import labeled_project


def head(project: Project):
    """As if what was written had been committed."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")
        return head_of(project.pk, cursor)


def test_a_changed_label_is_noticed(db):
    project = labeled_project("changed")
    question = project.questions.get()
    before = head(project)

    assert not labels_changed_since(before, [question.pk])
    Label.objects.filter(question=question)[0].delete()

    assert labels_changed_since(before, [question.pk])
    assert not labels_changed_since(head(project), [question.pk])


def test_labels_that_were_being_written_at_that_time_are_noticed(db):
    """Their entry has a lower id than the last one that the reader had seen, and a higher position."""
    project = labeled_project("written")
    seen = replace(head(project), position=0)

    assert labels_changed_since(seen, [project.questions.get().pk])
