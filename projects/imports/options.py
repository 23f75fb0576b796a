"""How a file of items or questions is to be read."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.changes import Changes
from core.tables.delimited import SEPARATORS
from core.tables.encoding import AUTO, ENCODINGS


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """replace: what the file says holds, where the project says otherwise."""

    encoding: str = AUTO
    separator: str = AUTO
    replace: bool = False

    def __post_init__(self) -> None:
        if self.encoding not in {AUTO, *ENCODINGS}:
            raise ValueError(f"encoding must be auto or one of {', '.join(ENCODINGS)}, got {self.encoding!r}")
        if self.separator not in {AUTO, *SEPARATORS}:
            raise ValueError(
                f"separator must be auto or one of {', '.join(SEPARATORS)}, got {self.separator!r}"
            )


@dataclass(frozen=True, slots=True)
class Beginning:
    """How a file was opened, and its first rows as they would be read; columns: (name, kind of the content)."""

    encoding: str
    separator: str
    columns: list[tuple[str, str]]
    rows: list[list[str]]


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import of items or questions did.

    n_replaced: items that had content and have another now. questions: what changed in each, by its key.
    """

    n_created: int
    n_changed: int
    n_unchanged: int
    n_replaced: int = field(default=0, compare=False)
    questions: Mapping[str, Changes] = field(default_factory=dict, compare=False)
