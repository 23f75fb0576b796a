"""How reliable raters are, as it was estimated once, and what follows from it for the labels of one item."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from raters.adjudication.votes import FinalValue, Votes

# Different labels of items whose probabilities are kept while a file is written.
MOST_KEPT = 50_000


class Reliability(Protocol):
    def certainties(self, said: Sequence[Votes]) -> Mapping[FinalValue, float]:
        """How certain each value of one item is, in sum 1; empty where nothing is known of those who labeled it."""


@dataclass(frozen=True, slots=True)
class VoteWeights:
    """by_rater: the weight of each rater's vote, by id. A rater who is not among them has none."""

    by_rater: Mapping[int, float]

    def certainties(self, said: Sequence[Votes]) -> Mapping[FinalValue, float]:
        """Of the weight of all raters of the item, the share of those who gave each value."""
        weights = {
            each.value: math.fsum(self.by_rater.get(rater, 0.0) for rater in each.raters) for each in said
        }
        total = math.fsum(weights.values())
        return {value: weight / total for value, weight in weights.items()} if total > 0 else {}


@dataclass(frozen=True, slots=True)
class ErrorRates:
    """Dawid and Skene's estimates, in natural logarithms.

    log_prevalence: (K) how common each category is. log_said: by rater and category, (K) how likely the rater is to
    give it where each of the categories is true. What is not there is left out of account.
    """

    categories: Sequence[int]
    log_prevalence: Sequence[float]
    log_said: Mapping[tuple[int, int], Sequence[float]]
    # Many items have the same labels of the same raters.
    kept: dict[tuple[tuple[int, int], ...], Mapping[FinalValue, float]] = field(default_factory=dict)

    def certainties(self, said: Sequence[Votes]) -> Mapping[FinalValue, float]:
        """The probability of each category, given the labels and the estimates."""
        known = tuple(sorted(self._known(said)))
        found = self.kept.get(known)
        if found is None:
            found = self._posterior(known)
            if len(self.kept) < MOST_KEPT:
                self.kept[known] = found
        return found

    def _posterior(self, known: Sequence[tuple[int, int]]) -> Mapping[FinalValue, float]:
        rows = [self.log_prevalence, *(self.log_said[place] for place in known)]
        joint = [
            math.fsum(column) if min(column) > -math.inf else -math.inf for column in zip(*rows, strict=True)
        ]
        largest = max(joint)
        if not known or largest == -math.inf:
            return {}
        shares = [math.exp(each - largest) for each in joint]
        total = math.fsum(shares)
        return {
            FinalValue(category): each / total for category, each in zip(self.categories, shares, strict=True)
        }

    def _known(self, said: Iterable[Votes]) -> Iterator[tuple[int, int]]:
        for each in said:
            for rater in each.raters:
                if each.value.category is not None and (rater, each.value.category) in self.log_said:
                    yield rater, each.value.category


def reliability_of(result: Mapping[str, Any]) -> Reliability:
    """From JSON as `estimating` makes it."""
    raters, categories = result["raters"], result["categories"]
    if "weights" in result:
        return VoteWeights(dict(zip(raters, result["weights"], strict=True)))
    # Of a category that a rater had never given, nothing is known.
    log_said = {
        (rater, category): [_log(of_truth[code]) for of_truth in confusion]
        for rater, confusion in zip(raters, result["confusion"], strict=True)
        for code, category in enumerate(categories)
        if any(of_truth[code] > 0 for of_truth in confusion)
    }
    return ErrorRates(categories, [_log(share) for share in result["prevalence"]], log_said)


def _log(chance: float) -> float:
    return math.log(chance) if chance > 0 else -math.inf
