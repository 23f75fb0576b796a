"""Reads what is exported from one snapshot of the database; labels saved during the export are not in the file."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby
from typing import Any

import psycopg

from core.snapshots import snapshot_connection
from projects.models import Category
from raters.adjudication.exporting import COLUMNS as FINAL_COLUMNS
from raters.adjudication.exporting import VOTES, FinalLabel, conditions_of, finals_from, votes_params
from raters.adjudication.ruling import rules_of
from raters.missing_codes import is_missing
from raters.writing.records import ExportItemField, FinalRow, ItemRow, LabelRow, RaterRow, Value
from raters.writing.scope import ExportScope

BLOCK = 2000
# A download over a slow connection may pause, and one statement may sort all labels before returning its first row.
PATIENCE = (
    "SET LOCAL statement_timeout = '10min'",
    "SET LOCAL idle_in_transaction_session_timeout = '10min'",
    "SET LOCAL max_parallel_workers_per_gather = 0",
    "SET LOCAL jit = off",
)
# Adjudicators' decisions are not raters' labels.
IN_SCOPE = """
label.question_id = ANY (%(questions)s)
    AND rater.kind <> 'consensus'
    AND (%(rounds)s::bigint[] IS NULL OR label.batch_id = ANY (%(rounds)s))
"""
LABELS = f"""
SELECT item.key, label.question_id, rater.key, rater.kind, coalesce(round.key, ''), label.pass_number,
    label.category_id, label.category_set, label.number, label.is_abstention, label.reason, label.note,
    label.guidelines_version, label.seconds, label.labelled_at, label.item_id, label.text, label.confidence,
    label.from_suggestion
FROM raters_label label
JOIN projects_item item ON item.id = label.item_id
JOIN raters_rater rater ON rater.id = label.rater_id
LEFT JOIN projects_batch round ON round.id = label.batch_id
WHERE {IN_SCOPE} AND (%(rater)s::bigint IS NULL OR label.rater_id = %(rater)s)
ORDER BY label.item_id, array_position(%(questions)s, label.question_id), rater.key COLLATE "C", label.pass_number
"""  # noqa: S608
STATED = f"""
SELECT EXISTS (
    SELECT FROM raters_label label JOIN raters_rater rater ON rater.id = label.rater_id
    WHERE {IN_SCOPE} AND label.confidence IS NOT NULL
)
"""  # noqa: S608
SUGGESTED = f"""
SELECT EXISTS (
    SELECT FROM raters_label label JOIN raters_rater rater ON rater.id = label.rater_id
    WHERE {IN_SCOPE} AND label.from_suggestion
)
"""  # noqa: S608
COLUMNS = f"""
SELECT label.question_id, rater.key, label.pass_number
FROM raters_label label JOIN raters_rater rater ON rater.id = label.rater_id
WHERE {IN_SCOPE}
GROUP BY label.question_id, rater.key, label.pass_number
ORDER BY array_position(%(questions)s, label.question_id), label.pass_number, rater.key COLLATE "C"
"""  # noqa: S608
RATERS = f"""
SELECT DISTINCT rater.id, rater.key, rater.kind, rater.key COLLATE "C"
FROM raters_label label JOIN raters_rater rater ON rater.id = label.rater_id
WHERE {IN_SCOPE}
ORDER BY 4
"""  # noqa: S608
CODES = f"""
SELECT label.item_id, label.rater_id, label.category_id, label.is_abstention
FROM raters_label label JOIN raters_rater rater ON rater.id = label.rater_id
WHERE {IN_SCOPE} AND rater.kind <> 'reference' AND NOT {is_missing("label")}
ORDER BY label.item_id, label.rater_id, label.pass_number
"""  # noqa: S608
_ITEMS_IN_SCOPE = """
item.project_id = %(project)s AND (
    %(rounds)s::bigint[] IS NULL
    OR EXISTS (
        SELECT FROM raters_assignment work WHERE work.item_id = item.id AND work.batch_id = ANY (%(rounds)s)
    )
    OR EXISTS (SELECT FROM raters_label label WHERE label.item_id = item.id AND label.batch_id = ANY (%(rounds)s))
) AND (
    %(rater)s::bigint IS NULL
    OR item.id IN (SELECT label.item_id FROM raters_label label WHERE label.rater_id = %(rater)s)
)
"""
ITEMS = f"""
SELECT item.id, item.key, item.content, item.withdrawn_at IS NOT NULL
FROM projects_item item WHERE {_ITEMS_IN_SCOPE} ORDER BY item.id
"""  # noqa: S608
# In order of first appearance.
FIELDS = f"""
SELECT field ->> 'name', min(item.id), min(place)
FROM projects_item item, jsonb_array_elements(item.content) WITH ORDINALITY AS fields (field, place)
WHERE {_ITEMS_IN_SCOPE}
GROUP BY 1 ORDER BY 3, 2, 1
"""  # noqa: S608


@contextmanager
def reading(scope: ExportScope) -> Iterator["LiveLabels"]:
    """Open a snapshot: all of its queries see the database at the same moment."""
    with snapshot_connection(PATIENCE) as connection:
        yield LiveLabels(scope, connection)


class LiveLabels:
    def __init__(self, scope: ExportScope, connection: psycopg.Connection[Any]) -> None:
        self.scope, self.connection = scope, connection
        self.params: Mapping[str, Any] = {
            "project": scope.project.pk,
            "questions": [question.pk for question in scope.questions],
            "rounds": None if scope.rounds is None else [round_.pk for round_ in scope.rounds],
            "sets": [question.pk for question in scope.questions if question.is_multiple],
            "rater": None,
        }
        self.questions = {question.pk: question for question in scope.questions}
        # Including merged categories: a label never has one, but a history may.
        rows = connection.execute(
            "SELECT id, key FROM projects_category WHERE question_id = ANY (%(questions)s)", self.params
        )
        self.keys: dict[int, str] = dict(rows.fetchall())

    @property
    def n_questions(self) -> int:
        return len(self.questions)

    @property
    def has_confidences(self) -> bool:
        [(found,)] = self.connection.execute(STATED, self.params).fetchall()
        return bool(found)

    @property
    def has_suggestions(self) -> bool:
        [(found,)] = self.connection.execute(SUGGESTED, self.params).fetchall()
        return bool(found)

    def columns(self) -> list[tuple[str, str, int]]:
        """Return each (question, rater, pass) that has any label."""
        rows = self.connection.execute(COLUMNS, self.params).fetchall()
        return [(self.questions[question].key, rater, number) for question, rater, number in rows]

    def raters(self) -> list[RaterRow]:
        """Return the raters with any label, by key."""
        return [RaterRow(*row[:3]) for row in self.connection.execute(RATERS, self.params)]

    def labels(self, question: int | None = None, rater: int | None = None) -> Iterator[LabelRow]:
        """Yield labels by item in the order added, then by question, rater, and pass."""
        asked = {"questions": [question]} if question is not None else {}
        before: tuple[int, int, str] | None = None
        for row in self._rows("labels", LABELS, {**self.params, **asked, "rater": rater}):
            here = (row[15], row[1], row[2])
            label = self._label(row, is_first=here != before)
            yield label
            # Labels treated as missing do not count as the first one.
            before = before if label.is_missing else here

    def items(self, rater: int | None = None) -> Iterator[ItemRow]:
        """Yield the items that the rater labeled, or all, in the order added."""
        params = {**self.params, "rater": rater}
        for pk, key, content, is_withdrawn in self._rows("items", ITEMS, params):
            fields = tuple(ExportItemField(each["name"], each["kind"], each["value"]) for each in content)
            yield ItemRow(pk, key, fields, is_withdrawn)

    def labeled_items(self, rater: int | None = None) -> Iterator[tuple[ItemRow, list[LabelRow]]]:
        """Yield each item with its labels; only items that have any."""
        yield from _joined(self.items(rater), self.labels(rater=rater))

    def items_with_finals(self) -> Iterator[tuple[ItemRow, list[FinalRow]]]:
        yield from _joined(self.items(), self.finals())

    def field_names(self) -> list[str]:
        return [name for name, _, _ in self.connection.execute(FIELDS, self.params)]

    def finals(self) -> Iterator[FinalRow]:
        for label in self.final_labels():
            value = tuple(label.label) if isinstance(label.label, list) else label.label
            cells = dict(zip(FINAL_COLUMNS, label.as_cells(), strict=True))
            yield FinalRow(
                label.item_id, label.item, label.question, value, str(label.origin), label.final.share_agree,
                cells, label.is_missing,
            )  # fmt: skip

    def final_labels(self) -> Iterator[FinalLabel]:
        """Return final labels of the questions in scope; the questions they depend on are read, too."""
        conditions = conditions_of(self.scope.project)
        questions = {pk: question.key for pk, question in self.questions.items()}
        keys, rules = self.keys, rules_of(self.scope.project)
        if conditions.keys() & questions.keys():
            of_all = self.scope.project.questions.compared()
            questions = dict(of_all.values_list("pk", "key"))
            keys = dict(Category.with_merged.filter(question__in=questions).values_list("pk", "key"))
        params = votes_params(self.scope.project, list(questions), rules, rounds=self.params["rounds"])
        own = {question.key for question in self.questions.values()}
        found = finals_from(self._rows("finals", VOTES, params), questions, keys, conditions, rules)
        return (label for label in found if label.question in own)

    def codes(self, question: int) -> Iterator[tuple[int, int, int]]:
        """Yield (item, rater, category) for each rater's first label, if it is a category; references are left out."""
        params = {**self.params, "questions": [question]}
        for _, labels in groupby(self._rows("codes", CODES, params), key=lambda row: row[:2]):
            item, rater, category, is_abstention = next(labels)
            if not is_abstention and category is not None:
                yield item, rater, category

    def n_labels(self, question: int, *, at_most: int) -> int:
        """Return how many labels a question has, or at_most + 1 if there are more than at_most."""
        some = "SELECT count(*) FROM (SELECT FROM raters_label WHERE question_id = %s LIMIT %s) AS few"
        [(n,)] = self.connection.execute(some, [question, at_most + 1]).fetchall()
        return int(n)

    def has_number(self, question: int, number: float) -> bool:
        some = "SELECT EXISTS (SELECT FROM raters_label WHERE question_id = %s AND number = %s)"
        [(found,)] = self.connection.execute(some, [question, number]).fetchall()
        return bool(found)

    def _rows(self, name: str, query: str, params: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
        with self.connection.cursor(name=name) as cursor:
            cursor.itersize = BLOCK
            cursor.execute(query, params)
            yield from cursor

    def _label(self, row: Sequence[Any], *, is_first: bool) -> LabelRow:
        question, value = self.questions[row[1]], self._value(row)
        says_nothing = question.is_missing(value)
        return LabelRow(
            item=row[0],
            question=question.key,
            rater=row[2],
            kind=row[3],
            round=row[4],
            pass_number=row[5],
            value=None if says_nothing else value,
            is_abstention=row[9],
            reason=row[10],
            note=row[11],
            guidelines_version=row[12],
            seconds=row[13],
            labeled_at=row[14],
            item_id=row[15],
            confidence=row[17],
            from_suggestion=row[18],
            is_first=is_first and not says_nothing,
            question_kind=question.kind,
            missing=value if says_nothing else None,
            text_for_missing=question.text_for_missing if says_nothing else None,
        )

    def _value(self, row: Sequence[Any]) -> Value:
        if row[6] is not None:
            return self.keys[row[6]]
        if row[7] is not None:
            return tuple(self.keys[pk] for pk in row[7])
        number: float | None = row[8]
        text: str | None = row[16]
        return number if text is None else text


def _joined(items: Iterable[ItemRow], rows: Iterable[Any]) -> Iterator[tuple[ItemRow, list[Any]]]:
    """Join both by item ID. Labels of items that are not in scope can only result from an error."""
    by_item = groupby(rows, key=lambda row: row.item_id)
    pk, of_item = next(by_item, (None, iter(())))
    for item in items:
        if pk is None:
            return
        if item.pk == pk:
            yield item, list(of_item)
            pk, of_item = next(by_item, (None, iter(())))
