"""Lists of field names with which leads define the layout of items."""

from typing import Any

from django.core.exceptions import ValidationError

from core.keys import MAX_KEY

MAX_FIELDS = 200


def validate_names(value: Any) -> None:
    """Raise ValidationError unless the value is a list of field names without duplicates."""
    if not isinstance(value, list) or not all(isinstance(each, str) and each.strip() for each in value):
        raise ValidationError("Enter a list of field names. Names can’t be empty.", "names")
    if len(value) > MAX_FIELDS:
        raise ValidationError(f"Enter at most {MAX_FIELDS} fields, not {len(value)}.", "too_many")
    if long := [each for each in value if len(each) > MAX_KEY]:
        raise ValidationError(
            f"This name has more than {MAX_KEY} characters: “{long[0][:40]}…”. Shorten it.", "too_long"
        )
    if len(set(value)) < len(value):
        twice = next(each for each in value if value.count(each) > 1)
        raise ValidationError(f"“{twice}” is in the list twice. Remove one.", "duplicate")


def names_in(text: str) -> list[str]:
    """Return a name for each nonempty line."""
    return [line.strip() for line in text.splitlines() if line.strip()]
