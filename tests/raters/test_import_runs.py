"""From a confirmed draft to labels by a worker, and the command that does without one."""

import io
import json
import os
import subprocess
import sys
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from projects.models import Project
from raters.imports import loading
from raters.imports.actions import ImportNotConfirmable, confirm, give_up, upload
from raters.imports.import_refusals import FileKnown
from raters.imports.label_options import LabelOptions
from raters.models import ImportChunk, Label, LabelImport
from raters.tasks import load_import
from tests import files
from tests.files import GOOD, load, send

State = LabelImport.State


def test_a_draft_is_confirmed_once(project, lead):
    draft = upload(project, "labels.csv", [GOOD], LabelOptions(), by=lead)

    confirm(draft, by=lead)

    with pytest.raises((ImportNotConfirmable, FileKnown)):
        confirm(LabelImport.objects.get(pk=draft.pk), by=lead)
    assert LabelImport.objects.get().state == State.QUEUED


def test_a_worker_loads_a_confirmed_import_and_forgets_the_file(project, lead):
    draft = upload(project, "labels.csv", [GOOD[:10], GOOD[10:]], LabelOptions(), by=lead)
    confirm(draft, by=lead)

    load_import(draft.pk)
    load_import(draft.pk)

    draft.refresh_from_db()
    assert (draft.state, draft.n_created, draft.share_done) == (State.DONE, 2, 1.0)
    assert not ImportChunk.objects.exists()
    assert Label.objects.count() == 2


def test_a_conflict_that_arose_meanwhile_fails_the_import_as_a_whole(project, lead):
    draft = upload(project, "labels.csv", [GOOD], LabelOptions(), by=lead)
    confirm(draft, by=lead)
    load(project, b"item,rater,label\na,ben,yes\n")

    load_import(draft.pk)

    draft.refresh_from_db()
    assert (draft.state, draft.n_faults) == (State.FAILED, 1)
    assert draft.failure.startswith("Nothing was imported. The file has 1 problem: line 3, column label")
    assert files.answers(project) == [("a", "ben", "yes")]


def test_an_import_into_a_project_closed_meanwhile_fails(project, lead):
    draft = upload(project, "labels.csv", [GOOD], LabelOptions(), by=lead)
    confirm(draft, by=lead)
    project.state = Project.State.CLOSED
    project.save()

    load_import(draft.pk)

    draft.refresh_from_db()
    assert (draft.state, draft.failure) == (
        State.FAILED,
        "The project Reviews is closed. Reopen it to import labels.",
    )
    assert not Label.objects.exists()


def test_a_project_that_is_closed_while_labels_are_written_gets_none(project, lead, monkeypatch):
    draft = upload(project, "labels.csv", [GOOD], LabelOptions(), by=lead)
    confirm(draft, by=lead)
    write = loading.write_labels

    def closing(of: Project, *given, **options) -> int:
        n_created = write(of, *given, **options)
        Project.objects.filter(pk=project.pk).update(state=Project.State.CLOSED)
        return n_created

    monkeypatch.setattr(loading, "write_labels", closing)

    load_import(draft.pk)

    draft.refresh_from_db()
    assert draft.state == State.FAILED
    assert not Label.objects.exists()


def test_a_cancelled_import_writes_nothing(project, lead):
    draft = upload(project, "labels.csv", [GOOD], LabelOptions(), by=lead)
    confirm(draft, by=lead)

    assert give_up(draft, by=lead)
    load_import(draft.pk)

    assert not Label.objects.exists()
    assert not ImportChunk.objects.exists()


def test_a_large_file_is_kept_in_pieces(project, lead):
    content = b"item,rater,label\n" + b"".join(b"item-%07d,ann,yes\n" % n for n in range(60_000))

    draft = upload(project, "labels.csv", [content], LabelOptions(), by=lead)

    sizes = [len(chunk.content) for chunk in draft.chunks.all()]
    assert (sum(sizes), max(sizes)) == (len(content), 1024 * 1024)
    assert draft.n_labels == 60_000


def test_the_command_loads_and_tells(lead, tmp_path):
    path = tmp_path / "labels.csv"
    path.write_bytes(GOOD)
    told = io.StringIO()

    call_command("import_labels", "new", path, create_project="New", by=lead.username, yes=True, stdout=told)

    project = Project.objects.get(slug="new")
    done = project.imports.get()
    assert told.getvalue() == (f"Import {done.pk} into new: 2 labels; 2 created, 0 changed, 0 unchanged.\n")


def test_the_command_lists_faults_and_changes_nothing(project, tmp_path):
    path = tmp_path / "labels.csv"
    path.write_bytes(GOOD + b"a,ann,maybe\n")
    told = io.StringIO()

    with pytest.raises(CommandError, match=r"1 problem found\. Nothing was imported\."):
        call_command("import_labels", project.slug, path, yes=True, stderr=told)

    assert told.getvalue().startswith('line 4, column label: "maybe" – already labeled by ann on line 2')
    assert not LabelImport.objects.exists()


def test_the_command_asks_before_it_changes_anything(project, tmp_path, monkeypatch):
    path = tmp_path / "labels.csv"
    path.write_bytes(GOOD)
    told = io.StringIO()
    monkeypatch.setattr("sys.stdin", io.StringIO())

    with pytest.raises(CommandError, match="To import, add --yes"):
        call_command("import_labels", project.slug, path, stdout=told)

    assert "New in the project: 2 × category (label: yes, label: no)." in told.getvalue()
    assert not Label.objects.exists()


def test_the_command_checks_only(project, tmp_path):
    path = tmp_path / "labels.jsonl"
    path.write_text("\n".join(json.dumps({"item": n, "rater": "ann", "label": "yes"}) for n in range(3)))
    told = io.StringIO()

    call_command("import_labels", project.slug, path, check=True, stdout=told)

    assert "3 labels to create" in told.getvalue()
    assert not Label.objects.exists()


def test_a_worker_locks_the_row_before_the_pieces_as_giving_up_does(project, lead):
    draft = upload(project, "labels.csv", [GOOD], LabelOptions(), by=lead)
    confirm(draft, by=lead)

    with CaptureQueriesContext(
        connection,
    ) as captured:
        load_import(draft.pk)

    ended = [place for place, query in enumerate(captured) if "'done'" in query["sql"]]
    forgot = [
        place for place, query in enumerate(captured) if 'DELETE FROM "raters_importchunk"' in query["sql"]
    ]
    assert ended[0] < forgot[0]
    assert not draft.chunks.exists()


def test_the_file_of_an_import_that_failed_is_forgotten(project, lead):
    draft = upload(project, "labels.csv", [GOOD], LabelOptions(), by=lead)
    confirm(draft, by=lead)
    load(project, b"item,rater,label\na,ann,no\n")

    load_import(draft.pk)

    draft.refresh_from_db()
    assert draft.state == State.FAILED
    assert not draft.chunks.exists()


def test_a_command_without_a_database_says_so_in_one_sentence(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_bytes(GOOD)
    environment = {**os.environ, "DATABASE_URL": "postgres://nobody@127.0.0.1:1/nothing"}

    done = subprocess.run(
        [sys.executable, "manage.py", "import_labels", "any", str(path)],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert done.returncode == 1
    assert done.stderr.startswith("CommandError: The database could not be reached:")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("share", "seconds", "left"),
    [
        (0.02, 60, None),
        (0.5, 3, None),
        (0.25, 30, 90),
        (0.9, 9, 10),
        (0.5, 500, 480),
        (0.1, 2_000, 18_000),
    ],
)
def test_the_time_left_is_estimated_once_there_is_something_to_tell_by(client, project, share, seconds, left):
    send(client, project, GOOD)
    started = timezone.now() - timedelta(seconds=seconds)
    LabelImport.objects.update(
        state=State.RUNNING, stage="Writing the labels", share_done=share, started_at=started
    )
    run = LabelImport.objects.get()

    page = client.get(f"{run.get_absolute_url()}?part=progress").content.decode()

    assert run.seconds_left == left
    assert ("left" in page) == (left is not None)


def test_a_finished_import_has_no_time_left(client, project):
    send(client, project, GOOD)

    assert LabelImport.objects.get().seconds_left is None
