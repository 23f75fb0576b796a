"""Items that the rule of a question leaves open because their final label is not certain enough.

If a question has such a threshold, adjudicators are asked about these items instead of all items in dispute.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from projects.models import Project, Question
from raters.adjudication.exporting import conditions_of, rows_of_votes, votes_in, votes_params
from raters.adjudication.finals import Condition, FinalAnswer, final_of, nearest, under
from raters.adjudication.rules import FinalLabelRule, Origin
from raters.adjudication.ruling import RulesByQuestion, rules_of
from raters.adjudication.unchanged import Places, columns_of, while_unchanged
from raters.adjudication.votes import Voter


@dataclass(frozen=True, slots=True)
class UncertainFinals:
    """questions: those with a threshold. items, of_questions: pairs of an item and a question that is left open."""

    questions: Sequence[int] = ()
    items: Sequence[int] = ()
    of_questions: Sequence[int] = ()

    @property
    def params(self) -> dict[str, list[int]]:
        return {
            "ruled": list(self.questions),
            "open_items": list(self.items),
            "open_questions": list(self.of_questions),
        }


# For projects without such rules.
NONE_LEFT = UncertainFinals()


def in_question(condition: str, *, item: str, question: str) -> str:
    """Return SQL for whether a question with a threshold leaves the item open or, without one, the condition holds.

    Parameters: `UncertainFinals.params`.
    """
    return f"""CASE WHEN {question} = ANY (%(ruled)s::bigint[])
        THEN ({item}, {question}) IN (SELECT unnest(%(open_items)s::bigint[]), unnest(%(open_questions)s::bigint[]))
        ELSE {condition} END"""


def left_open(
    project: Project, questions: Sequence[Question], round_: int | None, items: Sequence[int] | None = None
) -> UncertainFinals:
    """Return what labels of one or all rounds leave open, regardless of decisions. Reads nothing without a threshold.

    questions: all of the project. items: IDs, or None for all, which are cached until something in the project changes,
    since a page asks more than once.
    """
    if all(each.final_threshold is None for each in questions):
        return NONE_LEFT
    rules = rules_of(project)
    ruled = [each.pk for each in questions if each.final_threshold is not None and rules[each.pk].asks_below]

    def columns() -> Places:
        return columns_of(_open_places(project, ruled, rules, round_, items))

    is_of_all = items is None
    key = f"left-open:{round_ or 0}:{rules.digest}"
    places = while_unchanged(project.pk, key, columns) if is_of_all else columns()
    return UncertainFinals(ruled, *places)


def _open_places(
    project: Project,
    ruled: Sequence[int],
    rules: RulesByQuestion,
    round_: int | None,
    items: Sequence[int] | None,
) -> Iterator[tuple[int, int]]:
    conditions = conditions_of(project)
    read = _with_parents(ruled, conditions)
    params = votes_params(project, read, rules, rounds=None if round_ is None else [round_], items=items)
    for item, of_item in groupby(rows_of_votes(params), key=lambda row: row[12]):
        finals: dict[int, FinalAnswer] = {}
        for question, rows in groupby(of_item, key=lambda row: row[1]):
            finals[question], undecided = _both(
                list(rows), conditions.get(question, ()), finals, rules[question]
            )
            if question in ruled and undecided.origin is Origin.NONE and undecided.n_raters:
                yield item, question


def _both(
    rows: Sequence[tuple[Any, ...]],
    conditions: Sequence[Condition],
    finals: Mapping[int, FinalAnswer],
    rule: FinalLabelRule,
) -> tuple[FinalAnswer, FinalAnswer]:
    """Return the final label, and the one without a decision on this question (both if it is asked)."""
    votes, tolerance = votes_in(rows), rows[0][14]
    by_others = [each for each in votes if each.voter is not Voter.CONSENSUS]
    undecided = final_of(by_others, tolerance=tolerance, rule=rule)
    is_decided = len(by_others) < len(votes)
    final = final_of(votes, tolerance=tolerance, rule=rule) if is_decided else undecided
    condition = nearest(conditions, finals)
    if condition is None:
        return final, undecided
    final = under(condition, finals, final)
    # An open earlier question does not make this one uncertain.
    return final, final if final.origin is Origin.NOT_ASKED else undecided


def _with_parents(questions: Iterable[int], conditions: Mapping[int, Sequence[Condition]]) -> list[int]:
    found = set(questions)
    return list(found | {parent for pk in found for parent, _ in conditions.get(pk, ())})
