"""Interpretation scales: published ones, read from scales.toml, and those of a project."""

import itertools
import math
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import NotRequired, TypedDict

from reports.agreement.interpretation.families import Family

LOWEST, HIGHEST = -1.0, 1.0
MAX_CLASSES = 12


class InterpretationBasis(StrEnum):
    """What is read, according to a scale's authors: the value, the whole interval, or also its lower limit."""

    VALUE = "value"
    INTERVAL = "interval"
    LOWER_LIMIT = "lower_limit"


class ScaleStepJson(TypedDict):
    start: float
    name: str
    is_closed: NotRequired[bool]


@dataclass(frozen=True, slots=True)
class ScaleStep:
    """A class of values from this cut point up to the next; if not closed, it begins above its cut point."""

    start: float
    name: str
    is_closed: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class InterpretationScale:
    """Words for values of a coefficient.

    key: its name in URLs and files. steps: ascending, the first from -1. families: the coefficients it was made
    for. judged: what is read. source: the publication, or the owner. note: information for readers.
    """

    key: str
    title: str
    source: str
    steps: tuple[ScaleStep, ...]
    families: frozenset[Family]
    judged: InterpretationBasis = InterpretationBasis.VALUE
    note: str = ""

    def position(self, value: float) -> int:
        """Return the step of a value: half-open classes [start, next), the last one closed."""
        return max(
            place
            for place, step in enumerate(self.steps)
            if value > step.start or (step.is_closed and value == step.start) or place == 0
        )

    def word(self, value: float) -> str:
        return self.steps[self.position(value)].name

    @property
    def bounds(self) -> tuple[tuple[float, float], ...]:
        """The lower and upper bound of each step, from -1 to 1."""
        starts = [step.start for step in self.steps]
        return tuple(zip(starts, [*starts[1:], HIGHEST], strict=True))


def _published(
    key: str,
    *,
    steps: list[ScaleStepJson],
    families: list[str],
    judged: str = InterpretationBasis.VALUE,
    **about: str,
) -> InterpretationScale:
    return InterpretationScale(
        key=key,
        steps=tuple(ScaleStep(**step) for step in steps),
        families=frozenset(map(Family, families)),
        judged=InterpretationBasis(judged),
        **about,
    )


_FILE = Path(__file__).with_suffix(".toml")
SCALES = {
    key: _published(key, **fields) for key, fields in tomllib.loads(_FILE.read_text(encoding="utf-8")).items()
}


def own_scale(
    steps: Sequence[tuple[float, str]],
    *,
    families: frozenset[Family],
    title: str = "Thresholds of this project",
) -> InterpretationScale:
    """Return a project's own scale, for the coefficients that its authors name.

    steps: (from, name) in ascending order, the first from -1 to 1; values below it are "below <its name>".
    Raises ValueError if there are no steps or more than 12, a cut point is outside -1 to 1 or not above the previous
    one, a name is empty or used twice, or no coefficient is named.
    """
    if not 1 <= len(steps) <= MAX_CLASSES:
        raise ValueError(f"there must be 1 to {MAX_CLASSES} thresholds, got {len(steps)}")
    starts, names = [start for start, _ in steps], [name.strip() for _, name in steps]
    if not all(math.isfinite(start) and LOWEST <= start <= HIGHEST for start in starts):
        raise ValueError(f"thresholds must be from {LOWEST:g} to {HIGHEST:g}")
    if any(later <= earlier for earlier, later in itertools.pairwise(starts)):
        raise ValueError("each threshold must be above the one before it")
    if "" in names or len(set(names)) != len(names):
        raise ValueError("each threshold must have a name of its own")
    if not families:
        raise ValueError("thresholds must be for at least one coefficient")
    found = [ScaleStep(start, name) for start, name in zip(starts, names, strict=True)]
    if starts[0] > LOWEST:
        found.insert(0, ScaleStep(LOWEST, f"below “{names[0]}”"))
    return InterpretationScale(key="own", title=title, source=title, steps=tuple(found), families=families)
