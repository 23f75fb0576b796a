"""Rounds as the API shows them, after a look and after a change."""

from typing import Any

from django.db.models import prefetch_related_objects

from core.shapes import Json
from projects.models import Round
from raters.figures.stored_figures import FiguresNotComputed
from raters.rounds.serializers import RoundSerializer
from raters.rounds.stored_progress import RoundListContext, round_list_context


def rounds_in_full(found: RoundListContext) -> list[Json]:
    rounds = [round_ for round_, _ in found.rounds]
    prefetch_related_objects(rounds, "attempt", "gates")
    context = {
        "missing_answers": {round_.pk: missing_answers for round_, missing_answers in found.rounds},
        "counted": found.counted,
    }
    return [dict(row) for row in RoundSerializer(rounds, many=True, context=context).data]


def changed_round_in_full(round_: Round, *, by: Any) -> Json:
    """Return a round after a change, which is not done again because figures have never been computed."""
    try:
        found = round_list_context(round_.project, round_.pk, by=by)
    except FiguresNotComputed:
        found = RoundListContext([(_counted(round_, None, None), None)])
    [shown] = rounds_in_full(found)
    return shown


def planned_round_in_full(round_: Round) -> Json:
    """Return a round that has just been planned, so that nothing in it is done and no answer is missing."""
    [shown] = rounds_in_full(RoundListContext([(_counted(round_, round_.assignments.count(), 0), [])]))
    return shown


def _counted(round_: Round, n_places: int | None, n_done: int | None) -> Round:
    now = Round.objects.get(pk=round_.pk)
    now.n_places, now.n_done = n_places, n_done  # type: ignore[attr-defined]
    return now
