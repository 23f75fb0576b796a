"""Raters of a file who are left out of overall figures, as references are in reports."""

from collections.abc import Collection, Sequence

from reports.analysis.results import Json
from reports.command.choices import CommandChoices, UnsuitableOptions
from reports.store.included_raters import raters_words


def refuse_unknown_raters(left_out: Collection[str], questions: Sequence[Sequence[str]]) -> None:
    """Raise UnsuitableOptions if a rater is in no question. questions: the names of the raters of each."""
    known = {name for raters in questions for name in raters}
    if unknown := sorted(set(left_out) - known):
        raise UnsuitableOptions(f"--leave-out: there is no rater {unknown[0]!r}.")


def columns_left(raters: Sequence[str], left_out: Collection[str]) -> list[int]:
    """Return the positions of the raters who count."""
    return [place for place, name in enumerate(raters) if name not in left_out]


def counted_words(raters: Sequence[str], left_out: Collection[str]) -> str:
    """Return, for example: Overall coefficients are based on 3 raters, excluding key."""
    without = [name for name in raters if name in left_out]
    if not without:
        return ""
    words = raters_words(len(raters) - len(without), [], n_left_out=0)
    return f"Overall coefficients are based on {words}, excluding {', '.join(without)}."


def counted_as_json(raters: Sequence[str], choices: CommandChoices) -> Json:
    """Return who counts; {} if everyone does."""
    without = [name for name in raters if name in choices.left_out]
    if not without:
        return {}
    return {"counted": {"n_raters": len(raters) - len(without), "left_out": without}}
