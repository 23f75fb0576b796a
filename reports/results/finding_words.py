"""A finding in words: what was found, what it costs, and the items behind it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypedDict

from django.urls import reverse

from core.templatetags.shown import count, figure, in_percent, percent
from reports.analysis.catalog import in_sentence, title_of
from reports.analysis.results import (
    NO_GAIN,
    Finding,
    FindingKind,
    Findings,
    LowPair,
    PairCheckResults,
    RelabeledKappa,
    ShiftedKappa,
)
from reports.models import FindingNote
from reports.results.addresses import items_address, question_address
from reports.results.items.query import COMPARED, IN_DISPUTE, ItemQuery
from reports.results.remarks import words_of_low
from reports.results.statistic_rows import signed
from reports.results.wording import same_precision, shown_interval
from reports.store.stored_result import StoredResult


@dataclass(frozen=True, slots=True)
class FindingCard:
    """gain: the possible gain, "" if unknown. items, link: their URL and its text.

    identity: identifies the same finding in other reports. notes: on the finding, oldest first.
    """

    kind: str
    title: str
    words: str
    gain: str = ""
    items: str = ""
    link: str = ""
    identity: str = ""
    notes: Sequence[FindingNote] = ()


class _ItemsLink(TypedDict):
    items: str
    link: str


class FindingWords:
    def __init__(self, result: StoredResult, found: Findings) -> None:
        self._result = result
        name = found.coefficient.replace("light_kappa", "cohen_kappa")
        self._coefficient = in_sentence(title_of(name))
        self._ci = f"{in_percent(result.report.chosen.percent)} CI"
        self._ids = {rater.key: rater.id for rater in result.raters}
        self._names: Mapping[str, str] = {
            each["key"]: each["name"] or each["key"] for each in result.categories
        }

    def of(self, found: Finding) -> FindingCard:
        card = {
            FindingKind.RATER: self._rater if found.contrast is None else self._level,
            FindingKind.MERGE: self._merge,
            FindingKind.UNUSED: self._unused,
            FindingKind.USE: self._use,
            FindingKind.SCATTERED: self._scattered,
            FindingKind.SWAPPED: self._mistake,
            FindingKind.SHIFTED: self._mistake if found.offset is None else self._moved,
            FindingKind.BELOW: self._mistake,
            FindingKind.MARGINS: self._margins,
            FindingKind.LEVEL: self._level,
            FindingKind.SPREAD: self._spread,
            FindingKind.DIGITS: self._digits,
            FindingKind.DIFFICULT: self._difficult,
            FindingKind.ONLY: self._only,
            FindingKind.REPLACE: self._replace,
        }[FindingKind(found.kind)](found)
        return replace(card, kind=found.kind, identity=found.identity)

    def _gain(self, found: Finding, condition: str) -> str:
        # A gain that is displayed as 0 is not shown.
        if found.after is None or found.before is None or abs(found.difference or 0) < NO_GAIN:
            return ""
        # Two values that look alike in two digits get a third.
        digits = 2 if figure(found.after) != figure(found.before) else 3
        interval = (
            f", {self._ci} {shown_interval(found.ci_low, found.ci_high, digits)}"
            if found.ci_low is not None
            else ""
        )
        return (
            f"{condition}, {self._coefficient} would be {figure(found.after, digits)} instead of "
            f"{figure(found.before, digits)} ({signed(found.difference, digits)}{interval})."
        )

    def _rater(self, found: Finding) -> FindingCard:
        [rater] = found.raters
        return FindingCard(
            "",
            f"{rater} labels differently from the others",
            self._of_use(found),
            self._gain(found, f"Without {rater}"),
            **self._differing(found),
        )

    def _differing(self, found: Finding) -> _ItemsLink:
        [rater] = found.raters
        if self._result.categories:
            items = self._of_rater(rater, IN_DISPUTE)
            return {"items": items, "link": f"Items on which {rater} differs from most others"}
        return self._largest(found)

    def _use(self, found: Finding) -> FindingCard:
        use, rater, than = found.use, found.raters[0], _others(found)
        if use is None:
            return FindingCard("", rater, "")
        more = "more" if use.difference > 0 else "less"
        key = use.category
        query = replace(IN_DISPUTE, row=key) if use.difference > 0 else replace(IN_DISPUTE, column=key)
        return FindingCard(
            "",
            f"{rater} chooses “{self._names[key]}” {more} often than {than}",
            self._of_use(found),
            items=self._of_rater(rater, query),
            link=f"Items on which {rater} and {'most others' if than == 'the others' else than} differ on it",
        )

    def _of_use(self, found: Finding) -> str:
        use = found.use
        if use is None:
            return ""
        others = _others(found)
        by, low, high = (figure(100 * each, 0) for each in (use.difference, use.ci_low, use.ci_high))
        points = f"{'+' if use.difference > 0 else ''}{by} points"
        return (
            f"“{self._names[use.category]}” on {percent(use.own)} of items, {others} on {percent(use.others)} of the"
            f" same items ({points}, {self._ci} {low} to {high})."
        )

    def _merge(self, found: Finding) -> FindingCard:
        a, b = (self._names[key] for key in found.categories)
        return FindingCard(
            "",
            f"“{a}” and “{b}” are confused",
            f"They account for {percent(found.share)} of all disagreement.",
            self._gain(found, "As one category"),
            items_address(self._result.row, ItemQuery(has=found.categories)),
            f"{plural(found.n_items, 'item')} labeled as both",
        )

    def _unused(self, found: Finding) -> FindingCard:
        [key] = found.categories
        return FindingCard(
            "",
            f"Nobody chooses “{self._names[key]}”",
            f"None of {plural(found.n_items, 'item')} has it. Check whether raters know what it is for, or drop it.",
        )

    def _scattered(self, found: Finding) -> FindingCard:
        expected = figure(found.expected, 1)
        return FindingCard(
            "",
            f"No two raters agree on {plural(found.n_items, 'item')}",
            f"If all items were equally difficult, about {expected} would be expected.",
            items=items_address(self._result.row, ItemQuery(among="scattered")),
            link=f"{plural(found.n_items, 'item')} on which all labels differ",
        )

    def _mistake(self, found: Finding) -> FindingCard:
        title = {
            FindingKind.SWAPPED: "Categories may have been swapped",
            FindingKind.SHIFTED: "Labels may have been shifted",
            FindingKind.BELOW: "Two raters agree less than by chance",
        }[FindingKind(found.kind)]
        of_these = {*found.raters}
        low = next(each for each in self._checks.low if {each.rater_a, each.rater_b} == of_these)
        words, advice = words_of_low(_from_second_rater(low, found), self._result.category_names)
        return FindingCard(
            "",
            title,
            f"{low.rater_a} × {low.rater_b} {words} {advice}",
            self._gain(found, f"With the labels of {found.raters[-1]} corrected"),
            self._of_pair(found.raters),
            f"{low.rater_a} × {low.rater_b}",
        )

    def _margins(self, found: Finding) -> FindingCard:
        more = ""
        if found.n_pairs > 1:
            more = f" The same is true of {plural(found.n_pairs - 1, 'other pair')}."
        return FindingCard(
            "",
            "The margins limit κ",
            f"{_pair(found)} cannot reach the criterion: they use the categories so differently often that κ cannot"
            f" exceed {figure(found.kappa_max)}, whatever the items (κ = {figure(found.kappa)}).{more}",
            items=self._of_pair(found.raters),
            link=_pair(found),
        )

    def _level(self, found: Finding) -> FindingCard:
        contrast, rater, than = found.contrast, found.raters[0], _others(found)
        if contrast is None:
            return FindingCard("", rater, "")
        way = "higher" if contrast.effect > 0 else "lower"
        own, others, difference, low, high = same_precision(
            contrast.own,
            contrast.others,
            contrast.effect,
            contrast.ci_low,
            contrast.ci_high,
            by=contrast.effect,
        )
        condition = (
            f"Without {rater}" if found.kind == FindingKind.RATER else f"With {rater} moved to the same level"
        )
        return FindingCard(
            "",
            f"{rater} rates {way} than {than}",
            f"{own} instead of {others} on average, on the same {plural(found.n_items, 'item')}"
            f" (difference {difference}, {self._ci} [{low}, {high}]).",
            self._gain(found, condition),
            **self._largest(found),
        )

    def _spread(self, found: Finding) -> FindingCard:
        contrast, rater, than = found.contrast, found.raters[0], _others(found)
        if contrast is None:
            return FindingCard("", rater, "")
        way = "more" if contrast.effect > 1 else "less"
        low, high = figure(contrast.ci_low), figure(contrast.ci_high)
        own, others = same_precision(contrast.own, contrast.others, by=contrast.own)
        return FindingCard(
            "",
            f"{rater} uses {way} of the scale than {than}",
            f"The standard deviation is {own}, that of {than} {others} on the"
            f" same {plural(found.n_items, 'item')} (ratio {figure(contrast.effect)}, {self._ci} [{low}, {high}]).",
            self._gain(found, f"With {rater}’s numbers rescaled"),
            **self._largest(found),
        )

    def _digits(self, found: Finding) -> FindingCard:
        rater = found.raters[0]
        return FindingCard(
            "",
            f"{rater} may have mistyped {plural(found.n_items, 'number')}",
            "With two digits swapped, or the decimal point moved, they are what the others say; chance would give"
            f" about {figure(found.expected, 1)}.",
            self._gain(found, "With these corrected"),
            **self._largest(found),
        )

    def _moved(self, found: Finding) -> FindingCard:
        rater, by = found.raters[0], found.offset or 0
        return FindingCard(
            "",
            "Numbers may have been shifted",
            f"The numbers of {rater} fit the items {plural(abs(by), 'place')} {'before' if by > 0 else 'after'}. Check"
            " whether rows slipped when they were entered.",
            self._gain(found, f"With the numbers of {rater} moved back"),
            **self._largest(found),
        )

    def _difficult(self, found: Finding) -> FindingCard:
        contrast = found.contrast
        if contrast is None:
            return FindingCard("", "", "")
        low, high = (percent(contrast.others + each) for each in (contrast.ci_low, contrast.ci_high))
        return FindingCard(
            "",
            "Raters differ more on some items than on others",
            f"The {plural(found.n_items, 'item')} on which half of the raters differ most have {percent(contrast.own)}"
            f" of the differences between the other raters ({self._ci} {low} to {high}); if all items were equally"
            f" difficult, they would have {percent(contrast.others)}.",
            items=items_address(self._result.row, IN_DISPUTE),
            link="Items on which raters differ, largest differences first",
        )

    def _only(self, found: Finding) -> FindingCard:
        [rater], [key] = found.raters, found.categories
        use = found.use
        among = (
            ""
            if use is None
            else f", {percent(use.own)} of those labeled by others too"
            f" ({self._ci} {percent(use.ci_low)} to {percent(use.ci_high)})"
        )
        return FindingCard(
            "",
            f"Only {rater} chooses “{self._names[key]}”",
            f"On {plural(found.n_items, 'item')}{among}; nobody else chooses it on any of them.",
            self._gain(found, "Without this category"),
            items_address(self._result.row, ItemQuery(has=found.categories)),
            f"Items with “{self._names[key]}”",
        )

    def _replace(self, found: Finding) -> FindingCard:
        a, b = (self._names[key] for key in found.categories)
        return FindingCard(
            "",
            f"“{a}” and “{b}” are used interchangeably",
            f"On {plural(found.n_items, 'item')} one rater chose only the first and another only the second.",
            self._gain(found, "As one category"),
            items_address(self._result.row, ItemQuery(has=found.categories)),
            "Items with both",
        )

    def _largest(self, found: Finding) -> _ItemsLink:
        """Return the items of a rater, largest difference first."""
        rater, than = found.raters[0], _others(found)
        return {
            "items": self._of_rater(rater, COMPARED),
            "link": f"Items by how far {rater} is from {than}",
        }

    @property
    def _checks(self) -> PairCheckResults:
        found = self._result.figures.checks
        return found or PairCheckResults(n_identical=0, n_below=0, identical=(), low=())

    def _of_rater(self, rater: str, query: ItemQuery) -> str:
        row = self._result.row
        if not row.pk:
            return ""
        arguments = [row.report.project.slug, row.report_id, row.question_id, self._ids[rater]]
        return f"{reverse('report_rater_items', args=arguments)}{query}"

    def _of_pair(self, raters: Sequence[str]) -> str:
        row = self._result.row
        if not row.pk:
            return ""
        a, b = sorted(self._ids[rater] for rater in raters)
        return f"{question_address(row)}{a}/{b}/"


def plural(n: int, thing: str) -> str:
    return f"{count(n)} {thing}{'' if n == 1 else 's'}"


def _others(found: Finding) -> str:
    return found.raters[1] if len(found.raters) > 1 else "the others"


def _pair(found: Finding) -> str:
    return " × ".join(found.raters)


def _from_second_rater(low: LowPair, found: Finding) -> LowPair:
    """Return the pair with the second rater as the one mistaken, and only the explanation of the finding."""
    swapped, shifted = low.relabelled, low.shifted
    if found.kind != FindingKind.SWAPPED:
        swapped = None
    if found.kind != FindingKind.SHIFTED:
        shifted = None
    if low.rater_b == found.raters[-1]:
        return replace(low, relabelled=swapped, shifted=shifted)
    if swapped is not None:
        pairs = sorted((theirs, own) for own, theirs in enumerate(swapped.categories))
        swapped = RelabeledKappa(kappa=swapped.kappa, categories=tuple(own for _, own in pairs))
    if shifted is not None:
        shifted = ShiftedKappa(by=-shifted.by, kappa=shifted.kappa, n_items=shifted.n_items)
    return replace(low, rater_a=low.rater_b, rater_b=low.rater_a, relabelled=swapped, shifted=shifted)
