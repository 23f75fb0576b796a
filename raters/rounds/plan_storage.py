"""Save planned rounds, and replan them when raters leave or join. Completed work is never touched."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from django.db import IntegrityError, connection, transaction
from django.db.models import Max
from django.utils import timezone

from core.planner import analyze_when_committed
from projects.events import record
from projects.imports.import_lock import acquire_import_lock
from projects.models import Event, Project, Round
from projects.refusals import KeyTaken, ProjectClosed
from raters.actions import rater_of
from raters.figures.stored_figures import NOW, FigureFreshness
from raters.models import Assignment, Notification, Rater
from raters.notifications.causes import users_with_work
from raters.notifications.notifying import notify
from raters.rounds.assigning.allocation import IntArray, allocate
from raters.rounds.assigning.assignment_design import AssignmentDesign, DesignRefused
from raters.rounds.assigning.queues import RaterQueue, queues
from raters.rounds.chosen_items import ItemSource, refuse_hidden_choice
from raters.rounds.coverage import Coverage, coverage_of
from raters.rounds.disputed_items import disputed_items
from raters.rounds.planning import (
    ComputedPlan,
    PlanChanged,
    digest_of,
    items_of_round,
    items_to_share,
    pair_mask,
    pairs_of,
    passes_before,
    plan_items,
    reference_item_mask,
    refuse_many,
    wanted_of,
)
from raters.rounds.round_keys import refuse_taken_key
from raters.rounds.round_plan import RoundPlan


def when_found(project: Project, plans: Sequence[RoundPlan], *, by: Any) -> FigureFreshness:
    """Return when the items of these plans were found.

    Raises FiguresNotComputed and LabelsHidden, for which no transaction may be open: a refusal is logged.
    """
    counted = NOW
    for plan in plans:
        refuse_hidden_choice(project, plan.chosen, by=by)
        if plan.chosen.source is ItemSource.DISPUTED:
            _, counted = disputed_items(project, plan.chosen.pk or None, by=by)
    return counted


def preview(
    project: Project, plans: Sequence[RoundPlan], users: Sequence[Any], *, by: Any = None
) -> list[ComputedPlan]:
    """Return what planning these rounds in sequence would save, without saving.

    Raises DesignRefused, FiguresNotComputed.
    """
    known = {rater.user_id: rater for rater in Rater.objects.filter(project=project, user__in=users)}
    raters = [(known.get(user.pk), known[user.pk].key if user.pk in known else str(user)) for user in users]
    found: list[ComputedPlan] = []
    for plan in plans:
        excluded = np.concatenate([planned.items for planned in found]) if found else None
        found.append(plan_items(project, plan, raters, excluded=excluded, by=by))
    return found


def plan_round(
    project: Project,
    key: str,
    plan: RoundPlan,
    users: Sequence[Any],
    *,
    by: Any,
    idle_minutes: int = 60,
    reference_use: str = Round.ReferenceUse.CHECK,
    digest: str = "",
) -> Round:
    """Create a round with its assignments, not yet open. digest: that of a preview, if there was one.

    Raises DesignRefused, KeyTaken, ProjectClosed, PlanChanged, FiguresNotComputed.
    """
    digests = [digest] if digest else []
    [made] = plan_rounds(
        project,
        [(key, plan)],
        users,
        by=by,
        idle_minutes=idle_minutes,
        reference_use=reference_use,
        digests=digests,
    )
    return made


@transaction.atomic
def plan_rounds(
    project: Project,
    plans: Sequence[tuple[str, RoundPlan]],
    users: Sequence[Any],
    *,
    by: Any,
    idle_minutes: int,
    reference_use: str,
    digests: Sequence[str] = (),
) -> list[Round]:
    """Create the rounds that `preview` showed: none chooses an item that one before it has drawn.

    digests: those of the preview, one for each round; none: whatever has changed since. Raises as `plan_round` does.
    """
    if digests and len(digests) != len(plans):
        raise PlanChanged
    # Two leads planning at the same time would draw the same items.
    acquire_import_lock(project)
    _allow_minutes()
    if project.is_closed:
        raise ProjectClosed("This project is closed. Reopen it to plan a round.")
    if project.is_audit:
        # Its rounds keep those out who gave the labels.
        raise DesignRefused("This project is an audit, so its items are assigned on the page of the audit.")
    made: list[Round] = []
    drawn: list[IntArray] = []
    for (key, plan), digest in zip(plans, digests or [""] * len(plans), strict=True):
        round_ = _new_round(project, key, idle_minutes, reference_use)
        raters = [rater_of(project, user) for user in users]
        excluded = np.concatenate(drawn) if drawn else None
        planned = plan_items(
            project, plan, [(rater, rater.key) for rater in raters], excluded=excluded, by=by
        )
        if digest and digest != digest_of(planned, users):
            raise PlanChanged
        _copy(_rows(planned, raters), round_)
        _remember(round_, plan, raters, n_items=len(planned.items), by=by, n_left_out=planned.n_left_out)
        record(
            Event.Kind.ROUND_PLANNED, by=by, project=project, about=key, n_assignments=planned.n_assignments
        )
        made.append(round_)
        drawn.append(planned.items)
    return made


def _allow_minutes() -> None:
    """Raise the timeouts of this transaction: a round can have millions of assignments."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = '10min'")
        cursor.execute("SET LOCAL idle_in_transaction_session_timeout = '10min'")


def _new_round(project: Project, key: str, idle_minutes: int, reference_use: str) -> Round:
    others = dict(project.rounds.values_list("key", "position"))
    refuse_taken_key(key, others)
    try:
        with transaction.atomic():
            return Round.objects.create(
                project=project,
                key=key,
                position=max(others.values(), default=-1) + 1,
                state=Round.State.DRAFT,
                idle_minutes=idle_minutes,
                reference_use=reference_use,
            )
    except IntegrityError:
        raise KeyTaken.by(f"A round called {key!r}", key, key, ask="Choose another name.") from None


# Rater, item, pass, position.
Row = tuple[int | None, int, int, int]


def _rows(planned: ComputedPlan, raters: Sequence[Rater]) -> Iterator[Row]:
    if planned.is_on_demand:
        for position, place in enumerate(planned.order):
            for _ in range(int(planned.wanted[place])):
                yield None, int(planned.items[place]), 1, position
        return
    for column, (rater, queue) in enumerate(zip(raters, planned.queues, strict=True)):
        yield from _rows_of(rater.pk, planned.items, queue, planned.passes_before[:, column])


def _rows_of(
    rater: int, items: IntArray, queue: RaterQueue, before: IntArray, *, after: int = 0
) -> Iterator[Row]:
    """before: (N,) the rater's last pass on each item, from which pass numbers continue."""
    for position, (place, number) in enumerate(zip(queue.items, queue.passes, strict=True), start=after):
        yield rater, int(items[place]), int(before[place] + number), position


_COPY = """
COPY raters_assignment (
    rater_id, item_id, pass_number, position, batch_id, state, is_on_demand, is_guideline_unclear
) FROM STDIN
"""


def _copy(rows: Iterator[Row], round_: Round) -> int:
    n = 0
    with connection.cursor() as cursor, cursor.copy(_COPY) as copy:
        for rater, item, number, position in rows:
            copy.write_row((rater, item, number, position, round_.pk, "pending", rater is None, False))
            n += 1
    analyze_when_committed(Assignment, n_rows=n)
    return n


def _remember(
    round_: Round, plan: RoundPlan, raters: Sequence[Rater], *, n_items: int, by: Any, n_left_out: int = 0
) -> None:
    entry = plan.as_json() | {
        "raters": [rater.key for rater in raters],
        "n_planned": n_items,
        **({"n_left_out": n_left_out} if n_left_out else {}),
        # By name: IDs are specific to one server, and the project may move to another.
        "by": by.get_username(),
        "at": timezone.now().isoformat(),
    }
    round_.plans = [*round_.plans, entry]
    round_.save(update_fields=["plans"])


@transaction.atomic
def replan(round_: Round, users: Sequence[Any], *, by: Any, seed: int) -> None:
    """Redistribute pending work among these raters. Those who left keep what they did; new ones get a share.

    Raises DesignRefused, ProjectClosed.
    """
    before = set(users_with_work(round_))
    raters = _plan_again(round_, users, by=by, seed=seed)
    ids = [rater.pk for rater in raters]
    record(Event.Kind.ROUND_CHANGED, by=by, project=round_.project, about=round_.key, raters=ids)
    if Round.objects.get(pk=round_.pk).state == Round.State.OPEN:
        newly = set(users_with_work(round_)) - before
        notify(Notification.Kind.ASSIGNED, round_.project, newly, by=by, round_=round_)


def _plan_again(round_: Round, users: Sequence[Any], *, by: Any, seed: int) -> list[Rater]:
    acquire_import_lock(round_.project)
    _allow_minutes()
    _lock_pending(round_)
    # Locked until the end: nobody saves into the round or gets an assignment of it during replanning.
    round_ = Round.objects.select_for_update().get(pk=round_.pk)
    if round_.project.is_closed:
        raise ProjectClosed("This project is closed. Reopen it to change the raters of its rounds.")
    if round_.state == Round.State.CLOSED or not round_.plans:
        raise DesignRefused(
            "You can only change the raters of a round that was planned in Interrater and is not closed."
        )
    raters = [rater_of(round_.project, user) for user in users]
    plan = RoundPlan.of_json(round_.plans[0])
    _end_asking(round_, raters)
    if plan.is_on_demand:
        _free_assignments_of_others(round_, raters)
    else:
        _share_again(round_, plan, raters, seed)
    _remember(round_, replace(plan, seed=seed), raters, n_items=len(items_of_round(round_.pk)), by=by)
    return raters


def _lock_pending(round_: Round) -> None:
    """Lock pending assignments before the round, as saving does, to avoid a deadlock."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT count(*) FROM (
                SELECT FROM raters_assignment WHERE batch_id = %s AND state = 'pending' ORDER BY id FOR UPDATE
            ) held
            """,
            [round_.pk],
        )


def preview_replan(round_: Round, users: Sequence[Any], *, by: Any, seed: int) -> Coverage:
    """Return the coverage after replanning with these raters, without saving. Raises as `replan` does."""
    with transaction.atomic():
        _plan_again(round_, users, by=by, seed=seed)
        found = coverage_of(round_)
        # Replan in full and roll back, so that the preview is exact.
        transaction.set_rollback(True)
    return found


def _end_asking(round_: Round, raters: Sequence[Rater]) -> None:
    """Stop re-asking raters who leave. Their labels stay, and the questions asked again are left unanswered."""
    waiting = Assignment.objects.filter(round=round_, state=Assignment.State.PENDING).exclude(asked_again=[])
    waiting.exclude(rater__in=raters).update(state=Assignment.State.DONE, asked_again=[])


def _free_assignments_of_others(round_: Round, raters: Sequence[Rater]) -> None:
    held = Assignment.objects.filter(round=round_, is_on_demand=True, state=Assignment.State.PENDING)
    held.exclude(rater__in=raters).update(rater=None, handed_out_at=None, last_seen_at=None)


def _share_again(round_: Round, plan: RoundPlan, raters: Sequence[Rater], seed: int) -> None:
    items = items_to_share(round_.pk)
    of_round = Assignment.objects.filter(round=round_).order_by().values_list("item", "rater").distinct()
    numbers = (
        Counter(item for item, _ in of_round)
        if plan.overlap.design is AssignmentDesign.SAME
        else Counter[int]()
    )
    _drop_pending(round_, raters)
    everybody = [*raters, *_who_left(round_, raters)]
    ids = [rater.pk for rater in everybody]
    taken = pair_mask(items, ids, pairs_of(of_round))
    before = passes_before(items, ids)
    if not plan.chosen.again:
        # Raters who had an item in another round do not get it in this one.
        taken |= before > 0
    available = np.arange(len(everybody)) < len(raters)
    random = np.random.default_rng([seed, len(round_.plans)])
    is_reference = reference_item_mask(items, round_.project, plan)
    if plan.overlap.design is AssignmentDesign.SAME:
        # The same number of raters per item as before; those who left are replaced.
        wanted = np.array([numbers[item] for item in items.tolist()], dtype=np.int64)
    else:
        wanted = wanted_of(plan, taken, available, is_reference)
    refuse_many(int(wanted.sum()))
    new = allocate(wanted, available=available, taken=taken, random=random)
    found = queues(
        new[:, : len(raters)], repeat_share=plan.repeat_share, random=random, is_repeatable=~is_reference
    )
    for column, (rater, queue) in enumerate(zip(raters, found, strict=True)):
        last = Assignment.objects.filter(round=round_, rater=rater).aggregate(last=Max("position"))["last"]
        _copy(_rows_of(rater.pk, items, queue, before[:, column], after=(last or 0) + 1), round_)


# The item a rater is looking at and the next one, already fetched by the page, stay with the rater.
_IN_HAND = 2
# A repeat makes no sense without its first pass.
_DROP = """
WITH of_round AS (
    SELECT id, rater_id, item_id, position, state, asked_again,
        pass_number = min(pass_number) OVER (PARTITION BY rater_id, item_id) AS is_first
    FROM raters_assignment WHERE batch_id = %(round)s
), firsts AS (
    SELECT id, rater_id, item_id, row_number() OVER (PARTITION BY rater_id ORDER BY position, id) AS place
    FROM of_round
    -- What was labeled and is asked again stays its rater's.
    WHERE is_first AND state = 'pending' AND asked_again = '{}'
        -- What waits on a withdrawn item goes on waiting, for the case that it is put back.
        AND NOT EXISTS (SELECT FROM projects_item WHERE id = item_id AND withdrawn_at IS NOT NULL)
), dropped AS (
    SELECT * FROM firsts WHERE NOT (rater_id = ANY (%(raters)s) AND place <= %(in_hand)s)
)
DELETE FROM raters_assignment WHERE id IN (
    SELECT id FROM dropped
    UNION ALL
    SELECT again.id FROM of_round again
    WHERE NOT is_first AND state = 'pending' AND asked_again = '{}' AND (
        NOT again.rater_id = ANY (%(raters)s)
        OR EXISTS (SELECT FROM dropped WHERE dropped.rater_id = again.rater_id AND dropped.item_id = again.item_id)
    )
)
"""


def _drop_pending(round_: Round, raters: Sequence[Rater]) -> None:
    asked: dict[str, int | list[int]] = {
        "round": round_.pk,
        "raters": [rater.pk for rater in raters],
        "in_hand": _IN_HAND,
    }
    with connection.cursor() as cursor:
        cursor.execute(_DROP, asked)


def _who_left(round_: Round, raters: Sequence[Rater]) -> list[Rater]:
    """Return the raters who keep work in this round but get no more."""
    others = Rater.objects.filter(assignments__round=round_).exclude(pk__in=[rater.pk for rater in raters])
    return list(others.distinct())
