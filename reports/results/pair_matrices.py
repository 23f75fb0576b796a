"""All pairs of a number or multiple-choice question as square matrices, one for each figure."""

from dataclasses import dataclass
from typing import Any

from reports.results.kinds import result_kind
from reports.store.stored_result import StoredResult

Rows = list[list[float | None]]


@dataclass(frozen=True, slots=True)
class PairMatrices:
    """Each matrix is a list of rows in the order of the raters, None if undefined. figures: by name."""

    n: list[list[int]]
    reasons: list[list[str | None]]
    figures: dict[str, Rows]


def figures_by_pair(result: StoredResult) -> PairMatrices:
    places = {rater.id: place for place, rater in enumerate(result.raters)}
    size = len(places)
    n = [[0] * size for _ in places]
    reasons: list[list[str | None]] = [
        [None if row == column else "no_overlap" for column in range(size)] for row in range(size)
    ]
    kind = result_kind(result.scope.kind)
    names = (*kind.symmetric, *kind.turned)
    figures: dict[str, Rows] = {name: [[None] * size for _ in places] for name in names}
    rows: Any = result.row.pairs.values_list("rater_a_id", "rater_b_id", "n", "figures")
    for rater_a, rater_b, shared, found in rows.iterator():
        a, b = places[rater_a], places[rater_b]
        n[a][b] = n[b][a] = shared
        reasons[a][b] = reasons[b][a] = found[names[0]]["reason"] or None
        for name in names:
            value = found[name]["value"]
            is_turned = name in kind.turned and value is not None
            figures[name][a][b], figures[name][b][a] = value, -value if is_turned else value
    return PairMatrices(n, reasons, figures)
