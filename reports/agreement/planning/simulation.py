"""Items needed for any coefficient of all raters, by simulating studies with a model of raters' errors."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from reports.agreement.overall.chance_corrected import (
    BRENNAN_PREDIGER,
    FLEISS_KAPPA,
    GWET_AC,
    PERCENT_AGREEMENT,
)
from reports.agreement.overall.krippendorff import KRIPPENDORFF_ALPHA, WEIGHTED_ALPHA
from reports.agreement.overall.linearised import linearised_interval
from reports.agreement.patterns import ItemPatterns
from reports.agreement.planning.checked import critical_z, inside
from reports.agreement.planning.items_needed import MAX_ITEMS, ItemsNeeded
from reports.agreement.planning.latent_class import LatentClassModel
from reports.agreement.results import FloatArray, Interval, Reason
from reports.agreement.sample import Scale
from reports.agreement.statistic import Statistic

# The statistics whose standard error is a formula of the splits of labels alone.
SIMULATED = {
    statistic.name: statistic
    for statistic in (
        FLEISS_KAPPA,
        KRIPPENDORFF_ALPHA,
        WEIGHTED_ALPHA,
        GWET_AC,
        BRENNAN_PREDIGER,
        PERCENT_AGREEMENT,
    )
}
# Beyond this many splits, it is faster to draw labels than to draw how often each split occurs.
MAX_PATTERNS = 4000
# A very large study represents the population.
POPULATION = 1e12
START = 100
# The first guess is good; the steps away from it grow until the answer is bracketed by two sizes.
FIRST_STEP = 0.1
# Limit on labels in the studies of one size if they are drawn one by one: a few minutes.
MAX_LABELS = 500_000_000
# A study size is too small if more than this share of its replicates has no interval, as for the bootstrap.
MAX_UNDEFINED = 0.05


@dataclass(frozen=True, slots=True, eq=False)
class Studies:
    """The results of B simulated studies of n items, (B,) each; NaN for a study without an interval."""

    n_items: int
    value: FloatArray
    half_width: FloatArray

    @property
    def undefined(self) -> float:
        """The share of studies without an interval."""
        return float(np.isnan(self.half_width).mean())

    def mean_half_width(self) -> tuple[float, float]:
        """The mean half-width over the studies with an interval, with its Monte Carlo error."""
        widths = self.half_width[~np.isnan(self.half_width)]
        if len(widths) < 2:
            return math.inf, 0.0
        return float(widths.mean()), float(widths.std(ddof=1)) / math.sqrt(len(widths))

    def power(self, null: float) -> tuple[float, float]:
        """Return the share of studies whose interval lies above null, with its Monte Carlo error."""
        found = float((self.value - self.half_width > null).mean())
        return found, math.sqrt(found * (1 - found) / len(self.value))


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulation:
    """A coefficient of raters with errors by the model, in studies in which every rater labels every item.

    statistic: a name in SIMULATED. Replicates of each size have their own stream of random numbers, from seed and
    size, so that results are reproducible. max_labels: limit on the labels in the studies of one size if there are too
    many splits to draw from; about two million are drawn per second.
    """

    model: LatentClassModel
    statistic: str
    scale: Scale
    confidence: float = 0.95
    n_replicates: int = 1000
    seed: int = 0
    max_labels: int = MAX_LABELS

    def __post_init__(self) -> None:
        if self.statistic not in SIMULATED:
            raise ValueError(f"coefficient must be one of {', '.join(SIMULATED)}, got {self.statistic!r}")
        if self.scale.n_categories != self.model.n_categories:
            raise ValueError("the scale and the model must have the same categories")
        if not 10 <= self.n_replicates <= 100_000:
            raise ValueError(f"replicates must be 10 to 100,000, got {self.n_replicates}")
        if self.seed < 0:
            raise ValueError(f"seed must be 0 or more, got {self.seed}")
        inside(self.confidence, "confidence", low=0, high=1)

    def expected(self) -> float:
        """The coefficient in a very large study; NaN if it is undefined there."""
        counts, chances = _likely(*self.model.patterns()) if self._is_small() else self._many_items()
        patterns = ItemPatterns(counts, np.ones(len(counts), dtype=np.int64))
        return float(self._of().values(patterns, self.scale, chances[None, :] * POPULATION)[0])

    def studies(self, n_items: int) -> Studies:
        """Return simulated studies of this many items."""
        value, half_width = np.full((2, self.n_replicates), np.nan)
        for number, patterns in enumerate(self._replicates(n_items)):
            value[number], interval = self._found(patterns)
            if interval.low is not None:
                half_width[number] = value[number] - interval.low
        return Studies(n_items, value, half_width)

    def _found(self, patterns: ItemPatterns) -> tuple[float, Interval]:
        weights = patterns.n_items[None, :].astype(np.float64)
        value = float(self._of().values(patterns, self.scale, weights)[0])
        if math.isnan(value):
            return value, Interval(reason=Reason.NO_VARIATION, method="")
        item_values = self._of().item_values(patterns, self.scale, value)  # type: ignore[misc]
        return value, linearised_interval(value, item_values, patterns, self.confidence, lowest=-math.inf)

    def _of(self) -> Statistic:
        return SIMULATED[self.statistic]

    def _is_small(self) -> bool:
        return self.model.n_patterns() <= MAX_PATTERNS

    def _replicates(self, n_items: int) -> Iterator[ItemPatterns]:
        random = np.random.Generator(np.random.PCG64([self.seed, n_items]))
        if not self._is_small():
            self._check_labels(n_items)
            for _ in range(self.n_replicates):
                counts = self.model.draw_counts(random, n_items)
                yield ItemPatterns(counts, np.ones(n_items, dtype=np.int64))
            return
        counts, chances = _likely(*self.model.patterns())
        for _ in range(self.n_replicates):
            n_of_each = random.multinomial(n_items, chances)
            occurs = n_of_each > 0
            yield ItemPatterns(counts[occurs], n_of_each[occurs])

    def _check_labels(self, n_items: int) -> None:
        if n_items * self.model.n_raters * self.n_replicates > self.max_labels:
            raise ValueError(
                f"with this many raters and categories, studies of {n_items:,} items take too long to simulate;"
                " ask for less precision, or for fewer replicates"
            )

    def _many_items(self) -> tuple[np.ndarray, FloatArray]:
        random = np.random.Generator(np.random.PCG64([self.seed, 0]))
        counts = self.model.draw_counts(random, 100_000)
        return counts, np.full(len(counts), 1 / len(counts))


def _likely(counts: np.ndarray, chances: FloatArray) -> tuple[np.ndarray, FloatArray]:
    occurs = chances > 0
    return counts[occurs], chances[occurs] / chances[occurs].sum()


def items_for_width(simulation: Simulation, *, half_width: float) -> ItemsNeeded:
    """Items for which the mean half-width of the interval in reports is half_width.

    Raises ValueError for a half-width that no interval can have, and if ten million items are not enough.
    """
    inside(half_width, "half width", low=0, high=1)

    def is_enough(studies: Studies) -> bool:
        return studies.undefined <= MAX_UNDEFINED and studies.mean_half_width()[0] <= half_width

    first = simulation.studies(START).mean_half_width()[0]
    guess = START * (first / half_width) ** 2 if math.isfinite(first) else START
    enough = _least(simulation, is_enough, guess)
    reached, se = enough.mean_half_width()
    # The half-width decreases with the square root of the number of items.
    return _needed(enough, reached, se, items_per_unit=2 * enough.n_items / reached)


def items_for_power(simulation: Simulation, *, null: float, power: float = 0.8) -> ItemsNeeded:
    """Items for which a share `power` of studies has an interval above null.

    Raises ValueError if the model's expected coefficient is not above null, or ten million items are not enough.
    """
    inside(power, "power", low=0.5 - 1e-9, high=1)
    inside(null, "the value to test against", low=-1, high=1)
    expected = simulation.expected()
    if not expected > null:
        raise ValueError(
            f"raters who err like this reach {expected:.3f}, which is not above {null:g}; no number of items will do"
        )

    def is_enough(studies: Studies) -> bool:
        return studies.power(null)[0] >= power

    z = critical_z(simulation.confidence, n_sides=2)
    width = simulation.studies(START).mean_half_width()[0]
    per_item = (expected - null) * z / (width * math.sqrt(START)) if math.isfinite(width) else 0
    guess = ((z + float(ndtri(power))) / per_item) ** 2 if per_item else START
    enough = _least(simulation, is_enough, guess)
    reached, se = enough.power(null)
    # Power is about Phi(sqrt(n) x distance - z): the effect of one more item is its derivative.
    beyond = float(ndtri(min(reached, 1 - 1e-9)))
    per_unit = 2 * enough.n_items / (math.exp(-beyond * beyond / 2) / math.sqrt(2 * math.pi) * (beyond + z))
    return _needed(enough, reached, se, items_per_unit=per_unit)


def _needed(studies: Studies, reached: float, se: float, *, items_per_unit: float) -> ItemsNeeded:
    return ItemsNeeded(
        n_items=studies.n_items,
        se=se * items_per_unit,
        reached=reached,
        reached_se=se,
        undefined=studies.undefined,
        method=f"simulation, {len(studies.value):,} studies of each size",
    )


def _least(simulation: Simulation, is_enough: Callable[[Studies], bool], guess: float) -> Studies:
    """Return the smallest sufficient size, by bisection between a size that is enough and one that is not."""
    n, low, step = _size(guess), 1, FIRST_STEP
    high: Studies | None = None
    while high is None or high.n_items - low > 1:
        studies = simulation.studies(n)
        if is_enough(studies):
            high = studies
        else:
            low = n
        if high is None:
            n = _size(low * (1 + step) + 1)
        elif low == 1:
            n = max(2, int(high.n_items / (1 + step)))
        else:
            n = (low + high.n_items) // 2
        step *= 2
    return high


def _size(items: float) -> int:
    if not items <= MAX_ITEMS:
        raise ValueError(f"this needs more than {MAX_ITEMS:,} items; ask for less precision or power")
    return max(2, math.ceil(items))
