"""Conditional questions in adjudication: whether the final label of an earlier question asks them.

Lists, counts, and pages all use this definition, whatever their filter; `finals.under` does the same for files.
The database finds final labels under the default rule; `rule_conditions` finds them under all others.
Conditions can be chained: a question is asked if every earlier question in its chain has a matching answer. Earlier
questions without any label are ignored.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from core.refusals import Refused
from projects.codebook.conditions import in_words
from projects.models import Project, Question
from raters.missing_codes import is_missing
from raters.passes import RoundStages, superseded

Place = tuple[int, int]


class ConditionState(StrEnum):
    """waiting: an earlier question that it depends on has no final label yet."""

    ASKED = "asked"
    WAITING = "waiting"
    NOT_ASKED = "not_asked"


class QuestionNotAsked(Refused):
    code, status_code = "not_asked", 409

    def __init__(self, question: Question) -> None:
        super().__init__(
            f"“{question.key}” is not asked about this item: the final label of an earlier question rules it out. "
            "Decide the earlier question first."
        )


@dataclass(frozen=True, slots=True)
class QuestionCondition:
    """A condition: the question is asked only if the parent's final label is or holds one of these categories."""

    question: int
    parent: int
    categories: tuple[int, ...]


# The final label of one item and question under the default rule, in the order of `finals.final_of`: a decision, the
# answer references agree on, the most frequent label. chosen: its categories, empty for a decided "cannot tell", null
# if nothing is final; no row if there are no labels. Each rater's first non-missing label counts.
_CHOSEN = f"""
SELECT CASE WHEN n_values = 1 THEN chosen END AS chosen
FROM (
    SELECT voter, count(*) AS n_values, min(chosen) AS chosen
    FROM (
        SELECT voter, chosen, rank() OVER (PARTITION BY voter ORDER BY (voter = 2)::int * count(*) DESC) AS standing
        FROM (
            SELECT
                CASE WHEN r.kind = 'consensus' THEN 0 WHEN answer.is_nothing THEN 3
                    WHEN r.kind = 'reference' THEN 1 ELSE 2 END AS voter,
                CASE WHEN NOT answer.is_nothing THEN coalesce(l.category_set, ARRAY[l.category_id])
                    WHEN r.kind = 'consensus' THEN ARRAY[]::bigint[] END AS chosen
            FROM raters_label l JOIN raters_rater r ON r.id = l.rater_id
            CROSS JOIN LATERAL (
                SELECT l.is_abstention OR {is_missing("l", questions="= ANY (%(parents)s)")}
            ) answer (is_nothing)
            WHERE l.item_id = place.item_id AND l.question_id = link.parent
                AND (l.pass_number = 1 OR NOT EXISTS (
                    SELECT FROM raters_label earlier
                    WHERE earlier.item_id = l.item_id AND earlier.question_id = l.question_id
                        AND earlier.rater_id = l.rater_id AND earlier.pass_number < l.pass_number
                        AND NOT {is_missing("earlier", questions="= ANY (%(parents)s)")}
                        AND NOT {superseded("earlier", prefix="any_")}
                ))
                AND (r.kind IN ('consensus', 'reference') OR NOT {superseded("l", prefix="any_")})
        ) votes
        GROUP BY voter, chosen
    ) counted
    WHERE standing = 1 GROUP BY voter
) by_voter
WHERE voter <> 1 OR n_values = 1
ORDER BY voter LIMIT 1
"""  # noqa: S608
_LINKS = """unnest(%(hanging)s::bigint[], %(parents)s::bigint[], %(askings)s::text[])
    WITH ORDINALITY link (question, parent, askings, distance)"""


def is_asked(place: str) -> str:
    """Return SQL for whether the question of a row is asked about its item. place: the alias of the row.

    Parameters: `is_asked_params`. It costs nothing if no question depends on another.
    """
    chosen = _CHOSEN.replace("place.item_id", f"{place}.item_id")
    return f"""({place}.item_id, {place}.question_id) NOT IN (
        SELECT unnest(%(unasked_items)s::bigint[]), unnest(%(unasked_questions)s::bigint[])
    ) AND NOT EXISTS (
        SELECT FROM {_LINKS} CROSS JOIN LATERAL ({chosen}) final
        WHERE link.question = {place}.question_id AND (final.chosen && link.askings::bigint[]) IS NOT TRUE
    )"""  # noqa: S608


# The earliest question in the chain that does not ask it gives the reason.
STATES = f"""
SELECT place.item_id, place.question_id,
    (array_agg(NOT (final.chosen && link.askings::bigint[]) ORDER BY link.distance DESC))[1]
FROM unnest(%(items)s::bigint[], %(questions)s::bigint[]) place (item_id, question_id)
JOIN {_LINKS} ON link.question = place.question_id
CROSS JOIN LATERAL ({_CHOSEN}) final
WHERE (final.chosen && link.askings::bigint[]) IS NOT TRUE
GROUP BY 1, 2
"""  # noqa: S608


def links_of(questions: Iterable[Question]) -> list[QuestionCondition]:
    """Return the conditions of each question, direct and indirect, nearest first.

    Runs no query for a codebook without conditions.
    """
    known = {question.key: question for question in questions}
    hanging = [question for question in known.values() if question.asked_if_question]
    if not hanging:
        return []
    return [
        QuestionCondition(
            question.pk, known[child.asked_if_question].pk, _asking(child, known[child.asked_if_question])
        )
        for question in hanging
        for child in _chain(question, known)
    ]


def _chain(question: Question, known: Mapping[str, Question]) -> Iterable[Question]:
    while question.asked_if_question in known:
        yield question
        question = known[question.asked_if_question]


def _asking(child: Question, parent: Question) -> tuple[int, ...]:
    return tuple(each.pk for each in parent.categories.all() if each.key in child.asked_if_categories)


def codebook_of(project: Project) -> list[Question]:
    """Return the questions in order, with categories prefetched if there are conditions."""
    questions = list(project.questions.all())
    if any(question.asked_if_question for question in questions):
        return list(project.questions.prefetch_related("categories"))
    return questions


@dataclass(frozen=True, slots=True)
class UnaskedQuestions:
    """Places known not to be asked, and the questions for which this is known. See `rule_conditions`."""

    known_of: frozenset[int] = frozenset()
    items: Sequence[int] = ()
    questions: Sequence[int] = ()


NONE_KNOWN = UnaskedQuestions()


def is_asked_params(
    links: Sequence[QuestionCondition], stages: RoundStages, unasked: UnaskedQuestions = NONE_KNOWN
) -> dict[str, Any]:
    """Return the query parameters of `is_asked`."""
    links = [link for link in links if link.question not in unasked.known_of]
    return {
        "hanging": [link.question for link in links],
        "parents": [link.parent for link in links],
        "askings": [f"{{{','.join(map(str, link.categories))}}}" for link in links],
        "unasked_items": list(unasked.items),
        "unasked_questions": list(unasked.questions),
        **stages.params("any_"),
    }


def hung_on(project: Project) -> set[int]:
    """Return the IDs of questions that others depend on."""
    keys = project.questions.exclude(asked_if_question="").values("asked_if_question")
    return set(project.questions.filter(key__in=keys).values_list("pk", flat=True))


def condition_of(question: Question) -> str:
    """Return the condition in words; "" for a question that is always asked."""
    if not question.asked_if_question:
        return ""
    return in_words(
        question, Question.objects.filter(project=question.project_id, key=question.asked_if_question)
    )
