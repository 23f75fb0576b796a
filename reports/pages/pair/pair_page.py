"""The page of two raters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.http import HttpRequest

from projects.models import Question
from reports.agreement.results import PairKappa
from reports.models import PairAgreement
from reports.pages.address_choices import chosen
from reports.pages.contexts import PageSection
from reports.pages.heads import PairHead, pair_head
from reports.pages.pair.neighbors import NeighborList, neighbors_of
from reports.pages.pair.paradox import Paradox, paradox_of
from reports.pages.statistic_tables import PairStatisticsSection, all_of_pair, default_reference
from reports.results import wording
from reports.results.confusion import (
    SHOWN,
    ConfusionTable,
    Indices,
    categories_of,
    count_table,
    direction_of,
    indices_of,
    table_of,
)
from reports.results.pair_statistics import statistics_of_pair
from reports.results.question_pairs import weights_of
from reports.results.remarks import Remark, remarks_of_pair
from reports.results.wording import shown_interval
from reports.store.pair_counts import kappas_of
from reports.store.stored_result import StoredResult

DIGITS = 3
# With fewer items, or a higher kappa, its distribution is too skewed for a formula.
FEW_ITEMS, HIGH_KAPPA = 50, 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class SingleChoicePairPage(PageSection):
    """kappa, interval, reason: with the requested weights; by_weights: each weighting with its kappa, interval, and the
    reason if there is none. n_dispute: items on which the two differ.
    """

    head: PairHead
    percent: str
    weights: str
    weightings: Mapping[str, str]
    kappa: PairKappa
    interval: str
    clipped: str
    is_rough: bool
    reason: str
    share_of_max: float | None
    by_weights: Sequence[tuple[str, PairKappa, str, str]]
    counts: ConfusionTable
    show: str
    shows: Mapping[str, str]
    indices: Indices
    is_two: bool
    is_nominal: bool
    direction: str
    n_dispute: int
    remarks: Sequence[Remark]
    paradox: Paradox
    neighbors: NeighborList
    tables: PairStatisticsSection


def pair_context(request: HttpRequest, result: StoredResult, pair: PairAgreement) -> SingleChoicePairPage:
    table, categories = table_of(pair), categories_of(pair)
    own = str(result.scope.weights)
    weightings = weights_of(result)
    weights = chosen(request, "weights", weightings, own)
    show = chosen(request, "show", SHOWN, "total")
    # All are computed from the same counts.
    kappas = {name: kappas_of(result.row, [pair.counts], name).pair(0) for name in weightings}
    chosen_kappa = kappas[weights]
    found = statistics_of_pair(result, pair, weights)
    return SingleChoicePairPage(
        head=pair_head(pair),
        percent=result.report.chosen.percent,
        weights=weights,
        weightings=weightings,
        kappa=chosen_kappa,
        interval=shown_interval(chosen_kappa.ci_low, chosen_kappa.ci_high, DIGITS),
        clipped=wording.clipped_words(chosen_kappa),
        is_rough=is_rough(chosen_kappa),
        reason=wording.long_reason(str(chosen_kappa.reason)) if chosen_kappa.reason else "",
        share_of_max=_share_of_max(chosen_kappa.kappa, chosen_kappa.kappa_max),
        by_weights=[
            (
                wording.WEIGHTS[name],
                k,
                ", ".join(
                    filter(None, [shown_interval(k.ci_low, k.ci_high, DIGITS), wording.clipped_words(k)])
                ),
                wording.short_reason(str(k.reason)),
            )
            for name, k in kappas.items()
        ],
        counts=count_table(table, categories, show=show),
        show=show,
        shows=SHOWN,
        indices=indices_of(table),
        is_two=len(categories) == 2,
        is_nominal=result.question.level == Question.Level.NOMINAL,
        direction=direction_of(table, categories, pair.rater_a.key, pair.rater_b.key),
        n_dispute=int(table.sum() - table.trace()),
        remarks=remarks_of_pair(result, pair.rater_a.key, pair.rater_b.key),
        paradox=paradox_of(pair, found.values),
        neighbors=neighbors_of(
            result, pair, weights, with_differences=request.GET.get("differences") == "show"
        ),
        tables=all_of_pair(
            pair, found, weights, chosen(request, "reference", ["", "a", "b"], default_reference(pair))
        ),
    )


def is_rough(kappa: PairKappa) -> bool:
    """Return whether to offer a bootstrap in addition to the analytic interval (2.2 of the definitions)."""
    has_interval = kappa.kappa is not None and kappa.ci_low is not None
    return has_interval and (kappa.n < FEW_ITEMS or (kappa.kappa or 0.0) > HIGH_KAPPA)


def _share_of_max(kappa: float | None, kappa_max: float | None) -> float | None:
    return None if kappa is None or not kappa_max or kappa_max < 0 else kappa / kappa_max
