"""Progress of a project by rater, round, and question, in a fixed number of queries."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import connection, transaction

from core.tolerance import sql_beyond
from projects.models import Membership, Project, Question, Round
from raters.adjudication import disputes
from raters.adjudication.asked import codebook_of
from raters.adjudication.asked_by_rule import unasked_by_rule
from raters.adjudication.left_open import left_open
from raters.labeling.lacking import Lacking, lacking_by, lacking_counts
from raters.labeling.progress import RECENT
from raters.lettered import Letters
from raters.missing import is_missing
from raters.models import Rater
from raters.passes import first_in_round, rounds_that_label_again


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
class Alike:
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
    rater: Rater
    is_member: bool
    assignments: AssignmentCounts = field(default_factory=AssignmentCounts)
    # Only in open rounds.
    open_places: AssignmentCounts = field(default_factory=AssignmentCounts)
    said: LabelCounts = field(default_factory=LabelCounts)
    n_unclear: int = 0
    last_seen: datetime | None = None
    pace: RecentPace | None = None
    reference: Alike = field(default_factory=Alike)
    repeats: Alike = field(default_factory=Alike)
    lacking: list[Lacking] = field(default_factory=list)

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
    said: LabelCounts = field(default_factory=LabelCounts)
    raters: list[int] = field(default_factory=list)
    lacking: list[Lacking] = field(default_factory=list)


@dataclass(slots=True)
class QuestionLabelCounts:
    question: Question
    said: LabelCounts = field(default_factory=LabelCounts)


@dataclass(frozen=True, slots=True)
class ItemCounts:
    """n_finished: items in rounds with every assignment done. n_free: items in no round and without labels.

    n_disputed: items with undecided disputes. n_disputes: number of these disputes, since each question of an item is
    decided separately.
    """

    n: int
    n_planned: int
    n_finished: int
    n_free: int
    n_disputed: int
    n_disputes: int

    @property
    def n_waiting(self) -> int:
        return self.n_planned - self.n_finished

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
    said: LabelCounts
    n_unclear: int
    last_label_at: datetime | None
    # Done assignments that lack an answer, by question.
    lacking: list[Lacking] = field(default_factory=list)

    @property
    def n_places_done(self) -> int:
        return sum(row.assignments.n_done for row in self.rounds)

    @property
    def share_unclear(self) -> float | None:
        """Share of done assignments that raters marked as not covered by the guidelines."""
        return self.n_unclear / self.n_places_done if self.n_places_done else None


VOTERS = (Rater.Kind.HUMAN, Rater.Kind.MODEL)

# Pending assignments of withdrawn items do not count.
_COUNTED = """(
    state = 'done'
    OR item_id NOT IN (SELECT id FROM projects_item WHERE project_id = %(project)s AND withdrawn_at IS NOT NULL)
)"""
_PLACES = f"""
SELECT batch_id, rater_id, count(*), count(*) FILTER (WHERE state = 'done'),
    count(*) FILTER (WHERE is_guideline_unclear{{seen}}), max(greatest(last_seen_at, done_at))
FROM raters_assignment
WHERE batch_id = ANY (%(rounds)s) AND {_COUNTED}
GROUP BY 1, 2
"""  # noqa: S608
# Leaves out labels of items that the viewer still labels; added if there are such items.
_SEEN = """ AND item_id NOT IN (
    SELECT item_id FROM raters_assignment hidden WHERE hidden.batch_id = ANY (%(hidden)s::bigint[])
)"""
# Lists the few raters whose labels do not count, so that all labels of a question are read sequentially.
_SAID = """
SELECT rater_id, question_id, batch_id, count(*), count(*) FILTER (WHERE is_abstention),
    count(*) FILTER (WHERE note <> ''), max(labelled_at), max(pass_number)
FROM raters_label
WHERE question_id = ANY (%(questions)s) AND NOT rater_id = ANY (%(no_voters)s::bigint[]){seen}
GROUP BY 1, 2, 3
"""
# Over each rater's last items, as on the rater's own page: the current pace, and fast with many labels.
# An item's time is the maximum over its labels: all its questions are on one page.
_PACES = """
SELECT rater.id, percentile_cont(0.5) WITHIN GROUP (ORDER BY spent), 3600 * count(*) / nullif(sum(spent), 0)
FROM unnest(%(voters)s::bigint[]) rater (id)
CROSS JOIN LATERAL (
    SELECT item_id, pass_number FROM raters_assignment
    WHERE rater_id = rater.id AND state = 'done'
    ORDER BY done_at DESC
    LIMIT %(recent)s
) last
CROSS JOIN LATERAL (
    SELECT max(seconds) AS spent FROM raters_label
    WHERE item_id = last.item_id AND question_id = ANY (%(questions)s) AND rater_id = rater.id
        AND pass_number = last.pass_number
) of_item
WHERE spent IS NOT NULL
GROUP BY 1
"""
# Numbers agree within the tolerance of their question.
_TOLERANCE = "(SELECT tolerance FROM projects_question q WHERE q.id = l.question_id)"
SAME = f"""CASE WHEN l.number IS NULL OR known.number IS NULL
    THEN (l.category_id, l.category_set, l.number)
        IS NOT DISTINCT FROM (known.category_id, known.category_set, known.number)
    ELSE NOT {sql_beyond("abs(l.number - known.number)", _TOLERANCE)} END"""
_IS_ANSWER = f"""NOT l.is_abstention AND NOT known.is_abstention
    AND NOT {is_missing("l")} AND NOT {is_missing("known")}"""
# The first of several references counts.
REFERENCE = f"""
raters_label l
JOIN (
    SELECT DISTINCT ON (item_id, question_id) * FROM raters_label
    WHERE rater_id = ANY (%(references)s) AND NOT {is_missing("raters_label")}
    ORDER BY item_id, question_id, rater_id, pass_number
) known ON known.item_id = l.item_id AND known.question_id = l.question_id
WHERE l.rater_id = ANY (%(voters)s) AND l.question_id = ANY (%(compared)s) AND {first_in_round("l")} AND {_IS_ANSWER}
"""  # noqa: S608
REPEATS = f"""
raters_label l
JOIN raters_label known ON known.item_id = l.item_id AND known.question_id = l.question_id
    AND known.rater_id = l.rater_id AND known.batch_id IS NOT DISTINCT FROM l.batch_id
    AND known.pass_number < l.pass_number AND {first_in_round("known")}
WHERE l.rater_id = ANY (%(voters)s) AND l.question_id = ANY (%(compared)s) AND l.pass_number > 1 AND {_IS_ANSWER}
"""
_ALIKE = "SELECT l.rater_id, count(*), count(*) FILTER (WHERE {same}) FROM {pairs}{seen} GROUP BY 1"
_ITEMS = """
SELECT
    n,
    (SELECT count(*) FROM planned),
    (SELECT count(*) FROM planned WHERE is_finished),
    CASE WHEN n > (SELECT count(*) FROM planned) THEN (
        SELECT count(*) FROM unplanned
        WHERE (
            SELECT l.id FROM raters_label l WHERE l.item_id = unplanned.id AND l.rater_id = ANY (%(voters)s) LIMIT 1
        ) IS NULL
    ) ELSE 0 END
FROM (SELECT count(*) AS n FROM projects_item WHERE project_id = %(project)s) of_project
"""
_PLANNED = f"""
SELECT item_id, bool_and(state = 'done') AS is_finished FROM raters_assignment
WHERE batch_id = ANY (%(rounds)s) AND {_COUNTED}
GROUP BY item_id
"""  # noqa: S608
# If every item is in a round, others are not looked for; items in no round are checked for labels one
# by one.
_UNPLANNED = """
SELECT id FROM projects_item WHERE project_id = %(project)s AND withdrawn_at IS NULL
EXCEPT SELECT item_id FROM planned
"""
_COUNTS = f"WITH planned AS MATERIALIZED ({_PLANNED}), unplanned AS MATERIALIZED ({_UNPLANNED}) {_ITEMS}"


# Query parameters: the project, IDs, and numbers.
Asked = dict[str, int | list[int]]


def asked_of(
    project: Project, *, raters: Sequence[Rater], rounds: Sequence[int], questions: Sequence[Question]
) -> Asked:
    """Return the query parameters of this module."""
    return {
        "project": project.pk,
        "rounds": list(rounds),
        "questions": [question.pk for question in questions],
        "compared": [question.pk for question in questions if question.is_compared],
        "voters": [rater.pk for rater in raters if rater.kind in VOTERS],
        "no_voters": [rater.pk for rater in raters if rater.kind not in VOTERS],
        "references": [rater.pk for rater in raters if rater.kind == Rater.Kind.REFERENCE],
    }


def figures_of(
    project: Project, *, hidden: Sequence[int] = (), letters: Letters | None = None
) -> ProjectCounts:
    """Return the counts of a project. hidden: rounds whose items' labels the viewer may not know.

    Such labels are not counted, but done assignments are. letters: replace the names of raters.
    """
    raters = list(Rater.objects.filter(project=project))
    members = set(Membership.objects.filter(project=project).values_list("user", flat=True))
    by_rater = {r.pk: RaterCounts(r, r.user_id in members) for r in raters if r.kind in VOTERS}
    by_round = {round_.pk: RoundCounts(round_) for round_ in Round.objects.filter(project=project)}
    by_question = {q.pk: QuestionLabelCounts(q) for q in codebook_of(project)}
    questions = [row.question for row in by_question.values()]
    asked = asked_of(project, raters=raters, rounds=list(by_round), questions=questions)
    asked["hidden"] = list(hidden)
    seen = _SEEN if hidden else ""
    with transaction.atomic():
        # So that groups of a hundred thousand labels fit in memory and are not written to disk.
        rows_of("SELECT set_config('work_mem', '64MB', true), set_config('jit', 'off', true)", {})
        n_unclear = _count_places(rows_of(_PLACES.format(seen=seen), asked), by_rater, by_round)
        labels, paces = rows_of(_SAID.format(seen=seen), asked), rows_of(_PACES, asked | {"recent": RECENT})
        has_repeats = any(last_pass > 1 for *_, last_pass in labels)
        _read_alike(asked, by_rater, seen=seen, has_repeats=has_repeats)
        lacking = lacking_counts(project, questions, list(by_round))
        # The following queries group by item in index order, which takes half the time of hashing.
        rows_of("SELECT set_config('enable_hashagg', 'off', true)", {})
        wanted = disputes.DisputeFilter(hidden=tuple(hidden))
        again = rounds_that_label_again(project)
        of_wanted = disputes.asked_of(
            wanted,
            questions=questions,
            raters=raters,
            again=again,
            open_places=left_open(project, questions, None),
            unasked=unasked_by_rule(project, questions),
        )
        is_of_choices = all(
            question.kind == Question.Kind.SINGLE for question in questions if question.is_compared
        )
        disputed = disputes.undecided(
            of_wanted, has_repeats=has_repeats or bool(again), is_of_choices=is_of_choices
        )
        n, n_planned, n_finished, n_free = rows_of(_COUNTS, asked)[0]
    said, last = _add_labels(labels, by_rater, by_round, by_question)
    for pk, of_rater in lacking_by(lacking, questions, lambda each: each.rater).items():
        if pk in by_rater:
            by_rater[pk].lacking = of_rater
    for pk, of_round in lacking_by(lacking, questions, lambda each: each.round).items():
        by_round[pk].lacking = of_round
    for rater, seconds, per_hour in paces:
        by_rater[rater].pace = RecentPace(seconds, per_hour)
    if letters is not None:
        for row in by_rater.values():
            row.rater.key = letters.shown_key(row.rater.key)
    return ProjectCounts(
        raters=sorted(by_rater.values(), key=lambda row: row.rater.key),
        rounds=list(by_round.values()),
        questions=list(by_question.values()),
        items=ItemCounts(n, n_planned, n_finished, n_free, disputed.n_items, disputed.n),
        said=said,
        n_unclear=n_unclear,
        last_label_at=last,
        lacking=lacking_by(lacking, questions, lambda each: None).get(None, []),
    )


def _count_places(
    rows: Sequence[tuple[Any, ...]], by_rater: dict[int, RaterCounts], by_round: dict[int, RoundCounts]
) -> int:
    total = 0
    for round_, rater, n, n_done, n_unclear, seen in rows:
        of_round = by_round[round_]
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
        of_rater.seen_at(seen)
    return total


def _add_labels(
    rows: Sequence[tuple[Any, ...]],
    by_rater: dict[int, RaterCounts],
    by_round: dict[int, RoundCounts],
    by_question: dict[int, QuestionLabelCounts],
) -> tuple[LabelCounts, datetime | None]:
    total, last = LabelCounts(), None
    for rater, question, round_, n, n_abstentions, n_notes, at, _ in rows:
        counts = (n, n_abstentions, n_notes)
        total.add(*counts)
        last = at if last is None else max(last, at)
        by_rater[rater].said.add(*counts)
        by_rater[rater].seen_at(at)
        by_question[question].said.add(*counts)
        if round_ is not None:
            by_round[round_].said.add(*counts)
    return total, last


def _read_alike(asked: Asked, by_rater: dict[int, RaterCounts], *, seen: str, has_repeats: bool) -> None:
    seen = seen.replace(" item_id", " l.item_id", 1)
    if asked["references"]:
        for rater, n, n_same in rows_of(_ALIKE.format(same=SAME, pairs=REFERENCE, seen=seen), asked):
            by_rater[rater].reference = Alike(n, n_same)
    if has_repeats:
        for rater, n, n_same in rows_of(_ALIKE.format(same=SAME, pairs=REPEATS, seen=seen), asked):
            by_rater[rater].repeats = Alike(n, n_same)


def rows_of(query: str, asked: Asked) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(query, asked)
        return list(cursor.fetchall())
