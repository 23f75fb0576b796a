"""Items and labels of a report as cells of a table."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from core.tables.safe_cells import Cell
from projects.models import Item
from raters.writing.records import BETWEEN
from reports.store.stored_result import StoredResult


def keys_between(result: StoredResult, first: int, last: int) -> Mapping[int, str]:
    """Return the keys of the project's items with IDs in this range: items are often too many to be named singly."""
    named = Item.objects.filter(project=result.report.project_id, pk__range=(first, last))
    return dict(named.values_list("pk", "key"))


def label_cell(result: StoredResult, value: Any) -> Cell:
    """Return a label as label exports write it. value: the position of a category, a number, or (K,) bool, a set."""
    if isinstance(value, np.ndarray):
        chosen = zip(result.categories, value, strict=True)
        return BETWEEN.join(category["key"] for category, is_chosen in chosen if is_chosen)
    if isinstance(value, np.floating):
        return float(value)
    return result.categories[int(value)]["key"]
