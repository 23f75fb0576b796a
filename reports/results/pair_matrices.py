"""All pairs of a question of numbers or of sets as square tables, one for each figure."""

from typing import Any

from projects.models import Question
from reports.models import QuestionAgreement
from reports.store.agreements import raters_of

Rows = list[list[float | None]]

# The figure that the reasons of the matrix speak of comes first.
SYMMETRIC = {
    Question.Kind.NUMBER: ("lin_concordance", "pearson_correlation"),
    Question.Kind.MULTIPLE: ("masi", "jaccard", "identical_sets"),
}
# The rater of the row minus that of the column.
TURNED = {Question.Kind.NUMBER: ("bland_altman_bias",), Question.Kind.MULTIPLE: ()}


def figures_by_pair(agreement: QuestionAgreement, kind: Question.Kind) -> dict[str, Any]:
    """n, reasons and figures, each a list of rows in the order of the raters; None where undefined."""
    places = {rater.id: place for place, rater in enumerate(raters_of(agreement))}
    size = len(places)
    n = [[0] * size for _ in places]
    reasons: list[list[str | None]] = [
        [None if row == column else "no_overlap" for column in range(size)] for row in range(size)
    ]
    names = (*SYMMETRIC[kind], *TURNED[kind])
    figures: dict[str, Rows] = {name: [[None] * size for _ in places] for name in names}
    for rater_a, rater_b, shared, found in _rows(agreement):
        a, b = places[rater_a], places[rater_b]
        n[a][b] = n[b][a] = shared
        reasons[a][b] = reasons[b][a] = found[names[0]]["reason"] or None
        for name in names:
            value = found[name]["value"]
            is_turned = name in TURNED[kind] and value is not None
            figures[name][a][b], figures[name][b][a] = value, -value if is_turned else value
    return {"n": n, "reasons": reasons, "figures": figures}


def _rows(agreement: QuestionAgreement) -> Any:
    return agreement.pairs.values_list("rater_a_id", "rater_b_id", "n", "figures").iterator()
