"""Who audits which items: never anyone who labeled the item in the audited project."""

import unicodedata
from collections.abc import Sequence
from typing import Any

import numpy as np
from django.db import connection, transaction
from django.db.models import Max

from core.planner import analyze_when_committed
from projects.events import record
from projects.imports.import_lock import acquire_import_lock
from projects.models import Event, Project, Round
from projects.refusals import ProjectClosed
from raters.actions import rater_of
from raters.audits.population import AuditRefused, IntArray
from raters.models import Assignment, Audit, AuditedLabel, Label, Rater
from raters.rounds.assigning.allocation import BoolArray, allocate

FIRST, SECOND = "Audit", "Second sample"
_COPY = """
COPY raters_assignment (
    rater_id, item_id, pass_number, position, batch_id, state, is_on_demand, is_guideline_unclear
) FROM STDIN
"""


@transaction.atomic
def assign(audit: Audit, users: Sequence[Any], *, up_to_unit: int, by: Any) -> Round:
    """Assign the items of the first units that are in no round yet, in a new round, in the order of the draw.

    Raises AuditRefused if there are too few auditors who may audit an item.
    """
    project = audit.project
    acquire_import_lock(project)
    if project.is_closed:
        raise ProjectClosed("This project is closed. Reopen it to assign items.")
    if not users:
        raise AuditRefused("Choose at least one auditor.")
    items = _items_in_order(audit, up_to_unit)
    if not len(items):
        raise AuditRefused("All items in the sample are already assigned.")
    raters = [rater_of(project, user) for user in users]
    excluded = labeled_before(audit, items, users)
    wanted = _wanted(audit, items)
    _refuse_too_few(items, excluded, wanted, audit)
    given = allocate(
        # Those who labeled the item count toward the total there.
        wanted + excluded.sum(axis=1),
        available=np.ones(len(raters), dtype=bool),
        taken=excluded,
        random=np.random.default_rng([audit.seed, 1]),
    )
    round_ = _new_round(project)
    with connection.cursor() as cursor, cursor.copy(_COPY) as copy:
        for rater, column in zip(raters, given.T, strict=True):
            for position in np.flatnonzero(column).tolist():
                copy.write_row(
                    (rater.pk, int(items[position]), 1, position, round_.pk, "pending", False, False)
                )
    analyze_when_committed(Assignment, n_rows=int(given.sum()))
    record(
        Event.Kind.AUDIT_ASSIGNED,
        by=by,
        project=project,
        about=round_.key,
        raters=[rater.key for rater in raters],
        n_assignments=int(given.sum()),
    )
    return round_


def _items_in_order(audit: Audit, up_to_unit: int) -> IntArray:
    """Return the IDs of the items without assignments, ordered by their first unit."""
    rows = AuditedLabel.objects.filter(audit=audit, unit__lt=up_to_unit, item__assignments=None).order_by(
        "unit", "pk"
    )
    return np.array(list(dict.fromkeys(rows.values_list("item", flat=True))), dtype=np.int64)


def _wanted(audit: Audit, items: IntArray) -> IntArray:
    """Return the number of auditors of each item: 2 for a random share, and 1 for the others."""
    n_twice = int(np.ceil(audit.double_share * len(items) - 1e-9))
    wanted = np.ones(len(items), dtype=np.int64)
    wanted[np.random.default_rng([audit.seed, 2]).permutation(len(items))[:n_twice]] = 2
    return wanted


def labeled_before(audit: Audit, items: IntArray, users: Sequence[Any]) -> BoolArray:
    """Return which users labeled each item in the audited project, to any question, (N, U).

    A rater without an account is taken for the user with the same name.
    """
    found = np.zeros((len(items), len(users)), dtype=bool)
    places = {int(pk): place for place, pk in enumerate(items)}
    keys = dict(audit.project.items.filter(pk__in=places).values_list("key", "pk"))
    by_id = {user.pk: column for column, user in enumerate(users)}
    by_name = {_folded(user.username): column for column, user in enumerate(users)}
    for rater in Rater.objects.filter(project=audit.source_id):
        column = by_id.get(rater.user_id) if rater.user_id else by_name.get(_folded(rater.key))
        if column is None:
            continue
        rows = Label.objects.filter(rater=rater, item__key__in=keys).values_list("item__key", flat=True)
        for key in rows.distinct():
            found[places[keys[key]], column] = True
    # What the audit itself knows, if the source is no longer there.
    for item, name in audit.labels.values_list("item", "rater").distinct():
        if _folded(name) in by_name and item in places:
            found[places[item], by_name[_folded(name)]] = True
    return found


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()


def _refuse_too_few(items: IntArray, excluded: BoolArray, wanted: IntArray, audit: Audit) -> None:
    short = (~excluded).sum(axis=1) < wanted
    if not short.any():
        return
    key = audit.project.items.get(pk=int(items[np.argmax(short)])).key
    n = int(short.sum())
    each = "1 item has" if n == 1 else f"{n:,} items have"
    raise AuditRefused(
        f"{each} too few auditors who did not label it themselves, such as {key!r}. Choose more auditors, or a smaller "
        "share of items for two auditors."
    )


def _new_round(project: Project) -> Round:
    last = project.rounds.aggregate(last=Max("position"))["last"]
    key = FIRST if last is None else SECOND
    n = project.rounds.filter(key__startswith=key).count()
    return Round.objects.create(
        project=project,
        key=key if not n else f"{key} {n + 1}",
        position=0 if last is None else last + 1,
        state=Round.State.DRAFT,
    )
