"""Pairs of raters that suggest a mistake."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class IdenticalPair:
    rater_a: str
    rater_b: str
    n_items: int
    n_labels: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class RelabeledKappa:
    """Kappa with rater B's categories replaced by these."""

    kappa: float | None
    categories: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShiftedKappa:
    """Kappa with the labels of rater B shifted by this many items."""

    by: int
    kappa: float
    n_items: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LowPair:
    """Two raters who agree no better than chance, and the mistakes that would explain it."""

    rater_a: str
    rater_b: str
    n_items: int
    kappa: float
    relabelled: RelabeledKappa | None
    shifted: ShiftedKappa | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairCheckResults:
    n_identical: int
    n_below: int
    identical: tuple[IdenticalPair, ...]
    low: tuple[LowPair, ...]
