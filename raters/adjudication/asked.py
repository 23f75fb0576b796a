"""Questions that are asked only of some, in adjudication: whether the final label of the earlier one asks them.

One rule for lists, counts, and pages, whatever they are filtered by; `finals.under` is the same for one item in a file.
The database finds what is final under the usual rule; `asked_by_rule` finds it under all others.
A question may hang on one that hangs on another: it is asked if each of them is answered so. Where nothing at all was
said of an earlier one, it decides nothing.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from core.refusals import Refused
from projects.codebook.conditions import in_words
from projects.models import Project, Question
from raters.missing import is_missing
from raters.passes import superseded

Place = tuple[int, int]


class Asked(StrEnum):
    """waiting: an earlier question that it hangs on has no final label yet."""

    ASKED = "asked"
    WAITING = "waiting"
    NOT_ASKED = "not_asked"


class NotAsked(Refused):
    code, status_code = "not_asked", 409

    def __init__(self, question: Question) -> None:
        super().__init__(
            f"“{question.key}” is not asked about this item: the final label of an earlier question rules it out. "
            "Decide the earlier question first."
        )


@dataclass(frozen=True, slots=True)
class Link:
    """A question is asked only if one of these categories of an earlier one is final."""

    question: int
    parent: int
    categories: tuple[int, ...]


# The final label of one question of one item under the usual rule, by the order of `finals.final_of`: a decision, what
# references agree on, what most raters said. chosen: its categories, none for a decided "cannot tell"; null while
# nothing is final; no row without any label. Of each rater the first label counts that says something.
_CHOSEN = f"""
SELECT CASE WHEN n_values = 1 THEN chosen END AS chosen
FROM (
    SELECT voter, count(*) AS n_values, min(chosen) AS chosen
    FROM (
        SELECT voter, chosen, rank() OVER (PARTITION BY voter ORDER BY (voter = 2)::int * count(*) DESC) AS standing
        FROM (
            SELECT
                CASE WHEN r.kind = 'consensus' THEN 0 WHEN said.is_nothing THEN 3
                    WHEN r.kind = 'reference' THEN 1 ELSE 2 END AS voter,
                CASE WHEN NOT said.is_nothing THEN coalesce(l.category_set, ARRAY[l.category_id])
                    WHEN r.kind = 'consensus' THEN ARRAY[]::bigint[] END AS chosen
            FROM raters_label l JOIN raters_rater r ON r.id = l.rater_id
            CROSS JOIN LATERAL (
                SELECT l.is_abstention OR {is_missing("l", questions="= ANY (%(parents)s)")}
            ) said (is_nothing)
            WHERE l.item_id = place.item_id AND l.question_id = link.parent
                AND (l.pass_number = 1 OR NOT EXISTS (
                    SELECT FROM raters_label earlier
                    WHERE earlier.item_id = l.item_id AND earlier.question_id = l.question_id
                        AND earlier.rater_id = l.rater_id AND earlier.pass_number < l.pass_number
                        AND NOT {is_missing("earlier", questions="= ANY (%(parents)s)")}
                        AND NOT {superseded("earlier", again="again_anywhere")}
                ))
                AND (r.kind IN ('consensus', 'reference') OR NOT {superseded("l", again="again_anywhere")})
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
    """SQL for whether the question of a row is asked about its item. place: the alias of the row.

    Params: those of `asking`; where no question hangs on another it costs nothing.
    """
    chosen = _CHOSEN.replace("place.item_id", f"{place}.item_id")
    return f"""({place}.item_id, {place}.question_id) NOT IN (
        SELECT unnest(%(unasked_items)s::bigint[]), unnest(%(unasked_questions)s::bigint[])
    ) AND NOT EXISTS (
        SELECT FROM {_LINKS} CROSS JOIN LATERAL ({chosen}) final
        WHERE link.question = {place}.question_id AND (final.chosen && link.askings::bigint[]) IS NOT TRUE
    )"""  # noqa: S608


# The first of the chain that does not ask it says why.
STATES = f"""
SELECT place.item_id, place.question_id,
    (array_agg(NOT (final.chosen && link.askings::bigint[]) ORDER BY link.distance DESC))[1]
FROM unnest(%(items)s::bigint[], %(questions)s::bigint[]) place (item_id, question_id)
JOIN {_LINKS} ON link.question = place.question_id
CROSS JOIN LATERAL ({_CHOSEN}) final
WHERE (final.chosen && link.askings::bigint[]) IS NOT TRUE
GROUP BY 1, 2
"""  # noqa: S608


def links_of(questions: Iterable[Question]) -> list[Link]:
    """Each question with all that it hangs on, also through others, the nearest first.

    Without a query for a codebook without conditions.
    """
    known = {question.key: question for question in questions}
    hanging = [question for question in known.values() if question.asked_if_question]
    if not hanging:
        return []
    return [
        Link(question.pk, known[child.asked_if_question].pk, _asking(child, known[child.asked_if_question]))
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
    """In its order, with categories where a condition needs them."""
    questions = list(project.questions.all())
    if any(question.asked_if_question for question in questions):
        return list(project.questions.prefetch_related("categories"))
    return questions


@dataclass(frozen=True, slots=True)
class Unasked:
    """Places that are known not to be asked, and the questions that this is known of. See `asked_by_rule`."""

    known_of: frozenset[int] = frozenset()
    items: Sequence[int] = ()
    questions: Sequence[int] = ()


NONE_KNOWN = Unasked()


def asking(links: Sequence[Link], again: Sequence[int], unasked: Unasked = NONE_KNOWN) -> dict[str, Any]:
    """What `is_asked` is asked with. again: the rounds that label items again."""
    links = [link for link in links if link.question not in unasked.known_of]
    return {
        "hanging": [link.question for link in links],
        "parents": [link.parent for link in links],
        "askings": [f"{{{','.join(map(str, link.categories))}}}" for link in links],
        "again_anywhere": list(again),
        "unasked_items": list(unasked.items),
        "unasked_questions": list(unasked.questions),
    }


def hung_on(project: Project) -> set[int]:
    """The questions that others hang on."""
    keys = project.questions.exclude(asked_if_question="").values("asked_if_question")
    return set(project.questions.filter(key__in=keys).values_list("pk", flat=True))


def condition_of(question: Question) -> str:
    """In words; empty for a question that is always asked."""
    if not question.asked_if_question:
        return ""
    return in_words(
        question, Question.objects.filter(project=question.project_id, key=question.asked_if_question)
    )
