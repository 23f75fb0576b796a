"""The items that only a model labeled as rows of a table, with what it may decide alone."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from core.tables.safe_cells import Cell
from projects.models import Item
from raters.writing.records import BETWEEN
from reports.results.decision_wording import why_for_people
from reports.store.model_decisions import Decided
from reports.store.stored_result import StoredResult

COLUMNS = ("item", "model_label", "confidence", "decided", "reason")


def rows_of(
    result: StoredResult, decided: Decided, places: range | None = None
) -> Iterator[tuple[Cell, ...]]:
    """Yield the cells of COLUMNS for each of the open items, or for some of them."""
    items = decided.items
    chosen = range(len(items)) if places is None else places
    if not chosen:
        return
    # They are ascending, and often too many to be named one by one.
    within = (int(items.items[chosen[0]]), int(items.items[chosen[-1]]))
    named = Item.objects.filter(project=result.report.project_id, pk__range=within)
    keys = dict(named.values_list("pk", "key"))
    for place in chosen:
        pk, confidence = int(items.items[place]), float(items.confidences[place])
        yield (
            keys.get(pk, ""),
            label_cell(result, items.values[place], items.members),
            None if np.isnan(confidence) else confidence,
            "yes" if items.is_decided[place] else "no",
            why_for_people(decided, place),
        )


def label_cell(result: StoredResult, value: Any, members: Any) -> Cell:
    """Return a label as label exports write it: a key, keys of a set, or a number."""
    if members is not None:
        chosen = zip(result.categories, members[value], strict=True)
        return BETWEEN.join(category["key"] for category, is_chosen in chosen if is_chosen)
    if isinstance(value, np.floating):
        return float(value)
    return result.categories[int(value)]["key"]
