"""A model's labels and people's labels on a random sample as rows of a table, for dsl and ppi_py."""

from collections.abc import Iterator

from core.tables.safe_cells import Cell
from reports.results.label_cells import keys_between, label_cell
from reports.store.sampled_labels import SampledLabels
from reports.store.stored_result import StoredResult

COLUMNS = ("item", "model_label", "gold_label", "sampled", "probability")


def rows_of(
    result: StoredResult, found: SampledLabels, places: range | None = None
) -> Iterator[tuple[Cell, ...]]:
    """Yield the cells of COLUMNS for each item, or for some of them."""
    chosen = range(len(found)) if places is None else places
    if not chosen:
        return
    keys = keys_between(result, int(found.items[chosen[0]]), int(found.items[chosen[-1]]))
    for place in chosen:
        yield (
            keys.get(int(found.items[place]), ""),
            label_cell(result, found.values[place]),
            label_cell(result, found.gold[place]) if found.has_gold[place] else None,
            int(found.is_drawn[place]),
            float(found.probabilities[place]),
        )
