"""Pairs in the order of letters, if these are in force: the stored order would reveal which rater joined first."""

from reports.analysis.kinds.numeric import turned
from reports.analysis.results import pair_figures_of, to_json
from reports.models import PairAgreement


def lower_first(pair: PairAgreement) -> PairAgreement:
    """Return the pair with the lower ID first, as in the database; with letters, the stored order may be the other."""
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
