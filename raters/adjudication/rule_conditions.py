"""Whether a question is asked about an item, for any rule of the earlier questions.

Questions that depend on one with a non-default rule are computed item by item, as in files of final labels;
the database handles all others.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby

from django.db import connection

from projects.models import Item, Project, Question
from raters.adjudication.conditional_questions import (
    NONE_KNOWN,
    STATES,
    ConditionState,
    Place,
    QuestionCondition,
    QuestionNotAsked,
    UnaskedQuestions,
    codebook_of,
    is_asked_params,
    links_of,
)
from raters.adjudication.exporting import rows_of_votes, votes_in, votes_params
from raters.adjudication.finals import FinalAnswer, final_of
from raters.adjudication.rules import DEFAULT
from raters.adjudication.ruling import RulesByQuestion, rules_of
from raters.adjudication.unchanged import Places, columns_of, while_unchanged
from raters.adjudication.votes import CANNOT_TELL
from raters.passes import RoundStages


def questions_unasked_by_rule(
    project: Project, questions: Sequence[Question], items: Sequence[int] | None = None
) -> UnaskedQuestions:
    """Return what non-default rules leave unasked. Reads nothing if there are no such rules.

    items: IDs, or None for all, which are cached until something in the project changes, since a page asks more than
    once.
    """
    links = links_of(questions)
    rules = rules_of(project) if links else RulesByQuestion()
    ruled = _ruled(links, rules)
    if not ruled:
        return NONE_KNOWN

    def columns() -> Places:
        return columns_of((item, question) for item, question, _ in _states(project, ruled, rules, items))

    is_of_all = items is None
    places = while_unchanged(project.pk, f"unasked:{rules.digest}", columns) if is_of_all else columns()
    return UnaskedQuestions(frozenset(link.question for link in ruled), *places)


def states_of(
    project: Project, places: Collection[Place], links: Sequence[QuestionCondition] | None = None
) -> dict[Place, ConditionState]:
    """Return the states of items and questions in one query, or none if there are no conditions."""
    links = links_of(codebook_of(project)) if links is None else links
    found = dict.fromkeys(places, ConditionState.ASKED)
    if not links or not places:
        return found
    rules = rules_of(project)
    ruled = _ruled(links, rules)
    if ruled:
        items = sorted({item for item, _ in places})
        for item, question, state in _states(project, ruled, rules, items):
            if (item, question) in found:
                found[item, question] = state
    known = UnaskedQuestions(frozenset(link.question for link in ruled))
    params = is_asked_params(links, RoundStages.of(project), known) | {
        "items": [item for item, _ in places],
        "questions": [question for _, question in places],
    }
    with connection.cursor() as cursor:
        cursor.execute(STATES, params)
        for item, question, is_ruled_out in cursor.fetchall():
            found[item, question] = ConditionState.NOT_ASKED if is_ruled_out else ConditionState.WAITING
    return found


def state_of(item: Item, question: Question) -> ConditionState:
    return states_of(item.project, [(item.pk, question.pk)])[item.pk, question.pk]


def refuse_not_asked(item: Item, question: Question) -> None:
    """Raise QuestionNotAsked if a decision would not count."""
    if question.asked_if_question and state_of(item, question) is ConditionState.NOT_ASKED:
        raise QuestionNotAsked(question)


def _ruled(links: Sequence[QuestionCondition], rules: RulesByQuestion) -> list[QuestionCondition]:
    """Return the links of questions that depend, directly or indirectly, on one with a non-default rule."""
    hanging = {link.question for link in links if rules[link.parent] != DEFAULT}
    return [link for link in links if link.question in hanging]


def _states(
    project: Project, links: Sequence[QuestionCondition], rules: RulesByQuestion, items: Sequence[int] | None
) -> Iterator[tuple[int, int, ConditionState]]:
    """Yield item, question, and why it is not asked, for these items or all."""
    by_question: dict[int, list[QuestionCondition]] = {}
    for link in links:
        by_question.setdefault(link.question, []).append(link)
    parents = sorted({link.parent for link in links})
    rows = rows_of_votes(votes_params(project, parents, rules, rounds=None, items=items))
    for item, of_item in groupby(rows, key=lambda row: row[12]):
        finals: dict[int, FinalAnswer] = {}
        for parent, votes in groupby(of_item, key=lambda row: row[1]):
            cast = list(votes)
            finals[parent] = final_of(votes_in(cast), tolerance=cast[0][14], rule=rules[parent])
        for question, nearest_first in by_question.items():
            state = _state(nearest_first, finals)
            if state is not ConditionState.ASKED:
                yield item, question, state


def _state(nearest_first: Sequence[QuestionCondition], finals: Mapping[int, FinalAnswer]) -> ConditionState:
    """Return the state, determined by the earliest question in the chain that does not ask it."""
    for link in reversed(nearest_first):
        final = finals.get(link.parent)
        if final is None:
            continue
        if final.value is None:
            return ConditionState.WAITING
        value = final.value or CANNOT_TELL
        chosen = {value.category} if value.category is not None else set(value.category_set or ())
        if not chosen & set(link.categories):
            return ConditionState.NOT_ASKED
    return ConditionState.ASKED
