"""Estimated rater reliability, and the certainties that follow for the labels of an item."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from raters.adjudication.votes import FinalValue, Votes

# Maximum number of label combinations whose probabilities are cached while a file is written.
MAX_CACHED = 50_000


class Reliability(Protocol):
    def certainties(self, votes: Sequence[Votes]) -> Mapping[FinalValue, float]:
        """Return the certainty of each value of an item, summing to 1; empty if nothing is known of its raters."""


@dataclass(frozen=True, slots=True)
class VoteWeights:
    """by_rater: vote weights by rater ID. Other raters have no weight."""

    by_rater: Mapping[int, float]

    def certainties(self, votes: Sequence[Votes]) -> Mapping[FinalValue, float]:
        """Return each value's share of the total weight of the item's raters."""
        weights = {
            each.value: math.fsum(self.by_rater.get(rater, 0.0) for rater in each.raters) for each in votes
        }
        total = math.fsum(weights.values())
        return {value: weight / total for value, weight in weights.items()} if total > 0 else {}


@dataclass(frozen=True, slots=True)
class ErrorRates:
    """Dawid–Skene estimates, as natural logarithms.

    log_prevalence: (K) prevalence of each category. log_error_rates: by rater and given category, (K) probability of
    giving it for each true category. Labels without an entry are ignored.
    """

    categories: Sequence[int]
    log_prevalence: Sequence[float]
    log_error_rates: Mapping[tuple[int, int], Sequence[float]]
    # Many items have the same labels by the same raters.
    kept: dict[tuple[tuple[int, int], ...], Mapping[FinalValue, float]] = field(default_factory=dict)

    def certainties(self, votes: Sequence[Votes]) -> Mapping[FinalValue, float]:
        """Return the posterior probability of each category, given the labels and the estimates."""
        known = tuple(sorted(self._known(votes)))
        found = self.kept.get(known)
        if found is None:
            found = self._posterior(known)
            if len(self.kept) < MAX_CACHED:
                self.kept[known] = found
        return found

    def _posterior(self, known: Sequence[tuple[int, int]]) -> Mapping[FinalValue, float]:
        rows = [self.log_prevalence, *(self.log_error_rates[place] for place in known)]
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

    def _known(self, votes: Iterable[Votes]) -> Iterator[tuple[int, int]]:
        for each in votes:
            for rater in each.raters:
                if each.value.category is not None and (rater, each.value.category) in self.log_error_rates:
                    yield rater, each.value.category


def reliability_of(result: Mapping[str, Any]) -> Reliability:
    """Build a Reliability from the JSON that `estimating` creates."""
    raters, categories = result["raters"], result["categories"]
    if "weights" in result:
        return VoteWeights(dict(zip(raters, result["weights"], strict=True)))
    # Nothing is known about categories that a rater had never given.
    log_error_rates = {
        (rater, category): [_log(of_truth[code]) for of_truth in confusion]
        for rater, confusion in zip(raters, result["confusion"], strict=True)
        for code, category in enumerate(categories)
        if any(of_truth[code] > 0 for of_truth in confusion)
    }
    return ErrorRates(categories, [_log(share) for share in result["prevalence"]], log_error_rates)


def _log(chance: float) -> float:
    return math.log(chance) if chance > 0 else -math.inf
