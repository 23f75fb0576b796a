from django.db import connection

from core import planner
from projects.models import Item


def rows_known(table: str) -> float:
    with connection.cursor() as cursor:
        cursor.execute("SELECT reltuples FROM pg_class WHERE relname = %s", [table])
        return cursor.fetchone()[0]


def test_a_table_is_counted_once_many_rows_are_committed(
    project, monkeypatch, django_capture_on_commit_callbacks
):
    monkeypatch.setattr(planner, "MANY", 3)

    with django_capture_on_commit_callbacks(execute=True) as callbacks:
        Item.objects.bulk_create(Item(project=project, key=f"item-{n}") for n in range(3))
        planner.analyze_when_committed(Item, n_rows=3)
        planner.analyze_when_committed(Item, n_rows=2)

    assert len(callbacks) == 1
    assert rows_known("projects_item") == Item.objects.count() == 3


def test_rows_are_expected_as_they_were_last_counted(
    project, monkeypatch, django_capture_on_commit_callbacks
):
    monkeypatch.setattr(planner, "MANY", 1)
    with django_capture_on_commit_callbacks(execute=True):
        Item.objects.bulk_create(Item(project=project, key=f"item-{n}") for n in range(300))
        planner.analyze_when_committed(Item, n_rows=300)

    expected = planner.expected_rows(Item.objects.filter(project=project))

    assert 150 < expected < 600
