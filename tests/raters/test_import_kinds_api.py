"""Items and questions over the API: the same checks, preview and rights as on the page."""

import pytest

from projects.models import Event, Project
from raters.imports.file_kinds import KINDS
from raters.models import ImportChunk, LabelImport
from tests.cast import signed_in
from tests.core.tables.making import ods, ods_row, xlsx
from tests.files import confirm, hold, post_file, send

ITEMS = b"item,text\na,hello\nb,bye\n"
QUESTIONS = b"question,prompt,scale,labels\nq,Which?,ordinal,0|1\n"
FILES = [("items", ITEMS), ("questions", QUESTIONS)]
MADE = {
    "xlsx": xlsx(["item", "text"], ["a", "hello"]),
    "ods": ods(ods_row("item", "text"), ods_row("a", "hello")),
    "json": b'[{"item": "a", "text": "hello"}]',
    "jsonl": b'{"item": "a", "text": "hello"}\n',
    "pipe": b"item|text\na|hello\n",
}
TWICE = [
    ("items", b"item\na\na\n", "duplicate_item"),
    ("questions", b"question,labels\nq,a|b\nq,a|b\n", "duplicate_question"),
]


def n_things(project):
    return project.items.count() + project.questions.count()


@pytest.mark.parametrize(("kind", "content"), FILES)
def test_a_file_is_loaded_at_once(client, project, lead, kind, content):
    answer = post_file(client, project, content, kind=kind)

    run = LabelImport.objects.get()
    assert (answer.status_code, answer.json()["state"], answer.json()["kind"]) == (201, "done", kind)
    assert (answer.json()["n_created"], answer.json()["n_labels"]) == (n_things(project), 0)
    assert (run.kind, run.asked_by, n_things(project) > 0) == (kind, lead, True)
    assert not ImportChunk.objects.exists()
    events = Event.objects.filter(project_id=project.pk, kind=Event.Kind.IMPORTED)
    assert [event.detail["what"] for event in events] == [kind]


@pytest.mark.parametrize(("kind", "content"), FILES)
def test_the_file_may_be_the_body(client, project, kind, content):
    url = f"/api/v1/projects/{project.slug}/imports/?kind={kind}&file_name=f.csv"

    answer = client.post(url, content, content_type="text/csv")

    assert (answer.status_code, answer.json()["file_name"]) == (201, "f.csv")
    assert n_things(project) > 0


def test_json_lines_of_items(client, project):
    post_file(client, project, b'{"item": "a", "text": "hello"}\n', kind="items")

    assert project.items.get().content == [{"name": "text", "kind": "text", "value": "hello"}]


@pytest.mark.parametrize(("kind", "content"), FILES)
def test_a_dry_run_is_the_preview_of_the_page(client, project, kind, content):
    send(client, project, content, what=kind)
    draft = LabelImport.objects.get()

    answer = post_file(client, project, content, kind=kind, dry_run="true")

    found = answer.json()
    assert answer.status_code == 200
    assert {name: found[name] for name in draft.preview} == draft.preview
    assert (found["n_created"], found["n_faults"], found["faults"]) == (draft.n_created, 0, [])
    assert LabelImport.objects.count() == 1
    assert n_things(project) == 0


def test_a_dry_run_names_the_media_files_that_are_missing(client, project):
    answer = post_file(client, project, b"item,image:photo\na,a.png\n", kind="items", dry_run="true")

    assert answer.json()["missing"]["names"] == ["a.png"]


@pytest.mark.parametrize(("kind", "content", "code"), TWICE)
def test_bad_rows_are_listed_and_nothing_is_loaded(client, project, kind, content, code):
    answer = post_file(client, project, content, kind=kind)
    dry = post_file(client, project, content, kind=kind, dry_run="true")

    (fault,) = answer.json()["errors"]
    assert (answer.status_code, answer.json()["error"], fault["code"], fault["line"]) == (400, code, code, 3)
    assert (dry.status_code, dry.json()["n_faults"], dry.json()["faults"]) == (200, 1, [fault])
    assert n_things(project) == 0
    assert not LabelImport.objects.exists()


@pytest.mark.parametrize(
    ("kind", "first", "second", "code"),
    [
        ("items", b"item,text\na,x\n", b"item,text\na,y\n", "item_exists"),
        ("questions", b"question,labels\nq,a|b\n", b"question,labels\nq,a|c\n", "question_exists"),
    ],
)
def test_what_is_there_is_replaced_only_if_asked(client, project, kind, first, second, code):
    post_file(client, project, first, kind=kind)

    refused = post_file(client, project, second, kind=kind)
    replaced = post_file(client, project, second, kind=kind, replace="true")

    assert (refused.status_code, refused.json()["error"]) == (409, code)
    assert (replaced.status_code, replaced.json()["n_changed"]) == (201, 1)


def test_encoding_and_separator_are_options_of_every_kind(client, project):
    content = "item;text\na;café\n".encode("cp1252")

    post_file(client, project, content, kind="items", encoding="windows-1252", separator="semicolon")

    assert project.items.get().content[0]["value"] == "café"


@pytest.mark.parametrize("name", MADE)
def test_items_come_in_any_format(client, project, name):
    answer = post_file(client, project, MADE[name], kind="items")

    assert answer.status_code == 201, answer.json()
    assert [item.content[0]["value"] for item in project.items.all()] == ["hello"]


@pytest.mark.parametrize("option", ["layout", "rater", "repeats", "choices", "declared_only"])
def test_an_option_of_labels_is_refused(client, project, option):
    value = {"choices": "{}", "layout": "long", "rater": "ann", "repeats": "last"}.get(option, "true")

    answer = post_file(client, project, ITEMS, kind="items", **{option: value})

    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_option")
    assert option in answer.json()["detail"]
    assert not project.items.exists()


def test_columns_of_items_are_named(client, project):
    content = b"code,system,text\n1,gpt,Hello\n"

    numbered = post_file(client, project, content, kind="items")
    answer = post_file(
        client, project, content, kind="items", columns='{"code": "item", "system": "attribute"}'
    )
    wrong = [
        post_file(client, project, content, kind="items", columns=columns)
        for columns in ('{"code": "rater"}', '{"code": {"role": "item"}}')
    ]
    lacking = post_file(client, project, content, kind="items", columns='{"code": "item", "nope": "ignore"}')

    # A program has no preview that would show it numbers.
    assert (numbered.status_code, numbered.json()["error"]) == (400, "missing_column")
    assert answer.status_code == 201, answer.json()
    assert project.items.get(key="1").attributes == {"system": "gpt"}
    assert [answer.json()["error"] for answer in wrong] == ["invalid_option"] * 2
    assert (lacking.status_code, lacking.json()["error"]) == (400, "missing_column")


def test_a_kind_that_there_is_not(client, project):
    answer = post_file(client, project, ITEMS, kind="raters")

    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_option")
    assert all(kind in answer.json()["detail"] for kind in KINDS)


@pytest.mark.parametrize(("kind", "content"), FILES)
def test_who_may(project, rita, auditor, adjudicator, stranger, kind, content):
    found = {
        user.username: post_file(signed_in(user), project, content, kind=kind).status_code
        for user in (rita, auditor, adjudicator, stranger)
    }

    assert found == {"rita": 403, "otto": 403, "ada": 403, "stella": 404}
    assert n_things(project) == 0


@pytest.mark.parametrize("dry_run", ["true", "false"])
@pytest.mark.parametrize(("kind", "content"), FILES)
def test_a_closed_project(client, project, kind, content, dry_run):
    Project.objects.filter(pk=project.pk).update(state=Project.State.CLOSED)

    answer = post_file(client, project, content, kind=kind, dry_run=dry_run)

    assert (answer.status_code, answer.json()["error"]) == (409, "closed")
    assert n_things(project) == 0


@pytest.mark.parametrize("dry_run", ["true", "false"])
@pytest.mark.parametrize(("kind", "content"), FILES)
def test_an_import_waits_its_turn_but_not_for_long(client, project, other, kind, content, dry_run):
    hold(other, project, 7_001)

    answer = post_file(client, project, content, kind=kind, dry_run=dry_run)

    assert (answer.status_code, answer.json()["error"]) == (409, "import_running")
    assert not LabelImport.objects.exists()


def test_the_api_lists_imports_of_every_kind(client, project):
    for kind, content in FILES:
        post_file(client, project, content, kind=kind)
    send(client, project, b"item\nc\n", what="items")
    draft = LabelImport.objects.latest("pk")
    imports = f"/api/v1/projects/{project.slug}/imports/"

    listed = [(run["kind"], run["state"]) for run in client.get(imports).json()["results"]]
    one = client.get(f"{imports}{draft.pk}/").json()

    assert listed == [("items", "draft"), ("questions", "done"), ("items", "done")]
    assert (one["kind"], one["n_created"]) == ("items", 1)


def test_what_is_confirmed_on_the_page_is_read_over_the_api(client, project):
    send(client, project, ITEMS, what="items")
    draft = LabelImport.objects.get()

    confirm(client, draft)

    assert client.get(f"/api/v1/projects/{project.slug}/imports/{draft.pk}/").json()["state"] == "done"
