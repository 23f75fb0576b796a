"""Lists of short texts that leads type one per line, such as field names and reasons."""

from typing import Any

from django.core.exceptions import ValidationError


def validate_list(value: Any, *, whole: str, one: str, many: str, code: str, most: int, longest: int) -> None:
    """Raise ValidationError unless the value is a list of texts without duplicates.

    whole: what is listed; one, many: an entry and entries, for messages. most: entries. longest: characters.
    """
    if not isinstance(value, list) or not all(isinstance(each, str) and each.strip() for each in value):
        raise ValidationError(f"Enter a list of {whole}. {one.capitalize()}s can’t be empty.", code)
    if len(value) > most:
        raise ValidationError(f"Enter at most {most} {many}, not {len(value)}.", "too_many")
    if long := [each for each in value if len(each) > longest]:
        raise ValidationError(
            f"This {one} has more than {longest} characters: “{long[0][:40]}…”. Shorten it.", "too_long"
        )
    if len(set(value)) < len(value):
        twice = next(each for each in value if value.count(each) > 1)
        raise ValidationError(f"“{twice}” is in the list twice. Remove one.", "duplicate")


def lines_in(text: str) -> list[str]:
    """Return an entry for each nonempty line."""
    return [line.strip() for line in text.splitlines() if line.strip()]
