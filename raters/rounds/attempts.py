"""Further attempts: rounds in which raters who missed a pass mark try again. Passing one counts as passing the first.

Raters on the same attempt number share a round. Their earlier labels and results are unchanged.
"""

import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from django.db import transaction
from django.utils import timezone

from core.refusals import Refused
from projects.codebook.versions import store_version
from projects.events import record
from projects.imports.import_lock import acquire_import_lock
from projects.models import Event, Project, Round, RoundAttempt
from projects.refusals import ProjectClosed
from raters.labeling.references import items_with_reference
from raters.models import Assignment, Label, Qualification, Rater
from raters.quality.passing import NoPassMark
from raters.rounds.assigning.assignment_design import AssignmentDesign, Overlap
from raters.rounds.chosen_items import ItemChoice, ItemSource
from raters.rounds.planning import passes_before
from raters.rounds.round_keys import free_key
from raters.rounds.round_plan import RoundPlan
from raters.rounds.round_status import may_label


class AttemptItems(StrEnum):
    """other: reference items that the rater never had. same: the items of the last attempt."""

    OTHER = "other"
    SAME = "same"


class AttemptRefused(Refused):
    code, status_code = "attempt_refused", 409


@dataclass(frozen=True, slots=True)
class Attempt:
    """One rater's attempt in one round. qualification: None until the rater has finished it."""

    round: Round
    number: int
    qualification: Qualification | None

    @property
    def is_failed(self) -> bool:
        return self.qualification is not None and not self.qualification.is_passed


def first_of(round_: Round) -> Round:
    """Return the first round that this one is an attempt at, or the round itself if it is no further attempt."""
    attempt = RoundAttempt.objects.filter(round=round_).select_related("first").first()
    return round_ if attempt is None else attempt.first


def attempts_at(first: Round, *, raters: Collection[int] | None = None) -> dict[int, list[Attempt]]:
    """Return each rater's attempts in order, including the first round."""
    rows = RoundAttempt.objects.filter(first=first).select_related("round").order_by("number", "round")
    rounds = [(1, first), *((row.number, row.round) for row in rows)]
    pks = [round_.pk for _, round_ in rounds]
    assigned = Assignment.objects.filter(round__in=pks, rater__isnull=False)
    results = Qualification.objects.filter(round__in=pks).select_related("round")
    if raters is not None:
        assigned, results = assigned.filter(rater__in=raters), results.filter(rater__in=raters)
    known = {(each.round_id, each.rater_id): each for each in results}
    tried = set(assigned.order_by().values_list("round", "rater").distinct())
    found: dict[int, list[Attempt]] = {}
    for number, round_ in rounds:
        for rater in sorted(rater for pk, rater in tried if pk == round_.pk):
            found.setdefault(rater, []).append(Attempt(round_, number, known.get((round_.pk, rater))))
    return found


@transaction.atomic
def give_attempt(round_: Round, rater: Rater, *, items: AttemptItems, by: Any) -> Round:
    """Return an open round with assignments for the rater. Raises NoPassMark, AttemptRefused, ProjectClosed."""
    project, first = round_.project, first_of(round_)
    # Serialize concurrent requests by two leads.
    acquire_import_lock(project)
    attempts = attempts_at(first, raters=[rater.pk]).get(rater.pk, [])
    _refuse(project, first, rater, attempts)
    chosen = _items(project, rater, attempts, items)
    number = attempts[-1].number + 1
    further = _open_round(first, number) or _new_round(first, number, by)
    _assign(further, rater, chosen)
    record(
        Event.Kind.ATTEMPT_GIVEN,
        by=by,
        project=project,
        about=rater.key,
        round=further.key,
        first=first.key,
        items=str(items),
        n=len(chosen),
    )
    return further


def _refuse(project: Project, first: Round, rater: Rater, attempts: Sequence[Attempt]) -> None:
    if project.is_closed:
        raise ProjectClosed("This project is closed. Reopen it to give another attempt.")
    if first.pass_mark is None:
        raise NoPassMark
    if any(each.qualification and each.qualification.is_passed for each in attempts):
        raise AttemptRefused(f"{rater} has passed {first} already.")
    if not attempts or not attempts[-1].is_failed:
        raise AttemptRefused(f"{rater} has not finished the last attempt yet.")
    if rater.user_id is None or not may_label(first).filter(pk=rater.user_id).exists():
        raise AttemptRefused(f"{rater} is not a member of this project who can label.")


def _items(project: Project, rater: Rater, attempts: Sequence[Attempt], items: AttemptItems) -> list[int]:
    """Return the items in the order in which the rater gets them."""
    known = set(items_with_reference(project).tolist())
    present = set(project.items.filter(pk__in=known, withdrawn_at=None).values_list("pk", flat=True))
    last = attempts[-1].round
    before = set(Assignment.objects.filter(round=last, rater=rater).values_list("item", flat=True)) & known
    if items is AttemptItems.SAME:
        pool, n = before & present, len(before & present)
    else:
        assigned = Assignment.objects.filter(rater=rater).values_list("item", flat=True)
        labeled = Label.objects.filter(rater=rater).values_list("item", flat=True)
        pool, n = present - set(assigned) - set(labeled), len(before)
    if not pool or len(pool) < n:
        raise AttemptRefused(
            f"The attempt needs {n:,} items with a reference answer that {rater} never had, and there are "
            f"{len(pool):,}. Set more reference answers, or choose the same items."
            if items is AttemptItems.OTHER
            else "None of these items has a reference answer anymore, so nobody could pass."
        )
    chance = random.Random(f"{last.pk} {rater.pk}")  # noqa: S311
    return chance.sample(sorted(pool), n)


def _open_round(first: Round, number: int) -> Round | None:
    """Return the open round of this attempt number, if any."""
    rows = RoundAttempt.objects.filter(first=first, number=number, round__state=Round.State.OPEN)
    found = rows.exclude(round__pass_mark=None).select_related("round").first()
    return found.round if found else None


def _new_round(first: Round, number: int, by: Any) -> Round:
    project, now = first.project, timezone.now()
    last = project.rounds.order_by("-position").values_list("position", flat=True).first()
    plan = RoundPlan(
        overlap=Overlap(AssignmentDesign.EVERYONE), seed=1, chosen=ItemChoice(source=ItemSource.IDS)
    )
    about = {"raters": [], "n_planned": 0, "by": by.get_username(), "at": now.isoformat()}
    further = Round.objects.create(
        project=project,
        key=free_key(project, f"{first.key}: attempt {number}"),
        position=0 if last is None else last + 1,
        state=Round.State.OPEN,
        opened_at=now,
        plans=[plan.as_json() | about],
        idle_minutes=first.idle_minutes,
        reference_use=first.reference_use,
        pass_mark=first.pass_mark,
    )
    RoundAttempt.objects.create(round=further, first=first, number=number)
    store_version(project.pk)
    record(Event.Kind.ROUND_OPENED, by=by, project=project, about=further.key)
    return further


def _assign(further: Round, rater: Rater, items: Sequence[int]) -> None:
    ordered = np.sort(np.array(items, dtype=np.int64))
    before: Mapping[int, int] = dict(
        zip(ordered.tolist(), passes_before(ordered, [rater.pk])[:, 0].tolist(), strict=True)
    )
    Assignment.objects.bulk_create(
        Assignment(item_id=item, rater=rater, round=further, pass_number=before[item] + 1, position=position)
        for position, item in enumerate(items)
    )
