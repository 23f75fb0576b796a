"""The form for the attributes of one item or rater, with a row for each."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict

from projects.attributes import check_attributes, in_words

# Rows for new attributes.
EMPTY_ROWS = 3


@dataclass(frozen=True, slots=True)
class AttributesForm:
    """rows: names and values as typed. error: what is wrong with them; "" for nothing."""

    rows: list[tuple[str, str]]
    attributes: dict[str, object]
    error: str = ""

    @classmethod
    def of(cls, attributes: Mapping[str, Any]) -> "AttributesForm":
        rows = [(name, in_words(value)) for name, value in attributes.items()]
        return cls([*rows, *[("", "")] * EMPTY_ROWS], dict(attributes))

    @classmethod
    def sent(cls, data: QueryDict, *, before: Mapping[str, Any]) -> "AttributesForm":
        """Parse a submitted form. Unchanged values keep their type; rows without a value are ignored."""
        texts = zip(data.getlist("name"), data.getlist("value"), strict=False)
        rows = [(name.strip(), value.strip()) for name, value in texts]
        given = [(name, value) for name, value in rows if value]
        if twice := next((name for name, _ in given if [each for each, _ in given].count(name) > 1), None):
            return cls(rows, dict(before), f"{twice or 'An empty name'} appears twice.")
        attributes = {
            name: before[name] if name in before and in_words(before[name]) == value else value
            for name, value in given
        }
        try:
            check_attributes(attributes)
        except ValueError as error:
            return cls(rows, dict(before), f"Attributes {error}.".replace("Attributes a name", "A name"))
        return cls(rows, attributes)
