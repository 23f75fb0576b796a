"""The figures of one rater for each kind of question; no other code on raters depends on the kind."""

from typing import NamedTuple, Protocol

import numpy as np

from core.templatetags.shown import figure, percent
from projects.models import Question
from reports.access import RaterAccess
from reports.agreement.pairs.cohen import cohen_kappa
from reports.agreement.results import IntArray, Reason
from reports.analysis.catalog import title_of
from reports.analysis.kinds import kind_of
from reports.analysis.kinds.numeric_pairs import turned
from reports.analysis.kinds.single import MAX_SHOWN_CELLS, tables_of
from reports.analysis.label_arrays import RaterAndOtherLabels
from reports.analysis.pairs import of_kappa, reference_figures
from reports.analysis.question import QuestionScope
from reports.analysis.reasons import words_of
from reports.analysis.results import (
    EstimatedErrors,
    Figure,
    Json,
    LatentClassEstimates,
    NotComputable,
    PairFigures,
    Peer,
    ReferenceComparison,
    figures_of,
    pair_figures_of,
    two_series_of,
)
from reports.models import PairAgreement
from reports.results.estimate_doubts import doubts_of
from reports.results.kinds import result_kind
from reports.results.rater_wording import HIDDEN, NOT_COMPUTED, NOT_COUNTED, NOT_OF_KIND, value_shown
from reports.results.statistic_rows import shown_limits
from reports.store.agreements import ReportRater
from reports.store.stored_result import StoredResult

# The figure by which pairs are compared, the share of items on which the two agree, and all figures of numbers and
# sets.
PeerFigures = tuple[Figure, float | None, PairFigures | None]


class StoredPair(NamedTuple):
    """The columns of a stored pair needed for a peer."""

    rater_a_id: int
    rater_b_id: int
    n: int
    observed: float | None
    kappa: float | None
    se: float | None
    ci_low: float | None
    ci_high: float | None
    reason: str
    figures: Json | None


class RaterResultKind(Protocol):
    """The figures of a rater for one kind of question."""

    def against(
        self, result: StoredResult, rater: ReportRater, reference: ReportRater, pair: PairAgreement
    ) -> ReferenceComparison:
        """Return all figures of the comparison with the reference."""

    def shares(self, result: StoredResult) -> list[float | None]:
        """Return the share of each category among the labels of all who count; [] if unknown."""

    def stored_peer(self, scope: QuestionScope, pair: StoredPair, *, is_first: bool) -> PeerFigures:
        """Return the figures of a stored pair. is_first: whether the rater is the first of the two."""

    def peers(self, scope: QuestionScope, labels: RaterAndOtherLabels, others: IntArray) -> list[PeerFigures]:
        """Return the figures of the rater with each of the others, from their labels."""

    def errors(self, access: RaterAccess) -> EstimatedErrors: ...

    def peer_titles(self, scope: QuestionScope) -> list[str]:
        """Return the column titles of a list of peers."""

    def peer_cells(self, scope: QuestionScope, peer: Peer) -> list[tuple[str, str]]:
        """Return the cells of one peer: values, and intervals or the reasons why there are none."""


class SingleChoiceRater:
    def against(
        self, result: StoredResult, rater: ReportRater, reference: ReportRater, pair: PairAgreement
    ) -> ReferenceComparison:
        counts = np.array(pair.counts, dtype=np.int64).reshape(len(result.scope.category_ids), -1)
        counts = counts if pair.rater_a_id == rater.id else counts.T
        n_labels = np.array([[rater.n_labels, reference.n_labels]])
        confidence = result.scope.options.confidence
        [found] = reference_figures(
            counts[None], result.scope.scale, n_labels=n_labels, confidence=confidence
        )
        return ReferenceComparison(
            reference=reference.key,
            reference_id=reference.id,
            n=pair.n,
            values=found.values,
            categories=found.categories,
            counts=counts.tolist() if counts.size <= MAX_SHOWN_CELLS else None,
        )

    def shares(self, result: StoredResult) -> list[float | None]:
        counted, found = result.counted, result.figures.distributions or {}
        rows = [found[rater.key] for rater in result.raters if rater.id in counted and rater.key in found]
        totals = np.sum(rows, axis=0) if rows else np.zeros(0)
        return list((totals / totals.sum()).tolist()) if totals.sum() else []

    def stored_peer(self, scope: QuestionScope, pair: StoredPair, *, is_first: bool) -> PeerFigures:
        found = Figure(
            value=pair.kappa,
            se=pair.se,
            ci_low=pair.ci_low,
            ci_high=pair.ci_high,
            reason=Reason(pair.reason),
            n=pair.n,
        )
        return found, pair.observed, None

    def peers(self, scope: QuestionScope, labels: RaterAndOtherLabels, others: IntArray) -> list[PeerFigures]:
        tables = tables_of(
            labels.own.values[labels.places],
            labels.others.values,
            np.searchsorted(others, labels.others.raters),
            len(others),
            len(scope.category_ids),
        )
        found = cohen_kappa(tables, scope.scale.weighting, confidence=scope.options.confidence)
        observed = np.einsum("pkk->p", tables) / np.maximum(found.n, 1)
        return [
            (kappa, share, None)
            for kappa, share in zip(figures_of(of_kappa(found)), observed.tolist(), strict=True)
        ]

    def errors(self, access: RaterAccess) -> EstimatedErrors:
        if access.is_own:
            return EstimatedErrors(reason=HIDDEN)
        if access.rater.id not in access.result.counted:
            return EstimatedErrors(reason=NOT_COUNTED)
        consensus = access.result.figures.consensus
        if consensus is None:
            return EstimatedErrors(reason=NOT_COMPUTED)
        estimate = consensus.dawid_skene
        of_each = estimate.raters if isinstance(estimate, LatentClassEstimates) else ()
        mine = next((each for each in of_each if each.rater == access.rater.key), None)
        if mine is None or isinstance(estimate, NotComputable):
            return EstimatedErrors(reason=str(estimate.reason) or NOT_COMPUTED)
        return EstimatedErrors(
            share_right=mine.share_right,
            prevalence=estimate.prevalence,
            confusion=mine.confusion,
            doubts=tuple(map(str, doubts_of(estimate, mine.share_right))),
            reason="" if mine.confusion else str(Reason.TOO_LARGE),
        )

    def peer_titles(self, scope: QuestionScope) -> list[str]:
        return ["κ, weighted" if scope.is_weighted else "κ", "Agreement"]

    def peer_cells(self, scope: QuestionScope, peer: Peer) -> list[tuple[str, str]]:
        found = peer.figure
        interval = shown_limits(found.ci_low, found.ci_high, is_share=False)
        return [(figure(found.value), interval or words_of(found.reason).short), (percent(peer.observed), "")]


class NumberRater:
    """Figures of numbers, and those that sets share with them."""

    def against(
        self, result: StoredResult, rater: ReportRater, reference: ReportRater, pair: PairAgreement
    ) -> ReferenceComparison:
        figures = pair_figures_of(pair.figures or {})
        found = two_series_of(pair.n, figures if pair.rater_a_id == rater.id else turned(figures))
        return ReferenceComparison(
            reference=reference.key,
            reference_id=reference.id,
            n=pair.n,
            values=found.values,
            categories=found.categories,
        )

    def shares(self, result: StoredResult) -> list[float | None]:
        return []

    def stored_peer(self, scope: QuestionScope, pair: StoredPair, *, is_first: bool) -> PeerFigures:
        figures = pair_figures_of(pair.figures or {})
        figures = figures if is_first else turned(figures)
        return _main_figure(scope, figures, pair.n), pair.observed, figures

    def peers(self, scope: QuestionScope, labels: RaterAndOtherLabels, others: IntArray) -> list[PeerFigures]:
        theirs = [labels.others.raters == pk for pk in others]
        kind = kind_of(scope)
        series = [kind.series(labels.own), *(kind.series(labels.others.at(of)) for of in theirs)]
        items = [np.arange(len(labels.own)), *(labels.places[of] for of in theirs)]
        found = [(pair.n, pair.figures or {}) for pair in kind.figures_of_first(series, items)]
        return [(_main_figure(scope, figures, n), None, figures) for n, figures in found]

    def errors(self, access: RaterAccess) -> EstimatedErrors:
        return EstimatedErrors(reason=NOT_OF_KIND)

    def peer_titles(self, scope: QuestionScope) -> list[str]:
        return [title_of(name) for name in result_kind(scope.kind).pair_columns]

    def peer_cells(self, scope: QuestionScope, peer: Peer) -> list[tuple[str, str]]:
        values = two_series_of(peer.figure.n or 0, peer.figures or {}).values
        return [value_shown(name, values[name]) for name in result_kind(scope.kind).pair_columns]


class SetsRater(NumberRater):
    def shares(self, result: StoredResult) -> list[float | None]:
        return [each.value for each in result.by_category("share_chosen")]


def _main_figure(scope: QuestionScope, figures: PairFigures, n: int) -> Figure:
    """Return the figure by which pairs are compared, with its number of items; its method is among all figures."""
    found = two_series_of(n, figures).values[kind_of(scope).pair_figure]
    return Figure(
        value=found.value, se=found.se, ci_low=found.ci_low, ci_high=found.ci_high, reason=found.reason, n=n
    )


KINDS: dict[str, RaterResultKind] = {
    Question.Kind.SINGLE: SingleChoiceRater(),
    Question.Kind.MULTIPLE: SetsRater(),
    Question.Kind.NUMBER: NumberRater(),
}


def rater_kind(scope: QuestionScope) -> RaterResultKind:
    return KINDS[scope.kind]
