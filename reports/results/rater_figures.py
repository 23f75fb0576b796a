"""Everything that a report says of one rater of a question, as JSON: for the page and for programs alike."""

from typing import Any

import numpy as np

from raters.models import Rater as ProjectRater
from reports.access import Sight
from reports.agreement.results import IntArray, Reason
from reports.analysis.drift import drift_of, pace_of
from reports.analysis.kinds import kind_of
from reports.analysis.kinds.numeric import turned
from reports.analysis.kinds.single import MAX_SHOWN_CELLS
from reports.analysis.labels import LabelsBeside, is_same
from reports.analysis.leaning import NOT_OF_KIND, leanings_of
from reports.analysis.pairs import reference_figures
from reports.analysis.question import Scope
from reports.analysis.rater_consensus import against_consensus, beside_of, compared
from reports.analysis.results import pair_figures_of, to_json, two_series_of
from reports.results.against_reference import reference_of
from reports.results.kinds import result_kind
from reports.results.rater_peers import peers_of
from reports.sources.rater_labels import Wanted, read_beside
from reports.store.agreements import Rater

HIDDEN = "hidden"
NO_REFERENCE = "no_reference"
IS_REFERENCE = "is_reference"
NO_REPEATS = "no_repeats"
NOT_COMPUTED = "not_computed"
NOT_COUNTED = "not_counted"


def labels_seen(sight: Sight) -> LabelsBeside:
    return read_beside(
        Wanted(
            agreement=sight.agreement,
            rater=sight.rater.id,
            others=[rater.id for rater in sight.others],
            rounds=sight.rounds,
            hidden=sight.hidden,
        )
    )


def rater_figures(scope: Scope, sight: Sight, *, reference: str = "") -> dict[str, Any]:
    """reference: the key of the rater taken as right, "" for the report's or a declared one."""
    labels = labels_seen(sight)
    beside = beside_of(scope, labels)
    return {
        "rater": sight.rater.key,
        "rater_id": sight.rater.id,
        "kind": sight.rater.kind,
        "is_own": sight.is_own,
        "n_labels": len(labels.own),
        "n_abstentions": labels.n_abstentions,
        "peers": peers_of(scope, sight, labels),
        "consensus": to_json(against_consensus(scope, beside)),
        "reference": reference_of_rater(scope, sight, reference),
        "bias": to_json(leanings_of(scope, labels, beside, _everybody(sight, scope))),
        "drift": to_json(drift_of(beside)),
        "pace": to_json(pace_of(labels.own.seconds, labels.others, _people(sight))),
        "repeats": repeats_of(scope, labels),
        "dawid_skene": errors_of(scope, sight),
    }


def _people(sight: Sight) -> list[int]:
    """The other raters who take their time: a model does not."""
    return [rater.id for rater in sight.others if rater.kind == ProjectRater.Kind.HUMAN]


def reference_of_rater(scope: Scope, sight: Sight, key: str) -> dict[str, Any]:
    """Of single choice every figure against the reference; of numbers and sets those of the pair."""
    nothing: dict[str, Any] = {
        "reference": None,
        "reference_id": None,
        "n": 0,
        "values": {},
        "categories": {},
    }
    if sight.is_own:
        return nothing | {"reason": HIDDEN}
    reference = reference_of(sight.result, key)
    if reference is None:
        return nothing | {"reason": NO_REFERENCE}
    nothing |= {"reference": reference.key, "reference_id": reference.id}
    if reference.id == sight.rater.id:
        return nothing | {"reason": IS_REFERENCE}
    found = _against(scope, sight, reference)
    return nothing | found | {"reason": "" if found else str(Reason.NO_OVERLAP)}


def _against(scope: Scope, sight: Sight, reference: Rater) -> dict[str, Any]:
    """{} if the two share no item. counts: of single choice, rows the rater, columns the reference."""
    a, b = sorted((sight.rater.id, reference.id))
    pair = sight.agreement.pairs.filter(rater_a=a, rater_b=b).first()
    if pair is None:
        return {}
    is_turned = a == reference.id
    if result_kind(scope.kind).has_counts:
        counts = np.array(pair.counts, dtype=np.int64).reshape(len(scope.category_ids), -1)
        found = _of_table(scope, sight.rater, reference, counts.T if is_turned else counts)
    else:
        figures = pair_figures_of(pair.figures or {})
        of_both = two_series_of(pair.n, turned(figures) if is_turned else figures)
        found = {"values": to_json(of_both.values), "categories": to_json(of_both.categories)}
    return {"n": pair.n, **found}


def _of_table(scope: Scope, rater: Rater, reference: Rater, counts: IntArray) -> dict[str, Any]:
    n_labels = np.array([[rater.n_labels, reference.n_labels]])
    [found] = reference_figures(counts[None], n_labels=n_labels, confidence=scope.options.confidence)
    return to_json(found) | {"counts": counts.tolist() if counts.size <= MAX_SHOWN_CELLS else None}


def _everybody(sight: Sight, scope: Scope) -> list[float | None]:
    """The share of each category among the labels of all who count; None where it is not known, or not to be seen."""
    nothing: list[float | None] = [None] * len(scope.category_ids)
    if sight.is_own:
        return nothing
    statistics = sight.agreement.statistics
    if result_kind(scope.kind).has_sets:
        shares = statistics.get("categories", {}).get("share_chosen", [])
        return [each["value"] for each in shares] or nothing
    ids = sight.result.counted.ids
    keys = {rater.key for rater in sight.result.raters if rater.id in ids}
    shares = statistics.get("distributions", {})
    rows = [counts for key, counts in shares.items() if key in keys]
    totals = np.sum(rows, axis=0) if rows else np.zeros(0)
    return (totals / totals.sum()).tolist() if totals.sum() else nothing


def repeats_of(scope: Scope, labels: LabelsBeside) -> dict[str, Any]:
    """The rater's labels of a later pass (columns) against those of the first (rows)."""
    first, again = kind_of(scope).series(labels.first), kind_of(scope).series(labels.again)
    found: dict[str, Any] = to_json(compared(scope, first, again))
    found |= {"n_same": int(np.count_nonzero(is_same(first, again)))}
    return found if found["n"] else found | {"reason": NO_REPEATS}


def errors_of(scope: Scope, sight: Sight) -> dict[str, Any]:
    """What Dawid & Skene's model estimates of the rater: how often right, and what is said where what is true."""
    nothing = {"share_right": None, "prevalence": None, "confusion": None}
    if not result_kind(scope.kind).has_counts:
        return nothing | {"reason": NOT_OF_KIND}
    if sight.is_own:
        return nothing | {"reason": HIDDEN}
    estimate = sight.agreement.statistics.get("consensus", {}).get("dawid_skene", {"reason": NOT_COMPUTED})
    mine = next((each for each in estimate.get("raters", []) if each["rater"] == sight.rater.key), None)
    if sight.rater.id not in sight.result.counted.ids:
        return nothing | {"reason": NOT_COUNTED}
    if mine is None:
        return nothing | {"reason": estimate["reason"] or NOT_COMPUTED}
    return {
        "share_right": mine["share_right"],
        "prevalence": estimate["prevalence"],
        "confusion": mine["confusion"],
        "reason": "" if mine["confusion"] else str(Reason.TOO_LARGE),
    }
