"""Every value of a project file is checked like any other input before anything is stored."""

import io
import json
import secrets

import pytest
from django.db import transaction
from django.db.models import FloatField

from projects.models import Item, Project
from raters.archive import archive, values
from raters.archive.archive import BadProjectFile
from raters.archive.contents import KINDS
from raters.archive.project_export import project_file
from raters.archive.project_import import contents_of, import_project
from raters.archive.single_values import BadValue
from raters.archive.validation import ArchiveLimits
from raters.labeling.saving import set_history_context
from raters.models import Label, LabelRevision, Rater, User
from tests import cast, live
from tests.raters.archive.forging import forged, parts_of, rows_of, with_part, with_rows, zipped
from tests.raters.archive.inventing import invented_project
from tests.sizes import FULL, only_in_full, some

COLUMNS = [(kind, column) for kind in KINDS for column in kind.columns]


@pytest.fixture(scope="module")
def contents(live_database, django_db_blocker):
    """Invented projects as files, of which each table has rows in one at least."""
    with django_db_blocker.unblock(), live.use_database(live_database):
        return [b"".join(project_file(invented_project(seed))) for seed in range(7000, 7006)]


def with_a_row(contents, name):
    return next(content for content in contents if rows_of(content, name))


def refused(content):
    with pytest.raises(BadProjectFile) as found:
        contents_of(io.BytesIO(content))
    return found.value.problems


def changed(content, kind, column, value):
    def change(rows):
        rows[0][column] = value

    return forged(content, kind.file_name, change)


STRANGE = [{"x": [1]}, "\0", 10**30, -(10**9), True, "\ud800"]
# In `make test` each column is given two of them, the next column others.
GIVEN = [
    (value, kind, column)
    for place, (kind, column) in enumerate(COLUMNS)
    for value in (STRANGE if FULL else STRANGE[2 * place % len(STRANGE) :][:2])
]


def named(each):
    return getattr(each, "file_name", each if isinstance(each, str) and each.isidentifier() else repr(each))


@pytest.mark.parametrize(("value", "kind", "column"), some(GIVEN, every=3), ids=named)
def test_no_column_takes_what_is_not_of_its_kind(contents, kind, column, value):
    content = (
        with_media(contents[0])
        if kind.file_name == "mediafile.jsonl"
        else with_a_row(contents, kind.file_name)
    )
    if value is True and kind.filled(rows_of(content, kind.file_name)[0])[column] in (True, False):
        pytest.skip("a switch takes true")
    is_number = isinstance(kind.field_of(column), FloatField) or column in {"given", "verdict_about"}
    if type(value) is int and is_number:
        pytest.skip("a number takes these")

    problem = refused(changed(content, kind, column, value))[0]

    assert (problem.file, problem.line, problem.column) == (kind.file_name, 1, column)


def with_media(content):
    """With a row of a media file whose bytes are lost, as a project may have."""
    row = {
        "project_id": 0, "name": "a.png", "type": "image/png", "sha256": "0" * 64, "n_bytes": 5, "width": 2,
        "height": 2, "added_by_id": 0, "added_at": "2026-01-01T00:00:00+00:00",
    }  # fmt: skip
    return with_rows(content, "mediafile.jsonl", [row])


@pytest.mark.parametrize(
    ("kind", "column"), some(COLUMNS, every=3), ids=lambda each: getattr(each, "file_name", each)
)
def test_a_missing_and_an_unknown_column_are_refused(contents, kind, column):
    content = (
        with_media(contents[0])
        if kind.file_name == "mediafile.jsonl"
        else with_a_row(contents, kind.file_name)
    )

    # What the first project files do not have is filled in.
    if column not in kind.added:
        missing = refused(forged(content, kind.file_name, lambda rows: rows[0].pop(column) and None))
        assert missing[0].column == column
    unknown = refused(forged(content, kind.file_name, lambda rows: rows[0].update(is_superuser=True)))

    assert unknown[0].column == "is_superuser"


def first(**values):
    return lambda rows: rows[0].update(values)


EARLIER, LATER = "2026-01-01T00:00:00+00:00", "2026-01-02T00:00:00+00:00"
FUTURE = "2999-01-01T00:00:00+00:00"


@pytest.mark.parametrize(
    ("name", "change", "column"),
    [
        ("project.jsonl", first(slug="../../x y"), "slug"),
        ("project.jsonl", first(slug="Über"), "slug"),
        ("project.jsonl", first(name="a\nb"), "name"),
        ("project.jsonl", first(name="  "), "name"),
        ("project.jsonl", first(name="x" * 201), "name"),
        ("project.jsonl", first(state="gone"), "state"),
        ("project.jsonl", first(created_at=FUTURE), "created_at"),
        ("project.jsonl", first(created_at="2026-01-01"), "created_at"),
        ("project.jsonl", first(created_at="0001-01-01T00:00:00+14:00"), "created_at"),
        ("label.jsonl", first(labelled_at="0001-01-01T00:00:00+14:00"), "labelled_at"),
        ("label.jsonl", first(labelled_at="9999-12-31T23:59:59-14:00"), "labelled_at"),
        ("project.jsonl", first(thresholds=[{"from": 2, "name": "x"}]), "thresholds"),
        ("project.jsonl", first(adjudication_reasons=["a", "a"]), "adjudication_reasons"),
        ("project.jsonl", first(fields_hidden=["a", "a"]), "fields_hidden"),
        ("project.jsonl", first(fields_side_by_side=[""]), "fields_side_by_side"),
        ("project.jsonl", first(raters_per_item=0), "raters_per_item"),
        ("project.jsonl", lambda rows: rows * 2, ""),
        ("people.jsonl", first(is_superuser=True), "is_superuser"),
        ("people.jsonl", first(username="a\0b"), "username"),
        ("people.jsonl", first(username="x" * 151), "username"),
        ("people.jsonl", first(username=5), "username"),
        ("people.jsonl", lambda rows: rows[0].pop("last_name") and None, "last_name"),
        ("guidelinesversion.jsonl", first(number=0), "number"),
        ("guidelinesversion.jsonl", first(made_by_id=99), "made_by_id"),
        ("thread.jsonl", lambda rows: [rows[0], *rows], "rater_id"),
        ("message.jsonl", first(text="x" * 4001), "text"),
        ("message.jsonl", first(text=" \n"), "text"),
        ("message.jsonl", first(at=FUTURE), "at"),
        ("question.jsonl", first(kind="essay"), "kind"),
        ("question.jsonl", first(project_id=1), "project_id"),
        ("question.jsonl", first(final_rule="mean", level="nominal"), "final_rule"),
        ("question.jsonl", first(final_threshold=1.5), "final_threshold"),
        ("question.jsonl", lambda rows: [rows[0], *rows], "key"),
        ("category.jsonl", first(shortcut="n"), "shortcut"),
        ("category.jsonl", first(value=1e300), "value"),
        ("category.jsonl", first(question_id=99), "question_id"),
        ("category.jsonl", first(merged_into_id=0), "merged_into_id"),
        ("batch.jsonl", first(opened_at=LATER, closed_at=EARLIER), "closed_at"),
        ("batch.jsonl", first(idle_minutes=0), "idle_minutes"),
        ("batch.jsonl", first(plans=[{"seed": 1}]), "plans"),
        ("batch.jsonl", lambda rows: rows[0]["plans"][0].update(repeat_share=0.9), "plans"),
        ("batch.jsonl", lambda rows: rows[0]["plans"][0].update(design="all"), "plans"),
        ("batch.jsonl", lambda rows: rows[0]["plans"][0].update(n_left_out=-1), "plans"),
        ("item.jsonl", first(content=5), "content"),
        ("item.jsonl", first(content=[{"name": "x", "kind": "script", "value": ""}]), "content"),
        ("item.jsonl", first(content=[{"name": "x", "kind": "text", "value": "\x01"}]), "content"),
        ("item.jsonl", first(content=[{"name": "x", "kind": "text", "value": "", "onclick": ""}]), "content"),
        ("item.jsonl", first(key="a\x07"), "key"),
        ("item.jsonl", lambda rows: [*rows, rows[0] | {"key": rows[0]["key"].upper()}], "key"),
        ("rater.jsonl", first(kind="dog"), "kind"),
        ("assignment.jsonl", first(pass_number=-1), "pass_number"),
        ("assignment.jsonl", first(item_id=-1), "item_id"),
        ("label.jsonl", first(note="x" * 10_001), "note"),
        ("label.jsonl", first(seconds=-1.0), "seconds"),
        ("label.jsonl", first(guidelines_version=99), "guidelines_version"),
        ("labelrevision.jsonl", first(at=FUTURE), "at"),
        ("labelrevision.jsonl", first(source="x" * 61), "source"),
        ("labelrevision.jsonl", first(change="X"), "change"),
        ("labelrevision.jsonl", first(user_id=99), "user_id"),
    ],
)  # fmt: skip
def test_values_that_no_other_input_takes_are_refused(contents, name, change, column):
    problems = refused(forged(with_a_row(contents, name), name, change))

    assert (problems[0].file, problems[0].column) == (name, column)
    assert problems[0].line > 0
    assert problems[0].rule


@pytest.fixture
def simple(committed_db):
    """Two labels of one item; one was changed, and one that is gone was withdrawn."""
    project = cast.new_project("Simple", unique=True)
    question = project.questions.create(key="q")
    yes, no = (question.categories.create(key=key, position=n) for n, key in enumerate(("yes", "no")))
    item = Item.objects.create(project=project, key="i")
    raters = [Rater.objects.create(project=project, key=key) for key in "abc"]
    with transaction.atomic():
        set_history_context(cast.person("petra", unique=True), "page")
        labels = [Label.objects.create(item=item, question=question, rater=r, category=yes) for r in raters]
        Label.objects.filter(pk=labels[0].pk).update(category=no)
        labels[2].delete()
    return b"".join(project_file(project))


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("label.jsonl", lambda rows: rows[0].update(category_id=0)),
        ("label.jsonl", lambda rows: rows[1].update(note="forged")),
        ("label.jsonl", lambda rows: rows[1].update(revision=2)),
        ("label.jsonl", lambda rows: [rows[0]]),
        ("labelrevision.jsonl", lambda rows: rows[:-2]),
        ("labelrevision.jsonl", lambda rows: rows[:-1]),
        ("labelrevision.jsonl", lambda rows: rows[1:]),
        ("labelrevision.jsonl", lambda rows: [rows[3], *rows[:3], rows[4]]),
        ("labelrevision.jsonl", lambda rows: rows[3]["old_value"].update(note="forged")),
        ("labelrevision.jsonl", lambda rows: rows[3]["old_value"].update(category_id=1)),
        ("labelrevision.jsonl", lambda rows: rows[3].update(revision=9)),
        ("labelrevision.jsonl", lambda rows: rows[3]["old_value"].update(is_superuser=True)),
        ("labelrevision.jsonl", lambda rows: [*rows, rows[3]]),
    ],
)  # fmt: skip
def test_labels_must_be_what_their_history_says(simple, name, change):
    assert refused(forged(simple, name, change))


def test_the_simple_file_is_right(simple):
    assert contents_of(io.BytesIO(simple)).counts["labelrevision"] == 5


def test_what_only_the_database_knows_is_refused_with_its_line(simple):
    """Two consensus raters break a rule that is written as a constraint."""
    content = forged(
        simple, "rater.jsonl", lambda rows: [row.update(kind="consensus") for row in rows] and None
    )

    with pytest.raises(BadProjectFile) as found:
        import_project(io.BytesIO(renamed(content)), lead=cast.person("boss", unique=True))

    problem = found.value.problems[0]
    assert (problem.file, problem.line) == ("rater.jsonl", 2)
    assert "rater_consensus_once_per_project" in problem.rule


def renamed(content):
    """Under a slug that is free, with people whose names are."""
    letters = secrets.token_hex(4)
    content = forged(content, "project.jsonl", first(slug=f"free-{letters}"))
    return forged(
        content,
        "people.jsonl",
        lambda rows: [row.update(username=f"{letters}-{n}") for n, row in enumerate(rows)] and None,
    )


def test_nothing_of_a_refused_file_is_stored(simple):
    content = renamed(forged(simple, "item.jsonl", first(content=5)))
    n_projects, n_people = Project.objects.count(), User.objects.count()
    boss = cast.person("boss", unique=True)

    with pytest.raises(BadProjectFile):
        import_project(io.BytesIO(content), lead=boss)

    assert (Project.objects.count(), User.objects.count()) == (n_projects, n_people + 1)


def test_at_most_a_hundred_problems_are_listed(simple):
    content = with_rows(simple, "item.jsonl", [{"key": n} for n in range(500)])

    assert len(refused(content)) == 100


@pytest.mark.parametrize("line", [b"{", b"[" * 100_000, b'{"key": NaN}', b"\xff", b"1" * 5000, b"[]"])
def test_what_is_no_json_object_is_refused_with_its_line(simple, line):
    problem = refused(with_part(simple, "rater.jsonl", line + b"\n"))[0]

    assert (problem.file, problem.line) == ("rater.jsonl", 1)


def test_the_rule_of_a_slug_is_followed_by_the_value():
    with pytest.raises(BadValue) as refused:
        values.slug("A b")

    assert not str(refused.value).endswith(".")


def test_a_manifest_that_unpacks_to_more_than_its_limit_is_refused(simple, monkeypatch):
    monkeypatch.setattr(archive, "MAX_MANIFEST", 1 << 16)
    parts = parts_of(simple)
    padded = zipped(parts | {"manifest.json": b" " * (1 << 20) + parts["manifest.json"]})

    with pytest.raises(BadProjectFile, match="manifest is larger"):
        contents_of(io.BytesIO(padded))


def test_a_file_larger_than_the_limits_is_refused_before_it_is_read(simple):
    with pytest.raises(BadProjectFile, match="rows"):
        contents_of(io.BytesIO(simple), ArchiveLimits(n_rows=5, n_bytes=1 << 20))
    with pytest.raises(BadProjectFile, match="bytes"):
        contents_of(io.BytesIO(simple), ArchiveLimits(n_rows=500, n_bytes=100))


@pytest.mark.parametrize(
    "change",
    [
        lambda manifest: manifest.pop("gone"),
        lambda manifest: manifest["gone"].update(raters_label=10**15),
        lambda manifest: manifest["gone"].update(raters_label=7),
        lambda manifest: manifest["files"].pop("label.jsonl"),
        lambda manifest: manifest["files"]["label.jsonl"].update(n=-1),
        lambda manifest: manifest["files"].update({"label.jsonl": 5}),
        lambda manifest: manifest.update(more=1),
    ],
)
def test_a_manifest_that_was_made_up_is_refused(simple, change):
    parts = parts_of(simple)
    manifest = json.loads(parts["manifest.json"])
    change(manifest)

    with pytest.raises(BadProjectFile):
        contents_of(io.BytesIO(zipped(parts | {"manifest.json": json.dumps(manifest).encode()})))


@only_in_full
@pytest.mark.parametrize("seed", range(8000, 8100))
def test_what_the_program_writes_is_right(committed_db, seed):
    content = b"".join(project_file(invented_project(seed)))

    assert contents_of(io.BytesIO(content)).counts["project"] == 1


def test_history_is_copied_as_it_was(simple):
    """By the count of its rows; `test_bundle` compares every byte."""
    project = import_project(io.BytesIO(renamed(simple)), lead=cast.person("boss", unique=True))

    assert LabelRevision.objects.filter(question_id__in=project.questions.values("pk")).count() == 5
