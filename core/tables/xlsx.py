"""Reads Excel workbooks as a stream: only shared texts are kept in memory, and no formula is computed."""

import re
import zipfile
from collections.abc import Iterator, Mapping
from posixpath import join, normpath
from typing import IO

from core.tables.delimited import Record
from core.tables.encoding import AUTO, Source
from core.tables.faults import Faults, FileRefused
from core.tables.formats import damaged
from core.tables.seekable_files import as_file
from core.tables.sheets import (
    MOST_SHEETS,
    Rows,
    SheetProperties,
    is_table,
    no_such_sheet,
)
from core.tables.unzipping import BAD_ZIP, opened_zip
from core.tables.xlsx_parts import RelationsHandler, SharedStringsHandler, StylesHandler, WorkbookHandler
from core.tables.xlsx_sheet import MERGED_IN, MOST_MERGED, WHAT, SheetReader, merged_in
from core.tables.xml_events import Handler, events

_MERGED = re.compile(rb'mergeCell\s[^>]{0,50}ref="([A-Z0-9:]{1,25})"')


def xlsx_rows(source: Source, sheet: str, seen: SheetProperties, faults: Faults) -> Rows:
    """The rows of a sheet that have any cell; "auto": of the first sheet that holds a table, or else has rows."""
    with as_file(source) as file, opened_zip(file, faults) as archive:
        workbook = _Workbook(archive, faults)
        seen.names = [*workbook.parts]
        if sheet not in {AUTO, *seen.names}:
            raise no_such_sheet(sheet, seen.names, faults)
        if len(seen.names) > 1:
            seen.tables = [name for name in seen.names[:MOST_SHEETS] if workbook.holds_table(name)]
        wanted = (seen.tables[:1] or seen.names) if sheet == AUTO else [sheet]
        for seen.name in wanted:
            is_empty = True
            for row in workbook.rows(seen, faults):
                is_empty = False
                yield row
            if not is_empty:
                return


class _Workbook:
    """parts: the file of each sheet, by its name."""

    def __init__(self, archive: zipfile.ZipFile, faults: Faults) -> None:
        self.archive, self.faults = archive, faults
        self.names: Mapping[str, str] = {name.lower(): name for name in archive.namelist()}
        root = self._targets("_rels/.rels", "")
        self.path = next(
            (path for kind, path in root.values() if kind == "officeDocument"), "xl/workbook.xml"
        )
        self.book = WorkbookHandler()
        self._read(self.path, self.book)
        folder, _, name = self.path.rpartition("/")
        self.targets = self._targets(f"{folder}/_rels/{name}.rels", folder)
        self.parts = {
            name: self.targets[relation][1]
            for name, relation in [*self.book.sheets, *self.book.hidden]
            if self.targets.get(relation, ("",))[0] == "worksheet"
        }
        if not self.parts:
            raise faults.refuse(0, "", "", "empty_file", "the workbook has no sheet with cells")
        self._texts: list[str] | None = None
        self._kinds: list[str] = []

    def holds_table(self, name: str) -> bool:
        """Also true for a sheet that can't be read, so that it is refused rather than skipped."""
        faults = Faults()
        try:
            return is_table(self.rows(SheetProperties(name), faults)) or bool(faults)
        except FileRefused:
            return True

    def rows(self, seen: SheetProperties, faults: Faults) -> Iterator[Record]:
        if self._texts is None:
            self._texts, self._kinds = self._read_texts(), self._read_styles()
        part = self.parts[seen.name]
        seen.merged = lambda: self._merged(part)
        sheet = SheetReader(
            self._texts, self._kinds, starts_1904=self.book.starts_1904, seen=seen, faults=faults
        )
        with self._opened(part) as file:
            for _ in events(file, sheet, WHAT, faults):
                yield from sheet.rows
                sheet.rows.clear()
        seen.merged = lambda: sheet.merged

    def _read_texts(self) -> list[str]:
        texts = SharedStringsHandler(self.faults)
        self._read_if_there("sharedStrings", texts)
        return texts.texts

    def _read_styles(self) -> list[str]:
        styles = StylesHandler()
        self._read_if_there("styles", styles)
        return styles.kinds

    def _read_if_there(self, wanted: str, handler: Handler) -> None:
        for kind, path in self.targets.values():
            if kind == wanted and path.lower() in self.names:
                self._read(path, handler)
                return

    def _targets(self, path: str, folder: str) -> dict[str, tuple[str, str]]:
        """Type and target file of each relation."""
        if path.lower() not in self.names:
            return {}
        relations = RelationsHandler()
        self._read(path, relations)
        return {
            key: (kind, normpath(join("/", folder, target)).lstrip("/"))
            for key, (kind, target) in relations.targets.items()
        }

    def _read(self, path: str, handler: Handler) -> None:
        with self._opened(path) as file:
            for _ in events(file, handler, WHAT, self.faults):
                pass

    def _opened(self, path: str) -> IO[bytes]:
        try:
            return self.archive.open(self.names[path.lower()])
        except (KeyError, *BAD_ZIP):
            raise damaged(self.faults, WHAT) from None

    def _merged(self, part: str) -> list[tuple[int, int, int]]:
        """The merged ranges, which follow the rows in the file, read in advance."""
        if self.archive.getinfo(self.names[part.lower()]).file_size > MERGED_IN:
            return []
        found: list[tuple[int, int, int]] = []
        rest = b""
        with self._opened(part) as file:
            while (block := file.read(1024 * 1024)) and len(found) < MOST_MERGED:
                text = rest + block
                if b"mergeCell" in text:
                    for match in _MERGED.finditer(text):
                        found += merged_in(match[1].decode())
                rest = text[-100:]
        return found
