"""Pairs in the order of letters, if these are in force: the stored order would reveal which rater joined first."""

from collections.abc import Iterator

from django.db.models import Q

from raters.lettered import letters_in_force, order_of_pairs
from reports.analysis.kinds.numeric_pairs import turned
from reports.analysis.results import pair_figures_of, to_json
from reports.models import PairAgreement, QuestionAgreement

BLOCK = 500


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


def pairs_in_order(agreement: QuestionAgreement) -> Iterator[PairAgreement]:
    """Yield the pairs, the lower ID first, in blocks read along an index.

    A cursor outside of a transaction would have the database write all of them to a file before the first.
    """
    if letters_in_force() is not None:
        yield from map(lower_first, agreement.pairs.order_by(*order_of_pairs()).iterator(chunk_size=BLOCK))
        return
    rows = agreement.pairs.order_by("rater_a_id", "rater_b_id")
    block = list(rows[:BLOCK])
    while block:
        yield from map(lower_first, block)
        a, b = block[-1].rater_a_id, block[-1].rater_b_id
        after = Q(rater_a_id__gt=a) | Q(rater_a_id=a, rater_b_id__gt=b)
        block = list(rows.filter(after, rater_a_id__gte=a)[:BLOCK]) if len(block) == BLOCK else []
