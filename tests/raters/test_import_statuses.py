"""Which rows of a table are labels, by their status."""

import pytest

from raters.imports.label_options import LabelOptions
from raters.reading.statuses import is_counted, state_of
from tests.files import answers, checked, drafted, load, post_file, read_as

STATUSES = (
    b"item,rater,label,status\na,x,yes,done\nb,x,no,in review\nc,x,no,draft\nd,x,no,in review\ne,x,yes,\n"
)
WIDE = b"item,tone,clear,status\n" + b"".join(
    b"%d,%d,%s,%s\n" % (n, n % 3, b"yes" if n % 2 else b"no", b"in review" if n > 7 else b"done")
    for n in range(9)
)


@pytest.mark.parametrize(
    ("written", "chosen", "state"),
    [
        ("done", {}, "submitted"),
        ("Draft", {}, "draft"),
        ("", {}, "submitted"),
        ("in review", {"in review": False}, "in review"),
        ("Draft", {"Draft": True}, "submitted"),
        ("deleted", {"deleted": False}, "rejected"),
        ("", {"": False}, "without a status"),
    ],
)
def test_what_a_status_makes_of_a_row(written, chosen, state):
    assert state_of(written, chosen) == state
    assert is_counted(written, chosen) == (state == "submitted")


def test_the_preview_lists_statuses_with_their_counts(client, project):
    draft = drafted(client, project, STATUSES, what="labels")

    page = client.get(draft.get_absolute_url())

    assert draft.preview["statuses"] == [
        ["in review", 2, True],
        ["done", 1, True],
        ["draft", 1, False],
        ["", 1, True],
    ]
    assert page.content.count(b'name="counts-') == 4
    assert draft.n_labels == 4


def test_statuses_can_be_chosen_in_the_preview(client, project):
    draft = drafted(client, project, STATUSES, what="labels")
    fields = {"status__0": "in review", "status__1": "done", "status__2": "draft", "status__3": ""}

    read_as(client, draft, **fields, counts__1="on", counts__2="on", counts__3="on")

    draft.refresh_from_db()
    assert draft.options["statuses"] == {"in review": False, "draft": True}
    assert (draft.n_labels, draft.preview["states"]) == (3, {"in review": 2})


def test_a_form_without_statuses_changes_none(client, project):
    draft = drafted(client, project, STATUSES, what="labels")

    read_as(client, draft)

    draft.refresh_from_db()
    assert draft.options["statuses"] == {}


def test_over_the_api_statuses_are_an_option(client, project):
    answer = post_file(client, project, STATUSES, statuses='{"in review": false}')
    refused = post_file(client, project, STATUSES, statuses='{"in review": "no"}')

    assert (answer.status_code, answer.json()["n_labels"]) == (201, 2)
    assert refused.status_code == 400


def test_a_file_with_a_row_for_all_questions(project):
    found = checked(project, WIDE, rater="x", statuses={"in review": False})

    assert found.preview.states == {"in review": 2}
    assert found.preview.as_json()["statuses"] == [("done", 8, True), ("in review", 1, False)]


def test_the_same_file_with_other_statuses_is_another_import(project):
    load(project, STATUSES, statuses={"in review": False})

    load(project, STATUSES)

    assert [item for item, _, _ in answers(project)] == ["a", "b", "d", "e"]


def test_statuses_are_kept_in_the_mapping():
    options = LabelOptions(statuses={"done": False})

    assert LabelOptions.from_json(options.as_json()) == options
