"""How a file of items or questions is to be read."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from core.tables.delimited import SEPARATORS
from core.tables.encoding import AUTO, ENCODINGS


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """replace: what the file says holds, where the project says otherwise."""

    encoding: str = AUTO
    separator: str = AUTO
    replace: bool = False

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        return cls(**stored)

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
