"""The items that only a model labeled as rows of a table, with what it may decide alone."""

from collections.abc import Iterator

import numpy as np

from core.tables.safe_cells import Cell
from reports.results.decision_wording import why_for_people
from reports.results.label_cells import keys_between, label_cell
from reports.store.model_decisions import DecisionsResult
from reports.store.stored_result import StoredResult

COLUMNS = ("item", "model_label", "confidence", "decided", "reason")


def rows_of(
    result: StoredResult, decided: DecisionsResult, places: range | None = None
) -> Iterator[tuple[Cell, ...]]:
    """Yield the cells of COLUMNS for each of the open items, or for some of them."""
    items = decided.items
    chosen = range(len(items)) if places is None else places
    if not chosen:
        return
    keys = keys_between(result, int(items.items[chosen[0]]), int(items.items[chosen[-1]]))
    for place in chosen:
        pk, confidence = int(items.items[place]), float(items.confidences[place])
        yield (
            keys.get(pk, ""),
            label_cell(result, items.labels[place]),
            None if np.isnan(confidence) else confidence,
            "yes" if items.is_decided[place] else "no",
            why_for_people(decided, place),
        )
