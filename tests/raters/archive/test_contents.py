"""What a project file holds and what it leaves behind (P15)."""

import hashlib
import io
import json
import zipfile

from django.apps import apps
from django.contrib.postgres.fields import ArrayField
from django.db import models

from projects.models import Event, Project
from raters.archive.contents import BY_MODEL, KINDS, NOT_EXPORTED
from raters.models import Label, LabelRevision, User
from tests import cast
from tests.labeling import labeled_project
from tests.raters.archive.travelling import taken


def test_the_manifest_counts_and_digests_every_file(committed_db):
    project = labeled_project("Manifest", n_items=10, n_raters=3)
    content = taken(project)

    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        manifest = json.loads(archive.read("manifest.json"))
        for name, expected in manifest["files"].items():
            data = archive.read(name)
            assert hashlib.sha256(data).hexdigest() == expected["sha256"]
            assert data.count(b"\n") == expected["n"]
        history = archive.read("labelrevision.jsonl").splitlines(keepends=True)

    head = hashlib.sha256().hexdigest()
    for line in history:
        head = hashlib.sha256(head.encode() + line).hexdigest()
    assert manifest["head_of_history"] == head
    assert manifest["files"]["label.jsonl"]["n"] == Label.objects.filter(question__project=project).count()


def test_nothing_of_another_project_is_exported(committed_db):
    other = labeled_project("Secretive", n_items=3, n_raters=2)
    other.raters.filter(key="rater-000").update(key="somebody else")
    content = taken(labeled_project("Open", n_items=3, n_raters=2))

    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        everything = b"".join(archive.read(name) for name in archive.namelist())

    assert b"somebody else" not in everything
    assert b"Secretive" not in everything


def test_no_password_and_no_address_is_exported(committed_db):
    project = labeled_project("People", n_items=2, n_raters=1)
    user = cast.person("petra", unique=True)
    User.objects.filter(pk=user.pk).update(email="petra@example.org")
    project.raters.update(user=user)
    content = taken(project)

    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert json.loads(archive.read("people.jsonl")) == {
            "username": user.username,
            "first_name": "",
            "last_name": "",
        }


def test_every_table_of_a_project_is_exported_or_listed_as_left_out():
    """A new model that belongs to a project must be in one of the two lists."""
    of_project = {Project, LabelRevision}
    while True:
        more = {
            model
            for model in apps.get_models()
            if model._meta.app_label in {"projects", "raters"}
            for each in model._meta.concrete_fields
            if isinstance(each, models.ForeignKey) and each.related_model in of_project - {User}
        } - of_project
        if not more:
            break
        of_project |= more

    assert of_project - {Event} == ({*BY_MODEL, *NOT_EXPORTED} - {Event})
    assert not set(BY_MODEL) & set(NOT_EXPORTED)


def test_every_id_in_a_table_has_its_model():
    """A column that holds an id without a foreign key must say of what."""
    for kind in KINDS:
        # The source id of a label is a word of another program.
        named = {column for column in kind.columns if column.endswith("_id")} - {"source_id"}
        assert named <= set(kind.references), kind.name
        arrays = [name for name in kind.columns if isinstance(kind.field_of(name), ArrayField)]
        of_ids = {
            name for name in arrays if isinstance(kind.field_of(name).base_field, models.BigIntegerField)
        }
        assert of_ids <= set(kind.sets), kind.name
