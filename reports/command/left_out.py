"""Raters of a file who are left out of the figures of all raters, as a reference is of those of a report."""

from collections.abc import Collection, Sequence

from reports.analysis.results import Json
from reports.command.choices import Choices, Unsuitable
from reports.store.counted import raters_words


def refuse_strangers(left_out: Collection[str], questions: Sequence[Sequence[str]]) -> None:
    """questions: of each the names of its raters. Raises Unsuitable for who is in none of them."""
    known = {name for raters in questions for name in raters}
    if unknown := sorted(set(left_out) - known):
        raise Unsuitable(f"--leave-out: there is no rater {unknown[0]!r}.")


def columns_left(raters: Sequence[str], left_out: Collection[str]) -> list[int]:
    """The places of those who count."""
    return [place for place, name in enumerate(raters) if name not in left_out]


def counted_words(raters: Sequence[str], left_out: Collection[str]) -> str:
    """Such as: Overall coefficients are based on 3 raters, excluding key."""
    without = [name for name in raters if name in left_out]
    if not without:
        return ""
    words = raters_words(len(raters) - len(without), [], n_left_out=0)
    return f"Overall coefficients are based on {words}, excluding {', '.join(without)}."


def counted_as_json(raters: Sequence[str], choices: Choices) -> Json:
    """{} if everyone counts."""
    without = [name for name in raters if name in choices.left_out]
    if not without:
        return {}
    return {"counted": {"n_raters": len(raters) - len(without), "left_out": without}}
