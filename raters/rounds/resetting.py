"""Set a round without labels back to planned, or delete it with its assignments."""

from typing import Any

from django.db import transaction

from projects.events import record
from projects.imports.import_lock import acquire_import_lock
from projects.models import Event, Round
from raters.models import Assignment
from raters.rounds.round_status import is_empty
from raters.rounds.states import WrongRoundState, held


class RoundHasLabels(WrongRoundState):
    """The round has labels."""

    code = "has_labels"


def set_back(round_: Round, *, by: Any) -> None:
    """Set an opened round back to planned, hiding it from its raters. Raises WrongRoundState, RoundHasLabels."""
    with transaction.atomic():
        now = held(round_)
        if now.state == Round.State.DRAFT:
            return
        if now.revealed_at is not None:
            raise WrongRoundState("This round has been revealed, so it can’t be set back to planned.")
        _refuse_labels(now, "It can be paused or closed, but not set back to planned.")
        now.state, now.opened_at, now.closed_at = Round.State.DRAFT, None, None
        now.paused_at, now.paused_by, now.pause_note = None, None, ""
        now.save(update_fields=["state", "opened_at", "closed_at", "paused_at", "paused_by", "pause_note"])
        record(Event.Kind.ROUND_SET_BACK, by=by, project=now.project, about=now.key)
    round_.refresh_from_db()
    # Release assignments, after the lock on the round is released, since saving locks the assignment first.
    taken = Assignment.objects.filter(round=round_, round__state=Round.State.DRAFT, is_on_demand=True)
    taken.filter(state=Assignment.State.PENDING).update(
        rater=None, handed_out_at=None, last_seen_at=None, skipped_at=None
    )


def delete_round(round_: Round, *, by: Any) -> None:
    """Delete the round and free its items. Raises RoundHasLabels."""
    with transaction.atomic():
        # Prevent concurrent replanning. Lock assignments before the round, as saving does, to avoid
        # a deadlock.
        acquire_import_lock(round_.project)
        list(Assignment.objects.select_for_update().filter(round=round_).order_by("pk").values_list("pk"))
        now = held(round_)
        _refuse_labels(now, "It can be closed, but not deleted.")
        n_assignments, _ = Assignment.objects.filter(round=now).delete()
        record(
            Event.Kind.ROUND_DELETED,
            by=by,
            project=now.project,
            about=now.key,
            round=now.pk,
            n_assignments=n_assignments,
        )
        now.delete()


def _refuse_labels(round_: Round, instead: str) -> None:
    if not is_empty(round_):
        raise RoundHasLabels(f"Raters have labeled in this round. {instead}")
