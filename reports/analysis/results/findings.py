"""Findings about a question: each with its effect, and beyond chance after correction for all tests."""

import json
from dataclasses import asdict, dataclass, replace
from enum import StrEnum

from reports.analysis.results.figures import Json

# A smaller gain or loss is displayed as 0.
NO_GAIN = 0.005


class FindingKind(StrEnum):
    """The kind of a finding.

    RATER: agreement is higher without this rater. MERGE: it is higher with these two categories merged. UNUSED: a
    category that nobody chose. USE: a rater chooses a category more or less often than the others. SCATTERED: items on
    which no two labels agree. SWAPPED, SHIFTED: probable mistakes. BELOW: two raters who agree less than by chance.
    MARGINS: two raters whose margins keep them from reaching the criterion.
    For numbers: LEVEL: a rater is higher or lower than the others. SPREAD: a rater uses more or less of the scale.
    DIGITS: a rater's numbers with swapped digits or a moved decimal point. DIFFICULT: items on which raters differ
    most. For sets: ONLY: a category that only one rater chooses. REPLACE: two categories chosen instead of each other.
    """

    RATER = "rater"
    MERGE = "merge"
    UNUSED = "unused"
    USE = "use"
    SCATTERED = "scattered"
    SWAPPED = "swapped"
    SHIFTED = "shifted"
    BELOW = "below"
    MARGINS = "margins"
    LEVEL = "level"
    SPREAD = "spread"
    DIGITS = "digits"
    DIFFICULT = "difficult"
    ONLY = "only"
    REPLACE = "replace"


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoryUse:
    """How often a rater chose a category, how often the others did on the same items, and the difference."""

    category: str
    own: float
    others: float
    difference: float
    ci_low: float
    ci_high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """Two values that a finding compares, and their difference or, for spreads, their ratio, with its interval.

    LEVEL: a rater's mean and that of the others. SPREAD: the standard deviations. DIFFICULT: the items' share of all
    differences, and their expected share if all items were equally difficult.
    """

    own: float
    others: float
    effect: float
    ci_low: float
    ci_high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """kind: one of `FindingKind`. raters, categories: their keys; for a mistake, the rater who made it comes last.

    p_value: corrected by Holm for all tests. n_items: number of items concerned. before, after: the coefficient as it
    is and as it would be; difference: after - before, with the interval of the paired difference. share: of all
    disagreement. expected: number of items expected if equally difficult. kappa, kappa_max: of two raters. n_pairs:
    pairs of raters for which the same holds. contrast: not for single choices. offset: of shifted numbers.
    """

    kind: str
    raters: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    p_value: float
    n_items: int
    before: float | None = None
    after: float | None = None
    difference: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    use: CategoryUse | None = None
    share: float | None = None
    expected: float | None = None
    kappa: float | None = None
    kappa_max: float | None = None
    n_pairs: int = 1
    contrast: Contrast | None = None
    offset: int | None = None

    @property
    def is_loss(self) -> bool:
        """Whether the coefficient would be lower, beyond what is displayed as 0."""
        return self.difference is not None and self.difference <= -NO_GAIN

    @property
    def identity(self) -> str:
        """The identity of a finding across reports: its kind, and whom or what it concerns.

        The way in which a rater differs may change; for shifted labels and limiting margins, the pair matters.
        """
        categories = () if self.kind == FindingKind.RATER else self.categories
        return json.dumps([self.kind, list(self.raters), list(categories)], ensure_ascii=False)

    def to_json(self) -> Json:
        """Omit empty fields that only numbers and sets have."""
        found = asdict(self)
        for name in ("contrast", "offset"):
            if found[name] is None:
                del found[name]
        return found | {"raters": list(self.raters), "categories": list(self.categories)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """found: largest gain first. coefficient: the measure of gains. n_tested: the number of tests in Holm's correction.
    are_raters_tested: False where there are too many labels to leave out each rater.
    """

    coefficient: str
    n_tested: int
    found: tuple[Finding, ...]
    are_raters_tested: bool = True

    @property
    def listed(self) -> "Findings":
        """The findings without those whose correction would lower the coefficient."""
        return replace(self, found=tuple(each for each in self.found if not each.is_loss))
