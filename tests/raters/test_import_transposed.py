"""Tables with a row for each rater and a column for each item, and JSON objects of items with their raters."""

import json

import pytest

from raters.models import LabelImport
from tests.files import answers, checked, confirm, drafted, load, read_as, run_queued

ITEMS = [f"doc{n}" for n in range(8)]
TABLE = (
    b"coder,doc0,doc1,doc2,doc3,doc4,doc5,doc6,doc7\n"
    + "".join(
        f"{rater},{','.join(('yes', 'no')[(n * at + n) % 2] for n in range(8))}\n"
        for at, rater in enumerate(("ann", "bob", "cem"), start=1)
    ).encode()
)


def columns(draft: LabelImport) -> dict[str, str]:
    draft.refresh_from_db()
    return {name: column["role"] for name, column in draft.options["columns"].items()}


def test_raters_are_in_rows_in_one_click(client, project):
    draft = drafted(client, project, TABLE, what="labels")
    page = client.get(draft.get_absolute_url())

    read_as(client, draft, layout="wide", read_as="transposed")
    after = client.get(draft.get_absolute_url())
    confirm(client, draft)
    run_queued(project)

    assert b'name="read_as" value="transposed"' in page.content
    assert b'value="transposed">' not in after.content
    assert columns(draft) == {"coder": "rater", **dict.fromkeys(ITEMS, "label")}
    assert set(project.raters.values_list("key", flat=True)) == {"ann", "bob", "cem"}
    assert {item.key: item.labels.count() for item in project.items.all()} == dict.fromkeys(ITEMS, 3)
    assert len(answers(project)) == 24


def test_raters_of_the_project_are_recognized_in_the_first_column(client, project):
    for key in ("ann", "bob", "cem"):
        project.raters.create(key=key)
    content = TABLE.replace(b"coder,", b"x,").replace(b"doc0,doc1", b"Rome,Oslo")

    draft = drafted(client, project, content, what="labels")

    assert draft.preview["is_transposed"]


def test_columns_that_are_no_items_can_be_ignored(client, project):
    draft = drafted(client, project, TABLE, what="labels")
    read_as(client, draft, layout="wide", read_as="transposed")

    read_as(client, draft, layout="transposed", role__8="ignore")
    confirm(client, draft)
    run_queued(project)

    assert columns(draft)["doc7"] == "ignore"
    assert project.items.count() == 7


def test_problems_name_the_column_of_the_item(client, project):
    load(project, b"item,ann,bob\ndoc3,no,yes\ndoc4,yes,no\n")
    draft = drafted(client, project, TABLE, what="labels")

    read_as(client, draft, layout="wide", read_as="transposed")

    draft.refresh_from_db()
    assert {fault["code"] for fault in draft.faults} == {"conflicts_with_label"}
    assert sorted((fault["line"], fault["column"], fault["value"]) for fault in draft.faults) == [
        (2, "doc3", "yes"),
        (3, "doc3", "no"),
        (3, "doc4", "yes"),
    ]


def test_the_same_wrong_value_in_two_cells_is_two_problems(project):
    project.questions.create(key="label", kind="number", minimum=0, maximum=3, position=0)

    found = checked(project, b"coder,doc0,doc1,doc2\nann,8,2,8\nbob,1,2,3\n", layout="transposed")

    assert [(fault.line, fault.column) for fault in found.faults.listed] == [(2, "doc0"), (2, "doc2")]


def test_the_option_works_without_a_page(project):
    load(project, TABLE.replace(b"coder,", b"person,"), layout="transposed", question="tone")

    assert {(item, rater) for item, rater, _ in answers(project)} == {
        (item, rater) for item in ITEMS for rater in ("ann", "bob", "cem")
    }
    assert project.questions.get().key == "tone"


@pytest.mark.parametrize("indent", [None, 2])
def test_an_object_of_items_with_their_raters_is_understood(client, project, indent):
    labels = {item: dict.fromkeys(("ann", "bob"), ("yes", "no")[n % 2]) for n, item in enumerate(ITEMS)}
    labels["doc7"] = {"bob": "yes", "cem": "no"}

    draft = drafted(client, project, json.dumps(labels, indent=indent).encode(), what="labels", name="a.json")
    confirm(client, draft)
    run_queued(project)

    assert draft.options["layout"] == "wide"
    assert {(item, rater) for item, rater, _ in answers(project)} == {
        (item, rater) for item, raters in labels.items() for rater in raters
    }


@pytest.mark.parametrize(
    "content",
    [
        b'{"item": "a", "rater": "ann", "label": "yes"}\n{"item": "a", "rater": "bob", "label": "no"}\n',
        b'{"item": "a", "rater": "ann", "label": "yes"}',
    ],
    ids=["lines", "one line"],
)
def test_lines_of_objects_stay_lines(project, content):
    load(project, content)

    assert [item.key for item in project.items.all()] == ["a"]
