"""What each column of a table is taken for: by its name, by its values, and by what is known of the project."""

import pytest

from raters.reading.columns import Column, guessed
from raters.reading.known_keys import KnownKeys, folded
from raters.reading.table_sample import TableSample


def read(text: str, said: dict[str, Column] | None = None, **more):
    header, *rows = [line.split(",") for line in text.strip().splitlines()]
    return guessed(TableSample.of(header, rows), said or {}, **more)


def roles(text: str, **more) -> dict[str, str]:
    return {name: column.role for name, column in read(text, **more)[1].items()}


def raters(text: str, **more) -> dict[str, tuple[str, str]]:
    columns = read(text, **more)[1]
    return {
        name: (column.rater, column.question) for name, column in columns.items() if column.role == "label"
    }


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("Doc ID", "doc id"),
        (" doc_id ", "doc id"),
        ("docId", "doc id"),
        ("DOC.ID", "doc id"),
        ("ＤＯＣ", "doc"),
    ],
)
def test_names_are_compared_without_case_and_separators(name, plain):
    assert folded(name) == plain


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("item,rater,label", ["item", "rater", "label"]),
        ("Doc ID,Coder,Code", ["item", "rater", "label"]),
        ("id,annotator,answer,comment", ["item", "rater", "label", "note"]),
        ("item,rater,question,label,time", ["item", "rater", "question", "label", "time"]),
        ("WorkerId,HITId,Answer", ["rater", "item", "label"]),
    ],
)
def test_a_long_file_by_the_names_of_its_columns(header, expected):
    layout, columns = read(f"{header}\n" + ",".join("abcdef"[: header.count(",") + 1]))

    assert layout == "long"
    assert [column.role for column in columns.values()] == expected


def test_a_long_file_whose_column_of_labels_has_a_name_of_its_own():
    text = "doc,coder,sentiment\n1,A,pos\n1,B,neg\n2,A,pos\n2,B,pos"

    assert roles(text) == {"doc": "item", "coder": "rater", "sentiment": "label"}


def test_a_wide_file_by_columns_that_share_their_values():
    rows = ["1,x y,pos,neg,neu,look", "2,y z,neg,neg,,", "3,z,neu,NA,pos,", "4,w,neg,neu,,"]
    text = "\n".join(["No.,Statement,Anna,Ben,Chloé,Remarks", *rows])

    layout, columns = read(text)

    assert layout == "wide"
    assert {name: column.role for name, column in columns.items()} == {
        "No.": "item",
        "Statement": "content",
        "Anna": "label",
        "Ben": "label",
        "Chloé": "label",
        "Remarks": "ignore",
    }


def test_columns_of_other_things_are_left_out_of_a_wide_file():
    text = "item,site,anna,ben\na,north,yes,no\nb,south,no,no\nc,north,yes,yes"

    assert roles(text) == {"item": "item", "site": "ignore", "anna": "label", "ben": "label"}


@pytest.mark.parametrize("where", ["c1", "c2", "c3"])
def test_a_missing_value_is_no_reason_to_leave_out_a_rater_who_gave_numbers(where):
    columns = {
        name: [str(n * 7 % 100) for n in range(start, start + 9)]
        for name, start in (("c1", 1), ("c2", 30), ("c3", 60))
    }
    columns[where][3] = "NA"
    rows = [f"i{n},{','.join(cells)}" for n, cells in enumerate(zip(*columns.values(), strict=True))]

    assert set(raters("\n".join(["item,c1,c2,c3", *rows]))) == {"c1", "c2", "c3"}


def test_a_column_about_the_labels_of_a_rater_is_no_rater():
    text = "item,anna,anna_confidence,ben,ben_conf\na,x,1,y,2\nb,y,2,y,1\nc,x,1,x,2"

    assert set(raters(text)) == {"anna", "ben"}


def test_a_few_words_among_numbers_are_no_reason_to_leave_out_a_rater():
    rows = [f"i{n},{n / 4},{'k.A.' if n == 11 else n / 5}" for n in range(12)]

    assert set(raters("\n".join(["item,anna,ben", *rows]))) == {"anna", "ben"}


def test_a_column_that_describes_the_item_is_no_rater():
    text = "item,age,anna,ben\na,23,10,35\nb,31,40,22\nc,64,35,31"

    assert roles(text) == {"item": "item", "age": "ignore", "anna": "label", "ben": "label"}


def test_a_column_named_after_labels_is_preferred_to_others_that_share_no_values():
    text = "id,text,source,score\n1,Hello,web,5\n2,Bye,mail,4\n3,Ho,web,4\n4,Hi,mail,5"

    assert roles(text) == {"id": "item", "text": "content", "source": "ignore", "score": "label"}


def test_a_rater_who_has_not_begun_stands_among_the_others():
    assert set(raters("item,anna,ben,cleo\na,yes,,no\nb,no,,no")) == {"anna", "ben", "cleo"}
    assert set(raters("item,anna,ben,cleo\na,yes,NA,no\nb,no,NA,no")) == {"anna", "ben", "cleo"}


@pytest.mark.parametrize(
    ("header", "references"),
    [
        ("item,anna,ben,Gold-Standard", {"Gold-Standard"}),
        ("item,anna_tone,anna_size,ben_tone,ben_size,gold_tone,gold_size", {"gold_tone", "gold_size"}),
        # Two are compared, whatever they are called.
        ("item,anna,gold", set()),
        ("item,anna,ben,goldie", set()),
    ],
)
def test_a_column_of_a_gold_standard_is_a_reference(header, references):
    width = header.count(",")
    rows = [
        ",".join([item, *("yes" if (at + place) % 3 else "no" for place in range(width))])
        for at, item in enumerate("abc")
    ]

    columns = read("\n".join([header, *rows]))[1]

    assert {name for name, column in columns.items() if column.rater_kind == "reference"} == references


def test_a_known_rater_keeps_their_type():
    known = KnownKeys(raters=frozenset({"gold"}))

    columns = read("item,anna,ben,gold\na,yes,no,no\nb,no,no,yes", known=known)[1]

    assert columns["gold"] == Column("label", rater="gold")


def test_a_column_of_a_known_rater_is_theirs():
    known = KnownKeys(raters=frozenset({"zoe"}))

    assert set(raters("item,anna,ben,zoe\na,yes,no,\nb,no,no,", known=known)) == {"anna", "ben", "zoe"}


@pytest.mark.parametrize(
    ("header", "first"),
    [
        ("anna_tone,ben_tone,anna_size,ben_size", ("anna", "tone")),
        ("tone_1,tone_2,size_1,size_2", ("1", "tone")),
        ("tone: anna,tone: ben,size: anna,size: ben", ("anna", "tone")),
        ("Anna tone,Ben tone,Anna size,Ben size", ("Anna", "tone")),
        ("tone.coder1,tone.coder2,size.coder1,size.coder2", ("coder1", "tone")),
        ("rater-3_tone_rank,rater-3_size_rank,rater-2_tone_rank,rater-2_size_rank", ("rater-3", "tone_rank")),
        ("tone_rank_rater-3,size_rank_rater-3,tone_rank_rater-2,size_rank_rater-2", ("rater-3", "tone_rank")),
        ("dr_ann_tone,dr_ben_tone,dr_ann_size,dr_ben_size", ("dr_ann", "tone")),
        ("rater-3_1,rater-3_2,rater-2_1,rater-2_2", ("rater-3", "1")),
    ],
)
def test_several_questions_and_raters_make_a_grid(header, first):
    found = raters(f"item,{header}\na,x,y,1,2\nb,y,y,2,2\nc,x,x,1,1")

    assert len(set(found.values())) == 4
    assert next(iter(found.values())) == first


def test_names_that_make_no_grid_are_names_of_raters():
    assert raters("item,dr_smith,dr_jones\na,x,y\nb,y,y") == {
        "dr_smith": ("dr_smith", ""),
        "dr_jones": ("dr_jones", ""),
    }


def test_a_file_without_keys_has_a_row_for_each_item():
    assert roles("coder 1,coder 2\n1,1\n0,1\n1,1\n0,0") == {"coder 1": "label", "coder 2": "label"}


def test_long_text_is_content_not_label():
    text = "id,quote,anna,ben\n" + "\n".join(f"{n},{'word ' * 20}{n},yes,no" for n in range(3))

    assert roles(text)["quote"] == "content"
    assert roles(text.replace("quote", "what was said"))["what was said"] == "content"


def test_what_a_person_says_of_a_column_stands():
    text = "item,anna,ben,site\na,yes,no,yes\nb,no,no,no"

    columns = read(text, {"ben": Column("ignore"), "site": Column("label", rater="cleo")})[1]

    assert (columns["ben"].role, columns["site"]) == ("ignore", Column("label", rater="cleo"))


@pytest.mark.parametrize(
    "said",
    [
        "nothing",
        7,
        {"role": "label", "who": "x"},
        {"role": "label", "rater": 7},
        {"role": "label", "rater_kind": "consensus"},
        {},
    ],
)
def test_a_column_that_cannot_be(said):
    with pytest.raises(ValueError):
        Column.from_json(said)


def test_a_column_as_json_comes_back():
    column = Column("label", rater="anna", question="tone", rater_kind="model")

    assert Column.from_json(column.as_json()) == column
    assert Column.from_json("item") == Column("item")
