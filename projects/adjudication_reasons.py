"""The reasons that adjudicators choose from: a default list that the lead can change."""

from typing import Any

from projects.short_lists import validate_list

MAX_REASONS = 100
MAX_REASON = 200
# What goes wrong in labeling, most frequent first.
DEFAULT_REASONS = [
    "Guideline gap",
    "Guideline misread",
    "Rater slip",
    "Ambiguous item",
    "Missing context",
    "Categories overlap",
]


def default_reasons() -> list[str]:
    return list(DEFAULT_REASONS)


def validate_reasons(value: Any) -> None:
    """Raise ValidationError unless the value is a list of short lines without duplicates."""
    validate_list(
        value,
        whole="reasons",
        one="reason",
        many="reasons",
        code="reasons",
        most=MAX_REASONS,
        longest=MAX_REASON,
    )
