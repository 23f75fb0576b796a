"""Comparison of every printed figure with the computed one."""

import math
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import groupby

from reports.published.examples import examples
from reports.published.printed_figures import FIGURES, PublishedFigure

# A computed figure may lie on the boundary of what rounds to the printed one.
SLACK = 1e-9


class CheckVerdict(StrEnum):
    EQUAL = "equal"
    EXPLAINED = "explained"
    DIFFERENT = "different"
    UNDEFINED = "undefined"


VERDICTS = {
    CheckVerdict.EQUAL: "match",
    CheckVerdict.EXPLAINED: "differs, see note",
    CheckVerdict.DIFFERENT: "DIFFERS",
    CheckVerdict.UNDEFINED: "NO VALUE",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureCheck:
    """A printed figure, the computed one, and their difference."""

    printed: PublishedFigure
    computed: float | None

    @property
    def difference(self) -> float | None:
        """The computed figure minus the printed one."""
        return None if self.computed is None else self.computed - self.printed.value

    @property
    def verdict(self) -> CheckVerdict:
        if self.difference is None or math.isnan(self.difference):
            return CheckVerdict.UNDEFINED
        if abs(self.difference) <= self.printed.rounding + SLACK:
            return CheckVerdict.EQUAL
        return CheckVerdict.EXPLAINED if self.printed.note else CheckVerdict.DIFFERENT

    @property
    def is_fine(self) -> bool:
        return self.verdict in {CheckVerdict.EQUAL, CheckVerdict.EXPLAINED}

    @property
    def word(self) -> str:
        return VERDICTS[self.verdict]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedExample:
    """The figures of one example."""

    name: str
    title: str
    source: str
    table: list[list[int]]
    figures: tuple[FigureCheck, ...]

    @property
    def notes(self) -> list[str]:
        return [each.printed.note for each in self.figures if each.printed.note]


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedVerification:
    groups: tuple[CheckedExample, ...]

    @property
    def figures(self) -> list[FigureCheck]:
        return [each for group in self.groups for each in group.figures]

    @property
    def is_fine(self) -> bool:
        return all(each.is_fine for each in self.figures)

    @property
    def n_equal(self) -> int:
        return sum(each.verdict is CheckVerdict.EQUAL for each in self.figures)

    @property
    def n_explained(self) -> int:
        return sum(each.verdict is CheckVerdict.EXPLAINED for each in self.figures)

    @property
    def n_wrong(self) -> int:
        return len(self.figures) - self.n_equal - self.n_explained


def verify(figures: tuple[PublishedFigure, ...] = FIGURES) -> PublishedVerification:
    """Compute every figure and compare it with the printed one."""
    checked = [FigureCheck(printed=each, computed=each.compute()) for each in figures]
    groups = groupby(checked, key=lambda each: each.printed.example)
    return PublishedVerification(groups=tuple(_group(name, tuple(members)) for name, members in groups))


@cache
def verified() -> PublishedVerification:
    """Return the verification, computed once per process, because neither code nor examples change in it."""
    return verify()


def _group(name: str, figures: tuple[FigureCheck, ...]) -> CheckedExample:
    example = examples()[name]
    return CheckedExample(
        name=name, title=example.title, source=example.source, table=example.table, figures=figures
    )
