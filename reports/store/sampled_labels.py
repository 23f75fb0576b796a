"""A model's labels with people's on a random sample of its items, and the probability of each item to be drawn."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.refusals import Refused
from projects.models import Round
from raters.rounds.assigning.assignment_design import DesignRefused
from raters.rounds.chosen_items import by_stratum
from raters.rounds.round_plan import RoundPlan
from reports.agreement.results import FloatArray
from reports.analysis.gold import gold_of
from reports.analysis.label_arrays import NO_ROUND, IdArray, of_raters
from reports.analysis.options import RaterKind
from reports.sources.label_columns import read_columns
from reports.sources.stored_labels import rounds_read
from reports.store.human_sample import HumanSample, drawn_of, planned_round, population_of, why_not_drawn
from reports.store.model_decisions import MAX_LABELS, models_in
from reports.store.models_against_people import why_no_model
from reports.store.stored_result import StoredResult


class SampleRefused(Refused):
    """People's items were not drawn with known probabilities."""

    code, status_code = "no_sample", 400


@dataclass(frozen=True, slots=True, eq=False)
class SampledLabels:
    """(N,) the items that the model labeled and that could have been drawn, ascending.

    values: of the model; gold: people's majority, or mean of numbers, where has_gold. is_drawn: whether the item was
    drawn for people; probabilities: of that.
    """

    model: str
    items: IdArray
    values: NDArray[Any]
    gold: NDArray[Any]
    has_gold: NDArray[np.bool_]
    is_drawn: NDArray[np.bool_]
    probabilities: FloatArray

    def __len__(self) -> int:
        return len(self.items)

    @property
    def n_without_gold(self) -> int:
        """The number of items that were drawn, but have no label, or a tie."""
        return int((self.is_drawn & ~self.has_gold).sum())


def is_drawn(result: StoredResult) -> bool:
    """Return whether the items of the only round that the figures are about were drawn at random."""
    lead = result.row.lead
    rounds = (rounds_read(result.row) if lead is None else {lead["id"]}) - {NO_ROUND}
    found = list(Round.objects.filter(pk__in=rounds))
    return len(found) == 1 and bool(found[0].plans) and not why_not_drawn(found[0])


def sampled_labels(result: StoredResult, model: str) -> SampledLabels:
    """model: its key; "" for the one with most labels. Raises SampleRefused."""
    if result.row.n_labels > MAX_LABELS:
        raise SampleRefused(
            f"A report with more than {MAX_LABELS:,} labels of a question is too large for this file."
        )
    chosen = [each for each in models_in(result) if model in {"", each.key}]
    if not chosen:
        raise SampleRefused(f"The report has no model {model[:60]!r}." if model else why_no_model(result.row))
    rater = max(chosen, key=lambda each: each.n_labels)
    people = [each.id for each in result.raters if each.kind == RaterKind.HUMAN]
    of_people = of_raters(read_columns(result.row), people)
    round_ = planned_round(of_people, result.report)
    if isinstance(round_, HumanSample):
        raise SampleRefused(round_.words)
    population, drawn, probabilities = _drawing(round_)
    own = of_raters(read_columns(result.row, all_rounds=True), [rater.id])
    own = own.of(np.isin(own.items, population))
    is_drawn = np.isin(own.items, drawn)
    gold, has_gold = gold_of(result.scope, own.items, of_people.of(np.isin(of_people.items, drawn)))
    return SampledLabels(
        rater.key,
        own.items,
        own.values if own.members is None else own.members[own.values],
        gold.values,
        has_gold,
        is_drawn,
        probabilities[np.searchsorted(population, own.items)],
    )


def _drawing(round_: Round) -> tuple[IdArray, IdArray, FloatArray]:
    """Return the items that could have been drawn, those that were, and the probability of each of the former."""
    if refusal := why_not_drawn(round_):
        raise SampleRefused(refusal)
    population = population_of(round_)
    drawn = drawn_of(round_, population)
    attribute = RoundPlan.of_json(round_.plans[0]).chosen.stratify_by
    if not attribute:
        return population, drawn, np.full(len(population), len(drawn) / max(1, len(population)))
    try:
        groups = by_stratum(round_.project, population, attribute)
    except DesignRefused as refused:
        raise SampleRefused(str(refused)) from None
    probabilities = np.zeros(len(population))
    for group in groups.values():
        # Each stratum is a simple random sample of a fixed size.
        probabilities[np.searchsorted(population, group)] = np.isin(group, drawn).mean()
    return population, drawn, probabilities
