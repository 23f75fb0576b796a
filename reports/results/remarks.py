"""Pairs of raters that look like a mistake: what was found, what the program has checked, and what to look at."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.templatetags.shown import count, figure
from reports.store.stored_result import StoredResult

# Remarks of each sort that a page tells one by one.
MOST_REMARKS = 3


@dataclass(frozen=True, slots=True)
class Remark:
    """address: of the pair, as the page of the question links to it. advice: what to check."""

    pair: str
    address: str
    words: str
    advice: str


@dataclass(frozen=True, slots=True)
class Remarks:
    shown: list[Remark]
    n_more: int


def remarks_of(result: StoredResult) -> Remarks:
    """Out of what the report stored; none in reports from before it did."""
    checks = result.statistics.get("checks", {})
    ids = {rater.key: rater.id for rater in result.raters}
    names = result.category_names
    identical = [_identical(pair, ids) for pair in checks.get("identical", [])]
    low = [pair for pair in checks.get("low", []) if is_remarkable(pair)]
    # What is explained comes first: there is something to do about it.
    low.sort(key=lambda pair: not (pair["relabelled"] or pair["shifted"]))
    told = [*identical[:MOST_REMARKS], *(_low(pair, ids, names) for pair in low[:MOST_REMARKS])]
    n_near = sum(pair["kappa"] >= 0 for pair in low)
    return Remarks(told, checks.get("n_identical", 0) + checks.get("n_below", 0) + n_near - len(told))


def remarks_of_pair(result: StoredResult, a: str, b: str) -> list[Remark]:
    """What the report has to remark on these two raters, by their keys."""
    checks = result.statistics.get("checks", {})
    ids = {rater.key: rater.id for rater in result.raters}
    names = result.category_names
    found = [_identical(pair, ids) for pair in checks.get("identical", []) if _is(pair, a, b)]
    return found + [
        _low(pair, ids, names) for pair in checks.get("low", []) if _is(pair, a, b) and is_remarkable(pair)
    ]


def _is(pair: Mapping[str, Any], a: str, b: str) -> bool:
    return {pair["rater_a"], pair["rater_b"]} == {a, b}


def is_remarkable(pair: Mapping[str, Any]) -> bool:
    """Of a pair at chance: whether it is below, or a mistake would explain it."""
    return bool(pair["kappa"] < 0 or pair["relabelled"] or pair["shifted"])


def _identical(pair: Mapping[str, Any], ids: Mapping[str, int]) -> Remark:
    return Remark(f"{pair['rater_a']} × {pair['rater_b']}", _address(pair, ids), *words_of_identical(pair))


def words_of_identical(pair: Mapping[str, Any]) -> tuple[str, str]:
    """What is remarked on the two, and what to check."""
    words = f"gave identical labels to all {count(pair['n_items'])} shared items (κ = 1)."
    own = pair["n_labels"]
    if own[0] == own[1] == pair["n_items"]:
        words += " Neither has labeled any other item."
    advice = "Check whether one column is a copy of the other, or whether one person labeled under two names."
    return words, advice


def _address(pair: Mapping[str, Any], ids: Mapping[str, int]) -> str:
    first, second = sorted((ids[pair["rater_a"]], ids[pair["rater_b"]]))
    return f"{first}/{second}/"


def _low(pair: Mapping[str, Any], ids: Mapping[str, int], names: Sequence[str]) -> Remark:
    return Remark(f"{pair['rater_a']} × {pair['rater_b']}", _address(pair, ids), *words_of_low(pair, names))


def words_of_low(pair: Mapping[str, Any], names: Sequence[str]) -> tuple[str, str]:
    """The same of a pair at chance or below; names: of the categories."""
    where = "less than expected by chance" if pair["kappa"] < 0 else "barely more than expected by chance"
    words = f"agree {where} on {count(pair['n_items'])} items (κ = {figure(pair['kappa'])})."
    found = [_relabeled(pair, names), _shifted(pair)]
    told = [each for each in found if each]
    if not told:
        told = [
            "Neither swapped categories nor labels shifted by up to three items would explain it. Compare how the two "
            "raters understand the question."
        ]
    return words, " ".join(told)


def _relabeled(pair: Mapping[str, Any], names: Sequence[str]) -> str:
    found = pair["relabelled"]
    if not found:
        return ""
    moved = [(names[theirs], names[own]) for own, theirs in enumerate(found["categories"]) if own != theirs]
    if len(moved) == 2:
        said = f"“{moved[0][1]}” and “{moved[0][0]}” swapped"
    else:
        said = ", ".join(f"“{theirs}” read as “{own}”" for theirs, own in moved[:4])
        said += ", and so on" if len(moved) > 4 else ""
    return (
        f"With {said} in the labels of {pair['rater_b']}, κ would be {figure(found['kappa'])}: check whether the "
        "categories were mixed up in a file or misunderstood."
    )


def _shifted(pair: Mapping[str, Any]) -> str:
    found = pair["shifted"]
    if not found:
        return ""
    by = abs(found["by"])
    way = "later" if found["by"] > 0 else "earlier"
    items = "one item" if by == 1 else f"{by} items"
    return (
        f"With the labels of {pair['rater_b']} shifted {items} {'earlier' if way == 'later' else 'later'}, κ would be "
        f"{figure(found['kappa'])}: check whether a column is misaligned in the file."
    )
