"""Arrays of JSON, read element by element."""

import json

import pytest

from core.tables.faults import Faults, FileRefused
from raters.reading.formats.json_records import elements
from raters.reading.records import InputFile
from tests.raters.reading.read import files_of
from tests.raters.reading.test_formats import in_blocks

RECORDS = [{"a": 'é [,] "]" \\'}, [], {}, "x", {"b": {"c": [1, 2.50, None, True]}}]


def read(content: str | bytes) -> list:
    return [value for _, value in elements(files_of({"a.json": content})[0], Faults())]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1_000])
@pytest.mark.parametrize("indent", [None, 2])
def test_elements_are_the_same_however_the_bytes_come(size, indent):
    content = (" \n" + json.dumps(RECORDS, indent=indent, ensure_ascii=False) + "\n").encode()

    found = list(elements(InputFile("a.json", in_blocks(content, size)), Faults()))

    assert [line for line, _ in found] == ([2] * 5 if indent is None else [3, 6, 7, 8, 9])
    assert [value for _, value in found][:4] == RECORDS[:4]


def test_numbers_stay_as_written():
    assert read("[1.0, -1e5]") == ["1.0", "-1e5"]
    assert read("[" + "9" * 5_000 + "]") == ["9" * 5_000]


def test_an_empty_array_has_no_elements():
    assert read(" [ ] ") == []


def test_an_array_that_is_not_utf8_is_read_as_what_it_seems_to_be():
    assert read('["café"]'.encode("cp1252")) == read('["café"]')


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('[{"a": 1}, {"a"', r"line 1: .*the file ends in the middle of a record"),
        ('[\n{"a": 1}\n', r"line 3: .*the file ends in the middle of a record"),
        ("[1,]", r"line 1: .*invalid JSON"),
        ("[1 2]", "a comma between two records is missing"),
        ("[1] 2", "text after the end"),
        ('{"a": 1}', "a JSON array is missing"),
        ("[" * 100_000, "nested too deeply"),
        ("", "empty"),
    ],
)
def test_a_broken_array_is_refused_with_its_place(content, said):
    with pytest.raises(FileRefused, match=said):
        read(content)
