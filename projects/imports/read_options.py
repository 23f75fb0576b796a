"""How to read a file of items or questions."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

from core.shapes import Json
from core.tables.delimited import SEPARATORS
from core.tables.encoding import AUTO, ENCODINGS
from core.tables.table import TableChoices

# The allowed values of options with choices.
READ_CHOICES: dict[str, Sequence[str]] = {"encoding": [AUTO, *ENCODINGS], "separator": [AUTO, *SEPARATORS]}


def refuse_other(options: object, choices: Mapping[str, Sequence[str]]) -> None:
    """Raises ValueError for an option with another value than its choices."""
    for name, allowed in choices.items():
        if (value := getattr(options, name)) not in allowed:
            raise ValueError(f"{name} must be one of {', '.join(allowed)}, got {value!r}")


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """replace: overwrite existing values with those of the file. sheet: of a workbook."""

    encoding: str = AUTO
    separator: str = AUTO
    replace: bool = False
    sheet: str = AUTO

    @property
    def choices(self) -> TableChoices:
        return TableChoices(self.encoding, self.separator, self.sheet)

    def as_json(self) -> Json:
        return asdict(self)

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        return cls(**stored)

    def __post_init__(self) -> None:
        refuse_other(self, READ_CHOICES)


@dataclass(frozen=True, slots=True)
class FilePreview:
    """How a file was opened, and its first rows; columns: (name, kind of content). other_tables: sheets not read."""

    encoding: str
    separator: str
    columns: list[tuple[str, str]]
    rows: list[list[str]]
    sheet: str = ""
    other_tables: Sequence[str] = ()
