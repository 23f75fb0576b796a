"""Progress of a project by rater, round, and question, in a fixed number of queries."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, cast

from projects.models import Membership, Project, Question, Round
from projects.roles import PERMISSIONS, Permission
from raters.figures.size import is_large
from raters.figures.stored_figures import NOW, FigureFreshness, StoredFigure, stored_figures
from raters.labeling.missing_answers import MissingAnswerCount, MissingAnswers, missing_answers_by
from raters.lettered import Letters
from raters.models import Rater, StoredFigures
from raters.progress.progress_queries import VOTERS, ProgressRows, ProjectParts, Row, progress_rows


@dataclass(slots=True)
class AssignmentCounts:
    """Number of assignments, and how many are done."""

    n: int = 0
    n_done: int = 0

    @property
    def n_left(self) -> int:
        return self.n - self.n_done

    @property
    def share(self) -> float | None:
        return self.n_done / self.n if self.n else None

    def add(self, n: int, n_done: int) -> None:
        self.n += n
        self.n_done += n_done


@dataclass(frozen=True, slots=True)
class MatchCounts:
    """Labels compared with a reference, or with the same rater's earlier ones: n_same of n agree."""

    n: int = 0
    n_same: int = 0


@dataclass(slots=True)
class LabelCounts:
    """Number of labels, of "cannot tell" among them, and of labels with a note."""

    n: int = 0
    n_abstentions: int = 0
    n_notes: int = 0

    @property
    def share_abstained(self) -> float | None:
        return self.n_abstentions / self.n if self.n else None

    def add(self, n: int, n_abstentions: int, n_notes: int) -> None:
        self.n += n
        self.n_abstentions += n_abstentions
        self.n_notes += n_notes


@dataclass(frozen=True, slots=True)
class RecentPace:
    """Pace over the last items. seconds: median time per item. per_hour: items per hour, from their total time."""

    seconds: float
    per_hour: float | None

    @property
    def n_per_hour(self) -> int | None:
        return None if self.per_hour is None else round(self.per_hour)


@dataclass(slots=True)
class RaterCounts:
    """is_member, may_label: whether the rater is a member of the project, and whether their role lets them label."""

    rater: Rater
    is_member: bool
    may_label: bool
    assignments: AssignmentCounts = field(default_factory=AssignmentCounts)
    # Only in open rounds.
    open_places: AssignmentCounts = field(default_factory=AssignmentCounts)
    labels: LabelCounts = field(default_factory=LabelCounts)
    n_unclear: int = 0
    last_seen: datetime | None = None
    pace: RecentPace | None = None
    reference: MatchCounts = field(default_factory=MatchCounts)
    repeats: MatchCounts = field(default_factory=MatchCounts)
    missing_answers: list[MissingAnswers] = field(default_factory=list)

    def seen_at(self, moment: datetime | None) -> None:
        if moment is not None and (self.last_seen is None or moment > self.last_seen):
            self.last_seen = moment


@dataclass(slots=True)
class RoundCounts:
    """n_free: assignments that nobody has taken yet. raters: IDs of raters with assignments in the round."""

    round: Round
    assignments: AssignmentCounts = field(default_factory=AssignmentCounts)
    n_free: int = 0
    n_unclear: int = 0
    labels: LabelCounts = field(default_factory=LabelCounts)
    raters: list[int] = field(default_factory=list)
    missing_answers: list[MissingAnswers] = field(default_factory=list)


@dataclass(slots=True)
class QuestionLabelCounts:
    question: Question
    labels: LabelCounts = field(default_factory=LabelCounts)


@dataclass(frozen=True, slots=True)
class ItemCounts:
    """n_finished: items in rounds with every assignment done. n_free: items in no round and without labels.
    n_unfinished: items with pending assignments in closed rounds only, which nobody can do.

    n_disputed: items with undecided disputes. n_disputes: number of these disputes, since each question of an item is
    decided separately.
    """

    n: int
    n_planned: int
    n_finished: int
    n_free: int
    n_disputed: int
    n_disputes: int
    n_unfinished: int = 0

    @property
    def n_waiting(self) -> int:
        """Number of items with pending assignments in rounds that are planned or open."""
        return self.n_planned - self.n_finished - self.n_unfinished

    @property
    def n_brought(self) -> int:
        """Number of labeled items without assignments, whose labels were imported or sent by a program."""
        return self.n - self.n_planned - self.n_free


@dataclass(frozen=True, slots=True)
class ProjectCounts:
    raters: list[RaterCounts]
    rounds: list[RoundCounts]
    questions: list[QuestionLabelCounts]
    items: ItemCounts
    labels: LabelCounts
    n_unclear: int
    last_label_at: datetime | None
    # Completed assignments without an answer, by question.
    missing_answers: list[MissingAnswers] = field(default_factory=list)
    counted: FigureFreshness = NOW

    @property
    def busy_raters(self) -> list[RaterCounts]:
        """Raters with labels or assignments, by name."""
        return [row for row in self.raters if row.labels.n or row.assignments.n]

    @property
    def n_places_done(self) -> int:
        return sum(row.assignments.n_done for row in self.rounds)

    @property
    def share_unclear(self) -> float | None:
        """Share of done assignments that raters marked as not covered by the guidelines."""
        return self.n_unclear / self.n_places_done if self.n_places_done else None


def figures_of(
    project: Project, *, hidden: Sequence[int] = (), letters: Letters | None = None, by: Any = None
) -> ProjectCounts:
    """Return the counts of a project. hidden: rounds whose items' labels the viewer may not know.

    Such labels are not counted, but done assignments are, except in rounds of raters added because of such labels.
    letters: replace the names of raters, and hide when
    they were last seen.
    Of a large project, the figures are those last stored for `by`, who is asking.
    Raises FiguresNotComputed if there are none.
    """
    known = ProjectParts.of(project, hidden)
    if not is_large(project):
        return _counts_in(project, known, progress_rows(project, hidden, known), letters)
    stored = stored_progress(project, hidden=hidden, by=by)
    found = _counts_in(project, known, cast(ProgressRows, stored.result), letters)
    return replace(found, counted=stored.counted)


def stored_progress(project: Project, *, hidden: Sequence[int] = (), by: Any) -> StoredFigure:
    """Return the stored `ProgressRows` of a large project. Raises FiguresNotComputed."""
    return stored_figures(project, StoredFigures.What.PROGRESS, {"hidden": sorted(hidden)}, by=by)


def labels_of_raters(project: Project, *, by: Any) -> dict[int, int]:
    """Return the stored number of labels of each rater of a large project, references included.

    Raises FiguresNotComputed.
    """
    rows = stored_progress(project, by=by).result
    found = Counter(dict(rows["others"]))
    for rater, _, _, n, *_ in rows["labels"]:
        found[rater] += n
    return found


def _counts_in(
    project: Project, known: ProjectParts, rows: ProgressRows, letters: Letters | None
) -> ProjectCounts:
    """Return the counts of rows by the raters, rounds, and questions that the project has now."""
    roles = dict(Membership.objects.filter(project=project).values_list("user", "role"))
    by_rater = {
        rater.pk: RaterCounts(
            rater,
            is_member=rater.user_id in roles,
            may_label=Permission.LABEL in PERMISSIONS.get(roles.get(rater.user_id or 0, ""), ()),
        )
        for rater in known.raters
        if rater.kind in VOTERS
    }
    by_round = {round_.pk: RoundCounts(round_) for round_ in known.rounds}
    questions = known.questions
    by_question = {question.pk: QuestionLabelCounts(question) for question in questions}
    n_unclear = _count_places(rows["places"], by_rater, by_round)
    labels, last = _add_labels(rows["labels"], by_rater, by_round, by_question)
    missing_answers = [MissingAnswerCount(*row) for row in rows["missing_answers"]]
    for pk, of_rater in missing_answers_by(missing_answers, questions, lambda each: each.rater).items():
        if pk in by_rater:
            by_rater[pk].missing_answers = of_rater
    for pk, of_round in missing_answers_by(missing_answers, questions, lambda each: each.round).items():
        if pk in by_round:
            by_round[pk].missing_answers = of_round
    _add_by_rater(rows, by_rater)
    if letters is not None:
        for row in by_rater.values():
            row.rater.key = letters.visible_key(row.rater.key)
            # Times at work would reveal who is behind a letter.
            row.last_seen = None
    return ProjectCounts(
        raters=sorted(by_rater.values(), key=lambda row: row.rater.key),
        rounds=list(by_round.values()),
        questions=list(by_question.values()),
        # Figures stored by an earlier version have no count of unfinished items.
        items=ItemCounts(*rows["items"][:4], *rows["disputed"], *rows["items"][4:]),
        labels=labels,
        n_unclear=n_unclear,
        last_label_at=last,
        missing_answers=missing_answers_by(missing_answers, questions, lambda each: None).get(None, []),
    )


def _add_by_rater(rows: ProgressRows, by_rater: dict[int, RaterCounts]) -> None:
    for rater, seconds, per_hour in rows["paces"]:
        if rater in by_rater:
            by_rater[rater].pace = RecentPace(seconds, per_hour)
    for rater, n, n_same in rows["reference"]:
        if rater in by_rater:
            by_rater[rater].reference = MatchCounts(n, n_same)
    for rater, n, n_same in rows["repeats"]:
        if rater in by_rater:
            by_rater[rater].repeats = MatchCounts(n, n_same)


def _count_places(
    rows: Sequence[Row], by_rater: dict[int, RaterCounts], by_round: dict[int, RoundCounts]
) -> int:
    total = 0
    for round_, rater, n, n_done, n_unclear, seen, _ in rows:
        if (of_round := by_round.get(round_)) is None:
            continue
        of_round.assignments.add(n, n_done)
        of_round.n_unclear += n_unclear
        total += n_unclear
        if rater is None:
            of_round.n_free += n
            continue
        of_round.raters.append(rater)
        if (of_rater := by_rater.get(rater)) is None:
            continue
        of_rater.assignments.add(n, n_done)
        if of_round.round.is_open:
            of_rater.open_places.add(n, n_done)
        of_rater.n_unclear += n_unclear
        of_rater.seen_at(moment_of(seen))
    return total


def _add_labels(
    rows: Sequence[Row],
    by_rater: dict[int, RaterCounts],
    by_round: dict[int, RoundCounts],
    by_question: dict[int, QuestionLabelCounts],
) -> tuple[LabelCounts, datetime | None]:
    total, last = LabelCounts(), None
    for rater, question, round_, n, n_abstentions, n_notes, at, _ in rows:
        # What was stored may be of a rater, question, or round that has been deleted since.
        if rater not in by_rater or question not in by_question:
            continue
        counts, moment = (n, n_abstentions, n_notes), moment_of(at)
        total.add(*counts)
        last = moment if last is None or moment is None else max(last, moment)
        by_rater[rater].labels.add(*counts)
        # Those without an account don't work here: their labels were imported or sent, whenever they were made.
        if by_rater[rater].rater.user_id is not None:
            by_rater[rater].seen_at(moment)
        by_question[question].labels.add(*counts)
        if round_ in by_round:
            by_round[round_].labels.add(*counts)
    return total, last


def moment_of(value: datetime | str | None) -> datetime | None:
    """Return a moment of `ProgressRows`."""
    return datetime.fromisoformat(value) if isinstance(value, str) else value
