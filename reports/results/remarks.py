"""Remarks on pairs of raters that suggest a mistake: what was found, what was checked, and what to look at."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.templatetags.shown import count, figure
from reports.analysis.results import IdenticalPair, LowPair
from reports.store.stored_result import StoredResult

# The number of remarks of each type that a page shows.
MOST_REMARKS = 3


@dataclass(frozen=True, slots=True)
class Remark:
    """address: of the pair, relative to the page of the question. advice: what to check."""

    pair: str
    address: str
    words: str
    advice: str


@dataclass(frozen=True, slots=True)
class Remarks:
    shown: list[Remark]
    n_more: int


def remarks_of(result: StoredResult) -> Remarks:
    """Return the remarks from what the report stored; earlier reports have none.

    If there are findings, these cover pairs at chance level. Identical labels are not a finding, because the
    probability that two careful raters agree on everything is unknown.
    """
    checks = result.figures.checks
    if checks is None:
        return Remarks([], 0)
    if result.figures.findings is not None:
        remarks = [_remark(result, pair) for pair in checks.identical[:MOST_REMARKS]]
        return Remarks(remarks, checks.n_identical - len(remarks))
    low = [pair for pair in checks.low if is_remarkable(pair)]
    # Pairs with an explanation come first, as something can be done about them.
    low.sort(key=lambda pair: not (pair.relabelled or pair.shifted))
    shown: list[IdenticalPair | LowPair] = [*checks.identical[:MOST_REMARKS], *low[:MOST_REMARKS]]
    remarks = [_remark(result, pair) for pair in shown]
    n_near = sum(pair.kappa >= 0 for pair in low)
    return Remarks(remarks, checks.n_identical + checks.n_below + n_near - len(remarks))


def remarks_of_pair(result: StoredResult, a: str, b: str) -> list[Remark]:
    """Return the remarks on these two raters, given by their keys."""
    checks = result.figures.checks
    if checks is None:
        return []
    found: list[IdenticalPair | LowPair] = [*checks.identical, *filter(is_remarkable, checks.low)]
    return [_remark(result, pair) for pair in found if {pair.rater_a, pair.rater_b} == {a, b}]


def is_remarkable(pair: LowPair) -> bool:
    """Return whether a pair at chance level is below chance, or could be explained by a mistake."""
    return bool(pair.kappa < 0 or pair.relabelled or pair.shifted)


def _remark(result: StoredResult, pair: IdenticalPair | LowPair) -> Remark:
    ids = sorted(rater.id for rater in result.raters if rater.key in {pair.rater_a, pair.rater_b})
    words, advice = (
        words_of_low(pair, result.category_names) if isinstance(pair, LowPair) else words_of_identical(pair)
    )
    return Remark(f"{pair.rater_a} × {pair.rater_b}", f"{ids[0]}/{ids[1]}/", words, advice)


def words_of_identical(pair: IdenticalPair) -> tuple[str, str]:
    """Return the remark on two raters with identical labels, and what to check."""
    words = f"gave identical labels to all {count(pair.n_items)} shared items (κ = 1)."
    if pair.n_labels == (pair.n_items, pair.n_items):
        words += " Neither has labeled any other item."
    advice = "Check whether one column is a copy of the other, or whether one person labeled under two names."
    return words, advice


def words_of_low(pair: LowPair, names: Sequence[str]) -> tuple[str, str]:
    """Return the remark on a pair at or below chance, and what to check. names: of the categories."""
    where = "less than expected by chance" if pair.kappa < 0 else "barely more than expected by chance"
    words = f"agree {where} on {count(pair.n_items)} items (κ = {figure(pair.kappa)})."
    explanations = [each for each in (_relabeled(pair, names), _shifted(pair)) if each]
    if not explanations:
        explanations = [
            "Neither swapped categories nor labels shifted by up to three items would explain it. Compare how the two "
            "raters understand the question."
        ]
    return words, " ".join(explanations)


def _relabeled(pair: LowPair, names: Sequence[str]) -> str:
    found = pair.relabelled
    if not found:
        return ""
    moved = [(names[theirs], names[own]) for own, theirs in enumerate(found.categories) if own != theirs]
    if len(moved) == 2:
        mix_up = f"“{moved[0][1]}” and “{moved[0][0]}” swapped"
    else:
        mix_up = ", ".join(f"“{theirs}” read as “{own}”" for theirs, own in moved[:4])
        mix_up += ", and so on" if len(moved) > 4 else ""
    return (
        f"With {mix_up} in the labels of {pair.rater_b}, κ would be {figure(found.kappa)}: check whether the "
        "categories were mixed up in a file or misunderstood."
    )


def _shifted(pair: LowPair) -> str:
    found = pair.shifted
    if not found:
        return ""
    items = "one item" if abs(found.by) == 1 else f"{abs(found.by)} items"
    return (
        f"With the labels of {pair.rater_b} shifted {items} {'earlier' if found.by > 0 else 'later'}, κ would be "
        f"{figure(found.kappa)}: check whether a column is misaligned in the file."
    )
