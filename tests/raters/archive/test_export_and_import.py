"""Exporting and importing a project by command, page, and API, and files that are refused."""

import io
import zipfile
from io import BytesIO, StringIO

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from projects.models import Event, Membership
from raters.archive.archive import BadProjectFile
from raters.archive.people import NameTaken
from raters.archive.project_import import import_project
from raters.models import User
from tests import cast, live
from tests.labeling import labeled_project
from tests.raters.archive.inventing import n_rows
from tests.raters.archive.travelling import taken

pytestmark = pytest.mark.signed_in(None)


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
