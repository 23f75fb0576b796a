"""The labels that a report was computed from, as of its snapshot: read in ranges of items, one row at a time."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from psycopg.types.json import Jsonb

from core.history import VISIBLE_ENTRIES
from core.tables.safe_cells import csv_lines
from core.tables.zipped import in_blocks
from raters.reading.values import NO_CATEGORY
from raters.writing.records import LabelRow, Value
from raters.writing.tables import LONG, STATED, column_places, long_row, stated_row, wide_head, wide_rows
from reports.analysis.question import MissingValuesJson, QuestionJson
from reports.analysis.revisions import BEFORE_0_3
from reports.models import Report
from reports.results.queries import agreements_of
from reports.sources.packed import ItemRanges
from reports.sources.past_labels import deciders_of
from reports.sources.shared_snapshots import open_snapshot

BLOCK = 5000
BOUNDS = "SELECT min(id), max(id) FROM projects_item WHERE project_id = %s"
# A download over a slow connection may pause.
PATIENCE = (
    "SET LOCAL statement_timeout = '10min'",
    "SET LOCAL idle_in_transaction_session_timeout = '10min'",
)
# Details of a label other than its value are only in its row, as long as it was not changed since.
# Of a range of items, so that the first rows come at once, and no statement sorts all labels.
THEN = f"""
WITH last AS (
    SELECT DISTINCT ON (item_id, label_id) *
    FROM raters_labelrevision
    WHERE item_id >= %(low)s AND item_id < %(high)s
        AND question_id = ANY (%(questions)s)
        AND {VISIBLE_ENTRIES}
        AND rater_id <> ALL (%(deciders)s)
    ORDER BY item_id, label_id, id DESC
)
"""  # noqa: S608
# For a question whose rounds are not pooled, only the labels of the round that its figures use.
OF_ROUNDS = """(%(rounds)s::bigint[] IS NULL OR last.batch_id = ANY (%(rounds)s))
    AND (NOT jsonb_exists(%(leads)s, last.question_id::text)
        OR last.batch_id = (%(leads)s ->> last.question_id::text)::bigint)"""
INDEPENDENT = "(%(suggested)s OR NOT last.from_suggestion)"
LABELS = (
    THEN
    + f"""
SELECT item.key, last.question_id, rater.key, rater.kind,
    coalesce(%(keys)s ->> last.batch_id::text, round.key, ''), last.pass_number,
    last.category_id, last.category_set, last.number, last.is_abstention, last.reason, last.note,
    last.guidelines_version, label.seconds, coalesce(label.labelled_at, last.at), last.item_id, last.confidence
FROM last
JOIN projects_item item ON item.id = last.item_id
JOIN raters_rater rater ON rater.id = last.rater_id
LEFT JOIN projects_batch round ON round.id = last.batch_id
LEFT JOIN raters_label label ON label.id = last.label_id AND label.revision = last.revision
WHERE last.change <> 'D' AND {OF_ROUNDS} AND {INDEPENDENT}
ORDER BY last.item_id, array_position(%(questions)s, last.question_id), rater.key COLLATE "C", last.pass_number
"""  # noqa: S608
)
COLUMNS = (
    THEN
    + f"""
SELECT last.question_id, rater.key, last.pass_number, count(*)
FROM last JOIN raters_rater rater ON rater.id = last.rater_id
WHERE last.change <> 'D' AND {OF_ROUNDS} AND {INDEPENDENT}
GROUP BY last.question_id, rater.key, last.pass_number
"""  # noqa: S608
)


def labels_long(report: Report) -> Iterator[bytes]:
    """Return CSV with a row for each label."""
    return in_blocks(_long_lines(report))


def _long_lines(report: Report) -> Iterator[str]:
    are_stated = any(agreement.n_confidences for agreement in agreements_of(report))
    head, row_of = (STATED, stated_row) if are_stated else (LONG, long_row)
    yield from csv_lines([head])
    with reading(report) as read:
        yield from csv_lines(row_of(label) for label in read.labels())


def labels_wide(report: Report) -> Iterator[bytes]:
    """Return CSV with a row for each item and a column for each question and rater; empty if there is no label."""
    return in_blocks(_wide_lines(report))


def _wide_lines(report: Report) -> Iterator[str]:
    with reading(report) as read:
        columns = read.columns()
        yield from csv_lines([wide_head(columns, read.n_questions)])
        # Files of earlier reports stay as they were.
        empty_set = "" if report.code_version in BEFORE_0_3 else NO_CATEGORY
        yield from csv_lines(wide_rows(read.labels(), column_places(columns), empty_set=empty_set))


def _missing_in(question: QuestionJson) -> MissingValuesJson:
    return question.get("missing", MissingValuesJson(categories=[], values=[]))


@contextmanager
def reading(report: Report) -> Iterator["LabelExportReader"]:
    """Open a reading whose two queries see the same snapshot; what they read from it was fixed with the report."""
    with open_snapshot(n_connections=1) as snapshot:
        [connection] = snapshot.connections
        for setting in PATIENCE:
            connection.execute(setting)
        yield LabelExportReader(report, connection)


class LabelExportReader:
    def __init__(self, report: Report, connection: Any) -> None:
        self.connection, self.project = connection, report.project_id
        self.questions = {question["id"]: question for question in report.codebook["questions"]}
        rounds = report.codebook["rounds"]
        self.params = {
            "questions": list(self.questions),
            "suggested": report.chosen.suggested,
            **report.head.params,
            "rounds": None if rounds is None else [round_["id"] for round_ in rounds],
            "keys": Jsonb(report.round_keys),
            "leads": Jsonb(
                {str(each.question_id): each.lead["id"] for each in agreements_of(report) if each.lead}
            ),
            # Adjudicators' decisions are not labels of a rater, and the report did not read them.
            "deciders": list(deciders_of(report.project).values_list("pk", flat=True)),
        }
        self.keys = {
            category["id"]: category["key"]
            for question in self.questions.values()
            for category in (*question["categories"], *_missing_in(question)["categories"])
        }
        self.missing = {
            question["id"]: {*(category["id"] for category in found["categories"]), *found["values"]}
            for question in self.questions.values()
            if (found := _missing_in(question))
        }

    @property
    def n_questions(self) -> int:
        return len(self.questions)

    def columns(self) -> list[tuple[str, str, int]]:
        """Return each (question, rater, pass) with at least one label."""
        found: set[tuple[int, str, int]] = set()
        for ranges, low, high in self._ranges():
            rows = self.connection.execute(COLUMNS, self.params | {"low": low, "high": high}).fetchall()
            found.update((question, rater, number) for question, rater, number, _ in rows)
            ranges.learn(high - low, sum(n for *_, n in rows))
        places = {question: place for place, question in enumerate(self.questions)}
        ordered = sorted(found, key=lambda column: (places[column[0]], column[2], column[1]))
        return [(self.questions[question]["key"], rater, number) for question, rater, number in ordered]

    def _ranges(self) -> Iterator[tuple[ItemRanges, int, int]]:
        """Yield ranges of IDs of the project's items, which grow with what they `learn`."""
        [(low, high)] = self.connection.execute(BOUNDS, [self.project]).fetchall()
        if low is not None:
            ranges = ItemRanges(low, high, max_items=1 << 24)
            yield from ((ranges, start, stop) for start, stop in ranges)

    def labels(self, question: int | None = None) -> Iterator[LabelRow]:
        """Yield the labels by item in the order of creation, then question, rater, and pass; of one question, or of
        all.
        """
        params = self.params if question is None else self.params | {"questions": [question]}
        before: tuple[int, int, str] | None = None
        for ranges, low, high in self._ranges():
            n = 0
            with self.connection.cursor(name="labels_then") as cursor:
                cursor.itersize = BLOCK
                cursor.execute(LABELS, params | {"low": low, "high": high}, binary=True)
                for row in cursor:
                    n += 1
                    here = (row[15], row[1], row[2])
                    is_missing = self._is_missing(row)
                    yield self._label(row, is_first=here != before and not is_missing)
                    # If a label is treated as missing, the next pass counts in its place.
                    before = before if is_missing else here
            ranges.learn(high - low, n)

    def _is_missing(self, row: tuple[Any, ...]) -> bool:
        declared = self.missing[row[1]]
        return bool(declared) and not declared.isdisjoint([row[6], row[8], *(row[7] or ())])

    def _label(self, row: tuple[Any, ...], *, is_first: bool) -> LabelRow:
        return LabelRow(
            item=row[0],
            question=self.questions[row[1]]["key"],
            rater=row[2],
            kind=row[3],
            round=row[4],
            pass_number=row[5],
            value=self._value(row),
            is_abstention=row[9],
            reason=row[10],
            note=row[11],
            guidelines_version=row[12],
            seconds=row[13],
            labeled_at=row[14],
            item_id=row[15],
            is_first=is_first,
            question_kind=self.questions[row[1]]["kind"],
            confidence=row[16],
        )

    def _value(self, row: tuple[Any, ...]) -> Value:
        if row[9]:
            return None
        if row[6] is not None:
            return self._key(row[6])
        if row[7] is not None:
            return tuple(map(self._key, row[7]))
        number: float = row[8]
        return number

    def _key(self, category: int) -> str:
        return self.keys.get(category, f"category {category}")
