"""What a draft is read as: chosen on its page, and shown there."""

from html.parser import HTMLParser

import pytest

from raters.models import Label, LabelImport
from raters.tasks import load_import
from tests import cast, files
from tests.files import confirm, read_as, send
from tests.sizes import size


def test_a_draft_shows_its_faults_and_is_mended_by_another_reading(client, project):
    answer = send(client, project, b"item,rater,answer\na,ann,yes\na,ann,no\n")
    draft = LabelImport.objects.get()
    faulty = client.get(answer.url)
    assert b"duplicate_label" in faulty.content
    assert b"/confirm/" not in faulty.content

    again = read_as(client, draft, repeats="last")

    assert again.status_code == 302
    draft.refresh_from_db()
    assert (draft.n_faults, draft.n_labels, draft.preview["n_dropped"]) == (0, 1, 1)
    assert b"/confirm/" in client.get(answer.url).content


def test_what_a_column_holds_is_chosen_at_its_head(client, project):
    send(client, project, b"item,rater,mood,size\na,ann,good,big\nb,ann,bad,big\n")
    draft = LabelImport.objects.get()
    read_as(client, draft, role__2="ignore", role__3="label")

    draft.refresh_from_db()
    assert [draft.options["columns"][name]["role"] for name in ("mood", "size")] == ["ignore", "label"]
    assert draft.preview["questions"][0]["rows"] == [
        {"written": "big", "n": 2, "becomes": "big", "why": ""},
    ]


def test_the_type_of_a_rater_is_suggested_and_chosen_by_column(client, project):
    rows = ["a,yes,no,yes,yes", "b,no,no,no,yes", "c,yes,yes,yes,no"]
    send(client, project, "\n".join(["item,anna,ben,gold,gpt", *rows]).encode())
    draft = LabelImport.objects.get()
    read_as(client, draft, layout="wide", value__0__0="missing")
    read_as(client, draft, layout="wide", rater_kind__4="model", rater_kind__2="reference")
    draft.refresh_from_db()
    confirm(client, draft)
    load_import(draft.pk)

    # A type is no reason to forget what a value means.
    assert draft.preview["n_missing"] > 0
    assert dict(project.raters.values_list("key", "kind")) == {
        "anna": "human",
        "ben": "reference",
        "gold": "reference",
        "gpt": "model",
    }


@pytest.mark.parametrize(
    ("content", "n_untyped"),
    [
        (b"item,rater,label\na,gpt,yes\nb,ann,no\n", 2),
        (b"item,rater,rater_kind,label\na,gpt,model,yes\nb,ann,human,no\n", 0),
    ],
)
def test_types_of_raters_are_asked_for_unless_the_file_says_them(client, project, content, n_untyped):
    page = client.get(send(client, project, content).url)

    assert LabelImport.objects.get().preview["n_untyped"] == n_untyped
    assert (b"data-types" in page.content) == (n_untyped > 0)


def test_an_empty_cell_can_mean_that_no_category_applies(client, project):
    send(client, project, b"item,ann,ben\na,x|y,x\nb,,y\nc,x,\nd,y,x|y\n")
    draft = LabelImport.objects.get()
    [question] = draft.preview["questions"]
    empty = question["rows"][-1]

    read_as(client, draft, layout="wide", **{f"value__0__{len(question['rows']) - 1}": "none"})
    confirm(client, draft)
    load_import(draft.pk)

    assert (empty["written"], empty["n"], empty["becomes"]) == ("", 2, None)
    assert Label.objects.filter(item__project=project, category_set=[]).count() == 2
    assert Label.objects.filter(item__project=project).count() == 8


def test_records_that_are_not_labels_are_left_out_of_what_is_loaded(client, project):
    send(
        client,
        project,
        b"item,rater,label,status\na,x,yes,done\nb,x,no,skipped\nc,x,no,draft\nd,x,no,skipped\n",
    )
    draft = LabelImport.objects.get()
    confirm(client, draft)
    load_import(draft.pk)

    draft.refresh_from_db()
    assert (draft.state, draft.n_labels, draft.preview["states"]) == ("done", 1, {"skipped": 2, "draft": 1})


def test_what_a_value_becomes_is_chosen_beside_it(client, project):
    content = b"item,rater,label\na,x,yes\nb,x,Yes\nc,x,no\nd,x,NA\ne,x,maybe\nf,x,yes\n"
    send(client, project, content)
    draft = LabelImport.objects.get()
    understood = {
        row["written"]: (row["becomes"], row["why"]) for row in draft.preview["questions"][0]["rows"]
    }

    read_as(client, draft, value__0__4="=no", value__0__1="cannot_tell")
    confirm(client, draft)
    load_import(draft.pk)

    assert understood == {
        "yes": ("yes", ""),
        "Yes": ("yes", "same_spelling"),
        "no": ("no", ""),
        "NA": (None, "missing_code"),
        "maybe": ("maybe", ""),
    }
    assert files.answers(project) == [
        ("a", "x", "yes"),
        ("b", "x", "yes"),
        ("c", "x", "no"),
        ("d", "x", "no"),
        ("e", "x", None),
        ("f", "x", "yes"),
    ]


@pytest.mark.parametrize(
    ("values", "skipped"),
    [("1 3 4 6", [2, 5]), ("1 2 3", []), ("0 99", []), ("1 3 4 low", []), ("no yes", [])],
)
def test_numbers_that_a_scale_skips_are_named(client, project, values, skipped):
    rows = [f"{n},{rater},{value}" for rater in "xy" for n, value in enumerate(values.split())]
    answer = send(client, project, "\n".join(["item,rater,label", *rows]).encode())

    page = client.get(answer.url)

    assert page.context["form"].questions()[0].skipped == skipped
    assert ("data-skipped" in page.content.decode()) == bool(skipped)


def test_spellings_are_kept_apart_by_one_button(client, project):
    send(client, project, b"item,rater,label\na,x,new york\nb,x,New York\nc,x,new york\n")
    draft = LabelImport.objects.get()
    merged = draft.preview["new"]["category"]["n"]

    read_as(client, draft, apart="0")

    draft.refresh_from_db()
    assert (merged, draft.preview["new"]["category"]["n"]) == (1, 2)


def test_the_order_of_a_new_scale_is_numbered(client, project):
    send(client, project, b"item,rater,label\na,x,cold\nb,x,hot\nc,x,mild\n")
    draft = LabelImport.objects.get()

    read_as(client, draft, level__0="ordinal")
    read_as(client, draft, level__0="ordinal", order__0__0="1", order__0__1="3", order__0__2="2")
    confirm(client, draft)
    load_import(draft.pk)

    question = project.questions.get()
    assert (question.level, list(question.categories.values_list("key", flat=True))) == (
        "ordinal",
        ["cold", "mild", "hot"],
    )


def test_a_file_with_the_same_columns_is_read_as_the_one_before(client, project):
    send(client, project, b"what,who,mood,size\na,x,good,big\nb,x,bad,small\n")
    draft = LabelImport.objects.get()
    read_as(client, draft, role__2="label", role__3="ignore")
    read_as(client, draft, value__0__0="=bad", key__0="tone")
    confirm(client, draft)
    load_import(draft.pk)

    answer = send(client, project, b"what,who,mood,size\nc,y,good,big\n", name="more.csv")
    page = client.get(answer.url)
    second = LabelImport.objects.get(file_name="more.csv")
    recalled = second.preview["questions"][0]
    read_as(client, second, afresh="1")
    second.refresh_from_db()

    assert b"read as in labels.csv" in page.content
    assert (recalled["key"], recalled["rows"][0]["becomes"]) == ("tone", "bad")
    assert second.preview["questions"][0]["rows"][0]["becomes"] != "bad"


def test_another_encoding_is_chosen_on_the_draft(client, project):
    send(client, project, "item,rater,label\na,ann,café\n".encode("cp1252"))
    draft = LabelImport.objects.get()
    detected = draft.preview["new"]["category"]["first"]

    read_as(client, draft, encoding="koi8-r")

    draft.refresh_from_db()
    assert detected == ["label: café"]
    assert draft.preview["new"]["category"]["first"] == ["label: cafИ"]


# 2,000 are the most that a file may have.
N_COLUMNS = size(2_000, 500)


def test_very_many_columns_can_be_left_out(client, project):
    columns = [f"c{n}" for n in range(N_COLUMNS - 2)]
    content = "\n".join([",".join(["item", "ann", *columns]), ",".join(["a", "yes", *columns])])
    send(client, project, content.encode())
    draft = LabelImport.objects.get()

    ignored = {f"role__{place}": "ignore" for place in range(2, N_COLUMNS)}
    answer = read_as(client, draft, **{"layout": "wide"} | ignored)

    assert answer.status_code == 302
    draft.refresh_from_db()
    assert (draft.n_faults, draft.n_labels) == (0, 1)


class FormFields(HTMLParser):
    """What a browser sends of the form of a draft that nobody has touched."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: dict[str, str] = {}
        self.select = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "input" and given.get("name") and (given.get("type") != "checkbox" or "checked" in given):
            self.sent[str(given["name"])] = given.get("value") or ""
        elif tag == "select":
            self.select = given.get("name") or ""
        elif tag == "option" and "selected" in given:
            self.sent[self.select] = given.get("value") or ""


@pytest.mark.parametrize(
    "content",
    [
        b"item,rater,label\na,x,low\na,y,High\nb,x,medium\nb,y,NA\nc,x,low\n",
        b"Sheet\n\nNo.;anna;ben\n1;1,5;2,5\n2;-99;3\n3;4;-99\n",
        b"item,anna_tone,ben_tone,anna_size,ben_size\na,x,y,1,2\nb,y,y,2,99\nc,x,x,3,1\n",
    ],
)
def test_a_draft_that_nobody_touched_is_imported_at_the_first_press(client, project, content):
    send(client, project, content)
    draft = LabelImport.objects.get()
    page = client.get(draft.get_absolute_url()).content.decode()
    form = FormFields()
    form.feed(page[page.index('id="understood"') : page.rindex("</form>")])

    client.post(f"{draft.get_absolute_url()}confirm/", form.sent)

    draft.refresh_from_db()
    assert draft.state == LabelImport.State.QUEUED, draft.faults


SCALE = b"item,rater,label\na,x,low\nb,x,mid\nc,x,high\nd,x,low\ne,x,mid\nf,x,high\n"


@pytest.mark.parametrize(
    ("button", "after"), [("0-2-up", [0, 2, 1]), ("0-0-down", [1, 0, 2]), ("0-0-up", [0, 1, 2])]
)
def test_a_category_is_moved_by_a_button_without_scripts(client, project, button, after):
    send(client, project, SCALE)
    draft = LabelImport.objects.get()
    read_as(client, draft, level__0="ordinal")
    page = client.get(draft.get_absolute_url())
    order = page.context["form"].questions()[0].order
    numbers = {f"order__0__{place}": str(place + 1) for place in range(3)}

    read_as(client, draft, level__0="ordinal", move=button, **numbers)

    page = client.get(draft.get_absolute_url())
    assert page.context["form"].questions()[0].order == [order[place] for place in after]


@pytest.mark.parametrize("button", ["0-9-up", "0-x-up", "0"])
def test_a_button_of_no_category_is_refused(client, project, button):
    send(client, project, SCALE)
    draft = LabelImport.objects.get()
    read_as(client, draft, level__0="ordinal")
    numbers = {f"order__0__{place}": str(place + 1) for place in range(3)}

    assert read_as(client, draft, level__0="ordinal", move=button, **numbers).status_code == 400


def test_every_value_of_several_long_questions_is_shown(client, project):
    # More than 500 values in all.
    questions, n_values = [f"q{n}" for n in range(3)], size(450, 170)
    rows = [
        f"{value}-{n},x,{question},{question}-{value:03}"
        for question in questions
        for value in range(n_values)
        for n in range(3)
    ]
    send(client, project, "\n".join(["item,rater,question,label", *rows]).encode())
    draft = LabelImport.objects.get()

    page = client.get(draft.get_absolute_url()).content.decode()

    assert draft.n_faults == 0
    assert all(
        f"<bdi>{question}-{value:03}</bdi>" in page for question in questions for value in range(n_values)
    )
    assert "are not listed" not in page


def test_drafts_are_seen_by_those_who_may_import(client, auditor, project):
    """The preview has labels that are not there yet."""
    send(client, project, b"item,rater,label\na,ann,yes\n")
    draft = LabelImport.objects.get()
    listed, one = (f"/api/v1/projects/{project.slug}/imports/{more}" for more in ("", f"{draft.pk}/"))
    reader = cast.signed_in(auditor)

    assert [each["id"] for each in client.get(listed).json()["results"]] == [draft.pk]
    assert reader.get(listed).json()["results"] == []
    assert [who.get(one).status_code for who in (client, reader)] == [200, 404]
    assert reader.get(draft.get_absolute_url()).status_code == 404
