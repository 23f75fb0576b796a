"""Done assignments without an answer to a required question that was added, or became required, later.

Computed from current data: assignments that are asked again count until they are answered. Assignments of withdrawn
items do not count, since nobody can answer them; nor do undone ones, which are pending as a whole.

hidden, in all functions: rounds whose items the viewer still labels. Who lacks an answer to a conditional question has
given the answer on which it depends, so for these questions, assignments of hidden items are left out.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from django.db import connection
from django.db.models import Exists, OuterRef, Q, QuerySet

from core.templatetags.shown import count
from projects.models import Project, Question, Round
from raters.access import rounds_to_be_blind_in
from raters.figures.size import is_large
from raters.figures.stored_figures import stored_figures
from raters.models import Assignment, Label, Rater, StoredFigures

K = TypeVar("K", bound=Hashable)
# One query per question: joining a list of questions takes three times as long. Assignments asked again keep their
# other answers, so they lack whatever is not there. Few items are withdrawn: they are listed once instead of being
# joined for every assignment.
_MISSING_ANSWERS = """
SELECT batch_id, rater_id, {question}::bigint, count(*),
    count(*) FILTER (WHERE state = 'pending' AND {question} = ANY (asked_again))
FROM raters_assignment work
WHERE {asked} AND batch_id = ANY (%(rounds)s) AND rater_id IS NOT NULL AND (state = 'done' OR asked_again <> '{{}}')
    AND (%(rater)s::bigint IS NULL OR rater_id = %(rater)s)
    AND item_id NOT IN (SELECT id FROM projects_item WHERE project_id = %(project)s AND withdrawn_at IS NOT NULL)
    AND NOT EXISTS (
        SELECT FROM raters_label label
        WHERE label.question_id = {question} AND label.item_id = work.item_id AND label.rater_id = work.rater_id
            AND label.pass_number = work.pass_number
    )
GROUP BY 1, 2
"""


# The answer to a question that was not asked is not missing.
_ASKED = """EXISTS (
    SELECT FROM raters_label parent
    WHERE parent.question_id = {parent} AND parent.item_id = work.item_id AND parent.rater_id = work.rater_id
        AND parent.pass_number = work.pass_number
        AND (parent.category_id = ANY (ARRAY[{categories}]::bigint[])
            OR parent.category_set && ARRAY[{categories}]::bigint[])
) AND item_id NOT IN (SELECT item_id FROM raters_assignment WHERE batch_id = ANY (%(hidden)s::bigint[]))"""


@dataclass(frozen=True, slots=True)
class Condition:
    """When a question is asked: if one of these categories is chosen for the parent question (all IDs)."""

    parent: int
    categories: tuple[int, ...]


def conditions_of(questions: Iterable[Question]) -> dict[int, Condition]:
    """Return conditions by question, without a query if no question has one."""
    found = {}
    for question in questions:
        if not question.asked_if_question:
            continue
        parents = Question.objects.filter(project=question.project_id, key=question.asked_if_question)
        for parent in parents:
            keys = parent.categories.filter(key__in=question.asked_if_categories)
            found[question.pk] = Condition(parent.pk, tuple(keys.values_list("pk", flat=True)))
    return found


@dataclass(frozen=True, slots=True)
class MissingAnswerCount:
    """Assignments of one rater in one round that lack an answer. n_asked: those of them that are asked again."""

    round: int
    rater: int
    question: int
    n: int
    n_asked: int


@dataclass(frozen=True, slots=True)
class MissingAnswers:
    """Assignments that lack an answer to the question. n_asked: those of them that are asked again."""

    question: Question
    n: int
    n_asked: int

    @property
    def sentence(self) -> str:
        have = "assignment has" if self.n == 1 else "assignments have"
        return f"{count(self.n)} {have} no answer to {self.question.key}"

    @property
    def n_left(self) -> int:
        """Number of assignments not asked again yet."""
        return self.n - self.n_asked


def missing_answer_counts(
    project: Project,
    questions: Iterable[Question],
    rounds: Sequence[int],
    rater: Rater | None = None,
    *,
    hidden: Sequence[int] = (),
) -> list[MissingAnswerCount]:
    """Count assignments that lack answers in one query, or none if no question is required."""
    questions = list(questions)
    required = [question for question in questions if question.is_required]
    if not required or not rounds:
        return []
    asked: dict[str, int | list[int] | None] = {
        "project": project.pk,
        "rounds": list(rounds),
        "rater": rater.pk if rater else None,
        "hidden": list(hidden),
    }
    conditions = conditions_of(questions)
    parts = [
        _MISSING_ANSWERS.format(
            question=int(question.pk),
            asked=_ASKED.format(
                parent=int(conditions[question.pk].parent),
                categories=",".join(str(int(pk)) for pk in conditions[question.pk].categories),
            )
            if question.pk in conditions
            else "true",
        )
        for question in required
    ]
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(parts), asked)
        return [MissingAnswerCount(*row) for row in cursor.fetchall()]


def missing_answers_by(
    counts: Iterable[MissingAnswerCount],
    questions: Sequence[Question],
    key: Callable[[MissingAnswerCount], K],
) -> dict[K, list[MissingAnswers]]:
    """Sum the counts by key, with questions in codebook order."""
    sums: dict[tuple[K, int], list[int]] = defaultdict(lambda: [0, 0])
    for each in counts:
        of_key = sums[key(each), each.question]
        of_key[0] += each.n
        of_key[1] += each.n_asked
    found: dict[K, list[MissingAnswers]] = {}
    for question in questions:
        for (place, pk), (n, n_asked) in sums.items():
            if pk == question.pk:
                found.setdefault(place, []).append(MissingAnswers(question, n, n_asked))
    return found


def missing_answers_for(
    project: Project, rounds: Sequence[int] | None = None, *, by: Any
) -> list[MissingAnswers]:
    """Return the counts by question that this user may see, for these rounds or all.

    Of a large project, they are those last stored. Raises FiguresNotComputed.
    """
    questions, hidden = list(project.questions.all()), rounds_to_be_blind_in(by, project)
    if is_large(project):
        stored = stored_figures(project, StoredFigures.What.PROGRESS, {"hidden": hidden}, by=by)
        rows = [MissingAnswerCount(*row) for row in stored.result["missing_answers"]]
        counts = [each for each in rows if rounds is None or each.round in rounds]
    else:
        chosen = list(project.rounds.values_list("pk", flat=True)) if rounds is None else rounds
        counts = missing_answer_counts(project, questions, chosen, hidden=hidden)
    return missing_answers_by(counts, questions, lambda each: None).get(None, [])


def missing_answers_of_rounds(project: Project, hidden: Sequence[int]) -> dict[int, list[MissingAnswers]]:
    """Return counts by question for each round."""
    questions, rounds = list(project.questions.all()), list(project.rounds.values_list("pk", flat=True))
    counts = missing_answer_counts(project, questions, rounds, hidden=hidden)
    return missing_answers_by(counts, questions, lambda each: each.round)


def missing_answers_of(rater: Rater) -> list[MissingAnswers]:
    """Return counts by question for one rater, in open rounds."""
    rounds = list(rater.project.rounds.filter(state=Round.State.OPEN).values_list("pk", flat=True))
    questions = list(rater.project.questions.all())
    own = missing_answer_counts(rater.project, questions, rounds, rater)
    return missing_answers_by(own, questions, lambda each: None).get(None, [])


def incomplete_assignments(
    project: Project, question: Question, *, hidden: Sequence[int] = ()
) -> QuerySet[Assignment]:
    """Return the assignments that lack an answer to the question, with the same definition as the counts."""
    rows = Assignment.objects.filter(round__project=project, rater__isnull=False, item__withdrawn_at=None)
    if not question.is_required:
        return rows.none()
    answers = Label.objects.filter(
        question=question, item=OuterRef("item"), rater=OuterRef("rater"), pass_number=OuterRef("pass_number")
    )
    for condition in conditions_of([question]).values():
        chosen = list(condition.categories)
        so = Label.objects.filter(
            Q(category__in=chosen) | Q(category_set__overlap=chosen),
            question=condition.parent,
            item=OuterRef("item"),
            rater=OuterRef("rater"),
            pass_number=OuterRef("pass_number"),
        )
        rows = rows.filter(Exists(so))
        if hidden:
            rows = rows.exclude(item__in=Assignment.objects.filter(round__in=hidden).values("item"))
    is_labeled = Q(state=Assignment.State.DONE) | ~Q(asked_again=[])
    return rows.filter(is_labeled).exclude(Exists(answers))
