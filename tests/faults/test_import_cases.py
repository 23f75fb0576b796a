"""Bad files I1 to I30 and I37 to I48: refused with line and column and nothing changed, or taken exactly."""

import pytest

from core.tables.faults import FileRefused
from projects.models import Project
from tests import files
from tests.cast import signed_in
from tests.files import GOOD, csv, load_items, post_file, run_queued
from tests.sizes import some

LONG = "x" * 201


REFUSED = {
    # name: content, options, status, code, line, column
    "I1 empty file": (b"", {}, 400, "empty_file", 0, ""),
    "I2 header only": (b"item,rater,label\n", {}, 400, "no_rows", 0, ""),
    "I4 UTF-16 without its mark": (GOOD.decode().encode("utf-16-le"), {}, 400, "encoding", 1, ""),
    "I4 UTF-16 chosen for a file without its mark": (
        GOOD.decode().encode("utf-16-le"),
        {"encoding": "utf-16"},
        400,
        "encoding",
        1,
        "",
    ),
    "I5 cp1252, and UTF-8 by choice": (
        "item,rater,label\na,ann,caf\u00e9\n".encode("cp1252"),
        {"encoding": "utf-8"},
        400,
        "encoding",
        2,
        "",
    ),
    "I6 Shift-JIS, and UTF-8 by choice": (
        "item,rater,label\nあ,い,う\n".encode("shift_jis"),
        {"encoding": "utf-8"},
        400,
        "encoding",
        2,
        "",
    ),
    "I7 NUL": (csv("a,ann,y\0s"), {}, 400, "nul", 2, "label"),
    "I8 surrogate in JSON lines": (
        b'{"item":"a","rater":"ann","label":"\\ud800"}\n',
        {},
        400,
        "surrogate",
        1,
        "label",
    ),
    "I9 unclosed quote": (csv("a,ann,yes", 'b,ann,"no', "c,ann,yes"), {}, 400, "csv_quote", 3, ""),
    "I10 text after a quote": (csv("a,ann,yes", 'b,ann,"no"x'), {}, 400, "csv_quote", 3, "3"),
    "I15 missing column": (b"item,label\na,yes\n", {}, 400, "missing_column", 1, "rater"),
    "I17 row too long": (csv("a,ann,yes", "b,ann,no,more"), {}, 400, "extra_cells", 3, ""),
    "I18 row too short": (csv("a,ann,yes", "b,ann"), {}, 400, "missing_cells", 3, "label"),
    "I19 fault behind blank lines": (csv("a,ann,yes", "", "", "b,ann"), {}, 400, "missing_cells", 5, "label"),
    "I22 ids equal but for case": (csv("a,ann,yes", "A,ann,yes"), {}, 400, "confusable_id", 3, "item"),
    "I22 ids equal but for composition": (
        csv("caf\u00e9,ann,yes", "cafe\u0301,ann,yes"),
        {},
        400,
        "confusable_id",
        3,
        "item",
    ),
    "I22 raters equal but for case": (csv("a,ann,yes", "b,Ann,yes"), {}, 400, "confusable_id", 3, "rater"),
    "I22 categories kept apart that are equal but for case": (
        csv("a,ann,yes", "b,ann,Yes"),
        {"questions": '{"label": {"values": {"yes": "yes", "Yes": "Yes"}}}'},
        400,
        "confusable_id",
        3,
        "label",
    ),
    "I25 cell of 10,001 characters": (csv(f"a,ann,{'x' * 10_001}"), {}, 400, "too_long", 2, "label"),
    "I26 field above csv's own limit": (csv(f'a,ann,"{"x" * 200_000}"'), {}, 400, "too_long", 2, "label"),
    "I26 line without end": (b"item,rater,label\n" + b"x" * 3_000_000, {}, 400, "too_long", 2, ""),
    "I28 10,000 columns": (
        ",".join(f"c{i}" for i in range(10_000)).encode() + b"\n",
        {},
        400,
        "too_many_columns",
        1,
        "",
    ),
    "I38 bad line 7 of 10": (
        b"".join(
            b"{nonsense}\n" if line == 7 else b'{"item":"i%d","rater":"ann","label":"yes"}\n' % line
            for line in range(1, 11)
        ),
        {},
        400,
        "bad_json",
        7,
        "",
    ),
    "I38 NaN": (b'{"item":"a","rater":"ann","label":NaN}\n', {}, 400, "bad_number", 1, ""),
    "I38 duplicate key": (
        b'{"item":"a","item":"b","rater":"ann","label":"yes"}\n',
        {},
        400,
        "duplicate_key",
        1,
        "item",
    ),
    "I38 nested deeply": (b'{"item":' + b"[" * 50_000 + b"\n", {}, 400, "bad_json", 1, ""),
    "I40 rater twice on an item": (csv("a,ann,yes", "a,ann,no"), {}, 400, "duplicate_label", 3, "label"),
    "I40 unknown names": (csv("a,ann,yes"), {"declared_only": "true"}, 400, "unknown_category", 2, "label"),
    "a bad number": (csv("a,ann,1e999"), {"question_kind": "number"}, 400, "bad_number", 2, "label"),
    "a control character": (csv("a,ann,y\x07s"), {}, 400, "control_character", 2, "label"),
    "a bad time": (b"item,rater,label,time\na,b,c,noon\n", {}, 400, "bad_time", 2, "time"),
    "an empty id": (csv(",ann,yes"), {}, 400, "empty_cell", 2, "item"),
    "a key that is too long": (csv(f"{LONG},ann,yes"), {}, 400, "too_long", 2, "item"),
}


@pytest.mark.parametrize("name", some(REFUSED, every=2))
def test_a_bad_file_is_refused_with_its_place_and_changes_nothing(name, project, lead):
    content, options, status, code, line, column = REFUSED[name]
    before = files.n_rows()

    answer = post_file(signed_in(lead), project, content, **options)

    body = answer.json()
    assert (answer.status_code, files.n_rows()) == (status, before), body
    assert body["request_id"]
    found = [(fault["code"], fault["line"], fault["column"]) for fault in body["errors"]]
    assert (code, line, column) in found, body


TAKEN = {
    # name: content, options, the labels that it holds
    "I3 UTF-8 with BOM": (b"\xef\xbb\xbf" + GOOD, {}, [("a", "ann", "yes"), ("a", "ben", "no")]),
    "I4 UTF-16 with its mark": (
        GOOD.decode().encode("utf-16"),
        {},
        [("a", "ann", "yes"), ("a", "ben", "no")],
    ),
    "I4 UTF-16 of the other order": (
        b"\xfe\xff" + GOOD.decode().encode("utf-16-be"),
        {},
        [("a", "ann", "yes"), ("a", "ben", "no")],
    ),
    "I5 cp1252": ("item,rater,label\na,ann,caf\u00e9\n".encode("cp1252"), {}, [("a", "ann", "café")]),
    "I6 Shift-JIS": ("item,rater,label\nあ,い,う\n".encode("shift_jis"), {}, [("あ", "い", "う")]),
    "I5 cp1252 by choice": (
        "item,rater,label\na,ann,caf\u00e9\n".encode("cp1252"),
        {"encoding": "windows-1252"},
        [("a", "ann", "café")],
    ),
    "I11 quoted newline": (
        b'item,rater,label\r\na,ann,"y\r\ne""s"\r\nb,ann,no\r\n',
        {},
        [("a", "ann", 'y\r\ne"s'), ("b", "ann", "no")],
    ),
    "I12 CR": (GOOD.replace(b"\n", b"\r"), {}, [("a", "ann", "yes"), ("a", "ben", "no")]),
    "I12 CRLF": (GOOD.replace(b"\n", b"\r\n"), {}, [("a", "ann", "yes"), ("a", "ben", "no")]),
    "I12 mixed, and no last one": (
        b"item,rater,label\ra,ann,yes\r\na,ben,no",
        {},
        [("a", "ann", "yes"), ("a", "ben", "no")],
    ),
    "I14 header differing by case and spaces": (b"Item , RATER,label\na,b,c\n", {}, [("a", "b", "c")]),
    "I14 columns of any name": (
        b"what,who,mood\na,b,c\n",
        {"columns": '{"what": "item", "who": "rater", "mood": {"role": "label"}}'},
        [("a", "b", "c")],
    ),
    "I13 duplicate header": (b"item,rater,label,label\na,b,c,d\n", {}, [("a", "b", "c")]),
    "I16 surplus column": (b"item,rater,label,mood\na,b,c,d\n", {}, [("a", "b", "c")]),
    "I22 categories equal but for case": (
        csv("a,ann,yes", "b,ann,Yes", "c,ann,yes"),
        {},
        [("a", "ann", "yes"), ("b", "ann", "yes"), ("c", "ann", "yes")],
    ),
    "I19 blank lines": (csv("a,ann,yes", "", "b,ann,no"), {}, [("a", "ann", "yes"), ("b", "ann", "no")]),
    "I23 edge spaces": (csv(" a ,ann,\u00a0yes "), {}, [("a", "ann", "yes")]),
    "I24 ids that look like numbers": (
        csv("00123,ann,yes", "1e5,ann,1.0", "1.0,ann,1"),
        {},
        [("00123", "ann", "yes"), ("1.0", "ann", "1"), ("1e5", "ann", "1")],
    ),
    "I24 numbers in JSON lines stay as written": (
        b'{"item":1e5,"rater":"ann","label":1.0}\n',
        {},
        [("1e5", "ann", "1.0")],
    ),
    "I30 semicolon": (GOOD.replace(b",", b";"), {}, [("a", "ann", "yes"), ("a", "ben", "no")]),
    "I30 tab": (GOOD.replace(b",", b"\t"), {}, [("a", "ann", "yes"), ("a", "ben", "no")]),
    "I39 line separators inside JSON strings": (
        '{"item":"a\u2028b","rater":"ann","label":"x\u0085y"}\n'.encode(),
        {},
        [("a\u2028b", "ann", "x\u0085y")],
    ),
    "I41 what a spreadsheet takes for formulas": (
        csv('a,ann,"=HYPERLINK(""x"")"', "b,ann,@SUM", "c,ann,\uff1d1+1", "d,ann,\tx"),
        {},
        [
            ("a", "ann", '=HYPERLINK("x")'),
            ("b", "ann", "@SUM"),
            ("c", "ann", "\uff1d1+1"),
            ("d", "ann", "x"),
        ],
    ),
    "I42 markup": (
        csv("<script>alert(1)</script>,ann,<img onerror=x>", "[](javascript:x),ann,![](http://h/i)"),
        {},
        [
            ("<script>alert(1)</script>", "ann", "<img onerror=x>"),
            ("[](javascript:x)", "ann", "![](http://h/i)"),
        ],
    ),
    "I43 bidi, zero width, combining marks": (
        csv("\u202ea,ann,\u200by", "b" + "\u0301" * 150 + ",ann,n"),
        {},
        [("b" + "\u0301" * 150, "ann", "n"), ("\u202ea", "ann", "\u200by")],
    ),
    "an empty cell is no label": (csv("a,ann,yes", "b,ann,"), {}, [("a", "ann", "yes")]),
    "a column for each rater": (
        b"item,ann,ben\na,yes,no\nb,,yes\n",
        {"layout": "wide"},
        [("a", "ann", "yes"), ("a", "ben", "no"), ("b", "ben", "yes")],
    ),
}


@pytest.mark.parametrize("name", some(TAKEN, every=2))
def test_a_good_file_is_taken_exactly(name, project, lead):
    content, options, labels = TAKEN[name]

    answer = post_file(signed_in(lead), project, content, **options)
    run_queued(project)

    assert answer.status_code == 201, answer.json()
    assert files.answers(project) == sorted(labels)


def test_i5_the_fault_names_the_byte_and_the_choices(project, lead):
    content = "item,rater,label\na,ann,caf\u00e9\n".encode("cp1252")

    answer = post_file(signed_in(lead), project, content, encoding="utf-8")

    fault = answer.json()["errors"][0]
    assert fault["value"] == "0xE9"
    assert "byte 10 of the line" in fault["rule"]
    assert "windows-1252" in fault["rule"]


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ('{"a\\u0000b": "label"}', "nul"),
        ('{"\\ud800": "label"}', "surrogate"),
        ('{"label": "nothing"}', "invalid_option"),
        ('{"label": 7}', "invalid_option"),
        ('{"label": {"role": "label", "who": "x"}}', "invalid_option"),
        ('{"label": ', "json"),
        ('["label"]', "invalid_option"),
        ("[" * 100_000, "too_deep"),
    ],
)
def test_columns_are_strict_json(project, lead, given, code):
    answer = post_file(signed_in(lead), project, GOOD, columns=given)

    assert (answer.status_code, answer.json()["error"]) == (400, code)


@pytest.mark.parametrize(
    "given", ['{"q": 7}', '{"q": {"kind": "free"}}', '{"q": {"values": {"a": 7}}}', '{"q": {"size": 7}}', "7"]
)
def test_questions_are_what_a_question_has(project, lead, given):
    answer = post_file(signed_in(lead), project, GOOD, questions=given)

    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_option")


def test_all_faults_are_listed_and_counted(project, lead):
    answer = post_file(
        signed_in(lead), project, csv(*(f"i{i},ann,{LONG}" for i in range(1_500))), question_kind="single"
    )

    body = answer.json()
    assert len(body["errors"]) == 1_000
    assert "1,500 problems" in body["detail"]


def test_every_fault_of_a_row_is_told(project, lead):
    answer = post_file(signed_in(lead), project, csv(f"{LONG},{LONG},{LONG}"), question_kind="single")

    assert [fault["column"] for fault in answer.json()["errors"]] == ["item", "rater", "label"]


def items(project: Project, content: bytes, **options: bool):
    return load_items(project, content, **options)


def test_i20_an_item_twice_names_both_lines(project):
    with pytest.raises(FileRefused) as refused:
        items(project, b"item,text\na,x\nb,y\na,z\n")

    fault = refused.value.faults.listed[0]
    assert (fault.code, fault.line, fault.rule) == ("duplicate_item", 4, "already on line 2")
    assert not project.items.exists()


def test_i21_items_of_the_project_are_listed(project):
    items(project, b"item,text\na,x\n")

    with pytest.raises(FileRefused) as refused:
        items(project, b"item,text\nb,y\na,other\n")

    assert [(fault.code, fault.line) for fault in refused.value.faults.listed] == [("item_exists", 3)]
    assert project.items.count() == 1


def test_i22_an_item_like_one_of_the_project(project):
    items(project, b"item,text\nITEM,x\n")

    with pytest.raises(FileRefused) as refused:
        items(project, b"item,text\nitem,x\n")

    assert refused.value.faults.code == "confusable_id"


def test_i25_content_of_10001_characters(project):
    items(project, b"item,text\na," + b"x" * 10_000 + b"\n")

    with pytest.raises(FileRefused) as refused:
        items(project, b"item,text\nb," + b"x" * 10_001 + b"\n")

    assert (refused.value.faults.code, refused.value.faults.listed[0].column) == ("too_long", "text")


def test_i27_one_row_too_many(project, lead, settings):
    settings.IMPORT_MAX_ROWS = 3
    before = files.n_rows()

    taken = post_file(signed_in(lead), project, csv("a,x,1", "b,x,1", "c,x,1"), dry_run="true")
    refused = post_file(signed_in(lead), project, csv("a,x,1", "b,x,1", "c,x,1", "d,x,1"))

    assert (taken.status_code, taken.json()["n_faults"]) == (200, 0)
    assert (refused.status_code, refused.json()["error"]) == (413, "too_many_rows")
    assert refused.json()["errors"][0]["line"] == 5
    assert files.n_rows() == before
