"""Scales of interpretation: published ones, and those of a project."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from reports.agreement.reading.families import Family

LOWEST, HIGHEST = -1.0, 1.0
MAX_CLASSES = 12


class Judged(StrEnum):
    """What a scale's authors want read: the value, the whole interval, or its lower limit too."""

    VALUE = "value"
    INTERVAL = "interval"
    LOWER_LIMIT = "lower_limit"


@dataclass(frozen=True, slots=True)
class Step:
    """A class of values from this cut point up to the next; one that is not closed begins above its cut point."""

    start: float
    name: str
    is_closed: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingScale:
    """Words for values of a coefficient.

    key: its name in addresses and files. steps: ascending, the first from -1. families: the coefficients it was made
    for. judged: what is read. source: the publication, or whose it is. note: what a reader should know of it.
    """

    key: str
    title: str
    source: str
    steps: tuple[Step, ...]
    families: frozenset[Family]
    judged: Judged = Judged.VALUE
    note: str = ""

    def position(self, value: float) -> int:
        """Which step a value is on: half-open classes [start, next), the last one closed."""
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
    key: str, title: str, source: str, steps: Sequence[tuple[float, str]], **more: object
) -> ReadingScale:
    found = tuple(Step(start, name) for start, name in steps)
    return ReadingScale(key=key, title=title, source=source, steps=found, **more)  # type: ignore[arg-type]


KAPPA_ONLY = frozenset({Family.KAPPA})

# Landis and Koch name their divisions for kappa statistics, and call them arbitrary.
LANDIS_KOCH = _published(
    "landis_koch",
    "Landis & Koch 1977",
    "Landis & Koch 1977, Biometrics 33, 159",
    [
        (LOWEST, "poor"),
        (0.0, "slight"),
        (0.2, "fair"),
        (0.4, "moderate"),
        (0.6, "substantial"),
        (0.8, "almost perfect"),
    ],
    families=KAPPA_ONLY,
)
# Above .75 is excellent: .75 itself is not.
FLEISS = ReadingScale(
    key="fleiss",
    title="Fleiss 1981",
    source="Fleiss 1981, Statistical Methods for Rates and Proportions",
    steps=(
        Step(LOWEST, "poor"),
        Step(0.4, "fair to good"),
        Step(0.75, "excellent", is_closed=False),
    ),
    families=KAPPA_ONLY,
)
ALTMAN = _published(
    "altman",
    "Altman 1991",
    "Altman 1991, Practical Statistics for Medical Research",
    [(LOWEST, "poor"), (0.2, "fair"), (0.4, "moderate"), (0.6, "good"), (0.8, "very good")],
    families=KAPPA_ONLY,
)
# Written for the instruments of clinical psychology, whose reliability is given as kappa, weighted kappa or ICC.
CICCHETTI = _published(
    "cicchetti",
    "Cicchetti 1994",
    "Cicchetti 1994, Psychological Assessment 6, 284",
    [(LOWEST, "poor"), (0.4, "fair"), (0.6, "good"), (0.75, "excellent")],
    families=frozenset({Family.KAPPA, Family.WEIGHTED_KAPPA, Family.ICC}),
)
# The field trials of DSM-5 gave diagnoses an intraclass kappa.
REGIER = _published(
    "regier",
    "Regier et al. 2013",
    "Regier et al. 2013 (the field trials of DSM-5)",
    [
        (LOWEST, "unacceptable"),
        (0.2, "questionable"),
        (0.4, "good"),
        (0.6, "very good"),
        (0.8, "excellent"),
    ],
    families=KAPPA_ONLY,
)
KOO_LI = _published(
    "koo_li",
    "Koo & Li 2016",
    "Koo & Li 2016 (for intraclass correlations, read on the interval)",
    [(LOWEST, "poor"), (0.5, "moderate"), (0.75, "good"), (0.9, "excellent")],
    families=frozenset({Family.ICC}),
    judged=Judged.INTERVAL,
)
MCHUGH = _published(
    "mchugh",
    "McHugh 2012",
    "McHugh 2012, Biochemia Medica 22, 276",
    [
        (LOWEST, "none"),
        (0.2, "minimal"),
        (0.4, "weak"),
        (0.6, "moderate"),
        (0.8, "strong"),
        (0.9, "almost perfect"),
    ],
    families=KAPPA_ONLY,
)
KRIPPENDORFF = _published(
    "krippendorff",
    "Krippendorff 2004",
    "Krippendorff 2004, Content Analysis",
    [(LOWEST, "discard"), (0.667, "tentative conclusions only"), (0.8, "rely on")],
    families=frozenset({Family.ALPHA}),
    judged=Judged.LOWER_LIMIT,
    note="Judge the lower limit of the interval too.",
)

SCALES = {
    scale.key: scale
    for scale in (LANDIS_KOCH, FLEISS, ALTMAN, CICCHETTI, REGIER, KOO_LI, MCHUGH, KRIPPENDORFF)
}


def own_scale(
    steps: Sequence[tuple[float, str]],
    *,
    families: frozenset[Family],
    title: str = "Thresholds of this project",
) -> ReadingScale:
    """A scale of a project's own, for the coefficients that its makers name.

    steps: (from, name) in ascending order, the first from -1 to 1; values below it are "below <its name>".
    Raises ValueError if there are none or more than 12, a cut point is not from -1 to 1 or not above the one before
    it, a name is empty or used twice, or no coefficient is named.
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
    found = [Step(start, name) for start, name in zip(starts, names, strict=True)]
    if starts[0] > LOWEST:
        found.insert(0, Step(LOWEST, f"below “{names[0]}”"))
    return ReadingScale(key="own", title=title, source=title, steps=tuple(found), families=families)
