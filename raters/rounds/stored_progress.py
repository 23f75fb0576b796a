"""The progress of rounds: counted now, or those of a large project that were last stored.

Each raises FiguresNotComputed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from projects.models import Project, Round
from raters.access import further_rounds, hides_assignments, rounds_to_be_blind_in
from raters.figures.size import is_large
from raters.figures.stored_figures import NOW, FigureFreshness
from raters.labeling.missing_answers import MissingAnswers, missing_answers_of_rounds
from raters.progress.progress_figures import ProjectCounts, figures_of, moment_of, stored_progress
from raters.rounds import states
from raters.rounds.round_status import RoundRaterStatus, RoundStatus, is_empty, may_label, round_status

RoundRow = tuple[Round, list[MissingAnswers] | None]


@dataclass(frozen=True, slots=True)
class RoundListContext:
    """rounds: with n_places and n_done, and the missing answers in each; all None where hidden from the viewer."""

    rounds: Sequence[RoundRow]
    counted: FigureFreshness = NOW


@dataclass(frozen=True, slots=True)
class RoundStatusContext:
    status: RoundStatus
    missing_answers: list[MissingAnswers]
    # Only the viewer's own assignments are counted.
    is_hidden: bool = False
    counted: FigureFreshness = NOW


def round_list_context(project: Project, only: int | None = None, *, by: Any) -> RoundListContext:
    """Return all rounds, or only that of an ID."""
    hidden = rounds_to_be_blind_in(by, project)
    found, further = _round_list(project, only, hidden=hidden, by=by), set(further_rounds(project, hidden))
    return replace(found, rounds=[_uncounted(row) if row[0].pk in further else row for row in found.rounds])


def _uncounted(row: RoundRow) -> RoundRow:
    round_, _ = row
    round_.n_places = round_.n_done = None  # type: ignore[attr-defined]
    # Reminders are only sent while someone has work left.
    round_.reminded_at = None
    return round_, None


def _round_list(project: Project, only: int | None, *, hidden: Sequence[int], by: Any) -> RoundListContext:
    if not is_large(project):
        missing_answers, rounds = missing_answers_of_rounds(project, hidden), states.rounds_of(project)
        found = rounds if only is None else rounds.filter(pk=only)
        return RoundListContext([(each, missing_answers.get(each.pk, [])) for each in found])
    figures = figures_of(project, by=by)
    missing_answers = _missing_answers(figures, hidden, by, project)
    rows = []
    for row in figures.rounds:
        row.round.n_places, row.round.n_done = row.assignments.n, row.assignments.n_done  # type: ignore[attr-defined]
        if only in {None, row.round.pk}:
            rows.append((row.round, missing_answers.get(row.round.pk, [])))
    return RoundListContext(rows, figures.counted)


def _missing_answers(
    figures: ProjectCounts, hidden: Sequence[int], by: Any, project: Project
) -> dict[int, list[MissingAnswers]]:
    """Return the missing answers of each round that the viewer may see. figures: those of all items."""
    visible = figures_of(project, hidden=hidden, by=by) if hidden else figures
    return {row.round.pk: row.missing_answers for row in visible.rounds}


def round_status_context(round_: Round, *, by: Any) -> RoundStatusContext:
    if hides_assignments(by, round_):
        status = round_status(round_)
        own = [row for row in status.raters if row.user == by.pk]
        return RoundStatusContext(replace(status, raters=own, n_free=0), [], is_hidden=True)
    project, hidden = round_.project, rounds_to_be_blind_in(by, round_.project)
    if not is_large(project):
        missing_answers = missing_answers_of_rounds(project, hidden).get(round_.pk, [])
        return RoundStatusContext(round_status(round_), missing_answers)
    figures, stored = figures_of(project, by=by), stored_progress(project, by=by)
    missing_answers = _missing_answers(figures, hidden, by, project).get(round_.pk, [])
    members = set(may_label(round_).values_list("pk", flat=True))
    of_round = {rater: row for round_pk, rater, *row in stored.result["places"] if round_pk == round_.pk}
    raters = [
        RoundRaterStatus(
            rater.pk, rater.key, rater.user_id, rater.user_id in members, n, n_done, moment_of(last_done)
        )
        for rater in round_.project.raters.order_by("key")
        if rater.pk in of_round
        for n, n_done, _, _, last_done in [of_round[rater.pk]]
    ]
    n_free = of_round[None][0] if None in of_round else 0
    n_labels = sum(n for _, _, round_pk, n, *_ in stored.result["labels"] if round_pk == round_.pk)
    looks_empty = not n_labels and not any(rater.n_done for rater in raters)
    # Figures have neither labels that were deleted, nor those of the last minutes.
    status = RoundStatus(raters, n_free, looks_empty and is_empty(round_))
    return RoundStatusContext(status, missing_answers, counted=stored.counted)
