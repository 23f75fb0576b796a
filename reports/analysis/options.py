"""Options for computing figures: checked, and stored as JSON with the results."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypedDict

import numpy as np

from reports.agreement.results import FloatArray
from reports.agreement.weights import Weights, weighting

MIN_REPLICATES, MAX_REPLICATES = 1000, 20_000
MAX_SEED = 2**32 - 1
MIN_CONFIDENCE, MAX_CONFIDENCE = 0.8, 0.999
MAX_SMOOTHING = 100
# A matrix is stored with the report and sent with every response about it.
MAX_MATRIX = 100


class IntervalMethod(StrEnum):
    ANALYTIC = "analytic"
    PERCENTILE = "percentile"
    BCA = "bca"
    JACKKNIFE = "jackknife"


BOOTSTRAPS = (IntervalMethod.PERCENTILE, IntervalMethod.BCA)


class RaterKind(StrEnum):
    """Kinds of raters that can count in the overall figures; adjudicators' decisions never do."""

    HUMAN = "human"
    MODEL = "model"
    REFERENCE = "reference"

    @property
    def many(self) -> str:
        return {"human": "people", "model": "models", "reference": "references"}[self]


# Raters are compared with the reference: included among them, it would raise or lower their agreement.
PEOPLE, PEOPLE_AND_MODELS = (RaterKind.HUMAN,), (RaterKind.HUMAN, RaterKind.MODEL)


class MatrixJson(TypedDict):
    categories: list[str]
    rows: list[list[float]]


class OptionsJson(TypedDict, total=False):
    """Options as they are stored; missing keys have their defaults."""

    weights: str
    interval: str
    confidence: float
    reference: str
    counted: list[str]
    replicates: int
    seed: int
    smoothing: float
    matrices: dict[str, MatrixJson]
    weights_by_question: bool
    suggested: bool


class OptionRefused(ValueError):
    """An invalid option; the message says which and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """Weights of one question: the keys of its categories and, in the same order, the similarity of each pair."""

    categories: tuple[str, ...]
    rows: tuple[tuple[float, ...], ...]

    @property
    def similarity(self) -> FloatArray:
        return np.array(self.rows, dtype=np.float64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """weights: for Cohen's kappa and the coefficients that have a weighted form. interval, confidence: for every
    statistic of all raters. replicates, seed: for the bootstrap. reference: key of the rater taken as correct, "" for
    the declared reference, if any. smoothing: the amount that Dawid & Skene's estimates add to each count. counted: the
    kinds of raters that count in the overall figures, () for those that `kinds_counted` chooses. matrices: custom
    weights, by the key of the question. weights_by_question: whether each question uses its own weights where its
    codebook specifies them.
    """

    weights: Weights = Weights.UNWEIGHTED
    interval: IntervalMethod = IntervalMethod.ANALYTIC
    replicates: int = 2000
    seed: int = 1
    confidence: float = 0.95
    reference: str = ""
    smoothing: float = 0.0
    counted: tuple[RaterKind, ...] = ()
    matrices: Mapping[str, Matrix] = field(default_factory=dict)
    weights_by_question: bool = False
    suggested: bool = False

    @property
    def is_bootstrap(self) -> bool:
        return self.interval in BOOTSTRAPS

    @property
    def is_weighted(self) -> bool:
        return self.weights is not Weights.UNWEIGHTED

    @property
    def percent(self) -> str:
        """The confidence level for display, without the percent sign: 95, 99.9."""
        return f"{100 * self.confidence:.6g}"

    def kinds_counted(self, kinds: Iterable[str]) -> tuple[RaterKind, ...]:
        """Return the kinds of raters that count. kinds: the kind of each rater who labeled.

        By default, people have priority wherever there are at least two of them: models are compared with them.
        """
        if self.counted:
            return self.counted
        there = Counter(kinds)
        return PEOPLE if there[RaterKind.HUMAN] > 1 and there[RaterKind.MODEL] else PEOPLE_AND_MODELS

    @property
    def words(self) -> list[str]:
        """Return the non-default options other than weights, in words."""
        names = {
            IntervalMethod.PERCENTILE: "percentile bootstrap",
            IntervalMethod.BCA: "BCa bootstrap",
            IntervalMethod.JACKKNIFE: "jackknife",
        }
        found = []
        if self.is_weighted:
            found.append("custom weights" if self.weights is Weights.CUSTOM else f"{self.weights} weights")
        if self.interval in names:
            drawn = f", {self.replicates:,} replicates, seed {self.seed}" if self.is_bootstrap else ""
            found.append(f"CIs: {names[self.interval]}{drawn}")
        if self.confidence != Options().confidence:
            found.append(f"{self.percent}% confidence level")
        if self.reference:
            found.append(f"reference: {self.reference}")
        if self.smoothing:
            found.append(f"Dawid–Skene smoothing: {self.smoothing:g}")
        if self.counted:
            found.append(f"raters included: {', '.join(kind.many for kind in self.counted)}")
        if self.suggested:
            found.append("with labels accepted from a suggestion")
        return found

    def as_json(self) -> OptionsJson:
        """Return only what affects the figures, so that equivalent options are equal JSON."""
        found: OptionsJson = {
            "weights": str(self.weights),
            "interval": str(self.interval),
            "confidence": self.confidence,
            "reference": self.reference,
            "counted": [str(kind) for kind in self.counted],
        }
        if self.is_bootstrap:
            found |= {"replicates": self.replicates, "seed": self.seed}
        if self.smoothing:
            found["smoothing"] = self.smoothing
        # Options of earlier reports keep their original form.
        if self.weights_by_question:
            found["weights_by_question"] = True
        if self.suggested:
            found["suggested"] = True
        if self.weights is Weights.CUSTOM:
            found["matrices"] = {
                key: {"categories": list(matrix.categories), "rows": [list(row) for row in matrix.rows]}
                for key, matrix in self.matrices.items()
            }
        return found


def options_of(stored: OptionsJson) -> Options:
    """Return options from the JSON of `as_json`, with defaults. Reports older than `counted` count all kinds."""
    default = Options()
    return Options(
        weights=Weights(stored.get("weights", default.weights)),
        interval=IntervalMethod(stored.get("interval", default.interval)),
        replicates=stored.get("replicates", default.replicates),
        seed=stored.get("seed", default.seed),
        confidence=stored.get("confidence", default.confidence),
        reference=stored.get("reference", default.reference),
        smoothing=stored.get("smoothing", default.smoothing),
        counted=tuple(map(RaterKind, stored.get("counted", RaterKind))),
        matrices={
            key: Matrix(categories=tuple(found["categories"]), rows=tuple(map(tuple, found["rows"])))
            for key, found in stored.get("matrices", {}).items()
        },
        weights_by_question=stored.get("weights_by_question", False),
        suggested=stored.get("suggested", False),
    )


def checked_options(
    *,
    weights: str | None = Weights.UNWEIGHTED,
    interval: str = IntervalMethod.ANALYTIC,
    replicates: int | None = None,
    seed: int | None = None,
    confidence: float | None = None,
    reference: str = "",
    smoothing: float | None = None,
    counted: Sequence[str] | None = None,
    matrices: Mapping[str, Matrix] | None = None,
    suggested: bool = False,
) -> Options:
    """Return validated options from user input; None is the default, and for weights those of each question.

    Raises OptionRefused."""
    default = Options()
    options = Options(
        weights=Weights(_one_of("weights", weights or default.weights, Weights)),
        interval=IntervalMethod(_one_of("interval", interval, IntervalMethod)),
        replicates=default.replicates if replicates is None else replicates,
        seed=default.seed if seed is None else seed,
        confidence=default.confidence if confidence is None else float(confidence),
        reference=reference,
        smoothing=default.smoothing if smoothing is None else float(smoothing),
        counted=default.counted if counted is None else _kinds(counted),
        matrices=matrices or {},
        weights_by_question=weights is None,
        suggested=suggested,
    )
    _check_range("replicates", options.replicates, MIN_REPLICATES, MAX_REPLICATES)
    _check_range("seed", options.seed, 0, MAX_SEED)
    _check_range("confidence", options.confidence, MIN_CONFIDENCE, MAX_CONFIDENCE)
    _check_range("smoothing", options.smoothing, 0, MAX_SMOOTHING)
    if matrices and options.weights is not Weights.CUSTOM:
        raise OptionRefused(f"A matrix of weights requires custom weights, got {options.weights}.")
    return options


def _one_of(name: str, value: str, choices: type[StrEnum]) -> str:
    known = [str(choice) for choice in choices]
    if value not in known:
        raise OptionRefused(f"{name} must be one of {', '.join(known)}, got {value!r}.")
    return value


def _kinds(names: Sequence[str]) -> tuple[RaterKind, ...]:
    """Return the kinds in a fixed order, so that equivalent options are equal."""
    if not names:
        raise OptionRefused(f"counted must list rater types: any of {', '.join(RaterKind)}.")
    found = {RaterKind(_one_of("counted", name, RaterKind)) for name in names}
    return tuple(kind for kind in RaterKind if kind in found)


def _check_range(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        raise OptionRefused(f"{name} must be from {low:,} to {high:,}, got {value:,}.")


def checked_matrix(question: str, categories: Sequence[str], rows: Sequence[Sequence[float]]) -> Matrix:
    """Return custom weights of a question, in the declared order of its categories. Raises OptionRefused."""
    if len(categories) > MAX_MATRIX:
        raise OptionRefused(f"{question}: custom weights are limited to {MAX_MATRIX} categories.")
    if len(rows) != len(categories) or any(len(row) != len(categories) for row in rows):
        sizes = sorted({len(row) for row in rows})
        found = f"{len(rows)} rows of {' or '.join(map(str, sizes))}" if rows else "none"
        raise OptionRefused(
            f"{question}: weights must be {len(categories)} rows of {len(categories)}, got {found}."
        )
    try:
        weighting(Weights.CUSTOM, n_categories=len(categories), similarity=rows)
    except (ValueError, TypeError) as error:
        raise OptionRefused(f"{question}: {error}.") from None
    return Matrix(categories=tuple(categories), rows=tuple(tuple(map(float, row)) for row in rows))
