"""Strict CSV: a cell that begins with a quote ends with one, and every record has the physical line it begins on."""

import re
from collections.abc import Iterator

from core.tables.faults import Faults

SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|"}
Record = tuple[int, list[str]]

# Longer cells are cut; this is far above what any column allows.
_KEPT = 131_072
# The content of a quoted cell up to its closing quote; possessive, so that no input makes it slow.
_QUOTED = re.compile(r'((?:[^"]++|"")*+)"')


def separator_in(header: str) -> str:
    """The name of the separator that splits the header into the most cells; comma if none does."""
    outside = re.sub(r'"(?:[^"]|"")*"', "", header)
    return max(SEPARATORS, key=lambda name: outside.count(SEPARATORS[name]))


class DelimitedReader:
    """Records of a delimited file; blank lines are skipped, physical line numbers kept."""

    def __init__(self, lines: Iterator[tuple[str, str]], separator: str, faults: Faults) -> None:
        self.lines = lines
        self.separator = SEPARATORS[separator]
        self.faults = faults
        self.line = 0

    def records(self) -> Iterator[Record]:
        separator = self.separator
        for text, ending in self.lines:
            self.line += 1
            if '"' not in text:
                if text:
                    yield self.line, text.split(separator)
                continue
            start = self.line
            cells = self._cells_with_quotes(text, ending)
            if cells is not None:
                yield start, cells

    def _cells_with_quotes(self, text: str, ending: str) -> list[str] | None:
        cells: list[str] = []
        place = 0
        while True:
            if not text.startswith('"', place):
                end = text.find(self.separator, place)
                cells.append(text[place:] if end < 0 else text[place:end])
                if end < 0:
                    return cells
                place = end + 1
                continue
            cell, text, ending, place = self._quoted_cell(text, ending, place + 1)
            cells.append(cell)
            if place == len(text):
                return cells
            if text[place] != self.separator:
                rule = "text after a closing quote; to include a quote in a quoted cell, write it twice"
                self.faults.add(self.line, f"{len(cells)}", text[place:], "csv_quote", rule)
                return None
            place += 1

    def _quoted_cell(self, text: str, ending: str, place: int) -> tuple[str, str, str, int]:
        """The cell, the line it ends on, that line's ending, and the position after the closing quote."""
        opened, parts, n_kept = self.line, [], 0
        begins_with = text[place:]
        while (match := _QUOTED.match(text, place)) is None:
            if n_kept <= _KEPT:
                parts.append(text[place:] + ending)
                n_kept += len(parts[-1])
            following = next(self.lines, None)
            if following is None:
                rule = "missing closing quote"
                raise self.faults.refuse(opened, "", begins_with, "csv_quote", rule)
            (text, ending), place = following, 0
            self.line += 1
        parts.append(match[1])
        return "".join(parts).replace('""', '"'), text, ending, match.end()
