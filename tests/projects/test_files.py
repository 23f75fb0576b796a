"""The reader of files: lines, cells, encodings, and the places of faults."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.tables.delimited import DelimitedReader, separator_in
from core.tables.encoding import decoded
from core.tables.faults import Faults, FileRefused
from core.tables.lines import physical_lines
from core.tables.sources import bytes_of
from core.tables.table import open_json_lines, open_table


def records(text: str, *, separator: str = "comma", block: int = 10_000):
    faults = Faults()
    blocks = [text[start : start + block] for start in range(0, len(text), block)]
    reader = DelimitedReader(physical_lines(blocks, faults), separator, faults)
    return list(reader.records()), faults


@pytest.mark.parametrize("block", [1, 2, 3, 100])
def test_lines_are_the_same_however_the_text_is_cut(block):
    text = "a\r\nb\rc\n\n\r\rd"

    blocks = [text[start : start + block] for start in range(0, len(text), block)]
    lines = list(physical_lines(blocks, Faults()))

    assert lines == [("a", "\r\n"), ("b", "\r"), ("c", "\n"), ("", "\n"), ("", "\r"), ("", "\r"), ("d", "")]


def test_records_know_the_line_they_begin_on():
    rows, faults = records('a,b\n\n"1\n\n2",x\r\n3,"4""5"\n')

    assert rows == [(1, ["a", "b"]), (3, ["1\n\n2", "x"]), (6, ["3", '4"5'])]
    assert not faults


def test_a_quote_inside_an_unquoted_cell_is_text():
    rows, _ = records('a,5" pipe,b\n')

    assert rows == [(1, ["a", '5" pipe', "b"])]


def test_an_unclosed_quote_is_a_fault_of_the_line_that_opens_it():
    with pytest.raises(FileRefused) as refused:
        records('a,b\n1,"2\n3,4\n5,6\n')

    assert (refused.value.faults.code, refused.value.faults.listed[0].line) == ("csv_quote", 2)


def test_text_after_a_quote_is_a_fault_and_the_next_line_is_read():
    rows, faults = records('a,"b"c\nd,e\n')

    assert rows == [(2, ["d", "e"])]
    assert [(fault.code, fault.line) for fault in faults.listed] == [("csv_quote", 1)]


@given(
    st.lists(st.lists(st.text(st.characters(codec="utf-8")), min_size=2, max_size=4), min_size=1, max_size=6),
    st.sampled_from(["comma", "semicolon", "tab"]),
    st.integers(1, 50),
)
def test_any_cell_written_in_quotes_is_read_back_exactly(rows, separator, block):
    mark = {"comma": ",", "semicolon": ";", "tab": "\t"}[separator]
    text = "\r\n".join(mark.join('"' + cell.replace('"', '""') + '"' for cell in row) for row in rows)

    read, faults = records(text, separator=separator, block=block)

    assert [cells for _, cells in read] == rows
    assert not faults


@pytest.mark.parametrize(
    ("header", "separator"),
    [("item,rater;x,label", "comma"), ("item;rater;label", "semicolon"), ("a\tb", "tab"), ("item", "comma")],
)
def test_the_separator_is_the_one_that_cuts_most(header, separator):
    assert separator_in(header) == separator


def test_a_separator_inside_quotes_cuts_nothing():
    assert separator_in('"a,b,c,d";e;f') == "semicolon"


@pytest.mark.parametrize("cut", [1, 2, 3, 7])
def test_an_undecodable_byte_has_its_line_whatever_the_blocks(cut):
    content = "naïve,x\r\nb\rc\r\n".encode() + b"ab\xff"
    blocks = [content[start : start + cut] for start in range(0, len(content), cut)]

    with pytest.raises(FileRefused) as refused:
        list(decoded(lambda: iter(blocks), "utf-8", Faults()))

    fault = refused.value.faults.listed[0]
    assert (fault.line, fault.value) == (4, "0xFF")


def test_a_table_of_json_lines_keeps_numbers_as_written():
    content = b'{"item": "a", "n": 1.0}\n\n{"item": "b", "n": null, "more": ["x", "y"]}\n'

    table = open_json_lines(bytes_of(content), Faults(), max_rows=10)

    assert table.columns == ["item", "n", "more"]
    assert list(table.rows) == [(1, ["a", "1.0", ""]), (3, ["b", "", "x|y"])]


def test_faults_beyond_a_thousand_are_counted():
    faults = Faults()

    for line in range(1_234):
        faults.add(line, "label", "x", "unknown_category", "unknown")

    assert (len(faults.listed), faults.n) == (1_000, 1_234)
    assert faults.sentence() == 'The file has 1,234 problems. The first: column label: "x" – unknown'


def test_memory_stays_bounded_in_a_large_file(tmp_path):
    """Blocks are taken from the source one by one, never gathered."""
    most_ahead = 0
    given_out = taken = 0

    def blocks():
        nonlocal given_out
        given_out = 0
        yield b"item,rater,label\n"
        for _ in range(2_000):
            given_out += 100
            yield b"a,b,c\n" * 100

    table = open_table(blocks, Faults(), max_rows=10**6)
    for _ in table.rows:
        taken += 1
        most_ahead = max(most_ahead, given_out - taken)

    assert taken == 200_000
    assert most_ahead <= 1_000
