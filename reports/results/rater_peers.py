"""One rater with each of the others: out of the stored pairs, or from the labels that the rater may see."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from django.db.models import Q
from django.utils.crypto import salted_hmac

from raters.rounds.revealed import letters
from reports.access import Sight
from reports.agreement.pairs.cohen import cohen_kappa
from reports.analysis.kinds import kind_of
from reports.analysis.kinds.numeric import turned
from reports.analysis.kinds.single import tables_of
from reports.analysis.labels import LabelsBeside
from reports.analysis.pairs import of_kappa
from reports.analysis.question import Scope
from reports.analysis.results import figures_of, pair_figures_of, to_json
from reports.results.kinds import result_kind

STORED = (
    "rater_a_id",
    "rater_b_id",
    "n",
    "observed",
    "kappa",
    "se",
    "ci_low",
    "ci_high",
    "reason",
    "figures",
)
FIGURE = ("value", "se", "ci_low", "ci_high", "reason")


def peers_of(scope: Scope, sight: Sight, labels: LabelsBeside) -> list[dict[str, Any]]:
    """Each other rater who shares an item, with n and the value of the pair, in the order of their names.

    rater_id: None where names are hidden. observed: the share of items on which the two agree, of single choice.
    figures: of numbers and sets, all of the pair; a difference is the rater's number minus the other's.
    """
    found = _seen(scope, sight, labels) if sight.is_own else _stored(scope, sight)
    return sorted(found, key=lambda peer: str(peer["rater"]))


def _stored(scope: Scope, sight: Sight) -> list[dict[str, Any]]:
    others = {rater.id: rater for rater in sight.others}
    own = sight.rater.id
    pairs = sight.agreement.pairs.filter(Q(rater_a=own) | Q(rater_b=own))
    found = []
    for row in pairs.values(*STORED):
        is_first = row["rater_a_id"] == own
        other = others.get(row["rater_b_id"] if is_first else row["rater_a_id"])
        if other is None:
            continue
        figures = row["figures"]
        if figures is not None and not is_first:
            figures = to_json(turned(pair_figures_of(figures)))
        value = (
            row | {"value": row["kappa"]} if figures is None else figures[result_kind(scope.kind).pair_figure]
        )
        peer = {"rater": other.key, "rater_id": other.id, "kind": other.kind, "n": row["n"]}
        found.append(peer | _value(value) | {"observed": row["observed"], "figures": figures})
    return found


def _value(found: Mapping[str, Any]) -> dict[str, Any]:
    return {name: found[name] for name in FIGURE}


def _seen(scope: Scope, sight: Sight, labels: LabelsBeside) -> list[dict[str, Any]]:
    others = np.unique(labels.others.raters)
    names = hidden_names(sight)
    plain = [
        {"rater": names[pk], "rater_id": None, "kind": "", "observed": None, "figures": None}
        for pk in others.tolist()
    ]
    figures_of = _kappas if result_kind(scope.kind).has_counts else _figures
    found = figures_of(scope, labels, others)
    return [peer | figures for peer, figures in zip(plain, found, strict=True)]


def hidden_names(sight: Sight) -> dict[int, str]:
    """Letters for the others, by chance but the same at every look; another report has others."""
    raters = sorted(
        (rater.id for rater in sight.others),
        key=lambda pk: salted_hmac("peer", f"{sight.agreement.pk} {sight.rater.id} {pk}").digest(),
    )
    return {pk: f"Rater {letters(place)}" for place, pk in enumerate(raters)}


def _kappas(scope: Scope, labels: LabelsBeside, others: Any) -> list[dict[str, Any]]:
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
        each | {"observed": share}
        for each, share in zip(to_json(figures_of(of_kappa(found))), observed.tolist(), strict=True)
    ]


def _figures(scope: Scope, labels: LabelsBeside, others: Any) -> list[dict[str, Any]]:
    theirs = [labels.others.raters == pk for pk in others]
    kind = kind_of(scope)
    series = [kind.series(labels.own), *(kind.series(labels.others.at(of)) for of in theirs)]
    items = [np.arange(len(labels.own)), *(labels.places[of] for of in theirs)]
    found = [(pair.n, to_json(pair.figures)) for pair in kind.figures_of_first(series, items)]
    return [_value(figures[kind.pair_figure]) | {"n": n, "figures": figures} for n, figures in found]
