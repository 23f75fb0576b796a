"""Importing numbers in local notation."""

import pytest
from django.core.management import CommandError, call_command

from raters.models import Label, LabelImport
from tests.files import checked, csv, drafted, load, post_file, read_as


def numbers_of(project) -> list[float]:
    labels = Label.objects.filter(item__project=project).order_by("item__key", "rater__key")
    return list(labels.values_list("number", flat=True))


def table_of(*values: str) -> bytes:
    """A file of one rater whose items are numbered."""
    return csv(*(f'{n:05},ann,"{value}"' for n, value in enumerate(values)))


@pytest.mark.parametrize(
    ("values", "numbers"),
    [
        (["1.100,5", "0,75", "12"], [1100.5, 0.75, 12.0]),
        (["1,300", "0,75", "12"], [1.3, 0.75, 12.0]),
        (["1,300", "0.75", "12"], [1300.0, 0.75, 12.0]),
        (["1.300", "0,75", "12"], [1300.0, 0.75, 12.0]),
        (["1 300", "2 500,5", "12"], [1300.0, 2500.5, 12.0]),
        (["1'300.5", "2'500", "12"], [1300.5, 2500.0, 12.0]),
        (["0,75", "0.5", "1,25"], [0.75, 0.5, 1.25]),
    ],
)
def test_the_whole_column_says_what_its_marks_are(project, values, numbers):
    load(project, table_of(*values))

    assert numbers_of(project) == numbers


def test_the_preview_says_how_numbers_were_read(client, project):
    draft = drafted(client, project, table_of("1.100,5", "0,75", "12"), what="labels")

    page = client.get(draft.get_absolute_url())

    assert draft.preview["numbers"] == [["1.100,5", "1100.5"], ["0,75", "0.75"]]
    assert b'id="numbers"' in page.content
    assert b'id="unclear-number"' not in page.content


@pytest.mark.parametrize(("mark", "numbers"), [(".", [1300.0, 2500.0]), (",", [1.3, 2.5])])
def test_a_column_that_is_not_clear_is_asked_about(client, project, mark, numbers):
    draft = drafted(client, project, table_of("1,300", "2,500"), what="labels")
    page = client.get(draft.get_absolute_url())

    read_as(client, draft, decimal=mark)

    assert [(fault["code"], fault["value"], fault["column"]) for fault in draft.faults] == [
        ("unclear_number", "1,300", "label")
    ]
    assert b'id="unclear-number"' in page.content
    assert page.context["n_faults"] == 0
    assert not page.context["may_confirm"]
    draft.refresh_from_db()
    assert draft.n_faults == 0
    load(project, table_of("1,300", "2,500"), decimal=mark)
    assert numbers_of(project) == numbers


def test_a_number_after_the_sample_is_asked_about_too(project):
    found = checked(project, table_of(*map(str, range(2_100)), "1,300", "1,400"))

    assert [(fault.code, fault.value, fault.line) for fault in found.faults.listed] == [
        ("unclear_number", "1,300", 2_102)
    ]


def test_other_questions_say_nothing_about_the_mark(project):
    rows = [("a", "sets", "1,2"), ("b", "sets", "1,2,3"), ("a", "price", "1,300"), ("b", "price", "1,400")]
    content = "item,rater,question,label\n" + "".join(f'{item},ann,{q},"{v}"\n' for item, q, v in rows)

    found = checked(project, content.encode())

    assert [fault.value for fault in found.faults.listed] == ["1,300"]


def test_over_the_api_the_mark_is_an_option(client, project):
    refused = post_file(client, project, table_of("1,300", "2,500"))
    accepted = post_file(client, project, table_of("1,300", "2,500"), decimal=",")

    assert refused.status_code == 400
    assert [error["code"] for error in refused.json()["errors"]] == ["unclear_number"]
    assert accepted.status_code == 201
    assert LabelImport.objects.get().n_labels == 2


def test_by_command_the_mark_is_an_option(project, tmp_path):
    path = tmp_path / "numbers.csv"
    path.write_bytes(table_of("1,300", "2,500"))

    with pytest.raises(CommandError, match="1 problem"):
        call_command("import_labels", project.slug, str(path), yes=True)
    call_command("import_labels", project.slug, str(path), yes=True, decimal=".")

    assert numbers_of(project) == [1300.0, 2500.0]


def test_columns_with_numbers_in_unlike_notation_are_raters_in_the_order_of_the_file(client, project):
    table = b"item;anna;ben\n1;0,75;1.100,5\n2;1,25;0,5\n3;2,5;3,5\n"

    draft = drafted(client, project, table, what="labels")

    assert [draft.options["columns"][name]["role"] for name in ("item", "anna", "ben")] == [
        "item",
        "label",
        "label",
    ]
    assert client.get(draft.get_absolute_url()).context["form"].understood_as() == ("raters", ["anna", "ben"])
