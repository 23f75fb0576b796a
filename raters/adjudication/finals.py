"""The final label of an item and its origin. No database.

A decision by adjudicators comes first, then the references if they agree and the question uses them, then the result
of its rule for the raters' labels. See docs/adr/0010 and 0038 for the reasons.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from raters.adjudication.rules import DEFAULT, OPEN, FinalLabelRule, Origin, RuleOutcome
from raters.adjudication.votes import (
    CANNOT_TELL,
    FinalValue,
    Voter,
    Votes,
    all_votes_equal,
    middle,
    n_of,
    share,
)

# Condition of a question: the question that it depends on, and the categories for which it is asked.
Condition = tuple[int, frozenset[int]]


@dataclass(frozen=True, slots=True)
class FinalAnswer:
    """value: None if nothing is final. n_raters: raters who gave a label; "cannot tell" is counted separately.

    share_agree: the share of n_raters who gave the final label or, if nothing is final, each of the most frequent
    labels. None without raters, and if the decision is "cannot tell". certainty: according to the rule of the
    question, even if left open; None for decisions and references.
    """

    value: FinalValue | None
    origin: Origin
    n_raters: int
    n_cannot_tell: int
    share_agree: float | None
    certainty: float | None = None


def under(condition: Condition, finals: Mapping[int, FinalAnswer], own: FinalAnswer) -> FinalAnswer:
    """Return the final label of a conditional question, given those of the item's earlier questions.

    If the earlier answer means that this question is not asked, none of its labels counts, not even a decision. While
    the earlier question is open, nothing is final. If the earlier question has no labels, `own` is kept.
    """
    parent = finals.get(condition[0])
    if parent is None:
        return own
    if parent.value is None and parent.origin is not Origin.NOT_ASKED:
        return replace(own, value=None, origin=Origin.NONE)
    value = parent.value or CANNOT_TELL
    chosen = {value.category} if value.category is not None else set(value.category_set or ())
    if chosen & condition[1]:
        return own
    return replace(own, value=None, origin=Origin.NOT_ASKED, share_agree=None, certainty=None)


def nearest(conditions: Iterable[Condition], finals: Mapping[int, FinalAnswer]) -> Condition | None:
    """Return the nearest condition on a question that has labels for the item.

    Earlier questions without labels are skipped in favor of those that they depend on themselves.
    """
    return next((each for each in conditions if each[0] in finals), None)


def final_of(
    votes: Sequence[Votes], *, tolerance: float = 0.0, rule: FinalLabelRule = DEFAULT
) -> FinalAnswer:
    """Return the final label of an item and question. votes: each value once per kind of rater.

    tolerance: the question's tolerance; numbers that differ by no more are equal.
    """
    answers = [each for each in votes if each.voter is Voter.RATER and not each.value.is_abstention]
    n_raters = n_of(answers)
    n_cannot_tell = n_of(each for each in votes if each.voter is Voter.RATER) - n_raters
    found = _outcome(votes, answers, tolerance, rule)
    share_agree = share(answers, found.value, tolerance)
    return FinalAnswer(found.value, found.origin, n_raters, n_cannot_tell, share_agree, found.certainty)


def _outcome(
    votes: Sequence[Votes], answers: Sequence[Votes], tolerance: float, rule: FinalLabelRule
) -> RuleOutcome:
    decided = [each.value for each in votes if each.voter is Voter.CONSENSUS]
    if decided:
        return RuleOutcome(decided[0], Origin.ADJUDICATED)
    references = [each for each in votes if each.voter is Voter.REFERENCE and not each.value.is_abstention]
    # Contradictory references are ignored.
    if rule.takes_references and references and all_votes_equal(references, tolerance):
        return RuleOutcome(middle(references), Origin.REFERENCE)
    return rule.outcome(answers, tolerance) if answers else OPEN
