"""One rater compared with the others, and over time."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from reports.analysis.results.figures import CategoryFigures, Figure, Figures, Json, SignificanceTest
from reports.analysis.results.pairs import PairFigures, SeriesStatistics
from reports.analysis.results.serialization import to_json

# p-values below this are called significant.
SIGNIFICANT = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterVersusConsensus:
    """A rater against the consensus of the others.

    n_alone: items that nobody else labeled; n_tied: items without a consensus; n_same: labels equal to the consensus.
    """

    figures: SeriesStatistics
    n_items: int
    n_alone: int
    n_tied: int
    n_same: int

    def to_json(self) -> Json:
        sizes = {name: getattr(self, name) for name in ("n_items", "n_alone", "n_tied", "n_same")}
        return {**to_json(self.figures), **sizes}


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeats:
    """A rater's labels of a later pass (columns) against those of the first (rows); n_same: items with equal labels."""

    figures: SeriesStatistics
    n_same: int

    def to_json(self) -> Json:
        return {**to_json(self.figures), "n_same": self.n_same}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceComparison:
    """A rater against the one who is taken as correct, by their key and ID.

    For single choices, every figure against the reference, and counts: rows the rater, columns the reference, unless
    too many; for numbers and sets, the figures of the pair. reason: why there are none.
    """

    reference: str | None = None
    reference_id: int | None = None
    n: int = 0
    values: Figures = field(default_factory=dict)
    categories: CategoryFigures = field(default_factory=dict)
    counts: Sequence[Sequence[int]] | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """The pair of the rater and another rater. rater_id: None where names are hidden.

    figure: the one by which pairs are compared, n the shared items. observed: for single choices, the share of items
    on which the two agree. figures: for numbers and sets, all figures of the pair; a difference is the rater's number
    minus the other's.
    """

    rater: str
    rater_id: int | None
    kind: str
    figure: Figure
    observed: float | None
    figures: PairFigures | None

    def to_json(self) -> Json:
        return {
            "rater": self.rater,
            "rater_id": self.rater_id,
            "kind": self.kind,
            **self.figure.to_json(),
            "observed": self.observed,
            "figures": to_json(self.figures),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimatedErrors:
    """Dawid & Skene's estimates for a rater. confusion: rows are true categories, columns the rater's choices.

    prevalence: of each true category. doubts: why the estimates are unreliable, as codes. reason: why one is missing.
    """

    share_right: float | None = None
    prevalence: tuple[float | None, ...] | None = None
    confusion: tuple[tuple[float | None, ...], ...] | None = None
    doubts: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoryBiasEstimate:
    """How often a rater uses one category compared with the others on the same items.

    difference: of the shares, n the rater's labels with the category. share: of all of the rater's labels;
    everybody: of the labels of all raters. own, others: shares on the items that others labeled too. p_value: corrected
    for all categories together.
    """

    category: str
    difference: Figure
    share: float | None
    everybody: float | None
    own: float | None
    others: float | None
    p_value: float | None

    @property
    def is_beyond_chance(self) -> bool:
        return self.difference.value is not None and self.p_value is not None and self.p_value < SIGNIFICANT

    def to_json(self) -> Json:
        shares = {name: getattr(self, name) for name in ("share", "everybody", "own", "others", "p_value")}
        return {**self.difference.to_json(), "category": self.category, **shares}


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterBias:
    """categories: None for numbers, with the reason."""

    categories: tuple[CategoryBiasEstimate, ...] | None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterWindow:
    """A rater's labels in one time window, compared with the consensus of the others.

    value: the measure of the windows; n_same: labels equal to the consensus; seconds: the median time per label.
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
    """measure: the value of a window: percent_agreement with the consensus, or the mean difference of numbers.

    least: the minimum number of labels in a window. reason: why there are no windows.
    """

    measure: str
    least: int
    windows: tuple[RaterWindow, ...] = ()
    trend: SignificanceTest | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """Seconds that the rater's labels took; n: labels whose time is known; per_hour: from the total time spent.

    n_others: people whose times on the same items are known; median_of_others: the median of their medians.
    """

    n: int
    median: float | None = None
    quartiles: tuple[float, ...] | None = None
    mean: float | None = None
    per_hour: float | None = None
    reason: str = ""
    n_others: int
    median_of_others: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterFigures:
    """Everything that a report has about one rater of a question.

    is_own: whether it is the rater's own view, in which other raters are shown as letters. peers: by name.
    """

    rater: str
    rater_id: int
    kind: str
    is_own: bool
    n_labels: int
    n_abstentions: int
    peers: tuple[Peer, ...]
    consensus: RaterVersusConsensus
    reference: ReferenceComparison
    bias: RaterBias
    drift: Drift
    pace: Pace
    repeats: Repeats
    dawid_skene: EstimatedErrors
