"""Figures of all raters where not everybody counts: how much they rest on, and why they are undefined with too few."""

from typing import Any

import numpy as np

from reports.agreement.results import Reason, Size
from reports.counted import counted_in
from reports.labels.kept import blocks_of
from reports.models import QuestionAgreement

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


def told_too_few(figures: Any) -> Any:
    """The same JSON; what is undefined is so because fewer than two raters count."""
    if isinstance(figures, list):
        return [told_too_few(each) for each in figures]
    if not isinstance(figures, dict):
        return figures
    told = {name: told_too_few(each) for name, each in figures.items()}
    is_undefined = told.get("reason") and told.get("value", told.get("statistic")) is None
    return told | {"reason": str(Reason.TOO_FEW_COUNTED)} if is_undefined else told
