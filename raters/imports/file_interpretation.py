"""How a file of labels was understood: its format, its columns, and what its format leaves open."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from raters.imports.label_options import LabelOptions
from raters.reading.records import LeftOut
from raters.reading.table_content import LABELS

DEFAULT_QUESTION = "label"
# The format of files whose column roles can be chosen.
TABLE = "table"
_AS_TABLE = (
    "to read each row as an item, choose “Table (by its columns)” under “Read as” (or the file format “table”), and as "
    "item key the column that has a different value in each row"
)


@dataclass(frozen=True, slots=True)
class ProjectKeys:
    """Existing keys of a project that affect how a file is read. kinds: kinds of its questions, by key."""

    raters: frozenset[str] = frozenset()
    kinds: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class FileInterpretation:
    """options: complete, so that the file can be read again in the same way. columns, first_rows: as in the file.

    other_tables: sheets that hold a table, but are not read. alike: sheets that can be read together, none if there is
    only one. texts: questions that the file declares as text. title: name of the program that wrote the file, "" for a
    table. choices: what its format leaves open. detected: key and name of the program, even if the user chose to read
    the file as a table. holds: labels, or what a table seems to hold instead. unlike_raters: columns that were taken
    for raters, but share no values with the others. ignored_labels: columns that look like labels, too, but are
    ignored. is_transposed: it seems to have a row for each rater, and a column for each item. could_be_table: the file
    of a program has no labels, but could be read as a table. numbers: some that are not in plain notation, and how they
    are read. statuses: the words in a column of statuses, with the number of rows read so far.
    """

    options: LabelOptions
    title: str = ""
    holds: str = LABELS
    detected: tuple[str, str] | None = None
    choices: list[tuple[str, str, list[tuple[str, str]]]] = field(default_factory=list)
    encoding: str = ""
    separator: str = ""
    sheet: str = ""
    sheets: list[str] = field(default_factory=list)
    other_tables: list[str] = field(default_factory=list)
    alike: list[str] = field(default_factory=list)
    header_line: int = 0
    columns: list[str] = field(default_factory=list)
    first_rows: list[list[str]] = field(default_factory=list)
    date_columns: list[str] = field(default_factory=list)
    unlike_raters: list[str] = field(default_factory=list)
    ignored_labels: list[str] = field(default_factory=list)
    is_transposed: bool = False
    texts: set[str] = field(default_factory=set)
    numbers: list[tuple[str, str]] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)
    left_out: LeftOut = field(default_factory=LeftOut)
    could_be_table: bool = False

    def why_empty(self, verb: str) -> str:
        """Return why there are no labels. verb: what can't be done with that which was left out, such as "imported"."""
        held = ", ".join(f"{n:,} {name}" for name, n in self.left_out.items() if n)
        why = "the file has no labels" + (f"; it has {held}, which cannot be {verb}" if held else "")
        return f"{why}; {_AS_TABLE}" if self.could_be_table else why

    @property
    def tables(self) -> list[str]:
        """Sheets that hold a table, in the order of the workbook."""
        return [name for name in self.sheets if name in {self.sheet, *self.other_tables, *self.alike}]
