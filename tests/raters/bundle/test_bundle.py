"""A project out of one server and into another: complete, in one snapshot, and the same when taken out again (P15)."""

import hashlib
import io
import json
import threading
import zipfile
from io import BytesIO, StringIO

import psycopg
import pytest
from django.apps import apps
from django.contrib.postgres.fields import ArrayField
from django.core.management import CommandError, call_command
from django.db import connection, models
from django.urls import reverse
from django.utils import timezone

from projects.models import Event, ItemVersion, MediaFile, Membership, Project
from raters.archive.archive import BadProjectFile
from raters.archive.contents import BY_MODEL, KINDS, LEFT_BEHIND
from raters.archive.people import NameTaken
from raters.archive.reading import import_project
from raters.archive.writing import project_file
from raters.models import Label, LabelRevision, Rater, User
from tests import cast, live
from tests.labeling import labeled_project
from tests.raters.bundle.inventing import invented_project, n_rows
from tests.sizes import size

pytestmark = pytest.mark.signed_in(None)

N_PROJECTS = size(100, 5)


def taken(project):
    return b"".join(project_file(project))


@pytest.fixture(scope="module")
def empty_server(live_database):
    """Another database, as empty as on the first day."""
    name = live.copy_test_database("empty")
    yield name
    live.drop_database(name)


def there(empty_server, content):
    """Import into the empty server, and what it exports then."""
    with live.use_database(empty_server):
        lead = cast.person("boss", unique=True)
        project = import_project(BytesIO(content), lead=lead)
        return taken(project)


def test_a_table_that_is_newer_than_the_first_files_is_there_if_it_has_rows(committed_db, empty_server):
    project = labeled_project("Newer", n_items=4, n_raters=2)
    assert "itemversion.jsonl" not in zipfile.ZipFile(BytesIO(taken(project))).namelist()
    ItemVersion.objects.create(item=project.items.first(), content=[])

    content = taken(project)

    assert "itemversion.jsonl" in zipfile.ZipFile(BytesIO(content)).namelist()
    assert hashlib.sha256(there(empty_server, content)).hexdigest() == hashlib.sha256(content).hexdigest()


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
    said: dict[str, set[str]] = {f"{kind.name}.{column}": set() for kind in kinds for column in kind.columns}
    for seed in range(6):
        with zipfile.ZipFile(io.BytesIO(taken(invented_project(seed)))) as archive:
            for kind in kinds:
                has_rows = kind.file_name in archive.namelist()
                for line in archive.read(kind.file_name).splitlines() if has_rows else ():
                    for column, value in json.loads(line).items():
                        said[f"{kind.name}.{column}"].add(str(value))

    # All rows of a file are of its one project.
    same = {name for name, values in said.items() if len(values) < 2 and not name.endswith(".project_id")}
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


def test_nothing_of_another_project_goes_along(committed_db):
    other = labeled_project("Secretive", n_items=3, n_raters=2)
    other.raters.filter(key="rater-000").update(key="somebody else")
    content = taken(labeled_project("Open", n_items=3, n_raters=2))

    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        everything = b"".join(archive.read(name) for name in archive.namelist())

    assert b"somebody else" not in everything
    assert b"Secretive" not in everything


def test_no_password_and_no_address_goes_along(committed_db):
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


def test_people_of_the_file_cannot_sign_in(committed_db, empty_server):
    project = labeled_project("Accounts", n_items=2, n_raters=1)
    user = cast.person("petra", unique=True)
    project.raters.update(user=user)
    content = taken(project)

    with live.use_database(empty_server):
        imported = import_project(BytesIO(content), lead=cast.person("boss", unique=True))
        made = User.objects.get(username=user.username)

        assert not made.is_active
        assert not made.has_usable_password()
        assert [m.role for m in Membership.objects.filter(project=imported)] == ["lead"]
        assert Event.objects.filter(kind="project_imported", project_id=imported.pk).count() == 1


def altered(content, name, change):
    """The file with one of its files altered, everything else as it was."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as source, zipfile.ZipFile(out, "w") as target:
        for each in source.namelist():
            data = source.read(each)
            target.writestr(each, change(data) if each == name else data)
    return out.getvalue()


def in_manifest(before, after):
    return lambda content: altered(content, "manifest.json", lambda data: data.replace(before, after))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda content: content[: len(content) // 2], "not a project file"),
        (lambda content: b"hello", "not a project file"),
        (lambda content: altered(content, "label.jsonl", lambda data: data.replace(b"2", b"3", 1)), "label.jsonl"),
        (lambda content: altered(content, "labelrevision.jsonl", lambda data: data[:-50]), "labelrevision.jsonl"),
        (in_manifest(b'"format": 1', b'"format": 9'), "format"),
        (lambda content: altered(content, "manifest.json", lambda data: b"[]"), "manifest"),
        (in_manifest(b"label.jsonl", b"x.jsonl"), "does not match the files"),
    ],
    ids=["cut", "text", "label", "history", "format", "list", "names"],
)  # fmt: skip
def test_a_damaged_file_is_refused_and_changes_nothing(committed_db, empty_server, change, words):
    content = change(taken(labeled_project("Damaged", n_items=4, n_raters=2)))

    with live.use_database(empty_server):
        lead = cast.person("boss", unique=True)
        before = n_rows("projects_project"), n_rows("raters_label"), n_rows("raters_user")

        with pytest.raises(BadProjectFile, match=words):
            import_project(BytesIO(content), lead=lead)

        assert (n_rows("projects_project"), n_rows("raters_label"), n_rows("raters_user")) == before


def test_names_that_are_taken_are_refused(committed_db):
    project = labeled_project("Taken", n_items=2, n_raters=1)

    with pytest.raises(NameTaken, match=project.slug):
        import_project(BytesIO(taken(project)), lead=cast.person("boss", unique=True))


def test_an_export_during_50_writers_is_one_snapshot(committed_db, empty_server):
    project = labeled_project("Busy", n_items=50, n_raters=4)
    question = project.questions.get()
    categories = list(question.categories.values_list("pk", flat=True))
    labels = list(Label.objects.filter(question=question).values_list("pk", flat=True))
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


def test_every_table_of_a_project_goes_along_or_is_left_behind_by_name():
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

    assert of_project - {Event} == ({*BY_MODEL, *LEFT_BEHIND} - {Event})
    assert not set(BY_MODEL) & set(LEFT_BEHIND)


def test_every_id_in_a_table_has_its_model():
    """A column that holds an id without a foreign key must say of what."""
    for kind in KINDS:
        named = {column for column in kind.columns if column.endswith("_id")}
        assert named <= set(kind.references), kind.name
        assert {column for column in kind.columns if isinstance(kind.field_of(column), ArrayField)} <= set(
            kind.sets
        ), kind.name


def test_the_commands_take_a_project_out_and_in(committed_db, empty_server, tmp_path):
    project = labeled_project("Commands", n_items=5, n_raters=2)
    file = tmp_path / "project.zip"
    call_command("export_project", project.slug, file, stdout=StringIO())

    with live.use_database(empty_server):
        lead = cast.person("boss", unique=True)
        out = StringIO()
        call_command("import_project", file, lead=lead.username, stdout=out)

    assert out.getvalue() == f"Imported project {project.slug}, led by {lead.username}.\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["export_project", "no-such", "x.zip"], "Project not found: no-such"),
        (["import_project", "x.zip", "--lead", "nobody-here"], "User not found: nobody-here"),
    ],
)
def test_the_commands_say_what_is_missing(committed_db, arguments, words):
    with pytest.raises(CommandError, match=words):
        call_command(*arguments)


def test_a_lead_takes_the_project_by_page_and_api(committed_db, client):
    project = labeled_project("By page", n_items=5, n_raters=2)
    lead = cast.member(project, Membership.Role.LEAD, username="lena", unique=True)
    client.force_login(lead)
    content = taken(project)

    page = client.get(reverse("project_file", args=[project.slug]))
    api = client.get(reverse("api_project_file", args=[project.slug]))

    assert b"".join(page.streaming_content) == b"".join(api.streaming_content) == content
    assert page["Content-Disposition"] == f'attachment; filename="{project.slug}.zip"'
    assert Event.objects.filter(kind="exported", project_id=project.pk, user_id=lead.pk).count() == 2
