"""Which fields of a row a change alters, and how, in the form that events store."""

from collections.abc import Mapping
from typing import Any

from django.db.models import Model

# By field: {"old": …, "new": …}.
Changes = dict[str, dict[str, Any]]


def changes_of(row: Model, fields: Mapping[str, Any]) -> Changes:
    """The fields whose value differs from that of the row as it is now."""
    return {
        name: {"old": getattr(row, name), "new": value}
        for name, value in fields.items()
        if getattr(row, name) != value
    }
