"""Nothing that labels depend on is deleted by accident (promise P17)."""

import pytest
from django.apps import apps
from django.db import models

from projects.models import Project
from raters.models import Label, LabelRevision, User

OURS = {"projects", "raters", "reports"}


def parents_of(model: type[models.Model]) -> set[type[models.Model]]:
    """Every model that a label's foreign keys lead to, through any number of steps."""
    found: set[type[models.Model]] = set()
    waiting = [model]
    while waiting:
        for key in foreign_keys(waiting.pop()):
            parent = key.related_model
            if parent not in found:
                found.add(parent)
                waiting.append(parent)
    return found


def foreign_keys(model: type[models.Model]) -> list[models.ForeignKey]:
    return [field for field in model._meta.get_fields() if isinstance(field, models.ForeignKey)]


LABEL_PATH = parents_of(Label) | {Label, LabelRevision}
KEYS = sorted(
    (key for model in LABEL_PATH for key in foreign_keys(model) if model._meta.app_label in OURS), key=str
)


def test_the_path_to_labels_holds_what_it_should():
    assert {Label, LabelRevision, Project, User} <= LABEL_PATH
    assert len(KEYS) >= 10


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_no_foreign_key_on_the_path_to_labels_deletes_or_forgets(key):
    assert key.remote_field.on_delete is models.PROTECT


def test_every_foreign_key_of_the_database_keeps_what_it_points_to(db):
    from django.db import connection

    tables = [model._meta.db_table for model in apps.get_models() if model in LABEL_PATH]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT conrelid::regclass::text, conname, confdeltype FROM pg_constraint "
            "WHERE contype = 'f' AND conrelid::regclass::text = ANY (%s)",
            [tables],
        )
        rules = cursor.fetchall()

    # 'a' is NO ACTION and 'r' RESTRICT: the database itself deletes and forgets nothing.
    assert rules
    assert all(rule in {"a", "r"} for _, _, rule in rules)
