"""Every figure of two raters: as it is stored, or from their stored confusion matrix."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from reports.agreement.weights import Weights
from reports.analysis.pairs import full_statistics
from reports.analysis.results import (
    Figure,
    Json,
    SignificanceTest,
    pair_figures_of,
    to_json,
    two_series_of,
)
from reports.models import PairAgreement
from reports.results.confusion import table_of
from reports.store.stored_result import StoredResult


@dataclass(frozen=True, slots=True, kw_only=True)
class PairFigures:
    """values: of all categories, by name. categories: by name, one for each category."""

    values: Mapping[str, Figure]
    categories: Mapping[str, tuple[Figure, ...]]
    tests: Mapping[str, SignificanceTest] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgainstReference(PairFigures):
    """A rater against another one who is taken as right, by their keys."""

    rater: str
    reference: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PairStatistics(PairFigures):
    """reference: for each of the two the other one against them, rater A first."""

    reference: tuple[AgainstReference, ...]


def stored_figures(pair: PairAgreement) -> PairFigures:
    """Of numbers and sets, whose pairs have no confusion matrix."""
    found = two_series_of(pair.n, pair_figures_of(pair.figures or {}))
    return PairFigures(values=found.values, categories=found.categories)


def statistics_of_pair(result: StoredResult, pair: PairAgreement, weights: str) -> Json:
    """Every statistic of a pair out of its stored table of counts, as JSON of `PairStatistics`.

    weights: those besides none.
    """
    scope = result.scope
    n_labels = {rater.id: rater.n_labels for rater in result.raters}
    [found] = full_statistics(
        table_of(pair)[None],
        scope.scale_with(Weights(weights)),
        scope.options,
        names=[(pair.rater_a.key, pair.rater_b.key)],
        n_labels=np.array([[n_labels[pair.rater_a_id], n_labels[pair.rater_b_id]]]),
    )
    statistics: Json = to_json(found)
    return statistics
