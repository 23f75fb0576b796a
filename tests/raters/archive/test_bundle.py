"""A project out of one server and into another: complete, in one snapshot, and the same when taken out again (P15)."""

import hashlib
import io
import json
import threading
import zipfile
from io import BytesIO

import psycopg
import pytest
from django.db import connection
from django.utils import timezone

from projects.models import ItemVersion, MediaFile, Project
from raters.archive.contents import KINDS
from raters.archive.project_import import import_project
from raters.models import Label, LabelRevision, Message, Rater, Thread, User
from tests import cast, live
from tests.labeling import labeled_project
from tests.raters.archive.inventing import invented_project, n_rows
from tests.raters.archive.travelling import taken, there
from tests.sizes import size

N_PROJECTS = size(100, 5)


def test_a_table_that_is_newer_than_the_first_files_is_there_if_it_has_rows(committed_db, empty_server):
    project = labeled_project("Newer", n_items=4, n_raters=2)
    assert "itemversion.jsonl" not in zipfile.ZipFile(BytesIO(taken(project))).namelist()
    ItemVersion.objects.create(item=project.items.first(), content=[])

    content = taken(project)

    assert "itemversion.jsonl" in zipfile.ZipFile(BytesIO(content)).namelist()
    assert hashlib.sha256(there(empty_server, content)).hexdigest() == hashlib.sha256(content).hexdigest()


def test_questions_of_raters_and_their_answers_go_along(committed_db, empty_server):
    project = labeled_project("Asking", n_items=2, n_raters=1)
    person = cast.person("lara", unique=True)
    thread = Thread.objects.create(item=project.items.first(), rater=project.raters.first(), is_open=False)
    for text, is_answer in (("Is a colon a comma?", False), ("No.", True)):
        Message.objects.create(thread=thread, author=person, text=text, is_answer=is_answer)
    content = taken(project)

    with live.use_database(empty_server):
        arrived = import_project(BytesIO(content), lead=cast.person("boss", unique=True))
        [there_now] = Thread.objects.filter(item__project=arrived)
        messages = [(each.text, each.is_answer, each.author.username) for each in there_now.messages.all()]
        first = arrived.items.order_by("pk").first()

    assert messages == [("Is a colon a comma?", False, person.username), ("No.", True, person.username)]
    assert (there_now.is_open, there_now.item_id) == (False, first.pk)


def test_a_deleted_project_is_not_deleted_where_it_is_imported(committed_db, empty_server):
    project = labeled_project("Deleted", n_items=4, n_raters=2)
    Project.objects.filter(pk=project.pk).update(deletion_due_at=timezone.now())

    again = there(empty_server, taken(project))

    assert b"deletion_due_at" not in zipfile.ZipFile(BytesIO(again)).read("project.jsonl")


@pytest.mark.parametrize("seed", range(N_PROJECTS))
def test_a_project_is_the_same_after_a_journey(committed_db, empty_server, seed):
    content = taken(invented_project(seed))

    again = there(empty_server, content)

    assert hashlib.sha256(again).hexdigest() == hashlib.sha256(content).hexdigest()


def test_the_invented_projects_fill_every_column(committed_db):
    """A journey says nothing of a column that is the same in every row."""
    kinds = [kind for kind in KINDS if kind.model is not MediaFile]
    seen: dict[str, set[str]] = {f"{kind.name}.{column}": set() for kind in kinds for column in kind.columns}
    # What is as in the first project files is not written.
    for kind in kinds:
        for column, value in kind.added.items():
            seen[f"{kind.name}.{column}"].add(str(value))
    for seed in range(6):
        with zipfile.ZipFile(io.BytesIO(taken(invented_project(seed)))) as archive:
            for kind in kinds:
                has_rows = kind.file_name in archive.namelist()
                for line in archive.read(kind.file_name).splitlines() if has_rows else ():
                    for column, value in json.loads(line).items():
                        seen[f"{kind.name}.{column}"].add(str(value))

    # All rows of a file are of its one project, and of its one audit.
    same = {name for name, values in seen.items() if len(values) < 2}
    same -= {name for name in same if name.endswith((".project_id", ".audit_id"))}
    assert same == set()


def test_a_project_with_many_labels_is_the_same_after_a_journey(committed_db, empty_server):
    content = taken(labeled_project("Long way", n_items=200, n_raters=5))

    assert there(empty_server, content) == content


def test_the_export_is_the_same_every_time(committed_db):
    project = invented_project(1000)

    assert taken(project) == taken(project)


def test_history_and_labels_arrive_as_they_were(committed_db, empty_server):
    project = invented_project(1001)
    before = told(project)
    content = taken(project)

    with live.use_database(empty_server):
        after = told(import_project(BytesIO(content), lead=cast.person("boss", unique=True)))

    assert after == before


def told(project):
    """Every label and every change of one, in words."""
    labels = Label.objects.filter(question__project=project).order_by("pk")
    shown = labels.values_list(
        "item__key", "rater__key", "question__key", "category__key", "number", "revision", "note"
    )
    history = LabelRevision.objects.filter(question_id__in=project.questions.values("pk")).order_by("pk")
    users = dict(User.objects.values_list("pk", "username"))
    changes = [
        (
            each.change,
            each.revision,
            each.number,
            each.note,
            each.reason,
            users.get(each.user_id),
            each.source,
            each.at,
        )
        for each in history
    ]
    return list(shown), changes


def test_nothing_is_recorded_twice(committed_db, empty_server):
    project = invented_project(1002)
    n = LabelRevision.objects.filter(question_id__in=project.questions.values("pk")).count()
    content = taken(project)

    with live.use_database(empty_server):
        before = n_rows("raters_labelrevision")
        import_project(BytesIO(content), lead=cast.person("boss", unique=True))

        assert n_rows("raters_labelrevision") == before + n


def test_a_label_without_its_history_is_recorded_all_the_same(committed_db):
    project = labeled_project("Without", n_items=1, n_raters=1)
    label = Label.objects.filter(question__project=project).first()
    rater = Rater.objects.create(project=project, key="another")

    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('interrater.source', 'project file', false)")
        new = Label.objects.create(
            item=label.item, question=label.question, rater=rater, category=label.category
        )
        cursor.execute("SELECT set_config('interrater.source', '', false)")

    assert LabelRevision.objects.filter(label_id=new.pk).count() == 1


def test_an_export_during_50_writers_is_one_snapshot(committed_db, empty_server):
    project = labeled_project("Busy", n_items=50, n_raters=4)
    question = project.questions.get()
    categories = list(question.categories.values_list("pk", flat=True))
    labels = list(Label.objects.filter(question=question).order_by("pk").values_list("pk", flat=True))
    params = {
        name: value
        for name, value in connection.get_connection_params().items()
        if name not in {"cursor_factory", "context"}
    }
    stop, errors = threading.Event(), []

    def write(place):
        try:
            with psycopg.connect(**params) as own:
                turn = 0
                # Fifty without a pause would fill the history with more than there is to look at.
                while not stop.wait(0.05):
                    turn += 1
                    # Both of a pair change in one transaction: a snapshot sees both or none.
                    pair = labels[2 * place], labels[2 * place + 1]
                    chosen = categories[turn % len(categories)]
                    own.execute(
                        "UPDATE raters_label SET category_id = %s WHERE id = ANY (%s)", [chosen, list(pair)]
                    )
                    own.commit()
        except Exception as error:
            errors.append(error)

    writers = [threading.Thread(target=write, args=(place,)) for place in range(50)]
    for writer in writers:
        writer.start()
    try:
        contents = [taken(project) for _ in range(3)]
    finally:
        stop.set()
        for writer in writers:
            writer.join()

    assert errors == []
    for content in contents:
        assert_consistent(content, labels)
    assert len(set(contents)) == 3
    assert there(empty_server, contents[-1]) == contents[-1]


def assert_consistent(content, labels):
    """Each label is as its last revision says, and the two of a pair changed together."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        found = [json.loads(line) for line in archive.read("label.jsonl").splitlines()]
        last = {}
        for line in archive.read("labelrevision.jsonl").splitlines():
            revision = json.loads(line)
            last[revision["label_id"]] = revision
    assert len(found) == len(labels)
    for place, label in enumerate(found):
        assert (label["category_id"], label["revision"]) == (
            last[place]["category_id"],
            last[place]["revision"],
        )
    for place in range(50):
        first, second = found[2 * place], found[2 * place + 1]
        if first["revision"] > 1:
            assert first["category_id"] == second["category_id"]
        assert (first["revision"] > 1) == (second["revision"] > 1) or first["category_id"] == second[
            "category_id"
        ]
