"""Which label of an item is final, and where it comes from, without a database.

A decision of adjudicators comes first, then the references if they are of one mind and the question takes them, then
what its rule makes of the labels of all raters. docs/adr/0010 and 0038 say why.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from raters.adjudication.rules import DEFAULT, OPEN, Origin, Outcome, Rule
from raters.adjudication.votes import CANNOT_TELL, FinalValue, Voter, Votes, are_alike, middle, n_of, share

# Of a question that is asked only of some: the question that it hangs on, and the answers that ask it.
Condition = tuple[int, frozenset[int]]


@dataclass(frozen=True, slots=True)
class Final:
    """value: None where nothing is final. n_raters: raters who gave a label; "cannot tell" is none, and counted apart.

    share_agree: of n_raters, those who gave the final label; where nothing is final, those behind each of the labels
    that most gave. None without raters, and for "cannot tell" as the decision. certainty: as the rule of the question
    has it, also of what it left open; None for decisions and references.
    """

    value: FinalValue | None
    origin: Origin
    n_raters: int
    n_cannot_tell: int
    share_agree: float | None
    certainty: float | None = None


def under(condition: Condition, finals: Mapping[int, Final], own: Final) -> Final:
    """The final label of a question that is asked only of some, given those of the earlier questions of its item.

    Where the earlier one is answered so that this one is not asked, nothing that was said of it counts, not even a
    decision; while the earlier one is open, nothing is final. Without any label of the earlier one, it stands.
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


def nearest(conditions: Iterable[Condition], finals: Mapping[int, Final]) -> Condition | None:
    """The first condition, nearest first, on a question of which anything was said of the item.

    An earlier question of which nothing was said decides nothing, but what it hangs on itself does.
    """
    return next((each for each in conditions if each[0] in finals), None)


def final_of(votes: Sequence[Votes], *, tolerance: float = 0.0, rule: Rule = DEFAULT) -> Final:
    """The final label of one item and question from everything that was said; each value of a kind of rater once.

    tolerance: of the question; numbers that lie no further apart say the same.
    """
    said = [each for each in votes if each.voter is Voter.RATER and not each.value.is_abstention]
    n_raters = n_of(said)
    n_cannot_tell = n_of(each for each in votes if each.voter is Voter.RATER) - n_raters
    found = _outcome(votes, said, tolerance, rule)
    share_agree = share(said, found.value, tolerance)
    return Final(found.value, found.origin, n_raters, n_cannot_tell, share_agree, found.certainty)


def _outcome(votes: Sequence[Votes], said: Sequence[Votes], tolerance: float, rule: Rule) -> Outcome:
    decided = [each.value for each in votes if each.voter is Voter.CONSENSUS]
    if decided:
        return Outcome(decided[0], Origin.ADJUDICATED)
    references = [each for each in votes if each.voter is Voter.REFERENCE and not each.value.is_abstention]
    # References that contradict each other decide nothing.
    if rule.takes_references and references and are_alike(references, tolerance):
        return Outcome(middle(references), Origin.REFERENCE)
    return rule.outcome(said, tolerance) if said else OPEN
