"""Single figures and tests: a value with its interval, or the reason why one is missing."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

import numpy as np

from reports.agreement.results import (
    FITTED,
    NORMAL,
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

# JSON objects.
Json = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One value with its standard error and interval, or the reason why there is none.

    n, n_items, n_raters, n_labels: the data that the value is based on; left_out: the data that its definition cannot
    use. method: which of several definitions this is; interval_method: how the interval was computed, "" without one.
    n_pairs, n_undefined: for a mean over pairs, the numbers of pairs, and of those without a value. None: irrelevant.
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
        """Return a value without an interval. undefined: the only possible reason for NaN."""
        return cls(value=number(value), reason=undefined if np.isnan(value) else Reason.NONE)

    def with_interval(self, interval: Interval | None) -> Self:
        # An undefined value has no interval by any method; its reason is more informative than the interval's.
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
        """Return the same figure, with this reason if it is undefined."""
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

    @classmethod
    def from_json(cls, found: Json) -> Self:
        """Read fields by name, not by type, for speed: an export reads millions of figures."""
        return cls(
            value=found["value"],
            se=found.get("se"),
            ci_low=found.get("ci_low"),
            ci_high=found.get("ci_high"),
            reason=Reason(found.get("reason") or ""),
            left_out=_size_of(found),
            **{name: found[name] for name in _IF_KNOWN if name in found},
        )


def _size_of(found: Json) -> Size | None:
    left_out = found.get("left_out")
    return None if left_out is None else Size(**left_out)


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
    """Return the figures of a one-dimensional stack, each with its n."""
    columns = (found.value, found.se, found.ci_low, found.ci_high)
    methods = [found.interval_method_at(place) for place in range(len(found.value))]
    rows = _rows(columns, found.reason.tolist(), methods)
    return [replace(each, n=n) for each, n in zip(rows, found.n.tolist(), strict=True)]


def figures_of_kappas(found: PairKappas) -> list[Figure]:
    columns = (found.kappa, found.se, found.ci_low, found.ci_high)
    methods = [FITTED if each else NORMAL for each in found.is_fitted.tolist()]
    return list(_rows(columns, found.reason.tolist(), methods))


def _rows(columns: Iterable[FloatArray], reasons: Sequence[int], methods: Sequence[str]) -> Iterator[Figure]:
    plain = [list(map(number, column.tolist())) for column in columns]
    for value, se, low, high, reason, method in zip(*plain, reasons, methods, strict=True):
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
    """One test. se: the standard error under the null hypothesis, for tests that have one (has_se)."""

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

    @classmethod
    def from_json(cls, found: Json) -> Self:
        return cls(
            statistic=found["statistic"],
            df=found["df"],
            p_value=found["p_value"],
            reason=Reason(found.get("reason") or ""),
            method=found["method"],
            has_se="se" in found,
            se=found.get("se"),
            n_items=found.get("n_items"),
            n_raters=found.get("n_raters"),
            n_labels=found.get("n_labels"),
            left_out=_size_of(found),
        )


# Keyed by the name of the statistic; one for each category in declared order.
Figures = Mapping[str, Figure]
CategoryFigures = Mapping[str, tuple[Figure, ...]]
SignificanceByName = Mapping[str, SignificanceTest]
