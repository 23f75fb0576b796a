"""Pause and resume an open round. Nobody gets items of a paused round, and no labels are lost.

Labels that raters gave before they learned of the pause, for example offline, are still saved.
"""

from typing import Any

from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone

from projects.events import record
from projects.models import Event, Round
from raters.models import Assignment
from raters.rounds.states import WrongRoundState, held

MAX_NOTE = 500


def pause_round(round_: Round, *, by: Any, note: str = "") -> None:
    """Pause the round; does nothing if already paused. note: a message to the raters. Raises WrongRoundState."""
    with transaction.atomic():
        now = held(round_)
        if now.state != Round.State.OPEN:
            raise WrongRoundState("This round is not open, so it can’t be paused.")
        if not now.is_paused:
            now.paused_at, now.paused_by, now.pause_note = timezone.now(), by, note
            now.save(update_fields=["paused_at", "paused_by", "pause_note"])
            record(Event.Kind.ROUND_PAUSED, by=by, project=now.project, about=now.key, note=note)
    round_.refresh_from_db()


def resume_round(round_: Round, *, by: Any) -> None:
    """Resume the round where its raters left off; does nothing if it is not paused. Raises WrongRoundState."""
    _extend_held_assignments(round_)
    with transaction.atomic():
        now = held(round_)
        if now.state != Round.State.OPEN:
            raise WrongRoundState("This round is not open, so it can’t be resumed.")
        if now.is_paused:
            now.paused_at, now.paused_by, now.pause_note = None, None, ""
            now.save(update_fields=["paused_at", "paused_by", "pause_note"])
            record(Event.Kind.ROUND_RESUMED, by=by, project=now.project, about=now.key)
    round_.refresh_from_db()


@transaction.atomic
def _extend_held_assignments(round_: Round) -> None:
    """Keep the pause from counting as idle time, so that on-demand assignments are not released when it ends.

    Runs before the round is locked, since saving locks the assignment first. Skips assignments being saved.
    """
    taken = Assignment.objects.select_for_update(skip_locked=True, of=("self",)).filter(
        round=round_,
        round__paused_at__isnull=False,
        is_on_demand=True,
        rater__isnull=False,
        state=Assignment.State.PENDING,
    )
    Assignment.objects.filter(pk__in=list(taken.values_list("pk", flat=True))).update(last_seen_at=Now())
