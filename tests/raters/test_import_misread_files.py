"""Files that were once misread without a warning."""

import pytest

from raters.models import LabelImport
from raters.tasks import load_import
from tests.core.tables.making import xlsx
from tests.files import answers, confirm, read_as, send


def test_numbers_with_decimal_commas_and_a_few_words_are_not_sets(client, project):
    ratings = ["4,0", "3,5", "k.A.", "2,5", "3,3", "5,0", "4,0", "1,5", "fehlt", "2,0"]
    rows = [f"{n};Käthe;{ratings[n - 1]}\n{n};Jürgen;{ratings[-n]}" for n in range(1, 11)]
    send(client, project, "\n".join(["Nr;Rater;Bewertung", *rows]).encode("latin-1"))
    draft = LabelImport.objects.get()
    [question] = draft.preview["questions"]
    faults = {(fault["value"], fault["code"]) for fault in draft.faults}

    read_as(client, draft, value__0__0="missing", value__0__1="missing")
    confirm(client, draft)
    load_import(draft.pk)

    assert (question["kind"], question["level"], draft.options["decimal"]) == ("number", "interval", ",")
    assert faults == {("k.A.", "bad_number"), ("fehlt", "bad_number")}
    labels = project.questions.get().labels.filter(rater__key="Käthe")
    assert sorted(labels.values_list("number", flat=True)) == [1.5, 2.0, 2.5, 3.3, 3.5, 4.0, 4.0, 5.0]


def test_the_header_is_found_again_on_another_sheet(client, project):
    first = [["doc", "Anna", "Ben"], ["a", "yes", "no"], ["b", "no", "no"]]
    second = [
        ["Coding of 2026"],
        ["Second wave"],
        ["item", "Cleo", "Dan"],
        ["c", "yes", "yes"],
        ["d", "no", "yes"],
    ]
    send(client, project, xlsx(First=first, Second=second), name="codes.xlsx")
    draft = LabelImport.objects.get()

    read_as(client, draft, layout="wide", sheet="Second", header_line="1")
    draft.refresh_from_db()
    redetected = (draft.preview["header_line"], draft.preview["columns"])
    read_as(client, draft, layout="wide", sheet="First", header_line="2")
    draft.refresh_from_db()

    assert redetected == (3, ["item", "Cleo", "Dan"])
    assert (draft.preview["header_line"], draft.preview["columns"]) == (2, ["a", "yes", "no"])


RATINGS = {
    name: [["item", "correctness"], ["a", answer], ["b", "good"]]
    for name, answer in {"Ann": "good", "Ben": "bad", "Cleo": "good"}.items()
}
OF_RATINGS = [
    *(("a", name, answer) for name, answer in (("Ann", "good"), ("Ben", "bad"), ("Cleo", "good"))),
    *(("b", name, "good") for name in ("Ann", "Ben", "Cleo")),
]


def test_sheets_with_the_labels_of_one_rater_each_are_read_together(client, project):
    content = xlsx(**{"Read me": [["Ratings"], ["of 2026"]]}, **RATINGS)
    page = client.get(send(client, project, content, name="ratings.xlsx").url).content.decode()
    draft = LabelImport.objects.get()
    confirm(client, draft)
    load_import(draft.pk)

    assert draft.options["choices"] == {"files": "raters"}
    assert 'id="other-sheets"' not in page
    assert answers(project) == OF_RATINGS


def test_a_fault_in_one_of_several_sheets_names_it(client, project):
    ratings = {**RATINGS, "Ben": [["item", "correctness"], ["a", "bad"], ["a", "good"], ["", "good"]]}
    send(client, project, xlsx(**ratings), name="ratings.xlsx")
    draft = LabelImport.objects.get()

    assert draft.n_faults
    assert {(fault["line"], fault["rule"].partition(":")[0]) for fault in draft.faults} <= {
        (3, "Ben"),
        (4, "Ben"),
    }


def test_only_the_chosen_sheet_is_read_if_wanted_and_the_next_one_is_selected_then(client, project):
    content = xlsx(**{"Read me": [["Ratings"], ["of 2026"]]}, **RATINGS)
    chosen = []
    for _ in RATINGS:
        answer = send(client, project, content, name="ratings.xlsx")
        draft = LabelImport.objects.latest("id")
        read_as(client, draft, layout=draft.options["layout"], choice__files="one")
        page = client.get(answer.url).content.decode()
        draft.refresh_from_db()
        chosen.append((draft.preview["sheet"], draft.options["rater"]))
        confirm(client, draft)
        load_import(draft.pk)

    assert chosen == [(name, name) for name in RATINGS]
    assert 'id="other-sheets"' in page
    assert "<bdi>Ann</bdi>, <bdi>Ben</bdi>" in page
    assert answers(project) == OF_RATINGS


def test_sheets_with_a_column_for_each_rater_are_read_one_by_one_unless_named_after_raters(client, project):
    rows = [["item", "anna", "ben"], ["a", "yes", "no"], ["b", "no", "no"], ["c", "yes", "yes"]]
    for names in (("Monday", "Tuesday"), ("Coder 1", "Coder 2")):
        send(client, project, xlsx(**dict.fromkeys(names, rows)), name="ratings.xlsx")

    first, second = LabelImport.objects.order_by("id")
    assert (first.options["choices"], first.options["columns"]["anna"]["rater"]) == ({"files": "one"}, "anna")
    assert second.options["choices"] == {"files": "raters"}
    assert second.preview["new"]["rater"]["first"] == ["Coder 1", "Coder 2"]


def test_questions_whose_names_have_underscores_are_split_from_their_raters(client, project):
    columns = [f"rater-{n}_{what}_rank" for n in (3, 2, 6) for what in ("correctness", "selection")]
    rows = [[f"doc{n}", *(str((n * place) % 5 + 1) for place in range(1, 7))] for n in range(1, 9)]
    send(client, project, "\n".join(map(",".join, [["id", *columns], *rows])).encode())
    draft = LabelImport.objects.get()

    assert draft.options["columns"]["rater-6_selection_rank"] == {
        "role": "label",
        "rater": "rater-6",
        "question": "selection_rank",
    }
    assert (draft.preview["new"]["rater"]["n"], draft.preview["new"]["question"]["n"]) == (3, 2)


def test_a_column_that_shares_no_values_with_the_raters_is_pointed_out(client, project):
    rows = [f"p{n},{30 + n},{n % 5 + 1},{n % 4 + 1},NA" for n in range(1, 9)] + ["p9,NA,1,2,5"]
    answer = send(client, project, "\n".join(["id,weight,rater-2,rater-3,rater-6", *rows]).encode())
    page = client.get(answer.url).content.decode()
    draft = LabelImport.objects.get()
    pointed_out = draft.preview["unlike_raters"]

    read_as(client, draft, layout="wide", role__1="ignore")
    draft.refresh_from_db()

    assert pointed_out == ["weight"]
    assert page.count("This column shares no values with the other raters.") == 1
    assert draft.preview["unlike_raters"] == []
    assert draft.preview["new"]["rater"]["first"] == ["rater-2", "rater-3", "rater-6"]


def test_a_table_of_inception_without_labels_of_documents_can_be_read_as_a_table(client, project):
    header = "Type,Collection,Document,Layer,Feature,Position,Flags,anna,ben"
    rows = [
        f"SpanPosition,demo,d{n % 3}.txt,custom.Tone,value,{n}0-{n}5,USED,{'pos' if n % 2 else 'neg'},pos"
        for n in range(1, 9)
    ]
    send(client, project, "\n".join([header, *rows]).encode())
    draft = LabelImport.objects.get()
    [refusal] = draft.faults

    read_as(client, draft, format="table", layout="wide")
    draft.refresh_from_db()
    read_as(client, draft, format="table", layout="wide", role__2="ignore", role__5="item")
    draft.refresh_from_db()

    assert refusal["rule"].startswith(
        "the file has no labels; it has 16 spans, which cannot be imported; to read"
    )
    assert "“Read as”" in refusal["rule"]
    assert (draft.n_faults, draft.n_labels, draft.preview["new"]["rater"]["first"]) == (
        0,
        16,
        ["anna", "ben"],
    )


@pytest.mark.parametrize(
    ("header", "is_transposed"),
    [
        ("coder,doc1,doc2,doc3,doc4,doc5,doc6", True),
        ("coder,first text,second text,third text,fourth text,fifth text,sixth text", True),
        (",1,2,3,4,5,6", True),
        ("name,Text 1,Text 2,Text 3,Text 4,Text 5,Text 6", True),
        ("item,1,2,3,4,5,6", False),
        ("case,rater1,rater2,rater3,rater4,rater5,rater6", False),
        ("name,q1,q2,q3,q4,q5,q6", False),
    ],
)
def test_a_table_with_a_row_for_each_rater_may_be_transposed(client, project, header, is_transposed):
    answer = send(client, project, f"{header}\nann,1,2,1,,3,2\nben,2,2,1,1,3,\ncem,,2,1,3,3,2\n".encode())

    assert (b"This table may be transposed" in client.get(answer.url).content) == is_transposed


def test_columns_of_sheets_named_after_raters_are_questions(client, project):
    rows = [["item", "correctness", "coverage"], ["a", 1, 2], ["b", 2, 2]]
    answer = send(client, project, xlsx(**{"rater-2": rows, "rater-3": rows}), name="ratings.xlsx")
    page = client.get(answer.url).content.decode()
    draft = LabelImport.objects.get()

    read_as(client, draft, layout="wide", question__2="completeness")
    confirm(client, draft)
    load_import(draft.pk)

    assert 'name="question-2"' in page
    assert [*project.raters.order_by("key").values_list("key", flat=True)] == ["rater-2", "rater-3"]
    assert {*project.questions.values_list("key", flat=True)} == {"correctness", "completeness"}


@pytest.mark.parametrize("rows", [range(40), [0, 1] * 20], ids=["a row each", "several rows"])
def test_rows_of_several_raters_without_items_are_no_labels(client, project, rows):
    """Such as how many attention checks each rater passed: each row would be an item that nobody else labeled."""
    table = "".join(f"rater-{n:03},{n % 7 + 3},{n % 3 + 1}\n" for n in rows)

    send(client, project, f"rater,checks,passed\n{table}".encode())

    draft = LabelImport.objects.get()
    assert [(fault["column"], fault["code"]) for fault in draft.faults] == [("item", "missing_column")]
    page = client.get(draft.get_absolute_url()).content.decode()
    assert 'name="role-0"' in page


def test_rows_of_one_rater_are_still_numbered(client, project):
    table = "".join(f"ann,{'yes' if n % 2 else 'no'},{n % 3}\n" for n in range(20))

    send(client, project, f"rater,clear,stars\n{table}".encode())

    draft = LabelImport.objects.get()
    assert (draft.n_faults, draft.n_labels) == (0, 40)


# Fleiss (1971), table 1: ten of the patients, and how many of six raters chose each diagnosis.
COUNTS = [
    (0, 0, 0, 6, 0), (0, 3, 0, 0, 3), (0, 1, 4, 0, 1), (0, 0, 0, 0, 6), (0, 3, 0, 3, 0),
    (2, 0, 4, 0, 0), (0, 0, 4, 0, 2), (2, 0, 3, 1, 0), (2, 0, 0, 4, 0), (0, 0, 0, 0, 6),
]  # fmt: skip


def test_counts_of_raters_by_category_are_no_labels(client, project):
    names = ["depression", "personality", "schizophrenia", "neurosis", "other"]
    rows = [",".join(map(str, [n, *counts])) for n, counts in enumerate(COUNTS, 1)]
    send(client, project, "\n".join([",".join(["subject", *names]), *rows]).encode())
    draft = LabelImport.objects.get()
    faults = [fault["code"] for fault in draft.faults]

    read_as(client, draft, layout="wide")
    draft.refresh_from_db()

    assert faults == ["counts"]
    assert (draft.n_faults, draft.n_labels) == (0, 50)


@pytest.mark.parametrize(
    ("rows", "faults"),
    [
        (["2,1", "1,2", "3,0", "0,3", "1,2"], ["counts"]),
        (["2,1", "1,2", "3,0", "0,3"], []),
        (["5,4", "4,5", "3,3", "0,1", "2,2", "1,0"], []),
        (["4,2", "2,4", "3,3", "1,5", "5,1", "3,3"], []),
    ],
    ids=["counts", "too few rows", "other sums", "no zero"],
)
def test_counts_have_a_common_sum_and_zeros(client, project, rows, faults):
    named = "\n".join(["item,ann,bob", *(f"d{n},{row}" for n, row in enumerate(rows))])

    send(client, project, named.encode())

    assert [fault["code"] for fault in LabelImport.objects.get().faults] == faults


def test_a_file_of_keys_and_labels_without_a_header_loses_no_row(client, project):
    rows = [f"doc{n},{'ab'[n % 2]},{'ab'[n % 3 > 0]}" for n in range(15)]
    send(client, project, "\n".join(rows).encode())
    draft = LabelImport.objects.get()

    confirm(client, draft)
    load_import(draft.pk)

    assert project.items.count() == 15
    assert [*project.raters.order_by("key").values_list("key", flat=True)] == ["coder 1", "coder 2"]
