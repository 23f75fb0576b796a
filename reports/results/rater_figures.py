"""Everything that a report says of one rater of a question, as JSON: for the page and for programs alike."""

import numpy as np
from django.db.models import Q
from django.utils.crypto import salted_hmac

from raters.models import Rater as ProjectRater
from raters.rounds.revealed import letters
from reports.access import Sight
from reports.agreement.results import Reason
from reports.analysis.drift import drift_of, pace_of
from reports.analysis.kinds import kind_of
from reports.analysis.labels import LabelsBeside, is_same
from reports.analysis.leaning import leanings_of
from reports.analysis.question import Scope
from reports.analysis.rater_consensus import against_consensus, beside_of, compared
from reports.analysis.results import Json, to_json
from reports.results.against_reference import reference_of
from reports.results.rater_kinds import rater_kind
from reports.results.rater_results import HIDDEN, IS_REFERENCE, NO_REFERENCE, NO_REPEATS
from reports.sources.rater_labels import Wanted, read_beside

STORED = (
    "rater_a_id", "rater_b_id", "n", "observed", "kappa", "se", "ci_low", "ci_high", "reason", "figures"
)  # fmt: skip


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


def rater_figures(scope: Scope, sight: Sight, *, reference: str = "") -> Json:
    """As JSON of `RaterFigures`. reference: the key of the rater taken as right, "" for the report's or a declared one.

    A rater does not see the share of each category among the labels of all.
    """
    labels, kind = labels_seen(sight), rater_kind(scope)
    beside = beside_of(scope, labels)
    shares = [] if sight.is_own else kind.shares(sight.result)
    # A model takes no time.
    people = [rater.id for rater in sight.others if rater.kind == ProjectRater.Kind.HUMAN]
    peers = _peers_seen(scope, sight, labels) if sight.is_own else _peers_stored(scope, sight)
    return {
        "rater": sight.rater.key,
        "rater_id": sight.rater.id,
        "kind": sight.rater.kind,
        "is_own": sight.is_own,
        "n_labels": len(labels.own),
        "n_abstentions": labels.n_abstentions,
        "peers": sorted(peers, key=lambda peer: str(peer["rater"])),
        "consensus": to_json(against_consensus(scope, beside)),
        "reference": reference_of_rater(scope, sight, reference),
        "bias": to_json(leanings_of(scope, labels, beside, shares or [None] * len(scope.category_ids))),
        "drift": to_json(drift_of(beside)),
        "pace": to_json(pace_of(labels.own.seconds, labels.others, people)),
        "repeats": repeats_of(scope, labels),
        "dawid_skene": kind.errors(sight),
    }


def _peers_stored(scope: Scope, sight: Sight) -> list[Json]:
    """Each other rater who shares an item, with n and the value of the pair, out of the stored pairs.

    rater_id: None where names are hidden. observed: the share of items on which the two agree, of single choice.
    figures: of numbers and sets, all of the pair; a difference is the rater's number minus the other's.
    """
    others, own, kind = {rater.id: rater for rater in sight.others}, sight.rater.id, rater_kind(scope)
    found = []
    for row in sight.agreement.pairs.filter(Q(rater_a=own) | Q(rater_b=own)).values(*STORED):
        is_first = row["rater_a_id"] == own
        other = others.get(row["rater_b_id"] if is_first else row["rater_a_id"])
        if other is not None:
            peer = {"rater": other.key, "rater_id": other.id, "kind": other.kind, "n": row["n"]}
            found.append(peer | kind.stored_peer(scope, row, is_first=is_first))
    return found


def _peers_seen(scope: Scope, sight: Sight, labels: LabelsBeside) -> list[Json]:
    """The same from the labels that the rater may see, with letters for the others."""
    others = np.unique(labels.others.raters)
    names = hidden_names(sight)
    found = rater_kind(scope).peers(scope, labels, others)
    return [
        {"rater": names[pk], "rater_id": None, "kind": ""} | figures
        for pk, figures in zip(others.tolist(), found, strict=True)
    ]


def hidden_names(sight: Sight) -> dict[int, str]:
    """Letters for the others, by chance but the same at every look; another report has others."""
    raters = sorted(
        (rater.id for rater in sight.others),
        key=lambda pk: salted_hmac("peer", f"{sight.agreement.pk} {sight.rater.id} {pk}").digest(),
    )
    return {pk: f"Rater {letters(place)}" for place, pk in enumerate(raters)}


def reference_of_rater(scope: Scope, sight: Sight, key: str) -> Json:
    """Of single choice every figure against the reference; of numbers and sets those of the pair."""
    nothing: Json = {"reference": None, "reference_id": None, "n": 0, "values": {}, "categories": {}}
    if sight.is_own:
        return nothing | {"reason": HIDDEN}
    reference = reference_of(sight.result, key)
    if reference is None:
        return nothing | {"reason": NO_REFERENCE}
    nothing |= {"reference": reference.key, "reference_id": reference.id}
    if reference.id == sight.rater.id:
        return nothing | {"reason": IS_REFERENCE}
    a, b = sorted((sight.rater.id, reference.id))
    pair = sight.agreement.pairs.filter(rater_a=a, rater_b=b).first()
    if pair is None:
        return nothing | {"reason": str(Reason.NO_OVERLAP)}
    found = rater_kind(scope).against(sight.result, sight.rater, reference, pair)
    return nothing | {"n": pair.n, **found, "reason": ""}


def repeats_of(scope: Scope, labels: LabelsBeside) -> Json:
    """The rater's labels of a later pass (columns) against those of the first (rows)."""
    first, again = kind_of(scope).series(labels.first), kind_of(scope).series(labels.again)
    found: Json = to_json(compared(scope, first, again))
    found |= {"n_same": int(np.count_nonzero(is_same(first, again)))}
    return found if found["n"] else found | {"reason": NO_REPEATS}
