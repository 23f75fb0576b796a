import csv
import io
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.tables.safe_cells import BEGINS_FORMULA, csv_lines, original_cell, safe_cell, safe_row

# Everything that a cell can hold, with the dangerous beginnings much likelier than they are.
texts = st.builds(
    str.__add__,
    st.text(alphabet=[*sorted(BEGINS_FORMULA), "'", '"', " "], max_size=3),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20),
)


@pytest.mark.parametrize("start", sorted(BEGINS_FORMULA))
def test_safe_cell_starts_with_no_formula(start):
    safe = safe_cell(start + "1+1")

    assert safe == "'" + start + "1+1"


@pytest.mark.parametrize("text", ["", "yes", "1", " =1", "a=b", "naïve", "−1"])
def test_safe_cell_leaves_other_text_alone(text):
    assert safe_cell(text) == text


def test_safe_cell_escapes_what_looks_escaped():
    assert safe_cell("'=1") == "''=1"


def test_safe_row_leaves_numbers_as_they_are():
    assert safe_row([-0.12, -3, None, "-3"]) == [-0.12, -3, None, "'-3"]


@settings(max_examples=500, deadline=None)
@given(texts)
def test_original_cell_takes_back_what_safe_cell_did(text):
    safe = safe_cell(text)

    assert safe[:1] not in BEGINS_FORMULA or safe == ""
    assert original_cell(safe) == text


def drawn_text(chance: random.Random) -> str:
    """A few letters of all that there are, every second text with a dangerous beginning."""
    start = chance.choice([*DANGEROUS, *[""] * len(DANGEROUS)]) * chance.randint(1, 2)
    points = (chance.choice(PLANES) for _ in range(chance.randint(0, 12)))
    return start + "".join(chr(chance.randrange(*plane)) for plane in points)


DANGEROUS = [*sorted(BEGINS_FORMULA), "'"]
# All but NUL and surrogates, letters of every day more often than others.
PLANES = [(0x20, 0x7F), (0x20, 0x7F), (0x01, 0xD800), (0xE000, 0x110000)]


def test_twenty_thousand_texts_are_safe_and_come_back():
    """P16, the same texts each time."""
    chance = random.Random(16)

    drawn = [drawn_text(chance) for _ in range(20_000)]
    safe = [safe_cell(text) for text in drawn]

    assert [text for text in safe if text[:1] in BEGINS_FORMULA and text] == []
    assert list(map(original_cell, safe)) == drawn


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(texts, min_size=1, max_size=3), max_size=5))
def test_csv_lines_are_read_back_as_they_were(rows):
    written = "".join(csv_lines(rows))

    read = list(csv.reader(io.StringIO(written, newline="")))

    assert [[original_cell(cell) for cell in row] for row in read] == rows
