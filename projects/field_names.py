"""Lists of field names with which leads define the layout of items."""

from typing import Any

from core.keys import MAX_KEY
from projects.short_lists import validate_list

MAX_FIELDS = 200


def validate_names(value: Any) -> None:
    """Raise ValidationError unless the value is a list of field names without duplicates."""
    validate_list(
        value, whole="field names", one="name", many="fields", code="names", most=MAX_FIELDS, longest=MAX_KEY
    )
