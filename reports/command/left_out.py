"""Raters of a file who are left out of the figures of all raters, as a reference is of those of a report."""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from reports.agreement.results import IntArray
from reports.command.choices import Choices, Unsuitable
from reports.sources.label_file import LabelsInFile
from reports.store.counted import raters_words


def refuse_strangers(left_out: Collection[str], questions: Sequence[Sequence[str]]) -> None:
    """questions: of each the names of its raters. Raises Unsuitable for who is in none of them."""
    known = {name for raters in questions for name in raters}
    if unknown := sorted(set(left_out) - known):
        raise Unsuitable(f"--leave-out: there is no rater {unknown[0]!r}.")


def columns_left(raters: Sequence[str], left_out: Collection[str]) -> list[int]:
    """The places of those who count."""
    return [place for place, name in enumerate(raters) if name not in left_out]


def items_left(labels: LabelsInFile, columns: Sequence[int]) -> list[str]:
    """The names of the items that one of these labelled, in their order."""
    places = np.unique(labels.items[_are_of(labels, columns)])
    return [labels.item_names[place] for place in places.tolist()]


def codes_left(labels: LabelsInFile, columns: Sequence[int]) -> IntArray:
    found: IntArray = labels.codes[_are_of(labels, columns)]
    return found


def _are_of(labels: LabelsInFile, columns: Sequence[int]) -> Any:
    return np.isin(labels.columns, np.array(columns, dtype=np.int64))


def are_too_few(raters: Sequence[str], left_out: Collection[str]) -> bool:
    n = len(columns_left(raters, left_out))
    return n < 2 and n < len(raters)


def counted_words(raters: Sequence[str], left_out: Collection[str]) -> str:
    """Such as: Overall coefficients are based on 3 raters, excluding gold."""
    without = [name for name in raters if name in left_out]
    if not without:
        return ""
    words = raters_words(len(raters) - len(without), [], n_left_out=0)
    return f"Overall coefficients are based on {words}, excluding {', '.join(without)}."


def counted_as_json(raters: Sequence[str], choices: Choices) -> dict[str, Any]:
    """{} if everyone counts."""
    without = [name for name in raters if name in choices.left_out]
    if not without:
        return {}
    return {"counted": {"n_raters": len(raters) - len(without), "left_out": without}}
