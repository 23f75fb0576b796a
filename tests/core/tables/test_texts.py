"""CSV, TSV, JSON lines and JSON arrays: separators, encodings, headers and values."""

import pytest

from core.tables.faults import Faults
from core.tables.formats import format_of
from core.tables.table import TableChoices, open_any
from tests.core.tables.making import cells, opened, read, refusal


@pytest.mark.parametrize(("mark", "name"), [(",", "comma"), (";", "semicolon"), ("\t", "tab"), ("|", "pipe")])
def test_a_separator_is_found(mark, name):
    table = opened(f"item{mark}label\na{mark}1,5;2\n".replace("1,5;2", "x").encode())

    assert (table.separator, table.columns, cells(table)) == (name, ["item", "label"], [["a", "x"]])


def test_a_separator_is_the_one_that_cuts_all_rows_alike():
    content = b"Ratings of food, rooms, and staff\nitem;label\na;good, but cold\nb;bad\n"

    table = opened(content)

    assert (table.separator, table.header_line) == ("semicolon", 2)
    assert cells(table) == [["a", "good, but cold"], ["b", "bad"]]


def test_titles_above_the_header_are_skipped_and_lines_stay_physical():
    table = opened(b"Ratings,,\n,,\nitem,anna,ben\na,1,2\n,,\nb,1,1\n,,\n")

    assert (table.columns, table.header_line) == (["item", "anna", "ben"], 3)
    assert list(table.rows) == [(4, ["a", "1", "2"]), (6, ["b", "1", "1"])]


def test_empty_columns_are_dropped_and_one_without_a_name_gets_one():
    assert read(b"item,,label,,\na,x,1,,\nb,,2,,\n") == (
        ["item", "column B", "label"],
        [["a", "x", "1"], ["b", "", "2"]],
    )


def test_the_row_numbers_of_pandas_and_of_r_get_a_name():
    assert read(b",item,label\n0,a,x\n1,b,y\n")[0] == ["column A", "item", "label"]
    assert read(b'"item" "label"\n'.replace(b" ", b"\t") + b'"1"\t"a"\t"x"\n"2"\t"b"\t"y"\n') == (
        ["column A", "item", "label"],
        [["1", "a", "x"], ["2", "b", "y"]],
    )


def test_columns_of_equal_names_get_numbers_unless_the_reading_is_strict():
    content = b"item,tone,tone,tone (2)\na,1,2,3\n"

    assert read(content)[0] == ["item", "tone", "tone (3)", "tone (2)"]
    assert refusal(content, is_strict=True)[0] == "duplicate_column"


def test_a_file_of_codes_has_no_header():
    table = opened(b"1,2,2\n0,1,1\n-1,1,0\n")

    assert (table.columns, table.has_header, table.header_line) == (
        ["coder 1", "coder 2", "coder 3"],
        False,
        0,
    )
    assert next(table.rows) == (1, ["1", "2", "2"])


def test_a_file_whose_first_row_has_values_has_no_header():
    table = opened(b"yes,yes\nno,yes\nyes,no\nno,no\n")

    assert (table.columns, table.has_header) == (["coder 1", "coder 2"], False)
    assert next(table.rows) == (1, ["yes", "yes"])


@pytest.mark.parametrize(
    "content",
    [
        # A name is no value of its column.
        b"yes,maybe\nno,yes\nyes,no\nno,no\n",
        # Too few rows to tell.
        b"yes,yes\nno,yes\nyes,no\n",
        b"item,a\nyes,a\nno,a\nno,a\n",
    ],
)
def test_a_first_row_of_other_words_is_the_header(content):
    assert opened(content).header_line == 1


def test_the_header_may_be_chosen():
    content = b"a,b\nitem,label\nx,y\n"

    assert read(content, header_line="2") == (["item", "label"], [["x", "y"]])
    assert read(content, header_line="0") == (
        ["column A", "column B"],
        [["a", "b"], ["item", "label"], ["x", "y"]],
    )
    assert refusal(content, header_line="9")[0] == "no_header"


@pytest.mark.parametrize(
    ("text", "codec", "encoding"),
    [
        ("caf\u00e9", "cp1252", "windows-1252"),
        ("Größe über Straße", "cp1252", "windows-1252"),
        ("“naïve” – it’s", "cp1252", "windows-1252"),
        ("Zażółć gęślą jaźń", "cp1250", "windows-1250"),
        ("Привет мир", "cp1251", "windows-1251"),
        ("Привет мир", "koi8_r", "koi8-r"),
        ("Καλημέρα κόσμε", "cp1253", "windows-1253"),
        ("La météo est très mauvaise à Évreux, où l’été a déjà commencé", "mac_roman", "mac_roman"),
        ("あ い う", "shift_jis", "shift_jis"),
        ("你好世界 这是一个测试", "gb18030", "gb18030"),
        ("안녕하세요 세계", "euc_kr", "euc-kr"),
    ],
)
def test_a_guessed_encoding_is_reported(text, codec, encoding):
    table = opened(f'item,text\n1,"{text}"\n'.encode(codec))

    assert (table.encoding, cells(table)) == (encoding, [["1", text]])


def test_what_is_not_utf8_far_behind_the_beginning_is_not_utf8():
    content = b"item,text\n" + b"a,plain\n" * 90_000 + "b,über\n".encode("cp1252")

    table = opened(content)

    assert table.encoding == "windows-1252"
    assert cells(table)[-1] == ["b", "über"]


def test_a_wrong_encoding_says_line_and_choices():
    code, sentence = refusal("item,text\na,é\n".encode("cp1252"), encoding="utf-8")

    assert code == "encoding"
    assert sentence.startswith("line 2")
    assert "windows-1252" in sentence


def test_an_encoding_may_be_chosen():
    assert read("item,text\na,Ů\n".encode("iso8859_2"), encoding="iso-8859-2")[1] == [["a", "Ů"]]
    with pytest.raises(ValueError, match="encoding must be one of"):
        TableChoices(encoding="ebcdic")


def test_choices_are_kept_as_json():
    choices = TableChoices(sheet="Data", header_line="3")

    assert TableChoices.from_json(choices.as_json()) == choices


def test_json_lines_keep_numbers_and_nested_values_as_written():
    content = b'{"id": 1.0, "l": ["a", "b"], "s": {"start": 0, "x": 1e5}, "yes": true}\n{"id": 123456789012345678}\n'

    table = opened(content)

    assert table.format == "jsonl"
    assert cells(table) == [
        ["1.0", '["a","b"]', '{"start":0,"x":1e5}', "true"],
        ["123456789012345678", "", "", ""],
    ]


def test_strict_json_lines_join_texts_and_refuse_objects():
    table = opened(b'{"item": "a", "l": ["x", "y"]}\n', is_strict=True)

    assert cells(table) == [["a", "x|y"]]
    assert refusal(b'{"item": "a", "l": {"x": 1}}\n', is_strict=True)[0] == "bad_json"
    assert refusal(b'[{"item": "a", "l": {"x": 1}}]', is_strict=True)[0] == "bad_json"


def test_a_json_array_is_read_like_json_lines():
    first, second = '{"id": 1.0, "n": 7, "text": "é", "l": [1, {"a": null}]}', '{"id": "b", "new": 0.10}'
    content = f"\ufeff [\n {first},\n {second}\n] ".encode()

    table = opened(content)

    assert (table.format, table.columns) == ("json", ["id", "n", "text", "l", "new"])
    assert list(table.rows) == [
        (1, ["1.0", "7", "é", '[1,{"a":null}]', ""]),
        (2, ["b", "", "", "", "0.10"]),
    ]


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_a_json_array_is_the_same_however_it_is_cut(size):
    content = b'[{"a": "x\\u00e9\\n", "n": -1.5e10}, {"a": true, "n": 12}]'
    blocks = [content[start : start + size] for start in range(0, len(content), size)]

    table = open_any(lambda: iter(blocks), Faults(), max_rows=10)

    assert cells(table) == [["xé\n", "-1.5e10"], ["true", "12"]]


@pytest.mark.parametrize("size", [2, 7, 1_000])
def test_a_json_object_of_objects_has_its_keys_as_items(size):
    content = b'{\n "d1": {"ann": "yes", "bob": null}, \n "d\\"2": {"ann": 7, "cem": "no"}\n}\n'
    blocks = [content[start : start + size] for start in range(0, len(content), size)]

    table = open_any(lambda: iter(blocks), Faults(), max_rows=10)

    assert table.columns == ["item", "ann", "bob", "cem"]
    assert cells(table) == [["d1", "yes", "", ""], ['d"2', "7", "", "no"]]


@pytest.mark.parametrize(
    "content",
    [
        b'{"a": {"x": "1"}, "b": "2"}',
        b'{"a": {"x": "1"}, "b": [1]}\n',
        b'{"a": {"x": {"y": "1"}}}',
        b'{"a": {"x": "1"}}\n{"a": {"x": "2"}}\n',
        b"{}\n",
    ],
)
def test_other_json_objects_are_json_lines(content):
    assert format_of(lambda: iter([content]), Faults()) == "jsonl"


def test_a_number_may_have_any_length():
    assert read(b'[{"n": ' + b"9" * 5_000 + b"}]")[1] == [["9" * 5_000]]


def test_a_long_json_array_is_a_stream():
    most_ahead = given_out = taken = 0

    def blocks():
        nonlocal given_out
        given_out = 0
        yield b"["
        for n in range(2_000):
            given_out += 100
            yield (b"," if n else b"") + b",".join([b'{"item": "a", "label": "yes"}'] * 100)
        yield b"]"

    for _ in open_any(blocks, Faults(), max_rows=10**6).rows:
        taken += 1
        most_ahead = max(most_ahead, given_out - taken)

    assert taken == 200_000
    assert most_ahead <= 10_000


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b'[{"item": "a"}, {"item": ', "bad_json"),
        (b'[{"item": "a"} {"item": "b"}]', "bad_json"),
        (b'[{"item": NaN}]', "bad_number"),
        (b'[{"item": "a", "item": "b"}]', "duplicate_key"),
        (b'[{"a": ' + b"[" * 200_000 + b"]" * 200_000 + b"}]", "bad_json"),
        (b'{"a": ' + b"[" * 200_000 + b"]" * 200_000 + b"}", "bad_json"),
        (b'[{"item": "a"}, 7]', "bad_json"),
        (b'[{"item": "a"}] more', "bad_json"),
        (b'{"a": {"x": "1"}, "b": {"x": ', "bad_json"),
        (b'{"a": {"x": "1"}, "b": {"x": "1"}} more', "bad_json"),
        (b'{"a": {"x": "1", "x": "2"}}', "duplicate_key"),
        (b"[]", "no_rows"),
        (b'item,label\na,"' + b"x" * 2_100_000 + b'"\n', "too_long"),
        (b'{"item": "' + b"x" * 2_100_000 + b'"}\n', "too_long"),
        (
            b",".join(b"c%d" % n for n in range(10_000)) + b"\n" + b",".join([b"1"] * 10_000) + b"\n",
            "too_many_columns",
        ),
        (b"item,label\n", "no_rows"),
        (b"", "empty_file"),
        (b"\n\n\n", "empty_file"),
        (b"item,label\na,b\na,b\na,b\na,b\n", "too_many_rows"),
    ],
)
def test_a_broken_text_is_refused_in_one_sentence(content, code):
    found, sentence = refusal(content, max_rows=3)

    assert found == code
    assert "\n" not in sentence


def test_1e400_stays_the_text_that_it_is():
    assert read(b"item,n\na,1e400\n")[1] == [["a", "1e400"]]
    assert read(b'{"item": "a", "n": 1e400}\n')[1] == [["a", "1e400"]]
    assert read(b'[{"item": "a", "n": 1e400}]')[1] == [["a", "1e400"]]
