"""Check and load a file of labels: the single code path for pages, API, command, and workers."""

import json
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import islice

from django.conf import settings
from django.db import connection, transaction

from core.planner import analyze_when_committed
from core.shapes import Json
from core.tables.encoding import AUTO, Source
from core.tables.faults import Faults, FileRefused
from core.tables.sources import MeteredSource, digest_of
from projects.imports import protocol
from projects.imports.import_lock import acquire_import_lock
from projects.imports.protocol import BY_NOBODY, CheckedFile, ImportContext, ImportResult, about
from projects.models import Item, Project
from raters.imports import loading
from raters.imports.creating import IdRange, create_names
from raters.imports.file_interpretation import ProjectKeys
from raters.imports.file_opening import opened_files
from raters.imports.file_reader import FileReader
from raters.imports.import_refusals import last_similar_import, next_sheet, refuse_closed, refuse_known
from raters.imports.items_by_text import find_items_by_text
from raters.imports.label_options import LabelOptions, QuestionOptions
from raters.imports.labels_preview import LabelsPreview
from raters.imports.new_names import (
    create_name_tables,
    n_new_raters_without_type,
    new_names,
)
from raters.imports.read_blocks import ReadBlocks
from raters.imports.several_tables import CountedLines
from raters.imports.staged_checks import check_staged
from raters.imports.staging import COLUMNS, CopyRows, Staged, stage
from raters.imports.values import resolve_values
from raters.models import Label, LabelImport, LabelRevision
from raters.reading.records import Files
from raters.reading.table_content import LABELS

READING, CHECKING, WRITING = "Reading the file", "Checking the labels", "Writing the labels"
# Share of total time at which each stage ends, measured on a million labels.
_READ, _CHECKED = 0.15, 0.28


@dataclass(frozen=True, slots=True)
class FileGlance:
    """holds: labels, items, or questions."""

    holds: str
    earlier: LabelImport | None


class GoesBeyondPreview(Exception):
    """The file has questions or values that its preview, which showed the first part, did not show."""


class LabelFile:
    """A file of labels for a project, read with these options. Checking it completes the options."""

    # Whether labels recognized by source ID may be changed without asking for it.
    ids_may_change = False

    def __init__(
        self,
        project: Project,
        source: Source,
        options: LabelOptions,
        how: ImportContext = BY_NOBODY,
        /,
        *,
        blocks: ReadBlocks | None = None,
        seen: Json | None = None,
    ) -> None:
        """seen: the preview that a person agreed to, if it showed the first part of the file."""
        self.project, self.options, self.given, self.blocks = project, options, options, blocks
        self.name, self.source, self.seen = how.name or "labels", MeteredSource(source), seen
        self.how, self.report_progress, self.n_rows = how, how.report_progress, how.n_rows
        self.ranges: list[IdRange] = []
        # How many records are read at most.
        self._most: int | None = None
        self._begin()

    def _begin(self) -> None:
        self.options = self.given
        self.goes_beyond = False
        self.preview, self.faults = LabelsPreview(), Faults()
        self.staged = Staged()
        self.lines = CountedLines()

    def refuse(self, digest: str) -> None:
        """Raise ProjectClosed, or FileKnown for a file that was imported before."""
        refuse_closed(self.project)
        with suppress(FileRefused), opened_files(self.name, self.source, Faults()) as files:
            if interpretation := self._reader(files).understand(Faults()):
                refuse_known(self.project, digest, interpretation.options)

    def glance(self, *, has_labels: bool = False) -> FileGlance:
        """Return what the file holds, and the last import with the same columns, whose options are then used.

        has_labels: whether the user stated that it holds labels.
        """
        with suppress(FileRefused), opened_files(self.name, self.source, Faults()) as files:
            reader = self._reader(files, may_name_rater=True, has_labels=has_labels)
            is_clear = reader.understand(Faults()) is not None
            tables = reader.interpretation.tables
            if len(tables) > 1 and self.options.sheet == AUTO:
                sheet = next_sheet(self.project, self.source, tables)
                self.options = replace(self.options, sheet=sheet)
                reader = self._reader(files, may_name_rater=True, has_labels=has_labels)
                is_clear = reader.understand(Faults()) is not None
            interpretation = reader.interpretation
            # A person sees it in the preview.
            rater, kind = interpretation.options.rater, interpretation.options.rater_kind
            self.options = replace(self.options, rater=rater, rater_kind=kind)
            digest, _ = digest_of(self.source)
            earlier = last_similar_import(self.project, interpretation.options, digest) if is_clear else None
            if earlier:
                before = LabelOptions.from_json(earlier.options)
                is_same = earlier.sha256 == digest and self.options.sheet in (AUTO, before.sheet)
                if is_same:
                    self.options = replace(before, replace=False)
                else:
                    sheet = self.options.sheet
                    if before.rater and before.rater == before.sheet:
                        rater = sheet
                    elif not before.rater:
                        rater = ""
                    self.options = before.for_another_file(sheet=sheet, rater=rater, rater_kind=kind)
            return FileGlance(LABELS if earlier else interpretation.holds, earlier)
        return FileGlance(LABELS, None)

    def check(self) -> CheckedFile:
        return self._check(most=protocol.PREVIEWED)

    def check_all(self) -> CheckedFile:
        """Check all of the file, however large it is."""
        return self._check(most=None)

    def _check(self, *, most: int | None) -> CheckedFile:
        self._most = most
        refuse_closed(self.project)
        with transaction.atomic():
            with suppress(FileRefused):
                if self._stage():
                    self._examine()
            transaction.set_rollback(True)
        self.lines.place(self.faults)
        return self.checked

    @property
    def checked(self) -> CheckedFile:
        return CheckedFile(self._done, self.faults, self.preview.as_json(), self.options)

    def read_ahead(self) -> None:
        """Read the file into its blocks, outside of a transaction, unless an earlier attempt has read all of it.

        Faults are not reported here: without blocks, `load` reads the file itself.
        """
        blocks, faults = self.blocks, Faults()
        if blocks is None or blocks.are_whole(how := self._how_read):
            return
        with suppress(FileRefused), opened_files(self.name, self.source, faults) as files:
            reader = self._reader(files)
            if reader.understand(faults) is not None:
                understood = reader.interpretation
                kinds = dict(reader.keys.kinds)
                reading = CopyRows(understood.options, kinds, understood.statuses, faults)
                blocks.read(reader.records(faults), reading, how, self._report_rows_read)
        if faults:
            blocks.forget()

    def load(self) -> ImportResult:
        """Load the file within the surrounding transaction. Raises GoesBeyondPreview, too."""
        refuse_closed(self.project)
        acquire_import_lock(self.project)
        by = self.how.by
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('interrater.user_id', %s, true)", [str(by.pk) if by else ""])
            cursor.execute("SELECT set_config('interrater.source', %s, true)", [self.how.origin])
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            # Plans of triggers that an import into small tables left behind would read these as a whole.
            cursor.execute("DISCARD PLANS")
        self._prepare()
        if self.faults:
            self.lines.place(self.faults)
            raise FileRefused(self.faults)
        if self.goes_beyond:
            raise GoesBeyondPreview
        self.ranges = create_names(self.project, self.options, self.staged.prompts)
        loading.resolve_answers()
        compared = self._compare()
        last_before = last_revision()
        self.preview.n_created = loading.write_labels(
            self.project,
            compared,
            has_rounds=self._has_rounds,
            has_passes=self.staged.has_passes,
            report_written=self._report_rows_written,
        )
        # Writing may have taken an hour.
        refuse_closed(self.project)
        if (last := last_revision()) > last_before:
            self.ranges.append(("revision", last_before + 1, last))
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL DEFERRED")
        analyze_when_committed(
            Item, Label, LabelRevision, n_rows=self.preview.n_created + self.preview.n_changed
        )
        return self._done

    def _prepare(self) -> None:
        """Stage and examine the file. If a person will have to look at it, it is read again: faults have the lines of
        the file itself, and the preview shows its first rows.
        """
        if self.blocks and self.blocks.are_whole(self._how_read):
            self.staged = self.blocks.stage()
            self._count_staged()
            self._examine()
            if not self.faults and not self.goes_beyond:
                return
            self._begin()
        if self._stage():
            self._examine()

    @property
    def _how_read(self) -> str:
        """Identify all that the blocks depend on, apart from the file."""
        kinds = self.project.questions.values_list("key", "kind").order_by("key")
        return sha256(
            json.dumps([settings.VERSION, COLUMNS, self.given.as_json(), [*kinds]]).encode()
        ).hexdigest()

    @property
    def _done(self) -> ImportResult:
        found = self.preview
        return ImportResult(
            found.n_created, found.n_changed, found.n_unchanged, n_labels=found.n_labels, ranges=self.ranges
        )

    @property
    def _has_rounds(self) -> bool:
        return bool(self.options.round) or self.staged.has_rounds

    def _compare(self) -> loading.StagedChanges:
        return loading.compare(has_rounds=self._has_rounds, has_passes=self.staged.has_passes)

    def _reader(self, files: Files, *, may_name_rater: bool = False, has_labels: bool = False) -> FileReader:
        kinds = dict(self.project.questions.values_list("key", "kind"))
        raters = frozenset(self.project.raters.values_list("key", flat=True)[:10_000])
        keys = ProjectKeys(raters, kinds)
        return FileReader(
            files,
            self.options,
            keys,
            may_name_rater=may_name_rater,
            has_labels=has_labels,
            refuses_counts=True,
        )

    def _stage(self) -> bool:
        """Read the file into the staged tables. Returns False, with faults, if it cannot be understood."""
        self._report_rows_read(0)
        found = self.preview
        with opened_files(self.name, self.source, self.faults) as files:
            reader = self._reader(files)
            self.lines = reader.lines
            interpretation = found.interpretation = reader.interpretation
            is_clear = reader.understand(self.faults) is not None
            self.options = interpretation.options
            if not is_clear:
                return False
            records = reader.records(self.faults)
            self.staged = staged = stage(
                islice(records, self._most),
                self.options,
                dict(reader.keys.kinds),
                statuses=interpretation.statuses,
                faults=self.faults,
                report_rows=self._report_rows_read,
            )
            found.is_whole = next(records, None) is None
        self._count_staged()
        if not found.is_whole and self.source.n_read < self.how.n_bytes:
            found.n_expected = about(found.n_records * self.how.n_bytes / self.source.n_read)
        found.left_out = {name: n for name, n in interpretation.left_out.items() if n}
        if not staged.n_records and not self.faults:
            self.faults.add(0, "", "", "no_labels", interpretation.why_empty("imported"))
            return False
        return True

    def _count_staged(self) -> None:
        found, staged = self.preview, self.staged
        found.n_records, found.n_labels, found.n_empty = staged.n_records, staged.n_labels, staged.n_empty
        found.states, found.statuses = dict(staged.states), dict(staged.statuses)

    def _report_rows_read(self, n_rows: int) -> None:
        share = min(n_rows / self.n_rows, 1.0) if self.n_rows else 0.0
        self.report_progress(
            READING, _READ * share, n_done=n_rows, n_total=max(n_rows, self.n_rows) if self.n_rows else 0
        )

    def _report_rows_written(self, n_written: int, n_labels: int) -> None:
        share = n_written / n_labels if n_labels else 1.0
        self.report_progress(WRITING, _CHECKED + (1 - _CHECKED) * share, n_done=n_written, n_total=n_labels)

    def _examine(self) -> None:
        """Resolve the staged values and check them as a whole."""
        found = self.preview
        self.report_progress(CHECKING, _READ, n_done=0, n_total=0)
        found.n_by_text = find_items_by_text(self.project, self.options, self.faults)
        if self.options.repeats != "refuse":
            found.n_dropped = loading.drop_repeats(self.options.repeats)
        if self.staged.has_source_ids:
            self._settle_source_ids()
        found.questions, questions, found.n_missing = resolve_values(
            self.project, self.options, self.staged.titles, self.staged.empty, self.faults
        )
        self.options = replace(
            self.options, questions=questions if found.is_whole else self._undecided(questions)
        )
        if self.seen is not None:
            self.goes_beyond = found.mark_unseen(self.seen, self.given)
        found.n_labels = self.staged.n_labels - found.n_missing - found.n_dropped
        create_name_tables(self.project, questions)
        check_staged(self.project, self.options, self.faults, has_source_ids=self.staged.has_source_ids)
        found.new, found.n_untyped = new_names(), n_new_raters_without_type()
        loading.resolve_answers()
        compared = self._compare()
        if self.staged.has_source_ids:
            loading.gather_one_label_twice(self.faults, self.options)
        if compared.n_changed and not self.options.replace:
            loading.gather_conflicts(self.faults, self.options, ids_may_change=self.ids_may_change)
        found.n_changed, found.n_unchanged = compared.n_changed, compared.n_unchanged
        found.n_created = found.n_labels - compared.n_changed - compared.n_unchanged

    def _undecided(self, questions: dict[str, QuestionOptions]) -> dict[str, QuestionOptions]:
        """Leave open what values become, unless it was given: the rest of the file may suggest something else."""
        given = self.options.questions
        return {
            key: replace(
                question, values=(chosen := given.get(key, QuestionOptions())).values, order=chosen.order
            )
            for key, question in questions.items()
        }

    def _settle_source_ids(self) -> None:
        loading.drop_shared_ids()


def last_revision() -> int:
    """Return the last revision ID; later revisions in this transaction have higher ones."""
    newest = LabelRevision.objects.order_by("-id").values_list("id", flat=True).first()
    return newest or 0
