"""Sheets with different columns, each imported from one upload."""

import pytest

from projects.models import Item
from raters.models import LabelImport
from tests.core.tables.making import xlsx
from tests.files import answers, confirm, drafted, load_items, run_queued

ITEMS = [["item", "text"], *([f"t{n}", f"This is the text of number {n}, and it is long"] for n in range(8))]
LABELS = [
    ["item", "rater", "label"],
    *([f"t{n}", rater, "yes"] for n in range(8) for rater in ("ann", "ben")),
]
CODEBOOK = [["question", "labels"], ["label", "yes|no"]]
WORKBOOK = xlsx(Texts=ITEMS, Labels=LABELS, Codebook=CODEBOOK)


@pytest.fixture
def draft_of_texts(client, project) -> LabelImport:
    return drafted(client, project, WORKBOOK, what="", name="study.xlsx")


def separately(client, draft: LabelImport, sheet: str) -> LabelImport:
    fields = {"separately": sheet, "encoding": "auto", "what": draft.kind}
    answer = client.post(draft.get_absolute_url(), fields)
    return LabelImport.objects.get(pk=answer.url.rstrip("/").rpartition("/")[2])


def test_the_preview_names_sheets_that_are_not_read(client, draft_of_texts):
    page = client.get(draft_of_texts.get_absolute_url())

    assert (draft_of_texts.kind, draft_of_texts.options["sheet"], draft_of_texts.n_faults) == (
        "items",
        "Texts",
        0,
    )
    assert draft_of_texts.preview["other_tables"] == ["Labels", "Codebook"]
    assert page.content.count(b'name="separately"') == 2


def test_each_sheet_is_imported_without_another_upload(client, project, draft_of_texts):
    labels = separately(client, draft_of_texts, "Labels")
    questions = separately(client, labels, "Codebook")
    for draft in (draft_of_texts, questions, labels):
        confirm(client, draft)
        run_queued(project)

    assert (labels.kind, questions.kind) == ("labels", "questions")
    assert Item.objects.filter(project=project).exclude(content=[]).count() == 8
    assert [category.key for category in project.questions.get().categories.order_by("position")] == [
        "yes",
        "no",
    ]
    assert len(answers(project)) == 16


def test_a_sheet_is_prepared_once(client, draft_of_texts):
    first = separately(client, draft_of_texts, "Labels")
    again = separately(client, draft_of_texts, "Labels")

    assert first == again


def test_a_finished_import_leads_to_the_others(client, project, draft_of_texts):
    other = separately(client, draft_of_texts, "Labels")
    confirm(client, draft_of_texts)

    page = client.get(draft_of_texts.get_absolute_url())

    assert b'id="drafts"' in page.content
    assert other.get_absolute_url().encode() in page.content


def test_settings_keep_the_sheet(client, draft_of_texts):
    questions = separately(client, draft_of_texts, "Codebook")

    client.post(questions.get_absolute_url(), {"what": "questions", "encoding": "utf-8", "separator": "auto"})

    questions.refresh_from_db()
    assert (questions.options["sheet"], questions.options["encoding"]) == ("Codebook", "utf-8")


def test_a_sheet_of_items_is_an_option(project):
    load_items(project, xlsx(Notes=[["item", "text"], ["x", "y"]], Texts=ITEMS), sheet="Texts")

    assert project.items.count() == 8


def test_two_sheets_of_numbered_items_are_two_imports(client, project):
    rows = [[f"Sentence {n} is about something else than the others"] for n in range(5)]
    first = drafted(
        client, project, xlsx(A=[["text"], *rows], B=[["words"], *rows]), what="", name="two.xlsx"
    )
    second = separately(client, first, "B")

    for draft in (first, second):
        confirm(client, draft)

    assert project.items.count() == 10
