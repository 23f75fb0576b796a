"""Coverage of rater pairs in a round: items shared, and the expected half-width of kappa's CI."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.refusals import RefusedWithCode
from raters.reporting import reporting
from raters.rounds.coverage import Coverage
from raters.rounds.planning import ComputedPlan, digest_of

# With more raters than this, only summary figures are shown, not the matrix.
MAX_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Precision:
    """The expected half-width of kappa's 95% CI by the number of items that a pair shares."""

    per_root: float

    @classmethod
    def of(cls, *, kappa: float, share: float) -> "Precision":
        """share: prevalence of the more common of two categories. Raises RefusedWithCode if they exclude kappa."""
        try:
            return cls(reporting().half_width_of_one(kappa=kappa, share=share))
        except ValueError as impossible:
            raise RefusedWithCode("kappa", str(impossible)) from impossible

    def half_width(self, n_items: float) -> float | None:
        """Return the half-width; None if no item is shared or the CI would be uninformative."""
        width = self.per_root / math.sqrt(n_items) if n_items > 0 else math.inf
        return width if width < 1 else None


@dataclass(frozen=True, slots=True)
class CoverageRow:
    """One rater. cells: items shared and half-width with each rater; None on the diagonal."""

    name: str
    work: float
    done: int
    repeats: int
    cells: list[tuple[float, float | None] | None]


@dataclass(frozen=True, slots=True)
class CoverageTable:
    """least, most: minimum and maximum items shared by a pair. widest: half-width of the pair sharing the fewest."""

    rows: list[CoverageRow]
    least: float
    most: float
    widest: float | None

    @property
    def is_matrix_shown(self) -> bool:
        return 1 < len(self.rows) <= MAX_SHOWN


@dataclass(frozen=True, slots=True)
class PrecisionPlan:
    """digest: with which to assign what is shown."""

    key: str
    planned: ComputedPlan
    coverage: CoverageTable
    digest: str


def precision_plan(
    key: str, planned: ComputedPlan, users: Sequence[Any], precision: Precision
) -> PrecisionPlan:
    none = np.zeros(len(planned.names), dtype=np.int64)
    coverage = Coverage(planned.names, planned.work, none, planned.repeats, planned.shared)
    return PrecisionPlan(key, planned, coverage_table(coverage, precision), digest_of(planned, users))


def coverage_table(coverage: Coverage, precision: Precision) -> CoverageTable:
    shared = coverage.shared
    rows = [
        CoverageRow(
            name=name,
            work=float(coverage.work[place]),
            done=int(coverage.done[place]),
            repeats=int(coverage.repeats[place]),
            cells=_cells(shared[place], place, precision),
        )
        for place, name in enumerate(coverage.names)
    ]
    pairs = shared[np.triu_indices(len(shared), 1)]
    least, most = (float(pairs.min()), float(pairs.max())) if len(pairs) else (0.0, 0.0)
    return CoverageTable(rows, least, most, precision.half_width(least))


def _cells(
    shared: NDArray[np.float64] | Sequence[float], own: int, precision: Precision
) -> list[tuple[float, float | None] | None]:
    return [
        None if place == own else (float(n), precision.half_width(float(n))) for place, n in enumerate(shared)
    ]
