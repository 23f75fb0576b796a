"""The beginning of a table, and what the cells of a column look like."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from raters.reading.number_notation import is_number
from raters.reading.values import SHARE_OF_NUMBERS, is_missing_word

_FEW = 30
# With fewer rows of each rater, values can be unique by chance.
_SEVERAL_ROWS = 3
_LONG_TEXT = 60
# Of sentences: words on average, and the share of different ones.
_SENTENCE, _DISTINCT = 4, 0.8


@dataclass(frozen=True, slots=True)
class TableSample:
    """The beginning of a table: columns, and the cells of the first rows by column."""

    columns: Sequence[str]
    cells: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Self:
        turned: list[tuple[str, ...]] = list(zip(*rows, strict=True))
        return cls(columns, {name: turned[at] if turned else () for at, name in enumerate(columns)})

    def filled(self, name: str) -> list[str]:
        return [cell.strip() for cell in self.cells[name] if cell.strip()]

    def values(self, name: str) -> list[str]:
        """Return the filled cells other than words for a missing value, such as NA."""
        return [cell for cell in self.filled(name) if not is_missing_word(cell)]

    def is_few(self, name: str) -> bool:
        """Return whether the column has few, repeated values, as labels do."""
        filled = self.values(name)
        distinct = set(filled)
        few = len(distinct) <= min(_FEW, max(2, len(filled) * 0.6)) or are_numbers(distinct)
        return bool(filled) and few and not self.is_text(name)

    def is_text(self, name: str) -> bool:
        """Return whether the column has long texts, or sentences that hardly repeat."""
        filled = self.filled(name)
        if not filled:
            return False
        n_words = sum(len(cell.split()) for cell in filled)
        are_sentences = n_words >= _SENTENCE * len(filled) and len(set(filled)) >= _DISTINCT * len(filled)
        return are_sentences or sum(map(len, filled)) >= _LONG_TEXT * len(filled)

    def is_unique(self, name: str) -> bool:
        filled = self.filled(name)
        return len(filled) == len(self.cells[name]) and len(set(filled)) == len(filled)

    def are_unique(self, names: Sequence[str]) -> bool:
        """Return whether each row has other values in these columns together."""
        rows = [*zip(*(self.cells[name] for name in names), strict=True)]
        return len(set(rows)) == len(rows)

    def is_unique_for_each(self, names: Sequence[str], rater: str) -> bool:
        """Return whether no rater has the same values twice, though raters share them and have several rows each."""
        filled = [self.filled(name) for name in (*names, rater)]
        if any(len(column) < len(self.cells[rater]) for column in filled):
            return False
        cells, raters = [*zip(*filled[:-1], strict=True)], filled[-1]
        n_pairs = len(set(zip(raters, cells, strict=True)))
        return n_pairs == len(cells) > len(set(cells)) and n_pairs >= _SEVERAL_ROWS * len(set(raters))


def are_numbers(values: Collection[str]) -> bool:
    """Return whether nearly all values are numbers; the others are reported when all are read."""
    n_numbers = sum(map(is_number, values))
    return n_numbers >= SHARE_OF_NUMBERS * len(values)
