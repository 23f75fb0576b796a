"""What is done in a project, by rater, round and question, in a number of queries that does not grow with it."""

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
    """Assignments of raters: how many there are, and how many are done."""

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
    """Labels compared with a reference, or with the same rater's earlier ones: n_same of n are alike."""

    n: int = 0
    n_same: int = 0


@dataclass(slots=True)
class LabelCounts:
    """Labels, those that say "cannot tell" among them, and those with a note."""

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
    """Of the last items. seconds: the median of an item. per_hour: items in an hour of work, by all their time."""

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
    # Of rounds that are open: what is to do now.
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
    """n_free: assignments that nobody has taken yet. raters: the ids of those who have assignments in it."""

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
    """Of the items in rounds: finished are those with every assignment done. n_free: in no round, and not labeled.

    n_disputed: to which raters gave different answers that nobody has decided about; n_disputes: how many answers those
    are, for each question of an item is decided by itself.
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
        """Of labeled items those that no assignment asked for: their labels were imported, or sent by a program."""
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
    # By question: assignments that are done, and lack the answer to it.
    lacking: list[Lacking] = field(default_factory=list)

    @property
    def n_places_done(self) -> int:
        return sum(row.assignments.n_done for row in self.rounds)

    @property
    def share_unclear(self) -> float | None:
        """Of the assignments that are done, those of which the rater says that the guidelines leave it open."""
        return self.n_unclear / self.n_places_done if self.n_places_done else None


VOTERS = (Rater.Kind.HUMAN, Rater.Kind.MODEL)

# Assignments that wait on an item that was withdrawn are no work that is left.
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
# What others said of items that the person who looks still labels is left out; added where there are such items.
_SEEN = """ AND item_id NOT IN (
    SELECT item_id FROM raters_assignment hidden WHERE hidden.batch_id = ANY (%(hidden)s::bigint[])
)"""
# Whose labels are not counted is named, for they are few: all labels of a question are then read as they lie.
_SAID = """
SELECT rater_id, question_id, batch_id, count(*), count(*) FILTER (WHERE is_abstention),
    count(*) FILTER (WHERE note <> ''), max(labelled_at), max(pass_number)
FROM raters_label
WHERE question_id = ANY (%(questions)s) AND NOT rater_id = ANY (%(no_voters)s::bigint[]){seen}
GROUP BY 1, 2, 3
"""
# Of the last items of each rater, as on the own page of the rater: the pace of today, and as quick with many labels.
# The time of an item is that of its label that took longest: all its questions are on one page.
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
# Numbers are alike within the tolerance of their question.
_TOLERANCE = "(SELECT tolerance FROM projects_question q WHERE q.id = l.question_id)"
SAME = f"""CASE WHEN l.number IS NULL OR known.number IS NULL
    THEN (l.category_id, l.category_set, l.number)
        IS NOT DISTINCT FROM (known.category_id, known.category_set, known.number)
    ELSE NOT {sql_beyond("abs(l.number - known.number)", _TOLERANCE)} END"""
_IS_ANSWER = f"""NOT l.is_abstention AND NOT known.is_abstention
    AND NOT {is_missing("l")} AND NOT {is_missing("known")}"""
# Of several references, the first.
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
# Where every item is in a round, nobody looks for others; of those that are in none it is asked one by one whether
# they have labels.
_UNPLANNED = """
SELECT id FROM projects_item WHERE project_id = %(project)s AND withdrawn_at IS NULL
EXCEPT SELECT item_id FROM planned
"""
_COUNTS = f"WITH planned AS MATERIALIZED ({_PLANNED}), unplanned AS MATERIALIZED ({_UNPLANNED}) {_ITEMS}"


# What the queries are asked with: the project, ids, numbers.
Asked = dict[str, int | list[int]]


def asked_of(
    project: Project, *, raters: Sequence[Rater], rounds: Sequence[int], questions: Sequence[Question]
) -> Asked:
    """What the queries of this module are asked with."""
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
    """hidden: rounds of whose items the person who looks may not know what others said, as in the lists behind.

    Such labels are in no figure; which assignments are done is. letters: in place of the names of the raters.
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
        # Groups of a hundred thousand labels fit into memory then, and are not written to disk.
        rows_of("SELECT set_config('work_mem', '64MB', true), set_config('jit', 'off', true)", {})
        n_unclear = _count_places(rows_of(_PLACES.format(seen=seen), asked), by_rater, by_round)
        labels, paces = rows_of(_SAID.format(seen=seen), asked), rows_of(_PACES, asked | {"recent": RECENT})
        has_repeats = any(last_pass > 1 for *_, last_pass in labels)
        _read_alike(asked, by_rater, seen=seen, has_repeats=has_repeats)
        lacking = lacking_counts(project, questions, list(by_round))
        # What follows is counted by item, in the order of an index: half the time of a hash of as many items.
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
