"""All results of a report on one rater of a question, for the page and the API."""

from dataclasses import replace

import numpy as np
from django.db.models import Q
from django.utils.crypto import salted_hmac

from raters.models import Rater as ProjectRater
from raters.rounds.revealed import letters
from reports.access import RaterAccess
from reports.agreement.results import IntArray, Reason
from reports.analysis.drift import drift_of, pace_of
from reports.analysis.kinds import kind_of
from reports.analysis.label_arrays import RaterAndOtherLabels, is_same
from reports.analysis.question import QuestionScope
from reports.analysis.rater_bias import rater_bias
from reports.analysis.rater_consensus import compared, rater_and_consensus, rater_versus_consensus
from reports.analysis.results import Peer, RaterFigures, ReferenceComparison, Repeats
from reports.results.against_reference import reference_of
from reports.results.rater_kinds import PeerFigures, StoredPair, rater_kind
from reports.results.rater_wording import HIDDEN, IS_REFERENCE, NO_REFERENCE, NO_REPEATS
from reports.sources.rater_labels import RaterLabelQuery, read_with_others


def visible_labels(access: RaterAccess) -> RaterAndOtherLabels:
    return read_with_others(
        RaterLabelQuery(
            agreement=access.agreement,
            rater=access.rater.id,
            others=[rater.id for rater in access.others],
            rounds=access.rounds,
            hidden=access.hidden,
        )
    )


def rater_figures(scope: QuestionScope, access: RaterAccess, *, reference: str = "") -> RaterFigures:
    """Return the figures of a rater. reference: the key of a rater; "" for the report's or a declared one.

    Raters themselves do not see the share of each category among all labels.
    """
    labels, kind = visible_labels(access), rater_kind(scope)
    compared = rater_and_consensus(scope, labels)
    shares = [] if access.is_own else kind.shares(access.result)
    # Labeling times are not shown for models.
    people = [rater.id for rater in access.others if rater.kind == ProjectRater.Kind.HUMAN]
    peers = _visible_peers(scope, access, labels) if access.is_own else _peers_stored(scope, access)
    return RaterFigures(
        rater=access.rater.key,
        rater_id=access.rater.id,
        kind=access.rater.kind,
        is_own=access.is_own,
        n_labels=len(labels.own),
        n_abstentions=labels.n_abstentions,
        peers=tuple(sorted(peers, key=lambda peer: peer.rater)),
        consensus=rater_versus_consensus(scope, compared),
        reference=reference_of_rater(scope, access, reference),
        bias=rater_bias(scope, labels, compared, shares or [None] * len(scope.category_ids)),
        drift=drift_of(compared),
        pace=pace_of(labels.own.seconds, labels.others, people),
        repeats=repeats_of(scope, labels),
        dawid_skene=kind.errors(access),
    )


def _peers_stored(scope: QuestionScope, access: RaterAccess) -> list[Peer]:
    """Return each other rater who shares an item, from the stored pairs."""
    others, own, kind = {rater.id: rater for rater in access.others}, access.rater.id, rater_kind(scope)
    found = []
    for row in access.agreement.pairs.filter(Q(rater_a=own) | Q(rater_b=own)).values_list(
        *StoredPair._fields
    ):
        pair = StoredPair(*row)
        is_first = pair.rater_a_id == own
        other = others.get(pair.rater_b_id if is_first else pair.rater_a_id)
        if other is not None:
            figures = kind.stored_peer(scope, pair, is_first=is_first)
            found.append(_peer(figures, rater=other.key, rater_id=other.id, kind=other.kind))
    return found


def _visible_peers(scope: QuestionScope, access: RaterAccess, labels: RaterAndOtherLabels) -> list[Peer]:
    """Return the peers from the labels that the rater may see, with letters for their names."""
    others: IntArray = np.unique(labels.others.raters)
    names = hidden_names(access)
    found = rater_kind(scope).peers(scope, labels, others)
    return [
        _peer(figures, rater=names[pk], rater_id=None, kind="")
        for pk, figures in zip(others.tolist(), found, strict=True)
    ]


def _peer(found: PeerFigures, *, rater: str, rater_id: int | None, kind: str) -> Peer:
    figure, observed, figures = found
    return Peer(rater=rater, rater_id=rater_id, kind=kind, figure=figure, observed=observed, figures=figures)


def hidden_names(access: RaterAccess) -> dict[int, str]:
    """Return letters for the others, in a pseudorandom order that is constant within a report but differs between
    reports.
    """
    raters = sorted(
        (rater.id for rater in access.others),
        key=lambda pk: salted_hmac("peer", f"{access.agreement.pk} {access.rater.id} {pk}").digest(),
    )
    return {pk: f"Rater {letters(place)}" for place, pk in enumerate(raters)}


def reference_of_rater(scope: QuestionScope, access: RaterAccess, key: str) -> ReferenceComparison:
    if access.is_own:
        return ReferenceComparison(reason=HIDDEN)
    reference = reference_of(access.result, key)
    if reference is None:
        return ReferenceComparison(reason=NO_REFERENCE)
    nothing = ReferenceComparison(reference=reference.key, reference_id=reference.id)
    if reference.id == access.rater.id:
        return replace(nothing, reason=IS_REFERENCE)
    pair = access.result.pair_of((access.rater.id, reference.id))
    if pair is None:
        return replace(nothing, reason=str(Reason.NO_OVERLAP))
    return rater_kind(scope).against(access.result, access.rater, reference, pair)


def repeats_of(scope: QuestionScope, labels: RaterAndOtherLabels) -> Repeats:
    first, again = kind_of(scope).series(labels.first), kind_of(scope).series(labels.again)
    found = compared(scope, first, again)
    return Repeats(
        figures=found if found.n else replace(found, reason=NO_REPEATS),
        n_same=int(np.count_nonzero(is_same(first, again))),
    )
