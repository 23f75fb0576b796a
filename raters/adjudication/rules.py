"""The outcome of a rule for the labels of an item. No database.

`projects.final_rules` has the rules that fit each kind of question; docs/adjudication.md has their meaning.
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import median

from projects.final_rules import ESTIMATED, FinalRule
from raters.adjudication.reliability import Reliability
from raters.adjudication.votes import FinalValue, Votes, all_votes_equal, middle, n_of, share, support

# Certainties that differ by less are equal, to allow for rounding errors in sums.
TIED = 1e-9


class Origin(StrEnum):
    ADJUDICATED = "adjudicated"
    REFERENCE = "reference"
    UNANIMOUS = "unanimous"
    ONE_RATER = "one_rater"
    MAJORITY = "majority"
    CATEGORY_MAJORITY = "category_majority"
    MEDIAN = "median"
    MEAN = "mean"
    WEIGHTED = "weighted"
    DAWID_SKENE = "dawid_skene"
    NONE = "none"
    NOT_ASKED = "not_asked"

    @property
    def words(self) -> str:
        """The origin in words for pages; files have the value."""
        return _WORDS.get(self, self.replace("_", " "))


# Under the default rule, those who gave the label can be fewer than half.
_WORDS = {Origin.MAJORITY: "most frequent label", Origin.DAWID_SKENE: "Dawid–Skene"}


@dataclass(frozen=True, slots=True)
class RuleOutcome:
    """certainty: that of the value, also if it is left open for it; None if the rule has none."""

    value: FinalValue | None
    origin: Origin
    certainty: float | None = None


OPEN = RuleOutcome(None, Origin.NONE)


@dataclass(frozen=True, slots=True)
class FinalLabelRule:
    """threshold: the certainty below which an item is left open. reliability: None until estimated."""

    kind: FinalRule = FinalRule.PLURALITY
    threshold: float | None = None
    takes_references: bool = True
    reliability: Reliability | None = None

    @property
    def is_waiting(self) -> bool:
        """Whether the rule gives no results yet because rater reliability has not been estimated."""
        return self.kind in ESTIMATED and self.reliability is None

    @property
    def asks_below(self) -> bool:
        """Whether adjudicators are asked about items below the threshold instead of all disputes."""
        return self.threshold is not None and not self.is_waiting

    def outcome(self, votes: Sequence[Votes], tolerance: float) -> RuleOutcome:
        """Return the outcome for an item. votes: raters' labels, each value once, without "cannot tell"; not empty."""
        found = _BY_RULE[self.kind](self, votes, tolerance)
        return RuleOutcome(None, Origin.NONE, found.certainty) if self._is_below(found.certainty) else found

    def _is_below(self, certainty: float | None) -> bool:
        if self.threshold is None or certainty is None:
            return False
        return certainty < self.threshold - TIED


DEFAULT = FinalLabelRule()


def _decisions_only(rule: FinalLabelRule, votes: Sequence[Votes], tolerance: float) -> RuleOutcome:
    return OPEN


def _unanimous(rule: FinalLabelRule, votes: Sequence[Votes], tolerance: float) -> RuleOutcome:
    if n_of(votes) < 2 or not all_votes_equal(votes, tolerance):
        return OPEN
    return RuleOutcome(middle(votes), Origin.UNANIMOUS, 1.0)


def _plurality(rule: FinalLabelRule, votes: Sequence[Votes], tolerance: float) -> RuleOutcome:
    most = max(support(votes, each.value, tolerance) for each in votes)
    leading = [each for each in votes if support(votes, each.value, tolerance) == most]
    if not all_votes_equal(leading, tolerance):
        return OPEN
    is_agreed = all_votes_equal(votes, tolerance)
    value = middle(votes if is_agreed else leading)
    return RuleOutcome(value, _origin(votes, Origin.MAJORITY, is_agreed), share(votes, value, tolerance))


def _majority(rule: FinalLabelRule, votes: Sequence[Votes], tolerance: float) -> RuleOutcome:
    found = _plurality(rule, votes, tolerance)
    if found.value is None or 2 * support(votes, found.value, tolerance) <= n_of(votes):
        return OPEN
    return found


def _each_category(rule: FinalLabelRule, votes: Sequence[Votes], tolerance: float) -> RuleOutcome:
    n, counts = n_of(votes), Counter[int]()
    for each in votes:
        for category in each.value.category_set or ():
            counts[category] += each.n
    if any(2 * count == n for count in counts.values()):
        return OPEN
    chosen = tuple(sorted(category for category, count in counts.items() if 2 * count > n))
    certainty = min((max(count, n - count) for count in counts.values()), default=n) / n
    return RuleOutcome(
        FinalValue(category_set=chosen),
        _origin(votes, Origin.CATEGORY_MAJORITY, len(votes) == 1),
        certainty,
    )


def _median(rule: FinalLabelRule, votes: Sequence[Votes], tolerance: float) -> RuleOutcome:
    return RuleOutcome(FinalValue(number=median(_numbers(votes))), _origin(votes, Origin.MEDIAN, False))


def _mean(rule: FinalLabelRule, votes: Sequence[Votes], tolerance: float) -> RuleOutcome:
    return RuleOutcome(
        FinalValue(number=math.fsum(_numbers(votes)) / n_of(votes)), _origin(votes, Origin.MEAN, False)
    )


def _weighted(rule: FinalLabelRule, votes: Sequence[Votes], tolerance: float) -> RuleOutcome:
    return _most_certain(rule, votes, _origin(votes, Origin.WEIGHTED, len(votes) == 1))


def _dawid_skene(rule: FinalLabelRule, votes: Sequence[Votes], tolerance: float) -> RuleOutcome:
    return _most_certain(rule, votes, Origin.DAWID_SKENE)


_BY_RULE: dict[FinalRule, Callable[[FinalLabelRule, Sequence[Votes], float], RuleOutcome]] = {
    FinalRule.PLURALITY: _plurality,
    FinalRule.ADJUDICATED: _decisions_only,
    FinalRule.UNANIMOUS: _unanimous,
    FinalRule.MAJORITY: _majority,
    FinalRule.CATEGORY_MAJORITY: _each_category,
    FinalRule.MEDIAN: _median,
    FinalRule.MEAN: _mean,
    FinalRule.WEIGHTED: _weighted,
    FinalRule.DAWID_SKENE: _dawid_skene,
}


def _most_certain(rule: FinalLabelRule, votes: Sequence[Votes], origin: Origin) -> RuleOutcome:
    certainties = rule.reliability.certainties(votes) if rule.reliability else {}
    if not certainties:
        return OPEN
    most = max(certainties.values())
    leading = [value for value, certainty in certainties.items() if most - certainty < TIED]
    return RuleOutcome(leading[0], origin, most) if len(leading) == 1 else OPEN


def _origin(votes: Sequence[Votes], otherwise: Origin, is_agreed: bool) -> Origin:
    if n_of(votes) == 1:
        return Origin.ONE_RATER
    return Origin.UNANIMOUS if is_agreed else otherwise


def _numbers(votes: Sequence[Votes]) -> list[float]:
    return [each.value.number or 0.0 for each in votes for _ in range(each.n)]
