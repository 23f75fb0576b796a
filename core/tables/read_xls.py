"""Prints a sheet of an old Excel workbook: python -m core.tables.read_xls PATH SHEET."""

import sys
from datetime import date
from itertools import islice

from python_calamine import CalamineError, CalamineWorkbook, PasswordError

from core.tables.encoding import AUTO
from core.tables.reader_processes import DAMAGED, LOCKED, limit_process, say
from core.tables.sheets import MOST_SHEETS, is_table, value_text

_BLOCK = 500
# Merged cells matter in the header only.
_MERGED_ROWS = 1_000


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return value_text(value)


def _holds_table(book: CalamineWorkbook, name: str) -> bool:
    rows = book.get_sheet_by_name(name).iter_rows()
    return is_table((line, [_text(value) for value in row]) for line, row in enumerate(rows))


def _print_sheet(path: str, wanted: str) -> None:
    book = CalamineWorkbook.from_path(path)
    names = book.sheet_names
    tables = [name for name in names[:MOST_SHEETS] if len(names) > 1 and _holds_table(book, name)]
    say({"names": names, "tables": tables})
    if wanted not in {AUTO, *names}:
        return
    for name in (tables or names) if wanted == AUTO else [wanted]:
        sheet = book.get_sheet_by_name(name)
        if sheet.height:
            break
    first_row, first_column = sheet.start or (0, 0)
    merged = [
        (row + 1, left, right)
        for (top, left), (bottom, right) in sheet.merged_cell_ranges or []
        for row in range(top, min(bottom, _MERGED_ROWS) + 1)
    ]
    say({"name": name, "merged": merged, "width": first_column + sheet.width})
    rows = enumerate(sheet.iter_rows(), start=first_row + 1)
    while block := [*islice(rows, _BLOCK)]:
        dates = {place for _, row in block for place, value in enumerate(row) if isinstance(value, date)}
        say(
            {
                "rows": [
                    (line, [""] * first_column + [_text(value) for value in row]) for line, row in block
                ],
                "dates": [place + first_column for place in sorted(dates)],
            }
        )


if __name__ == "__main__":
    limit_process()
    try:
        _print_sheet(*sys.argv[1:])
    except PasswordError:
        say(LOCKED)
    except (CalamineError, ValueError, OverflowError):
        say(DAMAGED)
