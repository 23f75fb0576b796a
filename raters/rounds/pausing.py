"""A pause of an open round: nobody gets anything of it until it is resumed, and nothing that was labeled is lost.

What raters had labeled before they learned of the pause, such as without a connection, is saved as ever.
"""

from typing import Any

from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone

from projects.events import record
from projects.models import Event, Round
from raters.models import Assignment
from raters.rounds.states import NotNow, held

MAX_NOTE = 500


def pause_round(round_: Round, *, by: Any, note: str = "") -> None:
    """note: for the raters, why it is paused and what to do. Paused again, it stays as it is. Raises NotNow."""
    with transaction.atomic():
        now = held(round_)
        if now.state != Round.State.OPEN:
            raise NotNow("This round is not open, so it can’t be paused.")
        if not now.is_paused:
            now.paused_at, now.paused_by, now.pause_note = timezone.now(), by, note
            now.save(update_fields=["paused_at", "paused_by", "pause_note"])
            record(Event.Kind.ROUND_PAUSED, by=by, project=now.project, about=now.key, note=note)
    round_.refresh_from_db()


def resume_round(round_: Round, *, by: Any) -> None:
    """Its raters go on where they were. One that is open already stays as it is. Raises NotNow."""
    _keep_what_is_held(round_)
    with transaction.atomic():
        now = held(round_)
        if now.state != Round.State.OPEN:
            raise NotNow("This round is not open, so it can’t be resumed.")
        if now.is_paused:
            now.paused_at, now.paused_by, now.pause_note = None, None, ""
            now.save(update_fields=["paused_at", "paused_by", "pause_note"])
            record(Event.Kind.ROUND_RESUMED, by=by, project=now.project, about=now.key)
    round_.refresh_from_db()


@transaction.atomic
def _keep_what_is_held(round_: Round) -> None:
    """The time of the pause is not idle: what raters had taken on demand is not given to others as it ends.

    Before the round is held: who saves holds the assignment first. What is just being saved is done.
    """
    taken = Assignment.objects.select_for_update(skip_locked=True, of=("self",)).filter(
        round=round_,
        round__paused_at__isnull=False,
        is_on_demand=True,
        rater__isnull=False,
        state=Assignment.State.PENDING,
    )
    Assignment.objects.filter(pk__in=list(taken.values_list("pk", flat=True))).update(last_seen_at=Now())
