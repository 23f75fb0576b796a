"""The reasons that adjudicators choose from: a default list that the lead can change."""

from typing import Any

from django.core.exceptions import ValidationError

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
    if not isinstance(value, list) or not all(isinstance(each, str) and each.strip() for each in value):
        raise ValidationError("Enter a list of reasons. Reasons can’t be empty.", "reasons")
    if len(value) > MAX_REASONS:
        raise ValidationError(f"Enter at most {MAX_REASONS} reasons, not {len(value)}.", "too_many")
    if long := [each for each in value if len(each) > MAX_REASON]:
        raise ValidationError(
            f"This reason has more than {MAX_REASON} characters: “{long[0][:40]}…”. Shorten it.", "too_long"
        )
    if len(set(value)) < len(value):
        twice = next(each for each in value if value.count(each) > 1)
        raise ValidationError(f"“{twice}” is in the list twice. Remove one.", "duplicate")


def reasons_in(text: str) -> list[str]:
    """Return a reason for each nonempty line."""
    return [line.strip() for line in text.splitlines() if line.strip()]
