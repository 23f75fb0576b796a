"""The figures of a question's pairs: as stored, or recomputed from the stored counts with other weights."""

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from django.db.models import Avg, Count, F, FloatField, Q, QuerySet
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Cast

from raters.lettered import order_of_pairs
from reports.agreement.results import Estimates, IntArray, is_clipped, is_kappa_clipped
from reports.models import PairAgreement, Report
from reports.results.kinds import result_kind
from reports.results.pair_statistics import stored_figures
from reports.store.included_raters import IncludedRaters
from reports.store.pair_counts import _kappas, tables_of
from reports.store.pair_totals import pair_totals
from reports.store.stored_result import StoredResult

COLUMNS = ["rater_a_id", "rater_b_id", "n", "observed", "kappa", "se", "ci_low", "ci_high", "reason"]


@dataclass(frozen=True, slots=True)
class Pair:
    """The figures of one pair; kappa, or the coefficient shown instead, is None if undefined.

    method: of the interval; "" for intervals of kappa, which name it themselves.
    """

    rater_a: int
    rater_b: int
    n: int
    observed: float | None
    kappa: float | None
    se: float | None
    ci_low: float | None
    ci_high: float | None
    reason: str
    method: str = ""

    @property
    def is_clipped(self) -> bool:
        if not self.method:
            return is_kappa_clipped(self.kappa, self.ci_low, self.ci_high)
        return is_clipped(self.kappa, self.ci_low, self.ci_high, self.method)


@dataclass(frozen=True, slots=True)
class RaterMean:
    """The mean kappa of one rater over the pairs with raters who count for which it is defined."""

    value: float | None
    n_pairs: int


NO_MEAN = RaterMean(None, 0)


@dataclass(frozen=True, slots=True)
class PairRange:
    """The range over pairs of raters who count or, if these are too few, over all pairs."""

    low: float | None
    high: float | None
    n_undefined: int
    n_pairs: int


SORTS = {
    "worst": "Lowest first",
    "best": "Highest first",
    "largest": "Most shared items first",
}


class MatrixPairs(Protocol):
    """The pairs that a matrix needs."""

    @property
    def left_out(self) -> Collection[int]:
        """Raters whose pairs enter only their own mean: those who do not count, unless too few do."""

    def between(self, raters: Collection[int]) -> Iterable[Pair]:
        """Return the pairs in which both raters are among these."""

    def means(self, raters: Collection[int]) -> dict[int, RaterMean]: ...


class QuestionPairs(MatrixPairs, Protocol):
    @property
    def n_pairs(self) -> int:
        """How many pairs there are, with raters who do not count."""

    def mean(self) -> float | None:
        """Return the mean of all defined kappas of raters who count."""

    def spread(self) -> PairRange:
        """Return the lowest and highest kappa, and the number of undefined ones."""

    def sorted(
        self, sort: str, *, of: Collection[int] | None = None
    ) -> "Sequence[Pair] | QuerySet[PairAgreement]":
        """Return every pair with a rater in `of`, sorted by a key of SORTS; undefined ones last."""


class StoredPairs:
    """The pairs as stored with the report's own weights. value: the column of their figure."""

    value = "kappa"

    def __init__(self, result: StoredResult) -> None:
        self.rows, self.n_pairs = result.row.pairs.all(), result.n_pairs
        self.left_out = excluded_raters(result.counted)
        self._mean = result.figure("mean_pairwise_kappa").value
        self._result = result

    def between(self, raters: Collection[int]) -> list[Pair]:
        rows = self.rows.filter(rater_a__in=raters, rater_b__in=raters)
        return [Pair(min(a, b), max(a, b), *row) for a, b, *row in rows.values_list(*COLUMNS)]

    def means(self, raters: Collection[int]) -> dict[int, RaterMean]:
        sums: dict[int, list[tuple[float, int]]] = {}
        for side, other in (("rater_a", "rater_b"), ("rater_b", "rater_a")):
            rows = self.rows.filter(**{f"{side}__in": raters, f"{self.value}__isnull": False})
            rows = rows.exclude(**{f"{other}__in": self.left_out}) if self.left_out else rows
            found = rows.order_by().values_list(side).annotate(mean=Avg(self.value), n=Count(self.value))
            for rater, mean, n in found:
                sums.setdefault(rater, []).append((mean, n))
        return {rater: _joined(parts) for rater, parts in sums.items()}

    def mean(self) -> float | None:
        return self._mean

    def spread(self) -> PairRange:
        found = pair_totals(self._result.row, self._result.counted)
        return PairRange(found["low"], found["high"], found["n_undefined"], found["n"])

    def sorted(self, sort: str, *, of: Collection[int] | None = None) -> QuerySet[PairAgreement]:
        rows = self.rows if of is None else self.rows.filter(Q(rater_a__in=of) | Q(rater_b__in=of))
        orders = {
            "worst": F("kappa").asc(nulls_last=True),
            "best": F("kappa").desc(nulls_last=True),
            "largest": F("n").desc(),
        }
        shown = [column.removesuffix("_id") for column in COLUMNS]
        # By ID: ordering by rater would join and sort by key.
        return rows.only("agreement", *shown).order_by(orders[sort], *order_of_pairs())


class MeasuredPairs(StoredPairs):
    """Pairs of numbers or sets, with the stored figure by which they are compared."""

    value = "main"

    def __init__(self, result: StoredResult) -> None:
        super().__init__(result)
        self.name = result_kind(result.scope.kind).pair_figure
        self.rows = with_main(self.rows, self.name)

    def between(self, raters: Collection[int]) -> list[Pair]:
        rows = self.rows.filter(rater_a__in=raters, rater_b__in=raters).only(
            "agreement", "rater_a", "rater_b", "n", "figures"
        )
        return [self._pair(row) for row in rows]

    def _pair(self, row: PairAgreement) -> Pair:
        found = stored_figures(row).values[self.name]
        ends = found.value, found.se, found.ci_low, found.ci_high
        return Pair(
            min(row.rater_a_id, row.rater_b_id),
            max(row.rater_a_id, row.rater_b_id),
            row.n,
            None,
            *ends,
            str(found.reason),
            found.interval_method or "-",
        )


def with_main(rows: QuerySet[PairAgreement], name: str) -> QuerySet[PairAgreement]:
    """Return pairs of numbers or sets with one of their figures annotated as `main` for sorting."""
    value = KeyTextTransform("value", KeyTransform(name, "figures"))
    return rows.annotate(main=Cast(value, FloatField()))


class RecomputedPairs:
    """Pairs with another coefficient than the report's kappa, from their confusion matrices."""

    def __init__(self, pairs: list[Pair], counted: IncludedRaters) -> None:
        self.pairs, self.n_pairs = pairs, len(pairs)
        self.left_out = excluded_raters(counted)
        self._has_mean = not counted.are_too_few

    def between(self, raters: Collection[int]) -> list[Pair]:
        chosen = set(raters)
        return [pair for pair in self.pairs if pair.rater_a in chosen and pair.rater_b in chosen]

    def means(self, raters: Collection[int]) -> dict[int, RaterMean]:
        found = means_of(self.pairs, self.left_out)
        return {rater: found[rater] for rater in raters if rater in found}

    def mean(self) -> float | None:
        defined = [pair.kappa for pair in self._counted() if pair.kappa is not None]
        return math.fsum(defined) / len(defined) if defined and self._has_mean else None

    def spread(self) -> PairRange:
        pairs = self._counted()
        defined = [pair.kappa for pair in pairs if pair.kappa is not None]
        n_undefined = len(pairs) - len(defined)
        return PairRange(min(defined, default=None), max(defined, default=None), n_undefined, len(pairs))

    def _counted(self) -> list[Pair]:
        out = self.left_out
        return [pair for pair in self.pairs if pair.rater_a not in out and pair.rater_b not in out]

    def sorted(self, sort: str, *, of: Collection[int] | None = None) -> list[Pair]:
        chosen = self.pairs if of is None else [p for p in self.pairs if p.rater_a in of or p.rater_b in of]
        if sort == "largest":
            return sorted(chosen, key=lambda pair: -pair.n)
        sign = 1 if sort == "worst" else -1
        return sorted(chosen, key=lambda pair: (pair.kappa is None, sign * (pair.kappa or 0.0)))


def excluded_raters(counted: IncludedRaters) -> frozenset[int]:
    # If too few raters count, the text is about all pairs.
    return frozenset() if counted.are_too_few else frozenset(counted.left_out)


def means_of(pairs: Iterable[Pair], left_out: Collection[int]) -> dict[int, RaterMean]:
    """Return the mean of each rater over pairs that have a value, without pairs whose other rater is left out."""
    parts: dict[int, list[tuple[float, int]]] = {}
    for pair in pairs:
        if pair.kappa is not None:
            for rater, other in ((pair.rater_a, pair.rater_b), (pair.rater_b, pair.rater_a)):
                if other not in left_out:
                    parts.setdefault(rater, []).append((pair.kappa, 1))
    return {rater: _joined(found) for rater, found in parts.items()}


def _joined(parts: Sequence[tuple[float, int]]) -> RaterMean:
    n = sum(count for _, count in parts)
    return RaterMean(sum(mean * count for mean, count in parts) / n, n)


def pairs_of_unstored(result: StoredResult) -> RecomputedPairs:
    """Return the pairs of a result that is not in the database, with the weights it was computed with."""
    rows = result.unstored or ()
    return RecomputedPairs(
        [
            Pair(p.rater_a_id, p.rater_b_id, p.n, p.observed, p.kappa, p.se, p.ci_low, p.ci_high, p.reason)
            for p in rows
        ],
        result.counted,
    )


def pairs_of(result: StoredResult, weights: str) -> QuestionPairs:
    # A question that could not be computed has no pairs and no scale for weights.
    if weights == str(result.scope.weights) or not result.n_pairs:
        return StoredPairs(result)
    raters, tables = tables_of(result.row)
    kappas = _kappas(result.row, tables, weights)
    return RecomputedPairs(
        [
            Pair(a, b, k.n, k.observed, k.kappa, k.se, k.ci_low, k.ci_high, str(k.reason))
            for (a, b), k in zip(raters, kappas, strict=True)
        ],
        result.counted,
    )


def pairs_of_estimates(raters: Sequence[tuple[int, int]], tables: IntArray, found: Estimates) -> list[Pair]:
    """Return pairs with a coefficient other than kappa in its place."""
    n = tables.sum(axis=(1, 2))
    agreeing = np.einsum("pkk->p", tables)
    return [
        Pair(
            a,
            b,
            int(n[place]),
            float(agreeing[place] / n[place]),
            e.value,
            e.se,
            e.ci_low,
            e.ci_high,
            str(e.reason),
            found.interval_method or found.method,
        )
        for place, ((a, b), e) in enumerate(zip(raters, map(found.at, range(len(raters))), strict=True))
    ]


def weights_of(result: StoredResult) -> dict[str, str]:
    """Return the weightings available for the question's pairs, with their names."""
    fitting = set(result_kind(result.scope.kind).weightings(result.scope))
    return {value: name for value, name in Report.Weights.choices if value in fitting}
