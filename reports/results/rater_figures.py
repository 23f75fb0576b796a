"""Everything that a report says of one rater of a question, as JSON: for the page and for programs alike."""

from typing import Any

import numpy as np

from raters.models import Rater as ProjectRater
from reports.access import Sight
from reports.agreement.own.leaning import Chosen, Leaning, leaning
from reports.agreement.results import IntArray, Reason, number
from reports.analysis.drift import drift_of, pace_of
from reports.analysis.kinds import kind_of
from reports.analysis.kinds.kind import of_category_and_all
from reports.analysis.kinds.numeric import turned
from reports.analysis.kinds.single import MAX_SHOWN_CELLS
from reports.analysis.labels import Answers, LabelsBeside, is_same
from reports.analysis.pairs import reference_figures
from reports.analysis.question import Scope
from reports.analysis.rater_consensus import Beside, beside_of, compared
from reports.analysis.results import figures_of, to_json
from reports.results.against_reference import reference_of
from reports.results.kinds import result_kind
from reports.results.rater_peers import peers_of
from reports.sources.rater_labels import Wanted, read_beside
from reports.store.agreements import Rater

HIDDEN = "hidden"
NO_REFERENCE = "no_reference"
IS_REFERENCE = "is_reference"
NO_REPEATS = "no_repeats"
NOT_OF_KIND = "not_of_kind"
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
        "consensus": consensus_of(scope, beside),
        "reference": reference_of_rater(scope, sight, reference),
        "bias": bias_of(scope, labels, beside, _everybody(sight, scope)),
        "drift": drift_of(beside),
        "pace": pace_of(labels.own.seconds, labels.others, _people(sight)),
        "repeats": repeats_of(scope, labels),
        "dawid_skene": errors_of(scope, sight),
    }


def _people(sight: Sight) -> list[int]:
    """The other raters who take their time: a model does not."""
    return [rater.id for rater in sight.others if rater.kind == ProjectRater.Kind.HUMAN]


def consensus_of(scope: Scope, beside: Beside) -> dict[str, Any]:
    """Against the consensus of the others. n_alone: items that nobody else labeled; n_tied: without a consensus."""
    known = beside.is_known
    found = compared(scope, beside.own.at(known), beside.others.at(known))
    return found | {
        "n_items": len(beside.items),
        "n_alone": int(np.count_nonzero(beside.n_others == 0)),
        "n_tied": int(np.count_nonzero(beside.is_tied)),
        "n_same": int(np.count_nonzero(beside.is_same)),
    }


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
        found = of_category_and_all(turned(pair.figures or {}) if is_turned else pair.figures or {})
    return {"n": pair.n, **found}


def _of_table(scope: Scope, rater: Rater, reference: Rater, counts: IntArray) -> dict[str, Any]:
    n_labels = np.array([[rater.n_labels, reference.n_labels]])
    [found] = reference_figures(counts[None], n_labels=n_labels, confidence=scope.options.confidence)
    return found | {"counts": counts.tolist() if counts.size <= MAX_SHOWN_CELLS else None}


def bias_of(
    scope: Scope, labels: LabelsBeside, beside: Beside, everybody: list[float | None]
) -> dict[str, Any]:
    """How the rater uses each category beside the others on the same items; numbers have their difference instead.

    n: labels of the rater with the category; share: of all of the rater's; everybody: the share of all raters together.
    own, others: shares of the items that others labeled too; value: their difference. p_value: corrected for all
    categories together.
    """
    if not result_kind(scope.kind).has_categories:
        return {"categories": None, "reason": NOT_OF_KIND}
    own = _chosen(scope, labels.own, np.arange(len(labels.own)))
    n = np.bincount(own.categories, minlength=len(scope.category_ids))
    found = leaning(
        own,
        _chosen(scope, labels.others, labels.places),
        beside.n_others,
        n_categories=len(scope.category_ids),
        confidence=scope.options.confidence,
    )
    return {"categories": _leanings(scope, found, n.tolist(), len(labels.own), everybody), "reason": ""}


def _chosen(scope: Scope, answers: Answers, places: IntArray) -> Chosen:
    """places: of the items of the answers among the rater's own."""
    if not result_kind(scope.kind).has_sets:
        return Chosen(places, answers.values)
    rows, categories = np.nonzero(kind_of(scope).series(answers).values)
    return Chosen(places[rows], categories)


def _leanings(
    scope: Scope, found: Leaning, n: list[int], n_labels: int, everybody: list[float | None]
) -> list[dict[str, Any]]:
    rows = zip(scope.question["categories"], n, everybody, to_json(figures_of(found.difference)), strict=True)
    return [
        difference
        | {
            "category": category["key"],
            "n": used,
            "n_items": difference["n"],
            "share": used / n_labels if n_labels else None,
            "everybody": by_all,
            "own": number(found.own[place]),
            "others": number(found.others[place]),
            "p_value": number(found.p_value[place]),
        }
        for place, (category, used, by_all, difference) in enumerate(rows)
    ]


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
    found = compared(scope, first, again) | {"n_same": int(np.count_nonzero(is_same(first, again)))}
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
