"""What of a question is worth a look: each with its effect, and beyond chance among all that was looked for."""

import json
from dataclasses import asdict, dataclass
from enum import StrEnum

from reports.analysis.results.figures import Json


class FindingKind(StrEnum):
    """What was found.

    RATER: without this rater agreement is higher. MERGE: with these two categories as one it is. UNUSED: a category
    that nobody chose. USE: a rater chooses a category more or less often than the others. SCATTERED: items on which no
    two labels agree. SWAPPED, SHIFTED: probable mistakes. BELOW: two raters who agree less than by chance.
    MARGINS: two raters who cannot reach the criterion however they label.
    Of numbers: LEVEL: a rater is higher or lower than the others. SPREAD: a rater uses more or less of the scale.
    DIGITS: numbers of a rater with digits swapped, or the decimal point moved. DIFFICULT: items on which raters differ
    most. Of sets: ONLY: a category that one rater alone chooses. REPLACE: two categories chosen in place of each other.
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
    """How often a rater chose a category, how often the others did on the same items, and the difference of both."""

    category: str
    own: float
    others: float
    difference: float
    ci_low: float
    ci_high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """Two values of what was found, and their difference or, of spreads, their ratio, with its interval.

    LEVEL: a rater's mean and that of the others. SPREAD: the standard deviations. DIFFICULT: the share of all
    differences that the items have, and what they would have if all items were equally difficult.
    """

    own: float
    others: float
    effect: float
    ci_low: float
    ci_high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """kind: one of `FindingKind`. raters, categories: their keys; of a mistake, the rater it is of comes last.

    p_value: corrected by Holm for all that was tested. n_items: that it is about. before, after: the coefficient of the
    findings as it is and as it would be; difference: after - before, with the interval of the paired difference.
    share: of all disagreement. expected: how many items equally difficult ones would give. kappa, kappa_max: of two
    raters. n_pairs: of raters of whom the same is true. contrast: not of single choices. offset: of shifted numbers.
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
    def identity(self) -> str:
        """What makes it the same finding in another report: its kind, and of whom or what it is.

        What a rater differs in may change, and of labels that are moved or limited the pair is what counts.
        """
        categories = () if self.kind == FindingKind.RATER else self.categories
        return json.dumps([self.kind, list(self.raters), list(categories)], ensure_ascii=False)

    def to_json(self) -> Json:
        """Without the fields that only numbers and sets have, where they say nothing."""
        found = asdict(self)
        for name in ("contrast", "offset"):
            if found[name] is None:
                del found[name]
        return found | {"raters": list(self.raters), "categories": list(self.categories)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """found: those that gain most first. coefficient: that gains are measured by. n_tested: all that Holm's correction
    is for. are_raters_tested: False where there are too many labels to leave out each rater.
    """

    coefficient: str
    n_tested: int
    found: tuple[Finding, ...]
    are_raters_tested: bool = True
