"""The pairs of a report as table rows in blocks, so that memory use does not grow with the number of pairs."""

from collections.abc import Iterable, Iterator
from itertools import islice

import numpy as np

from reports.analysis.catalog import title_of
from reports.analysis.options import BOOTSTRAPS
from reports.analysis.pairs import pair_statistics
from reports.analysis.results import Figures, pair_figures_of, two_series_of
from reports.exports.result_columns import Row, value_cells
from reports.models import PairAgreement, QuestionAgreement
from reports.store.agreements import scope_of
from reports.store.pair_counts import may_recompute
from reports.store.pairs_in_order import pairs_in_order

BLOCK = 500
# Replicates for every pair would take minutes.
MAX_REPLICATED = 200


def kappa_rows(agreements: Iterable[QuestionAgreement]) -> Iterator[Row]:
    for agreement, names in _with_names(agreements):
        key = agreement.question.key
        for pair in pairs_in_order(agreement):
            if pair.figures is None:
                yield (
                    key, names[pair.rater_a_id], names[pair.rater_b_id], pair.n, pair.observed, pair.expected,
                    pair.kappa, pair.se, pair.ci_low, pair.ci_high, int(pair.is_clipped), pair.kappa_max, pair.reason,
                )  # fmt: skip


def count_rows(agreements: Iterable[QuestionAgreement]) -> Iterator[Row]:
    for agreement, names in _with_names(agreements):
        keys = [category["key"] for category in agreement.categories]
        for pair in pairs_in_order(agreement):
            beginning = (agreement.question.key, names[pair.rater_a_id], names[pair.rater_b_id])
            for cell, n in enumerate(pair.counts):
                if n:
                    yield (*beginning, keys[cell // len(keys)], keys[cell % len(keys)], n)


def statistic_rows(agreements: Iterable[QuestionAgreement]) -> Iterator[Row]:
    for agreement, names in _with_names(agreements):
        key = agreement.question.key
        pairs = iter(pairs_in_order(agreement))
        while block := list(islice(pairs, BLOCK)):
            if block[0].figures is None and not _may_compute(agreement):
                # Nor of any other pair: there may be millions, which would be read for nothing.
                break
            for pair, figures in zip(block, _figures(agreement, block), strict=True):
                for name, found in figures.items():
                    yield (
                        key, names[pair.rater_a_id], names[pair.rater_b_id], name, title_of(name),
                        *value_cells(found), pair.n if found.n_items is None else found.n_items,
                        found.method or "", found.interval_method or "",
                    )  # fmt: skip


def _figures(agreement: QuestionAgreement, block: list[PairAgreement]) -> Iterator[Figures]:
    """Yield all figures of each pair by name, except those by category: as stored, or recomputed from its counts."""
    if block[0].figures is not None:
        yield from (two_series_of(pair.n, pair_figures_of(pair.figures or {})).values for pair in block)
        return
    scope = scope_of(agreement)
    size = len(agreement.categories)
    tables = np.array([pair.counts for pair in block], dtype=np.int64).reshape(-1, size, size)
    found = pair_statistics(tables, scope.scale, scope.options)
    yield from (found.of(place).values for place in range(len(block)))


def _may_compute(agreement: QuestionAgreement) -> bool:
    if agreement.report.chosen.interval in BOOTSTRAPS and agreement.n_pairs > MAX_REPLICATED:
        return False
    return may_recompute(agreement)


def _with_names(
    agreements: Iterable[QuestionAgreement],
) -> Iterator[tuple[QuestionAgreement, dict[int, str]]]:
    for agreement in agreements:
        yield agreement, {rater["id"]: rater["key"] for rater in agreement.raters}
