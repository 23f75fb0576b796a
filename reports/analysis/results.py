"""What an analysis finds: typed here, read from JSON and written to it here and nowhere else.

A figure that is undefined has no value and a reason; one without an interval has a value and a reason.
"""

import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, fields, is_dataclass, replace
from functools import cache
from typing import Any, NamedTuple, Self, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from reports.agreement.results import (
    REASONS,
    Coefficient,
    Estimates,
    FloatArray,
    Interval,
    PairKappas,
    Reason,
    SignificanceTests,
    Size,
    is_clipped,
    number,
)

# Stored beside each result. When a name or a meaning changes, raise it, and let `from_json` read the old ones.
SCHEMA = 1
# JSON objects.
Json = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One value with its standard error and interval, or the reason why there is none.

    n, n_items, n_raters, n_labels: what the value rests on; left_out: what its definition cannot use. method: which of
    several definitions this is; interval_method: how the interval was found, "" without one. n_pairs, n_undefined: of a
    mean of pairs, how many there are, and how many of them have no value. None: of no meaning for this figure.
    """

    value: float | None
    se: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    is_clipped: bool | None = None
    reason: Reason = Reason.NONE
    n: int | None = None
    n_items: int | None = None
    n_raters: int | None = None
    n_labels: int | None = None
    left_out: Size | None = None
    method: str | None = None
    interval_method: str | None = None
    n_replicates: int | None = None
    n_undefined_replicates: int | None = None
    n_pairs: int | None = None
    n_undefined: int | None = None

    @classmethod
    def of(cls, found: Coefficient) -> Self:
        return cls(
            value=found.value,
            se=found.se,
            ci_low=found.ci_low,
            ci_high=found.ci_high,
            is_clipped=found.is_clipped,
            reason=found.reason,
            **asdict(found.used),
            left_out=found.left_out,
            method=found.method,
            interval_method=found.interval_method,
        )

    @classmethod
    def bare(cls, value: float, undefined: Reason = Reason.NO_ITEMS) -> Self:
        """A value without an interval; undefined: the one reason that it can be NaN for."""
        return cls(value=number(value), reason=undefined if np.isnan(value) else Reason.NONE)

    def with_interval(self, interval: Interval | None) -> Self:
        # A value that is undefined has no interval by any method; its reason says more than the interval's.
        if interval is None or self.value is None:
            return self
        found = replace(
            self,
            se=interval.se,
            ci_low=interval.low,
            ci_high=interval.high,
            is_clipped=is_clipped(self.value, interval.low, interval.high, interval.method),
            reason=interval.reason,
            interval_method=interval.method,
        )
        if not interval.n_replicates:
            return found
        return replace(found, n_replicates=interval.n_replicates, n_undefined_replicates=interval.n_undefined)

    def resting_on(self, used: Size, whole: Size) -> Self:
        return replace(self, **asdict(used), left_out=whole.without(used))

    def undefined_for(self, reason: Reason) -> Self:
        """The same; if it is undefined, then for this reason."""
        return replace(self, reason=reason) if self.reason and self.value is None else self

    def to_json(self) -> Json:
        found: Json = {
            "value": self.value,
            "se": self.se,
            "ci_low": self.ci_low,
            "ci_high": self.ci_high,
            "reason": str(self.reason),
        }
        for name in _IF_KNOWN:
            if (value := getattr(self, name)) is not None:
                found[name] = value
        if self.left_out is not None:
            found["left_out"] = asdict(self.left_out)
        return found


_IF_KNOWN = (
    "is_clipped",
    "n",
    "n_items",
    "n_raters",
    "n_labels",
    "method",
    "interval_method",
    "n_replicates",
    "n_undefined_replicates",
    "n_pairs",
    "n_undefined",
)


def figures_of(found: Estimates) -> list[Figure]:
    """A stack of one dimension, one by one, each with the n that it rests on."""
    columns = (found.value, found.se, found.ci_low, found.ci_high)
    method = found.interval_method or found.method
    rows = _rows(columns, found.reason.tolist(), method)
    return [replace(each, n=n) for each, n in zip(rows, found.n.tolist(), strict=True)]


def figures_of_kappas(found: PairKappas) -> list[Figure]:
    columns = (found.kappa, found.se, found.ci_low, found.ci_high)
    return list(_rows(columns, found.reason.tolist(), "normal"))


def _rows(columns: Iterable[FloatArray], reasons: Sequence[int], method: str) -> Iterator[Figure]:
    plain = [list(map(number, column.tolist())) for column in columns]
    for value, se, low, high, reason in zip(*plain, reasons, strict=True):
        yield Figure(
            value=value,
            se=se,
            ci_low=low,
            ci_high=high,
            is_clipped=is_clipped(value, low, high, method),
            reason=REASONS[int(reason)],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SignificanceTest:
    """One test. se: the error under the hypothesis, of tests that have one of their own (has_se)."""

    statistic: float | None
    df: float | None
    p_value: float | None
    reason: Reason = Reason.NONE
    method: str
    has_se: bool = False
    se: float | None = None
    n_items: int | None = None
    n_raters: int | None = None
    n_labels: int | None = None
    left_out: Size | None = None

    @classmethod
    def of(cls, found: SignificanceTests, *position: int) -> Self:
        return cls(
            statistic=number(found.statistic[position]),
            df=number(found.df[position]),
            p_value=number(found.p_value[position]),
            reason=REASONS[found.reason[position]],
            method=found.method,
            has_se=found.se is not None,
            se=None if found.se is None else number(found.se[position]),
        )

    def resting_on(self, used: Size, whole: Size) -> Self:
        return replace(self, **asdict(used), left_out=whole.without(used))

    def undefined_for(self, reason: Reason) -> Self:
        return replace(self, reason=reason) if self.reason and self.statistic is None else self

    def to_json(self) -> Json:
        found: Json = {"se": self.se} if self.has_se else {}
        found |= {
            "statistic": self.statistic,
            "df": self.df,
            "p_value": self.p_value,
            "reason": str(self.reason),
            "method": self.method,
        }
        if self.left_out is None:
            return found
        size = {"n_items": self.n_items, "n_raters": self.n_raters, "n_labels": self.n_labels}
        return found | size | {"left_out": asdict(self.left_out)}


@dataclass(frozen=True, slots=True, kw_only=True)
class MajorityVote:
    """items: how many each category has by majority."""

    n_items: int
    n_raters: int
    n_labels: int
    n_decided: int
    n_tied: int
    items: tuple[int, ...]
    reason: Reason = Reason.NONE


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterErrors:
    """confusion: rows the true category, columns what the rater chooses; None if there are too many of them."""

    rater: str
    share_right: float | None
    confusion: tuple[tuple[float | None, ...], ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LatentClasses:
    """The estimates of Dawid & Skene."""

    n_items: int
    n_raters: int
    n_labels: int
    prevalence: tuple[float | None, ...]
    items: tuple[int, ...]
    n_unlike_majority: int
    log_likelihood: float | None
    n_iterations: int
    has_converged: bool
    smoothing: float = 0.0
    raters: tuple[RaterErrors, ...]
    reason: Reason = Reason.NONE


@dataclass(frozen=True, slots=True, kw_only=True)
class NotFound:
    """What could not be computed, and why."""

    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Consensus:
    majority_vote: MajorityVote
    dawid_skene: LatentClasses | NotFound


@dataclass(frozen=True, slots=True, kw_only=True)
class Confused:
    """Two categories by their places in the declared order, and how often they were given to the same item."""

    a: int
    b: int
    n_pairs: int
    n_items: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Confusions:
    """n_pairs: pairs of labels of one item, n_differing of which differ."""

    n_pairs: int
    n_differing: int
    most: tuple[Confused, ...]
    reason: Reason = Reason.NONE


@dataclass(frozen=True, slots=True, kw_only=True)
class IdenticalPair:
    rater_a: str
    rater_b: str
    n_items: int
    n_labels: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Relabeled:
    """Kappa with these categories in place of those that rater B chose."""

    kappa: float | None
    categories: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shifted:
    """Kappa with the labels of rater B this many items further on."""

    by: int
    kappa: float
    n_items: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LowPair:
    """Two raters who agree no more than by chance, and the mistakes that would explain it."""

    rater_a: str
    rater_b: str
    n_items: int
    kappa: float
    relabelled: Relabeled | None
    shifted: Shifted | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Checks:
    n_identical: int
    n_below: int
    identical: tuple[IdenticalPair, ...]
    low: tuple[LowPair, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedLabels:
    """How much the raters have labeled who count in the figures of all raters."""

    n_items: int
    n_labels: int
    n_abstentions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionResult:
    """All figures of all raters of one question, by name; what was not asked for is None.

    categories, category_tests: one for each category, in the declared order. distributions: by rater, the labels in
    each category. counted: None if all raters count. n_pairs: pairs of raters who share an item.
    """

    coefficients: Mapping[str, Figure]
    categories: Mapping[str, tuple[Figure, ...]] | None = None
    tests: Mapping[str, SignificanceTest] | None = None
    category_tests: Mapping[str, tuple[SignificanceTest, ...]] | None = None
    consensus: Consensus | None = None
    confusions: Confusions | NotFound | None = None
    checks: Checks | None = None
    distributions: Mapping[str, tuple[int, ...]] | None = None
    counted: CountedLabels | None = None
    n_pairs: int = 0

    def undefined_for(self, reason: Reason) -> Self:
        """The same; whatever is undefined is so for this reason."""
        return replace(
            self,
            coefficients={name: each.undefined_for(reason) for name, each in self.coefficients.items()},
            categories=_each_undefined_for(self.categories, reason),
            tests=self.tests and {name: each.undefined_for(reason) for name, each in self.tests.items()},
            category_tests=_each_undefined_for(self.category_tests, reason),
            consensus=self.consensus
            and replace(
                self.consensus,
                majority_vote=_part_undefined_for(self.consensus.majority_vote, reason),
                dawid_skene=_part_undefined_for(self.consensus.dawid_skene, reason),
            ),
            confusions=self.confusions and _part_undefined_for(self.confusions, reason),
        )

    def coefficients_to_json(self) -> Json:
        return {name: each.to_json() for name, each in self.coefficients.items()}

    def statistics_to_json(self) -> Json:
        """Everything but the coefficients, by family."""
        found = {name: getattr(self, name) for name in FAMILIES}
        return {name: to_json(figures) for name, figures in found.items() if figures is not None}

    @classmethod
    def from_json(cls, coefficients: Json, statistics: Json, *, n_pairs: int, schema: int = SCHEMA) -> Self:
        """Raises ValueError for a result that a later release has stored."""
        if schema > SCHEMA:
            raise ValueError(f"results must be of schema {SCHEMA} or below, got {schema}")
        known = {name: statistics[name] for name in FAMILIES if name in statistics}
        result: Self = read_json(cls, {"coefficients": coefficients, "n_pairs": n_pairs, **known})
        return result


FAMILIES = (
    "categories", "tests", "category_tests", "consensus", "confusions", "checks", "distributions", "counted"
)  # fmt: skip

F = TypeVar("F", Figure, SignificanceTest)
P = TypeVar("P", bound="MajorityVote | LatentClasses | NotFound | Confusions")


def _each_undefined_for(
    found: Mapping[str, tuple[F, ...]] | None, reason: Reason
) -> Mapping[str, tuple[F, ...]] | None:
    return found and {name: tuple(each.undefined_for(reason) for each in row) for name, row in found.items()}


def _part_undefined_for(found: P, reason: Reason) -> P:
    return replace(found, reason=reason) if found.reason else found


class PairResult(NamedTuple):
    """Two raters on one question, by their positions: the columns of the table of pairs.

    counts: of single choices the confusion matrix, row by row, and all figures of kappa. figures: of numbers and sets,
    by name; a tuple has one for each category. A named tuple, because reports have millions of them.
    """

    rater_a: int
    rater_b: int
    n: int
    counts: Sequence[int] = ()
    figures: "Mapping[str, Figure | tuple[Figure, ...]] | None" = None
    observed: float | None = None
    expected: float | None = None
    kappa: float | None = None
    se: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    kappa_max: float | None = None
    reason: str = ""

    @property
    def is_clipped(self) -> bool:
        """Whether the interval of kappa was cut at a bound."""
        return is_clipped(self.kappa, self.ci_low, self.ci_high, "normal")


def to_json(found: Any) -> Any:
    """Results as JSON: objects by the names of their fields."""
    if isinstance(found, Figure | SignificanceTest):
        return found.to_json()
    if isinstance(found, Mapping):
        return {name: to_json(each) for name, each in found.items()}
    if isinstance(found, tuple | list):
        return [to_json(each) for each in found]
    if is_dataclass(found):
        return {each.name: to_json(getattr(found, each.name)) for each in fields(found)}
    return str(found) if isinstance(found, Reason) else found


def read_json(kind: Any, found: Any) -> Any:
    """What `to_json` wrote. What an earlier release did not write is as by default; what is not known is left out."""
    hints, known = _hints(kind), {each.name: each for each in fields(kind)}
    values = {name: _read(hints[name], found[name]) for name in known if name in found}
    if kind is SignificanceTest:
        values["has_se"] = "se" in found
    for name, each in known.items():
        if name not in values and each.default is MISSING and each.default_factory is MISSING:
            raise ValueError(f"{kind.__name__} without {name}: {sorted(found)}")
    return kind(**values)


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _read(hint: Any, found: Any) -> Any:
    if found is None:
        return None
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return _read(_meant(arguments, found), found)
    if origin is tuple:
        return tuple(_read(arguments[0], each) for each in found)
    if origin is not None and issubclass(origin, Mapping):
        return {name: _read(arguments[1], each) for name, each in found.items()}
    if hint is NotFound:
        return NotFound(reason=Reason(found["reason"]))
    if is_dataclass(hint):
        return read_json(hint, found)
    return Reason(found) if hint is Reason else found


def _meant(arguments: Sequence[Any], found: Any) -> Any:
    """Of a union: what could not be computed has a reason and nothing else."""
    kinds = [each for each in arguments if each is not type(None)]
    if NotFound not in kinds:
        return kinds[0]
    is_nothing = set(found) == {"reason"}
    return next(each for each in kinds if (each is NotFound) == is_nothing)


def for_programs(found: Any) -> Any:
    """The same JSON as programs get it: null for the reason of what is defined."""
    if isinstance(found, list):
        return [for_programs(each) for each in found]
    if not isinstance(found, dict):
        return found
    return {name: value or None if name == "reason" else for_programs(value) for name, value in found.items()}
