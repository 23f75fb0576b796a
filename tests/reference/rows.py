"""A reference row, our figures for it, and whether the two agree."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from reports.agreement.results import Coefficient, Estimate
from tests.reference.data import Dataset

Options = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Figures that another program, or a paper, gives; None where it gives none."""

    dataset: str
    statistic: str
    options: Options
    value: float | None
    se: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    tolerance: float
    source: str

    def __str__(self) -> str:
        options = ", ".join(f"{name}={value}" for name, value in self.options.items())
        return f"{self.dataset} {self.statistic}" + (f" ({options})" if options else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Ours. convention: what we computed from our own figures because the row follows another rule, "" if nothing."""

    value: float | None
    se: float | None = None
    low: float | None = None
    high: float | None = None
    convention: str = ""


Statistic = Callable[[Dataset | None, Options], Figures]


class NotComputedError(Exception):
    """Raised for options that nothing computes."""


class Outcome(StrEnum):
    AGREES = "agrees"
    AGREES_BY_CONVENTION = "agrees by the row's convention"
    EXCEPTION = "named exception"
    DIFFERS = "differs"
    NOT_COMPUTED = "not computed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    row: Row
    outcome: Outcome
    why: str = ""
    differences: tuple[str, ...] = field(default=())


def figures_of(result: Coefficient | Estimate, *, convention: str = "") -> Figures:
    return Figures(
        value=result.value,
        se=result.se,
        low=result.ci_low,
        high=result.ci_high,
        convention=convention,
    )


def differences(row: Row, ours: Figures) -> tuple[str, ...]:
    """What of the row is not ours, to its tolerance."""
    pairs = [
        ("value", row.value, ours.value),
        ("se", row.se, ours.se),
        ("low", row.ci_low, ours.low),
        ("high", row.ci_high, ours.high),
    ]
    return tuple(
        f"{name} {theirs} against our {our}"
        for name, theirs, our in pairs
        if theirs is not None and not is_close(our, theirs, row.tolerance)
    )


def is_close(ours: float | None, theirs: float, tolerance: float) -> bool:
    if ours is None or math.isnan(ours):
        return False
    return abs(ours - theirs) <= tolerance
