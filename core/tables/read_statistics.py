"""Prints a file of SPSS or Stata: python -m core.tables.read_statistics PATH FORMAT ENCODING."""

import sys
from collections.abc import Callable, Iterator
from datetime import date
from typing import Any

import pyreadstat

from core.tables.encoding import AUTO
from core.tables.reader_processes import DAMAGED, limit_process, say
from core.tables.sheets import value_text

_READ: dict[str, Callable[..., Any]] = {"sav": pyreadstat.read_sav, "dta": pyreadstat.read_dta}
_BLOCK = 20_000
# The encoding assumed for old files that don't state one.
_OLD = "WINDOWS-1252"
_CANNOT_DECODE = "encoding"


def _text(value: object) -> str:
    """`_cell` turns Stata's missing values into the form that Stata writes."""
    if value is None or value != value:
        return ""
    return value_text(value)


def _letter(value: object) -> str:
    """Stata's missing values .a to .z arrive as the letter alone, among numbers."""
    return f".{value}" if isinstance(value, str) else _text(value)


def _read(path: str, kind: str, encoding: str, **options: Any) -> Any:
    """Columns and what the file says about them; as dictionaries, since nothing else here needs pandas."""
    given = {} if encoding == AUTO else {"encoding": encoding}
    try:
        return _READ[kind](path, user_missing=True, output_format="dict", **given, **options)
    except pyreadstat.ReadstatError as error:
        if encoding != AUTO or _CANNOT_DECODE not in str(error):
            raise
        return _read(path, kind, _OLD, **options)
    except UnicodeDecodeError:
        if encoding != AUTO:
            raise
        return _read(path, kind, _OLD, **options)


def _blocks(path: str, kind: str, encoding: str, columns: list[str]) -> Iterator[Any]:
    start, n_rows = 0, _BLOCK
    while n_rows == _BLOCK:
        block, _ = _read(path, kind, encoding, row_offset=start, row_limit=_BLOCK, usecols=columns)
        n_rows = len(block[columns[0]])
        start += n_rows
        yield block


def _missing(path: str, kind: str, encoding: str, about: Any) -> dict[str, list[str]]:
    """The values of each column that the file declares missing; of a range, those that occur or have a label.

    In a numeric column of Stata, letters are missing values.
    """
    found: dict[str, set[str]] = {}
    ranges = {}
    for column, parts in about.missing_ranges.items():
        found[column] = {_text(part["lo"]) for part in parts if part["lo"] == part["hi"]}
        ranges[column] = [part for part in parts if part["lo"] != part["hi"]]
    wanted = [column for column, parts in ranges.items() if parts]
    if kind == "dta":
        wanted = [column for column, type_ in about.readstat_variable_types.items() if type_ != "string"]

    def is_missing(column: str, value: object) -> bool:
        if isinstance(value, str):
            return kind == "dta"
        if not isinstance(value, int | float):
            return False
        return any(part["lo"] <= value <= part["hi"] for part in ranges.get(column, ()))

    write = _letter if kind == "dta" else _text
    blocks = _blocks(path, kind, encoding, wanted) if wanted else ()
    for values in [about.variable_value_labels, *blocks] if wanted else []:
        for column in wanted:
            declared = {write(value) for value in set(values.get(column, ())) if is_missing(column, value)}
            if declared:
                found.setdefault(column, set()).update(declared)
    return {column: sorted(values) for column, values in found.items()}


def _print_file(path: str, kind: str, encoding: str) -> None:
    _, about = _read(path, kind, encoding, metadataonly=True)
    # Only in a numeric column are texts the letters of missing values.
    is_number = {column: type_ != "string" for column, type_ in about.readstat_variable_types.items()}
    write = {
        column: _letter if kind == "dta" and is_number.get(column) else _text for column in about.column_names
    }
    say(
        {
            "columns": about.column_names,
            "n_rows": about.number_rows,
            "encoding": about.file_encoding or "",
            "titles": {key: title for key, title in about.column_names_to_labels.items() if title},
            "levels": {key: level for key, level in about.variable_measure.items() if level != "unknown"},
            "value_labels": {
                column: {write.get(column, _text)(_as_number(value)): name for value, name in names.items()}
                for column, names in about.variable_value_labels.items()
            },
            "missing": _missing(path, kind, encoding, about),
        }
    )
    start, names = 0, about.column_names
    for block in _blocks(path, kind, encoding, names):
        cells = [[write[column](value) for value in block[column]] for column in names]
        dates = [
            place
            for place, column in enumerate(names)
            if any(isinstance(value, date) for value in block[column])
        ]
        say(
            {
                "rows": [*enumerate(map(list, zip(*cells, strict=True)), start=start + 1)],
                "dates": dates,
            }
        )
        start += len(cells[0])


def _as_number(value: object) -> object:
    return float(value) if isinstance(value, int) else value


if __name__ == "__main__":
    limit_process()
    try:
        _print_file(*sys.argv[1:])
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, UnicodeError, ValueError, OverflowError):
        say(DAMAGED)
