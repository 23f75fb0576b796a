"""One rater beside the others, and over the own time."""

from dataclasses import dataclass
from datetime import datetime

from reports.analysis.results.figures import Figure, Json, SignificanceTest
from reports.analysis.results.pairs import TwoSeries
from reports.analysis.results.stored import to_json


@dataclass(frozen=True, slots=True, kw_only=True)
class AgainstConsensus:
    """A rater against the consensus of the others.

    n_alone: items that nobody else labeled; n_tied: without a consensus; n_same: labels that are the consensus.
    """

    figures: TwoSeries
    n_items: int
    n_alone: int
    n_tied: int
    n_same: int

    def to_json(self) -> Json:
        sizes = {name: getattr(self, name) for name in ("n_items", "n_alone", "n_tied", "n_same")}
        return {**to_json(self.figures), **sizes}


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaning:
    """How a rater uses one category beside the others on the same items.

    difference: of the shares, with n the rater's labels with the category. share: of all of the rater's labels;
    everybody: of the labels of all raters. own, others: shares of the items that others labeled too. p_value: corrected
    for all categories together.
    """

    category: str
    difference: Figure
    share: float | None
    everybody: float | None
    own: float | None
    others: float | None
    p_value: float | None

    def to_json(self) -> Json:
        shares = {name: getattr(self, name) for name in ("share", "everybody", "own", "others", "p_value")}
        return {**self.difference.to_json(), "category": self.category, **shares}


@dataclass(frozen=True, slots=True, kw_only=True)
class Leanings:
    """categories: None of numbers, with the reason."""

    categories: tuple[Leaning, ...] | None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterWindow:
    """Labels of one window of a rater's own time beside the consensus of the others.

    value: the measure of the windows; n_same: labels that are the consensus; seconds: the median time of a label.
    """

    start: datetime
    end: datetime
    value: Figure
    n_same: int
    kappa: Figure | None
    seconds: float | None

    def to_json(self) -> Json:
        return {
            "from": self.start,
            "to": self.end,
            **self.value.to_json(),
            "n_same": self.n_same,
            "kappa": self.kappa and self.kappa.to_json(),
            "seconds": self.seconds,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """measure: what a window's value is: percent_agreement with the consensus, or the mean difference of numbers.

    least: the fewest labels that a window has. reason: why there are no windows.
    """

    measure: str
    least: int
    windows: tuple[RaterWindow, ...] = ()
    trend: SignificanceTest | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How long the rater's labels took, in seconds; n: those whose time is known; per_hour: by all the time spent.

    n_others: people whose time on the same items is known; median_of_others: of their medians.
    """

    n: int
    median: float | None = None
    quartiles: tuple[float, ...] | None = None
    mean: float | None = None
    per_hour: float | None = None
    reason: str = ""
    n_others: int
    median_of_others: float | None
