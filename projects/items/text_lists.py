"""Lists of texts, one on each line, which are read as they are: with commas and quotation marks."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from core.tables.delimited import Record
from core.tables.encoding import AUTO, Source, decoded, encoding_of
from core.tables.faults import Faults
from core.tables.formats import CSV, format_of
from core.tables.lines import physical_lines
from core.tables.table import Table, TableChoices
from core.tables.table_rows import limited_rows
from projects.items.item_columns import has_prefix, key_among
from projects.models import Item

# What the first line of a list is called if it is the name of the column, in lowercase.
_NAMES = {
    "abstract", "answer", "body", "caption", "claim", "comment", "content", "description", "document", "headline",
    "item", "items", "message", "note", "post", "question", "response", "review", "sentence", "statement", "summary",
    "text", "title", "tweet", "utterance",
}  # fmt: skip
_SAMPLED = 50
_SEPARATES = re.compile(r"[,;|\t]")
# In prose, a space follows each comma or semicolon.
_SEPARATES_IN_A_TABLE = re.compile(r"[,;](?! )|[|\t]")
# A line of fewer words is no text with commas, but names of columns.
_FEWEST_WORDS = 5


def list_of_texts(source: Source, choices: TableChoices, *, max_rows: int, faults: Faults) -> Table | None:
    """Return the table of a list; None if the file is none, or its separator was chosen. Raises FileRefused."""
    if choices.separator != AUTO or format_of(source, faults) != CSV:
        return None
    encoding = encoding_of(source, choices.encoding, faults)

    def lines() -> Iterator[Record]:
        for number, (text, _) in enumerate(
            physical_lines(decoded(source, encoding, faults), faults), start=1
        ):
            if text.strip():
                yield number, [text]

    sample = [text for _, [text] in islice(lines(), _SAMPLED)]
    if not sample or not _are_texts(sample):
        return None
    has_header = choices.header_line not in (AUTO, "0") or (
        choices.header_line == AUTO and _is_name(sample[0])
    )
    name = sample[0].strip() if has_header else Item.Field.TEXT.value
    rows = limited_rows(islice(lines(), int(has_header), None), max_rows, faults)
    return Table([name], rows, encoding, "", header_line=int(has_header), has_header=has_header)


def _is_name(line: str) -> bool:
    return line.strip().casefold() in _NAMES or has_prefix(line.strip())


def _are_texts(lines: Sequence[str]) -> bool:
    n_opened = sum(line.startswith('"') for line in lines)
    n_closed = sum(line.rstrip().endswith('"') for line in lines)
    if n_opened == n_closed > 0:
        # Cells in quotes, which may go on over several lines.
        return False
    if not any(_SEPARATES.search(line) for line in lines):
        return not key_among([lines[0].strip()])
    first = lines[0]
    is_named = _is_name(first) and not _SEPARATES.search(first)
    is_prose = len(first.split()) >= _FEWEST_WORDS and not key_among(_SEPARATES.split(first))
    return (is_named or is_prose) and sum(map(bool, map(_SEPARATES_IN_A_TABLE.search, lines))) * 5 <= len(
        lines
    )
