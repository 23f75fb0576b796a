"""The rule for answers to number questions, in Python and in SQL.

`Question.number_rule` gives it in words, and static/js/label_form.js implements it as well.
"""

import math
from collections.abc import Mapping
from typing import Any

from projects.codebook.refusals import CodebookRefused
from projects.models import MAX_VALUE, Question

# Tolerance for multiples of a step in binary: 0.3 is not exactly three times 0.1.
SLACK = 1e-6
# The fields, with their values for a question without rules.
FIELDS: dict[str, object] = {
    "minimum": None,
    "maximum": None,
    "is_whole": False,
    "step": None,
    "unit": "",
    "tolerance": None,
}


def is_allowed(question: Question, number: float) -> bool:
    """Return whether raters may enter the number; missing values are always allowed."""
    if number in question.missing_values:
        return True
    if question.minimum is not None and number < question.minimum:
        return False
    if question.maximum is not None and number > question.maximum:
        return False
    if question.is_whole and number != math.floor(number):
        return False
    if question.step is None:
        return True
    steps = (number - (question.minimum or 0.0)) / question.step
    return abs(steps - round(steps)) <= SLACK


def sql_forbidden(number: str, question: str) -> str:
    """Return SQL for a number that `is_allowed` rejects. question: the alias of the row of questions."""
    steps = f"(({number} - coalesce({question}.minimum, 0)) / {question}.step)"
    return f"""(
        {number} <> ALL ({question}.missing_values)
        AND (
            {number} < {question}.minimum OR {number} > {question}.maximum
            OR ({question}.is_whole AND {number} <> floor({number}))
            OR abs({steps} - round({steps})) > {SLACK!r}
        ) IS TRUE
    )"""


def check_numbers(question: Question, fields: Mapping[str, Any]) -> None:
    """Raise CodebookRefused if the question cannot have these values of FIELDS."""
    wanted = {name: fields.get(name, getattr(question, name)) for name in FIELDS}
    if question.kind != Question.Kind.NUMBER:
        if name := next((name for name, default in FIELDS.items() if wanted[name] != default), None):
            words = {"is_whole": "whole numbers"}.get(name, f"a {name}")
            raise CodebookRefused("not_a_number", f"Only number questions have {words}.", field=name)
        return
    low, high, step, tolerance = (wanted[name] for name in ("minimum", "maximum", "step", "tolerance"))
    for name in ("minimum", "maximum", "step", "tolerance"):
        if wanted[name] is not None and not abs(wanted[name]) <= MAX_VALUE:
            raise CodebookRefused("out_of_range", f"Enter a number up to {MAX_VALUE:g}.", field=name)
    if low is not None and high is not None and low > high:
        raise CodebookRefused("minimum_above_maximum", "The minimum is above the maximum.", field="minimum")
    if step is not None and step <= 0:
        raise CodebookRefused("bad_step", "A step must be above 0.", field="step")
    if tolerance is not None and tolerance < 0:
        raise CodebookRefused("bad_tolerance", "A tolerance must be 0 or more.", field="tolerance")
    if wanted["is_whole"] and step is not None and step != math.floor(step):
        raise CodebookRefused("bad_step", "Whole numbers need a step that is a whole number.", field="step")


def forget_rules(question: Question) -> None:
    """Reset the rules, which have no meaning for another kind."""
    for name, default in FIELDS.items():
        setattr(question, name, default)
