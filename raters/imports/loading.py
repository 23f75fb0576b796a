"""Load staged labels: compare them with existing ones, then insert and update."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import ceil

from django.db import connection
from django.db.backends.utils import CursorWrapper

from core.tables.faults import MAX_LISTED, Faults
from projects.models import Project
from raters.imports.fault_columns import FaultyCell, faults_in
from raters.imports.label_options import LabelOptions
from raters.reading.columns import LABEL

# Reports how many labels of how many have been written.
ReportWritten = Callable[[int, int], None]

_SLICE = 100_000
_RESOLVE_ANSWERS = """
UPDATE staged_answer a SET category_id = c.id
FROM staged_category c JOIN staged_question q ON q.key = c.question
WHERE c.question = a.question AND c.key = a.keys[1] AND q.kind = 'single';

UPDATE staged_answer a SET category_set = s.ids
FROM (
    SELECT a.question, a.label, coalesce(array_agg(DISTINCT c.id ORDER BY c.id) FILTER (WHERE c.id IS NOT NULL), '{}')
        AS ids, count(c.id) = count(part.key) AS is_known
    FROM staged_answer a
    JOIN staged_question q ON q.key = a.question
    LEFT JOIN LATERAL unnest(a.keys) AS part (key) ON true
    LEFT JOIN staged_category c ON c.question = a.question AND c.key = part.key
    WHERE q.kind = 'multiple' AND a.fate = 'category'
    GROUP BY a.question, a.label
) s
WHERE s.is_known AND s.question = a.question AND s.label = a.label;
ANALYZE staged_answer;
"""
# Keep the last or first, by time, of several labels of one rater for one item and question.
_KEEP_ONE = """
DELETE FROM staged s USING (
    SELECT n, row_number() OVER (
        PARTITION BY item, rater, question, round, pass ORDER BY {order}
    ) AS place FROM staged
) ranked
WHERE ranked.n = s.n AND ranked.place > 1
"""
_ORDERS = {"last": "labelled_at DESC NULLS LAST, n DESC", "first": "labelled_at NULLS LAST, n"}
# Without rounds or passes, a file means any existing label; with them, the label of that round or pass.
# A new round has neither an ID nor labels yet.
_PRESENT = """
DROP TABLE IF EXISTS pg_temp.staged_present;
CREATE TEMPORARY TABLE staged_present ON COMMIT DROP AS
SELECT DISTINCT ON (s.n) s.n, s.line, s.rater, coalesce(s.label, s.number::text, s.text, 'cannot tell') AS label,
    l.id AS label_id, s.source_id, {by_source} AS by_source, a.category_id, a.category_set, s.number, s.text,
    s.abstains, s.labelled_at, s.reason, s.note, s.seconds, s.guidelines_version, s.confidence, s.from_suggestion,
    l.is_abstention = s.abstains AND l.category_id IS NOT DISTINCT FROM a.category_id
        AND l.category_set IS NOT DISTINCT FROM a.category_set
        AND l.number IS NOT DISTINCT FROM s.number AND l.text IS NOT DISTINCT FROM s.text
        AND (s.confidence IS NULL OR l.confidence IS NOT DISTINCT FROM s.confidence)
        AND (s.from_suggestion IS NULL OR l.from_suggestion = s.from_suggestion) AS is_equal
FROM staged s
JOIN staged_item i ON i.key = s.item
JOIN staged_rater r ON r.key = s.rater
JOIN staged_question q ON q.key = s.question
LEFT JOIN staged_round b ON b.key = s.round
LEFT JOIN staged_answer a ON a.question = s.question AND a.label = s.label
JOIN raters_label l ON l.item_id = i.id AND l.question_id = q.id AND l.rater_id = r.id
    AND ({same_pass} OR {by_source})
ORDER BY s.n, by_source DESC, l.pass_number;
ANALYZE staged_present;
"""
_SAME_ROUND = "(l.batch_id = b.id OR (s.round IS NULL AND l.batch_id IS NULL))"
# A source ID identifies one label in any pass or round; labels of other items have been refused before.
_BY_SOURCE = "(s.source_id <> '' AND l.source_id = s.source_id)"
_AT_SAME_PASS = "l.pass_number = coalesce(s.pass, 1)"  # noqa: S105  SQL.
_NOTHING_PRESENT = """
DROP TABLE IF EXISTS pg_temp.staged_present;
CREATE TEMPORARY TABLE staged_present (
    n bigint, line integer, rater text, label text, label_id bigint, source_id text, by_source boolean,
    category_id bigint, category_set bigint[], number float8, text text,
    abstains boolean, labelled_at timestamptz, reason text, note text, seconds float8,
    guidelines_version smallint, confidence float8, from_suggestion boolean, is_equal boolean
) ON COMMIT DROP
"""
_HAS_LABELS = """
SELECT EXISTS (SELECT FROM raters_label l JOIN staged_rater r ON r.id = l.rater_id)
"""
_CONFLICTS = f"""
SELECT p.line, p.rater, p.label, s.item, count(*) OVER () FROM staged_present p JOIN staged s USING (n)
WHERE NOT p.is_equal AND NOT (p.by_source AND %s) ORDER BY p.line, n LIMIT {MAX_LISTED}
"""
# Two labels of the file that match the same label of the project: one by ID, the other by round or pass.
_SAME_LABEL = f"""
SELECT line, rater, label, count(*) OVER () FROM (
    SELECT line, rater, label, row_number() OVER (PARTITION BY label_id ORDER BY by_source DESC, n) AS place
    FROM staged_present
) s
WHERE place > 1 ORDER BY line LIMIT {MAX_LISTED}
"""
# An ID shared by several labels of one rater and question, such as a form's ID, identifies none of them.
_SHARED_IDS = """
UPDATE staged s SET source_id = '' FROM (
    SELECT rater, question, source_id FROM staged WHERE source_id <> ''
    GROUP BY rater, question, source_id HAVING count(*) > 1
) shared
WHERE s.rater = shared.rater AND s.question = shared.question AND s.source_id = shared.source_id
"""
_ADOPT_IDS = """
UPDATE raters_label l SET source_id = p.source_id
FROM staged_present p
WHERE l.id = p.label_id AND p.is_equal AND p.source_id <> '' AND l.source_id = ''
"""
# In the order of the unique index of labels, so that its pages are filled in order.
_READY = """
CREATE TEMPORARY TABLE staged_ready ON COMMIT DROP AS
SELECT i.id AS item_id, q.id AS question_id, r.id AS rater_id, b.id AS batch_id, {pass_number} AS pass_number,
    a.category_id, a.category_set, s.number, s.text, s.abstains, s.labelled_at, s.reason, s.note, s.seconds,
    s.guidelines_version, s.source_id, s.confidence, s.from_suggestion
FROM staged s
JOIN staged_item i ON i.key = s.item
JOIN staged_rater r ON r.key = s.rater
JOIN staged_question q ON q.key = s.question
LEFT JOIN staged_round b ON b.key = s.round
LEFT JOIN projects_batch round ON round.id = b.id
LEFT JOIN staged_answer a ON a.question = s.question AND a.label = s.label
{passes_before}
{but_present}
ORDER BY i.id, q.id, r.id, round.position
"""
_BUT_PRESENT = "WHERE NOT EXISTS (SELECT FROM staged_present p WHERE p.n = s.n)"
_PASS_OF_FILE = "coalesce(s.pass, 1)::smallint"  # noqa: S105  SQL.
# A further label of one rater, item, and question in a later round is a further pass.
_NEXT_PASS = """(coalesce(before.last_pass, 0)
    + row_number() OVER (PARTITION BY i.id, q.id, r.id ORDER BY round.position))::smallint"""  # noqa: S105  SQL.
_PASSES_BEFORE = """
LEFT JOIN (
    SELECT l.item_id, l.question_id, l.rater_id, max(l.pass_number) AS last_pass
    FROM raters_label l JOIN staged_item i ON i.id = l.item_id
    GROUP BY l.item_id, l.question_id, l.rater_id
) before ON before.item_id = i.id AND before.question_id = q.id AND before.rater_id = r.id
"""
_N_PAGES = """
SELECT pg_relation_size('pg_temp.staged_ready') / current_setting('block_size')::integer
"""
# Slices are ranges of pages, which PostgreSQL reads without looking at any others.
_WRITE = """
INSERT INTO raters_label (
    item_id, question_id, rater_id, batch_id, pass_number, category_id, category_set, number, text, labelled_at,
    is_abstention, reason, note, seconds, guidelines_version, revision, source_id, confidence,
    from_suggestion
)
SELECT r.item_id, r.question_id, r.rater_id, r.batch_id, r.pass_number, r.category_id, r.category_set, r.number,
    r.text, coalesce(r.labelled_at, now()), r.abstains, r.reason, r.note, r.seconds, r.guidelines_version, 1,
    r.source_id, r.confidence, coalesce(r.from_suggestion, false)
FROM staged_ready r
WHERE r.ctid >= %s::tid AND r.ctid < %s::tid
"""
_CHANGE = """
UPDATE raters_label l SET category_id = p.category_id, category_set = p.category_set, number = p.number,
    text = p.text, is_abstention = p.abstains, reason = p.reason,
    note = CASE p.note WHEN '' THEN l.note ELSE p.note END,
    seconds = coalesce(p.seconds, l.seconds), guidelines_version = p.guidelines_version,
    labelled_at = coalesce(p.labelled_at, now()),
    source_id = CASE p.source_id WHEN '' THEN l.source_id ELSE p.source_id END, confidence = p.confidence,
    from_suggestion = coalesce(p.from_suggestion, false)
FROM staged_present p
WHERE l.id = p.label_id AND NOT p.is_equal
"""


@dataclass(frozen=True, slots=True)
class StagedChanges:
    """Staged labels compared with those of the project."""

    n_unchanged: int
    n_changed: int


def drop_repeats(repeats: str) -> int:
    """Keep one of several labels of one rater for one item and question. Returns the number dropped."""
    with connection.cursor() as cursor:
        cursor.execute(_KEEP_ONE.format(order=_ORDERS[repeats]))
        return cursor.rowcount


def drop_shared_ids() -> None:
    with connection.cursor() as cursor:
        cursor.execute(_SHARED_IDS)


def adopt_ids() -> None:
    """Set the source ID of unchanged labels that have none yet."""
    with connection.cursor() as cursor:
        cursor.execute(_ADOPT_IDS)


def resolve_answers() -> None:
    """Set the categories of each staged answer, as far as they exist."""
    with connection.cursor() as cursor:
        cursor.execute(_RESOLVE_ANSWERS)


def compare(*, has_rounds: bool, has_passes: bool) -> StagedChanges:
    """Create staged_present: labels that already exist, and whether they are equal."""
    with connection.cursor() as cursor:
        cursor.execute(_HAS_LABELS)
        if not cursor.fetchone()[0]:
            cursor.execute(_NOTHING_PRESENT)
            return StagedChanges(0, 0)
        same_pass = _AT_SAME_PASS if has_passes else _SAME_ROUND if has_rounds else "true"
        cursor.execute(_PRESENT.format(same_pass=same_pass, by_source=_BY_SOURCE))
        cursor.execute(
            "SELECT count(*) FILTER (WHERE is_equal), count(*) FILTER (WHERE NOT is_equal) FROM staged_present"
        )
        return StagedChanges(*cursor.fetchone())


def gather_one_label_twice(faults: Faults, options: LabelOptions) -> None:
    """Report pairs of labels in the file that would change the same label of the project."""
    with connection.cursor() as cursor:
        cursor.execute(_SAME_LABEL)
        rows = cursor.fetchall()
    rule = "two records mean the same label: one by its source id, the other by its item and round or pass"
    cells = [(FaultyCell(line, rater, label), rule) for line, rater, label, _ in rows]
    faults.extend(faults_in(LABEL, cells, "duplicate_label", options), n=rows[0][-1] if rows else 0)


def gather_conflicts(faults: Faults, options: LabelOptions, *, ids_may_change: bool = False) -> None:
    """Report labels that differ from those of the project, unless they are to replace them.

    ids_may_change: labels recognized by source ID are not conflicts.
    """
    with connection.cursor() as cursor:
        cursor.execute(_CONFLICTS, [ids_may_change])
        rows = cursor.fetchall()
    rule = "this rater already has a different label here; to replace it, select “Overwrite existing labels”"
    cells = [(FaultyCell(line, rater, label, item), rule) for line, rater, label, item, _ in rows]
    faults.extend(faults_in(LABEL, cells, "conflicts_with_label", options), n=rows[0][-1] if rows else 0)


def write_labels(
    project: Project,
    compared: StagedChanges,
    *,
    has_rounds: bool,
    has_passes: bool,
    report_written: ReportWritten,
) -> int:
    """Insert new labels and update those that differ. Returns the number of new ones."""
    has_present = compared.n_changed + compared.n_unchanged > 0
    may_repeat = not has_passes and (has_rounds or has_labels(project))
    ready = _READY.format(
        pass_number=_PASS_OF_FILE if has_passes else _NEXT_PASS if may_repeat else "1::smallint",
        passes_before=_PASSES_BEFORE if may_repeat else "",
        but_present=_BUT_PRESENT if has_present else "",
    )
    with connection.cursor() as cursor:
        cursor.execute(ready)
        n_ready: int = cursor.rowcount
        n_written = 0
        for first, end in _page_ranges(cursor, n_ready):
            report_written(n_written, n_ready)
            cursor.execute(_WRITE, [f"({first},0)", f"({end},0)"])
            n_written += cursor.rowcount
        report_written(n_written, n_ready)
        if compared.n_changed:
            cursor.execute(_CHANGE)
    return n_written


def _page_ranges(cursor: CursorWrapper, n_rows: int) -> Iterator[tuple[int, int]]:
    """Yield the first page and the end of slices of staged_ready, each of about _SLICE rows."""
    cursor.execute(_N_PAGES)
    n_pages: int = cursor.fetchone()[0]
    n_slices = ceil(n_rows / _SLICE)
    bounds = [n_pages * place // max(1, n_slices) for place in range(n_slices + 1)]
    return pairwise(bounds)


def has_labels(project: Project) -> bool:
    return project.items.filter(labels__isnull=False).exists()
