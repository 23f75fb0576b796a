"""Items and questions by page: upload, preview, check again, confirm, give up, and who may."""

import pytest
from django.db import IntegrityError, transaction

from projects.items import imports as items
from projects.models import Project, Question
from raters.models import ImportChunk, LabelImport
from tests import files
from tests.cast import signed_in
from tests.core.tables.making import xlsx
from tests.files import confirm, drafted, hold, load, send

State = LabelImport.State
ITEMS = b"item,text,image:photo\na,hello,a.png\nb,<b>bye</b>,b.png\n"
QUESTIONS = b"question,prompt,scale,labels,label_meanings\nq,Which?,ordinal,0|1,None|Some\n"
KINDS = [("items", b"item\na\n"), ("questions", b"question,labels\nq,a|b\n")]


def counts(draft):
    draft.refresh_from_db()
    return draft.n_created, draft.n_changed, draft.n_unchanged


def test_items_are_shown_before_they_are_stored(client, project):
    page = client.get(send(client, project, ITEMS, what="items").url).content.decode()

    assert "Import 2 items</button>" in page
    assert "<bdi>photo</bdi>" in page
    assert LabelImport.objects.get().preview["columns"][2] == ["photo", "image"]
    assert "&lt;b&gt;bye&lt;/b&gt;" in page
    assert not project.items.exists()
    assert counts(LabelImport.objects.get()) == (2, 0, 0)


def test_a_workbook_of_items_is_shown_and_stored(client, project):
    workbook = xlsx(["Items of 2026"], ["item", "text"], ["001", "hello"], ["b", 1.0])
    draft = drafted(client, project, workbook, name="items.xlsx")

    page = client.get(draft.get_absolute_url()).content.decode()
    confirm(client, draft)

    assert "Import 2 items</button>" in page
    assert {item.key: item.content[0]["value"] for item in project.items.all()} == {"001": "hello", "b": "1"}


def test_a_workbook_of_questions_is_stored(client, project):
    draft = drafted(client, project, xlsx(["question", "labels"], ["q", "a|b"]), what="questions")

    confirm(client, draft)

    assert [category.key for category in project.questions.get(key="q").categories.all()] == ["a", "b"]


def test_items_are_stored_when_confirmed(client, project, lead):
    draft = drafted(client, project, ITEMS)

    page = confirm(client, draft)

    draft.refresh_from_db()
    assert b"Import complete" in page.content
    assert [item.key for item in project.items.order_by("key")] == ["a", "b"]
    assert (draft.state, draft.asked_by, draft.n_found) == (State.DONE, lead, 2)
    assert not ImportChunk.objects.exists()


def test_questions_are_shown_and_then_stored(client, project):
    draft = drafted(client, project, QUESTIONS, what="questions")
    page = client.get(draft.get_absolute_url()).content
    before = Question.objects.filter(project=project).count()

    confirm(client, draft)

    assert b"Import 1 question</button>" in page
    assert b"0 (None), 1 (Some)" in page
    assert b"Ordinal" in page
    assert before == 0
    assert [category.name for category in project.questions.get().categories.all()] == ["None", "Some"]


def test_json_lines_of_items(client, project):
    draft = drafted(client, project, b'{"item": "a", "text": "hello"}\n')

    confirm(client, draft)

    assert project.items.get().content == [{"name": "text", "kind": "text", "value": "hello"}]


def test_only_the_first_ten_items_are_shown(client, project):
    draft = drafted(client, project, b"item\n" + b"".join(b"i%d\n" % n for n in range(12)))

    assert [row[0] for row in draft.preview["rows"]] == [f"i{n}" for n in range(10)]
    assert draft.n_created == 12


@pytest.mark.parametrize(
    ("what", "content", "fault"),
    [
        ("items", b"item,text\na,x\na,y\n", b"already on line 2"),
        ("items", b"alt:photo,text\nx,y\n", b"alternative text needs a matching media column"),
        ("items", b"", b"submitted file is empty"),
        ("questions", b"question,scale\nq,strange\n", b"must be one of"),
        ("questions", b"question,color\nq,red\n", b"unknown column; expected"),
    ],
)
def test_faults_are_shown_and_nothing_can_be_confirmed(client, project, what, content, fault):
    answer = send(client, project, content, what=what)
    page = client.get(answer.url) if answer.status_code == 302 else answer

    assert fault in page.content
    assert b"/confirm/" not in page.content
    assert not project.items.exists()
    assert not project.questions.exists()


def test_a_nul_in_a_cell_is_a_fault_and_no_failure(client, project):
    draft = drafted(client, project, b"item,text\na,x\0y\n")

    assert draft.n_faults == 1
    assert draft.preview["rows"] == [["a", "x\\x00y"]]


def test_a_file_with_faults_is_refused_though_somebody_posts(client, project):
    draft = drafted(client, project, b"item,text\na,x\na,y\n")

    page = confirm(client, draft)

    assert b"The file has problems" in page.content
    assert not project.items.exists()


def test_a_file_is_checked_again_as_it_is_to_be_read(client, project):
    project.items.create(key="a", content=[{"name": "text", "kind": "text", "value": "before"}])
    draft = drafted(client, project, "item;text\na;café\n".encode("cp1252"), encoding="utf-8")
    codes = [draft.faults[0]["code"]]

    client.post(draft.get_absolute_url(), {"encoding": "windows-1252", "separator": "semicolon"})
    draft.refresh_from_db()
    codes.append(draft.faults[0]["code"])
    answer = client.post(
        draft.get_absolute_url(),
        {"encoding": "windows-1252", "separator": "semicolon", "replace": "on"},
        follow=True,
    )

    assert codes == ["encoding", "item_exists"]
    assert b"Import 1 item</button>" in answer.content
    assert counts(draft) == (0, 1, 0)
    assert project.items.get().content[0]["value"] == "before"


def test_a_reading_that_there_is_not(client, project):
    draft = drafted(client, project, ITEMS)

    answer = client.post(draft.get_absolute_url(), {"encoding": "ebcdic", "separator": "auto"})

    assert answer.status_code == 400
    assert draft.options["encoding"] == "auto"


def test_what_is_confirmed_is_what_was_looked_at(client, project):
    draft = drafted(client, project, ITEMS)
    looked_at = client.get(draft.get_absolute_url())
    client.post(draft.get_absolute_url(), {"encoding": "latin-1", "separator": "auto"})

    page = confirm(client, draft, page=looked_at)

    assert (
        b"The import settings were changed since you opened this page. Review the preview again."
        in page.content
    )
    assert not project.items.exists()


def test_what_a_file_would_do_is_looked_at_again_when_the_project_was_changed(client, project):
    draft = drafted(client, project, ITEMS)
    looked_at = client.get(draft.get_absolute_url())
    project.items.create(key="a")

    page = confirm(client, draft, page=looked_at)

    assert b"the project was changed since you opened this page" in page.content
    assert counts(draft) == (1, 1, 0)
    assert draft.state == State.DRAFT
    assert project.items.count() == 1


def test_faults_that_come_up_meanwhile_are_shown(client, project):
    draft = drafted(client, project, ITEMS)
    looked_at = client.get(draft.get_absolute_url())
    project.items.create(key="a", content=[{"name": "text", "kind": "text", "value": "other"}])

    page = confirm(client, draft, page=looked_at)

    assert b"the project was changed since you opened this page" in page.content
    assert b"item_exists" in page.content
    assert project.items.count() == 1


def test_existing_items_are_overwritten_in_one_click(client, project):
    project.items.create(key="a", content=[{"name": "text", "kind": "text", "value": "other"}])
    draft = drafted(client, project, ITEMS)
    page = client.get(draft.get_absolute_url()).content.decode()
    assert '<button class="button" name="replace" value="on" form="settings">' in page

    client.post(draft.get_absolute_url(), {"encoding": "auto", "separator": "auto", "replace": "on"})

    draft.refresh_from_db()
    assert (draft.n_faults, draft.n_changed) == (0, 1)
    assert (
        'name="replace" value="on" form="settings"'
        not in client.get(draft.get_absolute_url()).content.decode()
    )


def test_a_draft_is_given_up(client, project):
    draft = drafted(client, project, ITEMS)

    client.post(f"{draft.get_absolute_url()}cancel/")

    draft.refresh_from_db()
    assert draft.state == State.CANCELLED
    assert not ImportChunk.objects.exists()
    assert not project.items.exists()


def test_a_draft_is_loaded_once(client, project):
    draft = drafted(client, project, ITEMS)
    looked_at = client.get(draft.get_absolute_url())
    confirm(client, draft, page=looked_at)

    page = confirm(client, draft, page=looked_at)

    assert b"already confirmed or canceled" in page.content
    assert project.items.count() == 2


@pytest.mark.parametrize("path", ["", "confirm/", "cancel/"])
def test_who_may(path, client, project, rita, auditor, adjudicator, stranger):
    draft = drafted(client, project, ITEMS)
    seen = client.get(draft.get_absolute_url()).context["seen"]

    found = {
        user.username: signed_in(user).post(f"{draft.get_absolute_url()}{path}", {"seen": seen}).status_code
        for user in (rita, auditor, adjudicator, stranger)
    }

    assert found == {"rita": 403, "otto": 403, "ada": 403, "stella": 404}
    draft.refresh_from_db()
    assert draft.state == State.DRAFT
    assert not project.items.exists()


@pytest.mark.parametrize(("what", "content"), KINDS)
def test_a_project_that_was_closed_meanwhile_takes_nothing(client, project, what, content):
    draft = drafted(client, project, content, what=what)
    looked_at = client.get(draft.get_absolute_url())
    Project.objects.filter(pk=project.pk).update(state=Project.State.CLOSED)

    page = confirm(client, draft, page=looked_at)
    again = client.post(draft.get_absolute_url(), {"encoding": "auto", "separator": "auto"}, follow=True)

    assert b"is closed. Reopen it to import" in page.content
    assert b"is closed. Reopen it to import" in again.content
    assert not project.items.exists()
    assert not project.questions.exists()


@pytest.mark.parametrize(("what", "content"), KINDS)
def test_an_upload_waits_its_turn_but_not_for_long(client, project, other, what, content):
    hold(other, project, 7_001)

    answer = send(client, project, content, what=what)

    assert answer.status_code == 409
    assert b"Another import or change is running in this project." in answer.content
    assert not LabelImport.objects.exists()


@pytest.mark.parametrize(("what", "content"), KINDS)
def test_a_check_gives_its_turn_back(client, project, other, what, content):
    drafted(client, project, content, what=what)

    free = other.execute("SELECT pg_try_advisory_lock(%s, %s)", [7_001, project.pk]).fetchone()

    assert free == (True,)


@pytest.mark.parametrize(("what", "content"), KINDS)
def test_a_confirmation_waits_its_turn_but_not_for_long(client, project, other, what, content):
    draft = drafted(client, project, content, what=what)
    hold(other, project, 7_001)

    page = confirm(client, draft)

    assert b"Another import or change is running in this project." in page.content
    assert not project.items.exists()
    assert not project.questions.exists()


def test_what_was_written_meanwhile_is_no_failure_of_the_program(client, project, monkeypatch):
    """As if somebody created the item between the look and the write."""
    draft = drafted(client, project, b"item\na\n")
    monkeypatch.setattr("projects.items.imports._check", lambda *args: project.items.create(key="a"))
    monkeypatch.setattr(
        "projects.items.imports._INSERT", items._INSERT.replace("WHERE NOT EXISTS", "WHERE EXISTS")
    )

    page = confirm(client, draft)

    assert b"Someone else created the same names" in page.content
    assert not project.items.exists()


def test_labels_do_not_know_a_file_of_items(client, project):
    both = b"item,rater,label\na,ann,yes\n"
    confirm(client, drafted(client, project, both))

    answer = send(client, project, both)
    labels = LabelImport.objects.get(kind="labels")

    assert answer.url == labels.get_absolute_url()
    assert labels.state == State.DRAFT


def test_the_list_tells_what_an_import_is_of(client, project):
    load(project, files.GOOD)
    drafted(client, project, ITEMS, name="texts.csv")
    drafted(client, project, QUESTIONS, what="questions", name="codebook.csv")

    page = client.get(f"/p/{project.slug}/import/").content

    assert [page.count(b"<td>%s</td>" % kind) for kind in (b"Labels", b"Items", b"Questions")] == [1, 1, 1]


@pytest.mark.parametrize("state", [State.QUEUED, State.RUNNING])
def test_no_worker_is_ever_asked_to_load_questions(client, project, state):
    draft = drafted(client, project, QUESTIONS, what="questions")

    with pytest.raises(IntegrityError, match="import_by_worker_is_not_of_questions"), transaction.atomic():
        LabelImport.objects.filter(pk=draft.pk).update(state=state)
