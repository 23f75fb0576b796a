"""Pairs in the order of letters, where these are in force: which of two raters comes first tells who joined first."""

from reports.analysis.kinds.numeric import turned
from reports.analysis.results import pair_figures_of, to_json
from reports.models import PairAgreement


def lower_first(pair: PairAgreement) -> PairAgreement:
    """The same pair with the lower id first, as all are stored; with letters another one may come first."""
    if pair.rater_a_id < pair.rater_b_id:
        return pair
    loaded = pair.__dict__
    cached = pair._state.fields_cache
    pair.rater_a_id, pair.rater_b_id = pair.rater_b_id, pair.rater_a_id
    if "rater_a" in cached and "rater_b" in cached:
        cached["rater_a"], cached["rater_b"] = cached["rater_b"], cached["rater_a"]
    if loaded.get("counts"):
        size = round(len(pair.counts) ** 0.5)
        pair.counts = [pair.counts[row * size + column] for column in range(size) for row in range(size)]
    if loaded.get("figures"):
        pair.figures = to_json(turned(pair_figures_of(pair.figures or {})))
    return pair
