"""Imports items with their content from a file: a column for the key, and a column for each field of the content."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from itertools import count, islice

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Exists, Max, OuterRef

from core.planner import analyze_when_committed
from core.shapes import Json
from core.tables.cells import Cells, InvalidCell, check_characters, for_copy
from core.tables.delimited import Record
from core.tables.encoding import Source
from core.tables.faults import MAX_LISTED, Fault, Faults, FileRefused, shown
from core.tables.sources import MeteredSource
from core.tables.table import Table, open_any
from projects.attributes import attributes_of_texts
from projects.imports import protocol
from projects.imports.folding import folded
from projects.imports.import_lock import acquire_import_lock
from projects.imports.protocol import BY_NOBODY, CheckedFile, ImportContext, ImportResult, about, dry_run
from projects.imports.read_options import FilePreview
from projects.items.item_columns import (
    ALT,
    ATTRIBUTE,
    IGNORE,
    KEY,
    ItemColumn,
    ItemOptions,
    columns_of_items,
    shown_columns,
)
from projects.items.text_lists import list_of_texts
from projects.media.missing_files import MissingMedia, missing_in_file
from projects.media.names import MEDIA
from projects.models import MAX_TEXT, Item, ItemVersion, Project
from projects.refusals import ProjectClosed

# The number of items shown in the preview.
FIRST = 10
_NO_CONTENT = {KEY, ALT, ATTRIBUTE, IGNORE}
_BLOCK = 1_000
READING, CHECKING, WRITING = "Reading the file", "Checking the items", "Writing the items"
# Share of total time at which each stage ends, measured on a million items.
_READ, _CHECKED = 0.45, 0.55
_CREATE = """
SET LOCAL client_min_messages = warning;
DROP TABLE IF EXISTS pg_temp.staged_content;
CREATE TEMPORARY TABLE staged_content (
    n bigint GENERATED ALWAYS AS IDENTITY, line integer NOT NULL, key text NOT NULL, content jsonb NOT NULL,
    attributes jsonb NOT NULL
) ON COMMIT DROP
"""
_COPY = "COPY staged_content (line, key, content, attributes) FROM STDIN"
_TWICE = """
SELECT line, key, 'already on line ' || first_line
FROM (SELECT line, key, min(line) OVER same AS first_line, row_number() OVER same AS place
      FROM staged_content WINDOW same AS (PARTITION BY key ORDER BY n)) s
WHERE place > 1
"""
# An item created by an import of labels has no content yet, so filling it in replaces nothing; and a file with only
# the column `item` does not affect content.
_EXISTS = """
SELECT s.line, s.key, 'already exists with different content; to replace it, select “Overwrite existing values”'
FROM staged_content s JOIN projects_item i ON i.project_id = %(project)s AND i.key = s.key
WHERE i.content <> s.content AND i.content <> '[]' AND s.content <> '[]'
UNION ALL
SELECT s.line, s.key, 'already exists with different attributes; to replace them, select “Overwrite existing values”'
FROM staged_content s JOIN projects_item i ON i.project_id = %(project)s AND i.key = s.key
WHERE i.attributes <> s.attributes AND i.attributes <> '{}' AND s.attributes <> '{}'
    AND (i.content = s.content OR i.content = '[]' OR s.content = '[]')
"""
_CONFUSABLE = """
WITH fresh AS (
    SELECT s.line, s.n, s.key, {fold} AS folded FROM staged_content s
    WHERE NOT EXISTS (SELECT FROM projects_item i WHERE i.project_id = %(project)s AND i.key = s.key)
), others AS (
    SELECT line, n, key, folded FROM fresh
    UNION ALL
    SELECT 0, 0, o.key, {other_fold} FROM projects_item o
    WHERE o.project_id = %(project)s AND EXISTS (SELECT FROM fresh)
)
SELECT DISTINCT ON (fresh.n) fresh.line, fresh.key, 'differs from "' || others.key
    || CASE others.line WHEN 0 THEN '" in the project' ELSE '" on line ' || others.line END
    || ' only by case or Unicode form; use the same spelling'
FROM fresh JOIN others USING (folded)
WHERE others.key <> fresh.key AND others.n < fresh.n
"""
_KEEP = """
INSERT INTO projects_itemversion (item_id, content, replaced_by_id)
SELECT i.id, i.content, %(by)s FROM projects_item i
JOIN staged_content s ON i.key = s.key
WHERE i.project_id = %(project)s AND i.content <> s.content AND i.content <> '[]' AND s.content <> '[]'
ORDER BY i.id
"""
_CHANGE = """
UPDATE projects_item i SET content = CASE s.content WHEN '[]' THEN i.content ELSE s.content END,
    attributes = CASE s.attributes WHEN '{}' THEN i.attributes ELSE s.attributes END
FROM staged_content s
WHERE i.project_id = %(project)s AND i.key = s.key AND (
    (i.content <> s.content AND s.content <> '[]') OR (i.attributes <> s.attributes AND s.attributes <> '{}')
)
"""
_LAST_NUMBER = """
SELECT coalesce(max(key::bigint), 0) FROM projects_item WHERE project_id = %(project)s AND key ~ '^[0-9]{1,15}$'
"""
_INSERT = """
INSERT INTO projects_item (project_id, key, content, attributes)
SELECT %(project)s, s.key, s.content, s.attributes FROM staged_content s
WHERE NOT EXISTS (SELECT FROM projects_item i WHERE i.project_id = %(project)s AND i.key = s.key)
ORDER BY s.n
"""


class ItemFile:
    def __init__(
        self, project: Project, source: Source, options: ItemOptions, how: ImportContext = BY_NOBODY, /
    ) -> None:
        self.project, self.source, self.options, self.how = project, MeteredSource(source), options, how
        # How many items are read at most, and whether that was all.
        self._most: int | None = None
        self._n_read, self._is_whole = 0, True

    def refuse(self, digest: str) -> None:
        """Importing the same file of items again changes nothing, so it is allowed. Raises ProjectClosed."""
        self._refuse_closed()

    def check(self) -> CheckedFile:
        """Also counts the items with labels whose content would be replaced."""
        return self._check(most=protocol.PREVIEWED)

    def check_all(self) -> CheckedFile:
        return self._check(most=None)

    def _check(self, *, most: int | None) -> CheckedFile:
        self._most = most
        done, faults = dry_run(self.load, nothing=ImportResult())
        n_expected = 0
        if not self._is_whole and self.source.n_read < self.how.n_bytes:
            n_expected = about(self._n_read * self.how.n_bytes / self.source.n_read)
        size = {"is_whole": self._is_whole, "n_records": self._n_read, "n_expected": n_expected}
        return CheckedFile(done, faults, {**self._begins(), "n_labeled": done.n_labeled, **size})

    def load(self) -> ImportResult:
        """Replaced content is kept as an ItemVersion."""
        project, faults = self.project, Faults()
        self._refuse_closed()
        with transaction.atomic(), connection.cursor() as cursor:
            before = ItemVersion.objects.aggregate(last=Max("pk", default=0))["last"]
            cursor.execute(_CREATE)
            for block in self._blocks(faults):
                with cursor.copy(_COPY) as copy:
                    copy.write(block)
            cursor.execute("ANALYZE staged_content")
            self.how.report_progress(CHECKING, _READ, n_done=0, n_total=0)
            acquire_import_lock(project)
            # Reading may have taken minutes.
            self._refuse_closed()
            _check(project, self.options, faults)
            if faults:
                raise FileRefused(faults)
            self.how.report_progress(WRITING, _CHECKED, n_done=0, n_total=0)
            cursor.execute(_KEEP, {"project": project.pk, "by": self.how.by.pk if self.how.by else None})
            n_replaced = cursor.rowcount
            cursor.execute(_CHANGE, {"project": project.pk})
            n_changed = cursor.rowcount
            cursor.execute(_INSERT, {"project": project.pk})
            n_created = cursor.rowcount
            analyze_when_committed(Item, n_rows=n_created + n_changed)
            cursor.execute("SELECT count(*) FROM staged_content")
            n_unchanged = cursor.fetchone()[0] - n_created - n_changed
            n_labeled = self._n_labeled(before) if n_replaced else 0
            return ImportResult(n_created, n_changed, n_unchanged, n_replaced=n_replaced, n_labeled=n_labeled)

    def _refuse_closed(self) -> None:
        self.project.refresh_from_db(fields=["state", "deletion_due_at"])
        if self.project.is_closed:
            raise ProjectClosed(f"The project {self.project} is closed. Reopen it to import items.")

    def _blocks(self, faults: Faults) -> Iterator[str]:
        """The items as rows of COPY."""
        table, fields = self._opened(faults)
        rows = iter(table.rows)
        rows_read = self._counted(islice(rows, self._most))
        yield from _rows(table.columns, fields, rows_read, self._first_number(), faults)
        self._is_whole = next(rows, None) is None

    def _first_number(self) -> int:
        """The number of the first item, if they are numbered: after those that the project has."""
        with connection.cursor() as cursor:
            cursor.execute(_LAST_NUMBER, {"project": self.project.pk})
            [last] = cursor.fetchone()
        return int(last) + 1

    def _counted(self, rows: Iterator[Record]) -> Iterator[Record]:
        """Report progress every few rows."""
        n_expected, self._n_read = self.how.n_rows, 0
        for row in rows:
            if self._n_read % _BLOCK == 0:
                share = min(self._n_read / n_expected, 1.0) if n_expected else 0.0
                n_total = max(self._n_read, n_expected) if n_expected else 0
                self.how.report_progress(READING, _READ * share, n_done=self._n_read, n_total=n_total)
            self._n_read += 1
            yield row

    def missing(self) -> MissingMedia:
        """The media files that the items refer to but the project does not have; raises FileRefused."""
        table, fields = self._opened(Faults())
        return missing_in_file(self.project, fields, (cells for _, cells in islice(table.rows, self._most)))

    def _n_labeled(self, before: int) -> int:
        """Return the number of items with labels whose content was replaced. before: the last version until then."""
        replaced = ItemVersion.objects.filter(pk__gt=before, item__project=self.project)
        return replaced.filter(Exists(Item.objects.filter(pk=OuterRef("item"), labels__isnull=False))).count()

    def _begins(self) -> Json:
        """The first items, valid or not; nothing if the file can't be opened."""
        missing = MissingMedia(0, [])
        try:
            table = self._table(Faults())
            rows = [[shown(cell) for cell in cells] for _, cells in islice(table.rows, FIRST)]
        except FileRefused:
            return {}
        with suppress(FileRefused):
            missing = self.missing()
        fields = shown_columns(table.columns, self.options)
        columns = [(name, "" if kind == KEY else kind) for name, kind in fields]
        return {
            **asdict(
                FilePreview(
                    table.encoding, table.separator, columns, rows, table.sheet, list(table.other_tables)
                )
            ),
            "written_columns": table.columns,
            "has_header": table.has_header,
            "is_numbered": (is_numbered := all(kind != KEY for _, kind in fields)),
            "first_number": self._first_number() if is_numbered else None,
            "missing": {**asdict(missing), "n_more": missing.n_more} if missing.n else None,
        }

    def _opened(self, faults: Faults) -> tuple[Table, list[ItemColumn]]:
        """The table with what its columns hold; raises FileRefused if they are not those of items."""
        table = self._table(faults)
        return table, columns_of_items(table.columns, self.options, faults)

    def _table(self, faults: Faults) -> Table:
        choices, max_rows = self.options.choices, settings.IMPORT_MAX_ROWS
        if self.options.is_numbered:
            found = list_of_texts(self.source, choices, max_rows=max_rows, faults=faults)
            if found is not None:
                return found
        return open_any(self.source, faults, choices=choices, max_rows=max_rows, is_strict=True)


def _rows(
    columns: list[str], fields: list[ItemColumn], rows: Iterator[Record], first_number: int, faults: Faults
) -> Iterator[str]:
    """The rows of COPY, in blocks. Without a column of keys, items are numbered from first_number on."""
    keys, numbers = Cells(), count(first_number)
    key_at = next((place for place, (_, kind) in enumerate(fields) if kind == KEY), None)
    described = {name: place for place, (name, kind) in enumerate(fields) if kind == ALT}
    block: list[str] = []
    for line, cells in rows:
        if _is_good(line, cells, columns, key_at, keys, faults):
            content = [
                {"name": name, "kind": kind, "value": cell}
                for place, ((name, kind), cell) in enumerate(zip(fields, cells, strict=True))
                if kind not in _NO_CONTENT
            ]
            named_cells = zip(fields, cells, strict=True)
            attributes = attributes_of_texts(
                {name: cell for (name, kind), cell in named_cells if kind == ATTRIBUTE}
            )
            for name, place in described.items():
                _describe(content, name, cells[place])
            key = next(numbers) if key_at is None else cells[key_at]
            block.append(copy_row(line, keys[str(key)], content, attributes))
        if len(block) >= _BLOCK:
            yield "".join(block)
            block.clear()
    yield "".join(block)


def copy_row(line: int, key: str, content: Sequence[object], attributes: Mapping[str, object]) -> str:
    """A row for COPY; the key is already escaped."""
    written = [for_copy(json.dumps(part, ensure_ascii=False)) for part in (content, attributes)]
    return f"{line}\t{key}\t{written[0]}\t{written[1]}\n"


def _describe(content: list[dict[str, str]], name: str, words: str) -> None:
    """Add the alternative text to the files of this name."""
    for part in content:
        if words and part["name"] == name and part["kind"] in MEDIA:
            part["alt"] = words


def _is_good(
    line: int, cells: list[str], columns: list[str], key_at: int | None, keys: Cells, faults: Faults
) -> bool:
    before = faults.n
    for place, cell in enumerate(cells):
        try:
            if place == key_at:
                keys[cell]
            else:
                _check_content(cell)
        except InvalidCell as bad:
            faults.add(line, columns[place], cell, bad.code, bad.rule)
    return faults.n == before


def _check_content(cell: str) -> None:
    if len(cell) > MAX_TEXT:
        raise InvalidCell("too_long", f"must have at most {MAX_TEXT:,} characters; has {len(cell):,}")
    if not cell.isprintable():
        check_characters(cell)


def _check(project: Project, options: ItemOptions, faults: Faults) -> None:
    _gather(project, _TWICE, "duplicate_item", faults)
    confusable = _CONFUSABLE.format(fold=folded("s.key"), other_fold=folded("o.key"))
    _gather(project, confusable, "confusable_id", faults)
    if not options.replace:
        _gather(project, _EXISTS, "item_exists", faults)


def _gather(project: Project, sql: str, code: str, faults: Faults) -> None:
    """Rows of (line, key, rule) -> faults."""
    sql = f"SELECT f.*, count(*) OVER () FROM ({sql}) f (line, key, rule) ORDER BY line LIMIT {MAX_LISTED}"
    with connection.cursor() as cursor:
        cursor.execute(sql, {"project": project.pk})
        rows = cursor.fetchall()
    faults.extend(
        (Fault(line, KEY, shown(key), code, rule) for line, key, rule, _ in rows),
        n=rows[0][-1] if rows else 0,
    )
