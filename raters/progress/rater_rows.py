"""Rater rows of the overview: agreement with the reference, and with their own earlier labels."""

from collections.abc import Sequence
from dataclasses import dataclass

from raters.progress.progress_figures import MatchCounts, RaterCounts
from raters.reporting import PlainFigure, reporting


@dataclass(frozen=True, slots=True)
class ProgressRow:
    """reference, repeats: the share that agrees with its Wilson CI, None if there is nothing to compare."""

    figures: RaterCounts
    reference: PlainFigure | None
    repeats: PlainFigure | None


def rater_rows(raters: Sequence[RaterCounts]) -> list[ProgressRow]:
    reference, repeats = (
        _compared([getattr(row, name) for row in raters]) for name in ("reference", "repeats")
    )
    return [ProgressRow(*row) for row in zip(raters, reference, repeats, strict=True)]


def _compared(matches: Sequence[MatchCounts]) -> list[PlainFigure | None]:
    """Return the shares in order; None if there is nothing to compare."""
    some = [each for each in matches if each.n]
    found = iter(
        reporting().shares_alike([each.n_same for each in some], [each.n for each in some]) if some else []
    )
    return [next(found) if each.n else None for each in matches]
