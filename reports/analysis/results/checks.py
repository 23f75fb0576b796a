"""Pairs of raters that look like a mistake."""

from dataclasses import dataclass


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
