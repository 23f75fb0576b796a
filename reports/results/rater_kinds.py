"""What the figures of one rater are for each kind of question: nothing else of a rater forks on it."""

from typing import Any, Protocol

import numpy as np

from projects.models import Question
from reports.access import Sight
from reports.agreement.pairs.cohen import cohen_kappa
from reports.agreement.results import IntArray, Reason
from reports.analysis.kinds import kind_of
from reports.analysis.kinds.numeric import turned
from reports.analysis.kinds.single import MAX_SHOWN_CELLS, tables_of
from reports.analysis.labels import LabelsBeside
from reports.analysis.pairs import of_kappa, reference_figures
from reports.analysis.question import Scope
from reports.analysis.results import (
    Json,
    LatentClasses,
    NotFound,
    figures_of,
    pair_figures_of,
    to_json,
    two_series_of,
)
from reports.models import PairAgreement
from reports.results.kinds import result_kind
from reports.results.rater_results import HIDDEN, NOT_COMPUTED, NOT_COUNTED, NOT_OF_KIND, EstimatedErrors
from reports.store.agreements import ReportRater
from reports.store.stored_result import StoredResult

FIGURE = ("value", "se", "ci_low", "ci_high", "reason")


class RaterResultKind(Protocol):
    """What a rater of a question of one kind has."""

    def against(
        self, result: StoredResult, rater: ReportRater, reference: ReportRater, pair: PairAgreement
    ) -> Json:
        """Every figure against the reference, as of `PairFigures`; counts: rows the rater, columns the reference."""

    def shares(self, result: StoredResult) -> list[float | None]:
        """Of each category among the labels of all who count; [] if it is not known."""

    def stored_peer(self, scope: Scope, row: Json, *, is_first: bool) -> Json:
        """The value and the figures of a stored pair; is_first: whether the rater is the first of the two."""

    def peers(self, scope: Scope, labels: LabelsBeside, others: IntArray) -> list[Json]:
        """The same of the rater and each of the others, from their labels."""

    def errors(self, sight: Sight) -> Json:
        """What Dawid & Skene's model estimates of the rater, as of `EstimatedErrors`."""


class SingleChoiceRater:
    def against(
        self, result: StoredResult, rater: ReportRater, reference: ReportRater, pair: PairAgreement
    ) -> Json:
        counts = np.array(pair.counts, dtype=np.int64).reshape(len(result.scope.category_ids), -1)
        counts = counts if pair.rater_a_id == rater.id else counts.T
        n_labels = np.array([[rater.n_labels, reference.n_labels]])
        confidence = result.scope.options.confidence
        [found] = reference_figures(counts[None], n_labels=n_labels, confidence=confidence)
        return to_json(found) | {"counts": counts.tolist() if counts.size <= MAX_SHOWN_CELLS else None}

    def shares(self, result: StoredResult) -> list[float | None]:
        ids, found = result.counted.ids, result.figures.distributions or {}
        rows = [found[rater.key] for rater in result.raters if rater.id in ids and rater.key in found]
        totals = np.sum(rows, axis=0) if rows else np.zeros(0)
        return list((totals / totals.sum()).tolist()) if totals.sum() else []

    def stored_peer(self, scope: Scope, row: Json, *, is_first: bool) -> Json:
        return _value(row | {"value": row["kappa"]}) | {"observed": row["observed"], "figures": None}

    def peers(self, scope: Scope, labels: LabelsBeside, others: IntArray) -> list[Json]:
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
            each | {"observed": share, "figures": None}
            for each, share in zip(to_json(figures_of(of_kappa(found))), observed.tolist(), strict=True)
        ]

    def errors(self, sight: Sight) -> Json:
        nothing: Json = {"share_right": None, "prevalence": None, "confusion": None}
        if sight.is_own:
            return nothing | {"reason": HIDDEN}
        if sight.rater.id not in sight.result.counted.ids:
            return nothing | {"reason": NOT_COUNTED}
        consensus = sight.result.figures.consensus
        if consensus is None:
            return nothing | {"reason": NOT_COMPUTED}
        estimate = consensus.dawid_skene
        of_each = estimate.raters if isinstance(estimate, LatentClasses) else ()
        mine = next((each for each in of_each if each.rater == sight.rater.key), None)
        if mine is None or isinstance(estimate, NotFound):
            return nothing | {"reason": str(estimate.reason) or NOT_COMPUTED}
        found = EstimatedErrors(
            share_right=mine.share_right,
            prevalence=estimate.prevalence,
            confusion=mine.confusion,
            reason="" if mine.confusion else str(Reason.TOO_LARGE),
        )
        return dict(to_json(found))


class NumberRater:
    """Numbers; and of sets what they have in common with these."""

    def against(
        self, result: StoredResult, rater: ReportRater, reference: ReportRater, pair: PairAgreement
    ) -> Json:
        figures = pair_figures_of(pair.figures or {})
        found = two_series_of(pair.n, figures if pair.rater_a_id == rater.id else turned(figures))
        return {"values": to_json(found.values), "categories": to_json(found.categories)}

    def shares(self, result: StoredResult) -> list[float | None]:
        return []

    def stored_peer(self, scope: Scope, row: Json, *, is_first: bool) -> Json:
        figures = row["figures"] if is_first else to_json(turned(pair_figures_of(row["figures"])))
        value = figures[result_kind(scope.kind).pair_figure]
        return _value(value) | {"observed": row["observed"], "figures": figures}

    def peers(self, scope: Scope, labels: LabelsBeside, others: IntArray) -> list[Json]:
        theirs = [labels.others.raters == pk for pk in others]
        kind = kind_of(scope)
        series = [kind.series(labels.own), *(kind.series(labels.others.at(of)) for of in theirs)]
        items = [np.arange(len(labels.own)), *(labels.places[of] for of in theirs)]
        found = [(pair.n, to_json(pair.figures)) for pair in kind.figures_of_first(series, items)]
        return [
            _value(figures[kind.pair_figure]) | {"n": n, "observed": None, "figures": figures}
            for n, figures in found
        ]

    def errors(self, sight: Sight) -> Json:
        return {"share_right": None, "prevalence": None, "confusion": None, "reason": NOT_OF_KIND}


class SetsRater(NumberRater):
    def shares(self, result: StoredResult) -> list[float | None]:
        return [each.value for each in result.by_category("share_chosen")]


def _value(found: Json) -> dict[str, Any]:
    return {name: found[name] for name in FIGURE}


KINDS: dict[str, RaterResultKind] = {
    Question.Kind.SINGLE: SingleChoiceRater(),
    Question.Kind.MULTIPLE: SetsRater(),
    Question.Kind.NUMBER: NumberRater(),
}


def rater_kind(scope: Scope) -> RaterResultKind:
    return KINDS[scope.kind]
