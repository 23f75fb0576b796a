"""Undo an import of labels: delete or restore its labels, and delete what it created and nothing else uses.

Uses set-based SQL in one transaction. Labels changed since, and rows that anything else refers to,
are kept.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from typing import Any

from django.db import connection, models, transaction
from django.db.models.functions import Now

from core.planner import analyze_when_committed
from core.refusals import Refused, RefusedWithCode
from core.shapes import Json
from projects.codebook.former import EVER
from projects.codebook.versions import store_version
from projects.events import record
from projects.imports.import_lock import acquire_import_lock
from projects.models import Category, Event, Item, Question, Round
from projects.refusals import ProjectClosed
from raters.models import ImportedRange, Label, LabelImport, LabelRevision, Rater
from raters.reporting import reporting

# Maximum number of labels for pages; the command has no limit.
MOST_AT_ONCE = 500_000
_SLICE = 50_000
MAX_ID = 2**63 - 1
_FIRST = 5
# Questions come last, because their categories must be deleted before them.
_MODELS: dict[str, type[models.Model]] = {
    "item": Item,
    "rater": Rater,
    "category": Category,
    "round": Round,
    "question": Question,
}
# Changes to a row since the import, other than references to it.
_TOUCHED = {
    "item": "t.withdrawn_at IS NOT NULL",
    "rater": "t.user_id IS NOT NULL",
    "category": "false",
    "question": "false",
    "round": "t.plans <> '[]' OR t.opened_at IS NOT NULL OR t.closed_at IS NOT NULL OR t.state <> 'open'",
}
_OF_PROJECT = "question_id IN (SELECT id FROM projects_question WHERE project_id = %(project)s)"
_PREPARE = """
SET LOCAL client_min_messages = warning;
SET LOCAL work_mem = '64MB';
SET LOCAL jit = off;
DROP TABLE IF EXISTS pg_temp.undone_label, pg_temp.undone_other, pg_temp.undone_item, pg_temp.undone_rater,
    pg_temp.undone_category, pg_temp.undone_round, pg_temp.undone_question;
"""
# Imports of earlier releases recorded no ranges, and a project file may contain a source of the same name. The time of
# a revision is the start of its transaction, which may be before the import was requested.
_LABELS = f"""
CREATE TEMPORARY TABLE undone_label ON COMMIT DROP AS
SELECT row_number() OVER (ORDER BY r.label_id) AS n, r.label_id, r.id AS revision_id, r.question_id, r.change,
    r.old_value, l.revision, NULL::bigint AS to_category, NULL::bigint[] AS to_set,
    CASE WHEN l.id IS NULL THEN 'gone' WHEN l.revision <> r.revision THEN 'kept'
        WHEN r.change = 'I' THEN 'withdrawn' ELSE 'restored' END AS fate
FROM raters_labelrevision r LEFT JOIN raters_label l ON l.id = r.label_id
WHERE r.source = %(origin)s AND r.{_OF_PROJECT} AND r.at >= %(asked_at)s - interval '1 hour'
    AND r.id BETWEEN %(first)s AND %(last)s;
CREATE INDEX ON undone_label (label_id);
ANALYZE undone_label;
"""
# If a later import replaced the label and was itself undone, the label is as this import wrote it.
_UNDONE_SINCE = """
UPDATE undone_label u SET fate = CASE u.change WHEN 'I' THEN 'withdrawn' ELSE 'restored' END
FROM raters_label l
JOIN raters_labelrevision last ON last.item_id = l.item_id AND last.question_id = l.question_id
    AND last.label_id = l.id AND last.revision = l.revision
JOIN raters_labelrevision written ON true
WHERE u.fate = 'kept' AND l.id = u.label_id AND written.id = u.revision_id AND last.source LIKE 'undo of import %'
    AND (written.category_id, written.category_set, written.number, written.text, written.is_abstention,
        written.reason, written.note, written.confidence, written.from_suggestion)
        IS NOT DISTINCT FROM
        (last.category_id, last.category_set, last.number, last.text, last.is_abstention, last.reason, last.note,
        last.confidence, last.from_suggestion)
"""
_DECIDED = """
UPDATE undone_label u SET fate = 'kept' FROM raters_decision d WHERE d.label_id = u.label_id AND u.fate <> 'gone'
"""
# Use the target of categories merged since; a category that no longer exists cannot be restored.
_FORMER = """
UPDATE undone_label u SET to_category = coalesce(c.merged_into_id, c.id)
FROM projects_category c
WHERE u.fate = 'restored' AND c.id = (u.old_value ->> 'category_id')::bigint;
UPDATE undone_label u SET to_set = ARRAY(
    SELECT DISTINCT coalesce(c.merged_into_id, c.id)
    FROM jsonb_array_elements_text(u.old_value -> 'category_set') AS chosen (id)
    JOIN projects_category c ON c.id = chosen.id::bigint ORDER BY 1
)
WHERE u.fate = 'restored' AND jsonb_typeof(u.old_value -> 'category_set') = 'array';
UPDATE undone_label u SET fate = 'kept'
WHERE u.fate = 'restored' AND u.to_category IS NULL AND u.old_value ->> 'category_id' IS NOT NULL;
"""
# The project's history from other sources since the import started.
_OTHERS = f"""
CREATE TEMPORARY TABLE undone_other ON COMMIT DROP AS
SELECT item_id, question_id, rater_id, batch_id AS round_id, category_id, category_set, old_value
FROM raters_labelrevision
WHERE id >= %(first)s AND question_id IN ({EVER}) AND source <> %(origin)s
"""
_OTHER_CATEGORIES = """
SELECT category_id FROM undone_other
UNION SELECT unnest(category_set) FROM undone_other
UNION SELECT (old_value ->> 'category_id')::bigint FROM undone_other
UNION SELECT chosen.id::bigint
    FROM undone_other, jsonb_array_elements_text(
        CASE jsonb_typeof(old_value -> 'category_set') WHEN 'array' THEN old_value -> 'category_set' ELSE '[]' END
    ) AS chosen (id)
"""
_CREATED = """
CREATE TEMPORARY TABLE undone_{kind} ON COMMIT DROP AS
SELECT t.id, NOT ({touched}) AND %(is_free)s AS goes
FROM {table} t
WHERE t.{of_project} AND EXISTS (
    SELECT FROM raters_importedrange g
    WHERE g.label_import_id = %(import)s AND g.kind = '{kind}' AND t.id BETWEEN g.first_id AND g.last_id
);
ANALYZE undone_{kind};
"""
_USED = "UPDATE undone_{kind} t SET goes = false FROM ({used}) used (id) WHERE used.id = t.id AND t.goes"
# A question is deleted with its categories, unless one of them is kept.
_CATEGORIZED = """
SELECT c.question_id FROM projects_category c JOIN undone_question i ON i.id = c.question_id
LEFT JOIN undone_category u ON u.id = c.id AND u.goes WHERE u.id IS NULL
"""
_REFERRED = "SELECT x.{column} FROM {table} x JOIN undone_{kind} i ON i.id = x.{column}"
_LABELED = """
SELECT x.{column} FROM raters_label x JOIN undone_{kind} i ON i.id = x.{column}
LEFT JOIN undone_label u ON u.label_id = x.id AND u.fate IN ({fates}) WHERE u.label_id IS NULL
"""
_CHOSEN = f"""
SELECT chosen.id FROM raters_label x CROSS JOIN LATERAL unnest(x.category_set) AS chosen (id)
LEFT JOIN undone_label u ON u.label_id = x.id AND u.fate IN ('withdrawn', 'restored')
WHERE x.category_set IS NOT NULL AND x.{_OF_PROJECT} AND u.label_id IS NULL
"""
_KEPT_FIRST = """
SELECT i.key || ' · ' || r.key || ' · ' || q.key
FROM undone_label u JOIN raters_label l ON l.id = u.label_id JOIN projects_item i ON i.id = l.item_id
JOIN raters_rater r ON r.id = l.rater_id JOIN projects_question q ON q.id = l.question_id
WHERE u.fate = 'kept' ORDER BY u.n LIMIT %s
"""
# Slices are ranges of IDs, so that each reads its own labels and no others.
_BOUNDS = "SELECT label_id FROM undone_label WHERE n %% %s = 0 ORDER BY n"
_OF_SLICE = """
u.label_id > %(after)s AND u.label_id <= %(upto)s AND l.id > %(after)s AND l.id <= %(upto)s
"""
_WITHDRAW = f"""
DELETE FROM raters_label l USING undone_label u
WHERE u.fate = 'withdrawn' AND l.id = u.label_id AND l.revision = u.revision AND {_OF_SLICE}
"""
_RESTORE = f"""
UPDATE raters_label l SET category_id = u.to_category, category_set = u.to_set,
    number = (u.old_value ->> 'number')::float8, text = u.old_value ->> 'text',
    is_abstention = (u.old_value ->> 'is_abstention')::boolean,
    reason = u.old_value ->> 'reason', note = u.old_value ->> 'note', seconds = (u.old_value ->> 'seconds')::float8,
    guidelines_version = (u.old_value ->> 'guidelines_version')::smallint,
    labelled_at = (u.old_value ->> 'labelled_at')::timestamptz,
    source_id = coalesce(u.old_value ->> 'source_id', l.source_id),
    confidence = (u.old_value ->> 'confidence')::float8,
    from_suggestion = coalesce((u.old_value ->> 'from_suggestion')::boolean, false)
FROM undone_label u
WHERE u.fate = 'restored' AND l.id = u.label_id AND l.revision = u.revision AND {_OF_SLICE}
"""
_DELETE = "DELETE FROM {table} t USING undone_{kind} u WHERE u.id = t.id AND u.goes"


class ImportNotUndoable(Refused):
    """The import is not done, is already undone, or its labels may be in a shared report."""

    code = "not_undoable"


@dataclass(frozen=True, slots=True)
class UndoCounts:
    """Numbers of rows created by the import that are deleted and kept."""

    n_deleted: int
    n_kept: int


@dataclass(frozen=True, slots=True)
class UndoPreview:
    """The effect of undoing an import.

    n_withdrawn: labels it created. n_restored: labels it replaced. n_kept: labels of both kinds that were changed since
    or are decisions; kept_first: the first few. created: rows by kind. n_reports: reports that keep all of them.
    """

    n_withdrawn: int
    n_restored: int
    n_kept: int
    kept_first: list[str]
    created: dict[str, UndoCounts] = field(default_factory=dict)
    n_reports: int = 0

    def as_json(self) -> Json:
        return asdict(self)


@transaction.atomic
def check_undo(run: LabelImport) -> UndoPreview:
    """Return what undoing would do, without changing anything. Raises ImportNotUndoable or ProjectClosed."""
    _refuse(run)
    return _plan(run, lock="")


@transaction.atomic
def undo_import(label_import: LabelImport, *, by: Any, most: int | None = None) -> UndoPreview:
    """Undo the import completely or not at all.

    most: maximum number of labels. Raises ImportNotUndoable or ProjectClosed.
    """
    acquire_import_lock(label_import.project)
    run = (
        LabelImport.objects.select_for_update(of=("self",)).select_related("project").get(pk=label_import.pk)
    )
    _refuse(run)
    if most is not None and run.n_created + run.n_changed > most:
        raise ImportNotUndoable(
            f"This import has more than {most:,} labels. Undo it on the server: manage.py undo_import {run.pk}."
        )
    done = _plan(run, lock="FOR UPDATE")
    _set_history_context(run, by)
    # The database requires this event for deleting questions.
    _record(run, done, by)
    _write(done)
    store_version(run.project_id)
    LabelImport.objects.filter(pk=run.pk).update(undone_at=Now(), undone_by=by, undone=done.as_json())
    analyze_when_committed(Item, Label, LabelRevision, n_rows=done.n_withdrawn + done.n_restored)
    label_import.refresh_from_db()
    return done


def _refuse(run: LabelImport) -> None:
    if run.kind != LabelImport.Kind.LABELS or run.state != LabelImport.State.DONE:
        raise ImportNotUndoable("Only a finished import of labels can be undone.")
    if run.undone_at is not None:
        raise ImportNotUndoable(f"This import was already undone, on {run.undone_at:%Y-%m-%d %H:%M} UTC.")
    project = run.project
    project.refresh_from_db(fields=["state"])
    if project.is_closed:
        raise ProjectClosed(f"The project {project} is closed. Reopen it to undo an import.")


def _plan(run: LabelImport, *, lock: str) -> UndoPreview:
    """Create the temporary tables undone_…: the fate of each label, and the rows to delete."""
    values = _values(run)
    with connection.cursor() as cursor:
        cursor.execute(_PREPARE)
        cursor.execute(_LABELS, values)
        cursor.execute(_UNDONE_SINCE)
        cursor.execute(_DECIDED)
        cursor.execute(_FORMER)
        cursor.execute("SELECT DISTINCT question_id FROM undone_label")
        questions = [pk for (pk,) in cursor.fetchall()]
    reports = reporting().reports_since(run.project, run.finished_at or run.asked_at, questions)
    if reports.shared:
        raise ImportNotUndoable(
            f"Report {reports.shared[0]} may contain labels of this import and was shared by a link, so the import "
            "can’t be undone. To correct labels, import a new file that overwrites them."
        )
    with connection.cursor() as cursor:
        cursor.execute(_OTHERS, values)
        for kind, model in _MODELS.items():
            _find_created(cursor, kind, model, {**values, "is_free": reports.n == 0}, lock)
        cursor.execute("SELECT fate, count(*) FROM undone_label GROUP BY fate")
        n = dict(cursor.fetchall())
        cursor.execute(_KEPT_FIRST, [_FIRST])
        kept_first = [text for (text,) in cursor.fetchall()]
        created = {kind: _counts(cursor, kind) for kind in _MODELS}
    return UndoPreview(
        n.get("withdrawn", 0), n.get("restored", 0), n.get("kept", 0), kept_first, created, reports.n
    )


def _values(run: LabelImport) -> dict[str, Any]:
    bounds = run.ranges.filter(kind=ImportedRange.Kind.REVISION).values_list("first_id", "last_id").first()
    first, last = bounds or (0, MAX_ID)
    return {
        "project": run.project_id,
        "import": run.pk,
        "origin": run.origin,
        "asked_at": run.asked_at,
        "first": first,
        "last": last,
    }


def _find_created(
    cursor: Any, kind: str, model: type[models.Model], values: dict[str, Any], lock: str
) -> None:
    """Find rows of a kind that the import created, keeping those that anything else refers to."""
    project = _OF_PROJECT if model is Category else "project_id = %(project)s"
    cursor.execute(
        _CREATED.format(kind=kind, table=model._meta.db_table, touched=_TOUCHED[kind], of_project=project),
        values,
    )
    if lock:
        # Lock the rows: concurrent references wait, and then find them gone.
        cursor.execute(
            f"SELECT FROM {model._meta.db_table} t JOIN undone_{kind} u ON u.id = t.id "
            f"WHERE u.goes ORDER BY t.id {lock} OF t"
        )
    for used in _uses(kind, model):
        cursor.execute(_USED.format(kind=kind, used=used), values)


def _uses(kind: str, model: type[models.Model]) -> Iterator[str]:
    """Yield queries for IDs of rows that are used by something other than what is being undone."""
    for relation in model._meta.get_fields(include_hidden=True):
        if not isinstance(relation, models.ForeignObjectRel):
            continue
        if (relation.related_model, model) == (Category, Question):
            yield _CATEGORIZED
            continue
        table, column = relation.related_model._meta.db_table, relation.field.column
        query = _LABELED if relation.related_model is Label else _REFERRED
        # A restored label keeps its item, rater, and question but gets its former category.
        fates = "'withdrawn', 'restored'" if model is Category else "'withdrawn'"
        yield query.format(table=table, column=column, kind=kind, fates=fates)
    if model is Category:
        yield _CHOSEN
        yield _OTHER_CATEGORIES
    else:
        yield f"SELECT DISTINCT {kind}_id FROM undone_other"


def _counts(cursor: Any, kind: str) -> UndoCounts:
    cursor.execute(
        f"SELECT count(*) FILTER (WHERE goes), count(*) FILTER (WHERE NOT goes) FROM undone_{kind}"
    )
    return UndoCounts(*cursor.fetchone())


def _set_history_context(run: LabelImport, by: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT set_config('interrater.user_id', %s, true), set_config('interrater.source', %s, true)",
            [str(by.pk) if by else "", f"undo of {run.origin}"],
        )


def _write(planned: UndoPreview) -> None:
    n_withdrawn = n_restored = 0
    with connection.cursor() as cursor:
        cursor.execute(_BOUNDS, [_SLICE])
        for after, upto in pairwise([0, *(label for (label,) in cursor.fetchall()), MAX_ID]):
            part = {"after": after, "upto": upto}
            if planned.n_restored:
                cursor.execute(_RESTORE, part)
                n_restored += cursor.rowcount
            if planned.n_withdrawn:
                cursor.execute(_WITHDRAW, part)
                n_withdrawn += cursor.rowcount
        if (n_withdrawn, n_restored) != (planned.n_withdrawn, planned.n_restored):
            raise RefusedWithCode(
                "changed_meanwhile",
                "Labels of this import were changed at the same time. Nothing was undone. Try again.",
                status_code=409,
            )
        # Check references to deleted rows now, where errors are handled.
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for kind, model in _MODELS.items():
            if planned.created[kind].n_deleted:
                cursor.execute(_DELETE.format(table=model._meta.db_table, kind=kind))
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")


def _record(run: LabelImport, done: UndoPreview, by: Any) -> None:
    record(
        Event.Kind.IMPORT_UNDONE,
        by=by,
        project=run.project,
        about=run.file_name,
        **{"import": run.pk},
        withdrawn=done.n_withdrawn,
        restored=done.n_restored,
        kept=done.n_kept,
        deleted={kind: counts.n_deleted for kind, counts in done.created.items() if counts.n_deleted},
    )
