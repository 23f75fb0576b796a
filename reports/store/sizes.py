"""Figures of all raters where not everybody counts: how much they rest on, and why they are undefined with too few."""

from typing import Any

import numpy as np

from reports.agreement.results import Size
from reports.models import QuestionAgreement
from reports.sources.stored import blocks_of
from reports.store.counted import counted_in

NEEDED = ("items", "raters", "values")


def with_sizes(statistics: dict[str, Any], agreement: QuestionAgreement, size: Size) -> dict[str, Any]:
    """The statistics with what those who count said, if somebody does not; agreement: with its labels kept."""
    counted = counted_in(agreement)
    if not counted.left_out:
        return statistics
    n_abstentions = _n_abstentions(agreement, counted.ids) if agreement.n_abstentions else 0
    sizes = {"n_items": size.n_items, "n_labels": size.n_labels, "n_abstentions": n_abstentions}
    return statistics | {"counted": sizes}


def _n_abstentions(agreement: QuestionAgreement, raters: tuple[int, ...]) -> int:
    chosen = np.array(raters, dtype=np.int64)
    return sum(
        int(np.count_nonzero(np.isin(rows.raters, chosen) & rows.is_first & ~rows.has_value))
        for _, rows in blocks_of(agreement, NEEDED)
    )
