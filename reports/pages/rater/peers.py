"""The other raters on a rater's page: searched, sorted, and page by page."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from core.templatetags.shown import figure, percent
from core.web.paging import page_of
from reports.access import Sight
from reports.analysis.catalog import title_of
from reports.analysis.question import Scope
from reports.analysis.reasons import words_of
from reports.analysis.results import Figure, read_json
from reports.pages.address_choices import chosen, kept
from reports.results.addresses import question_address
from reports.results.items.query import IN_AGREEMENT
from reports.results.kinds import result_kind
from reports.results.rater_results import PeerFigure, value_shown
from reports.results.statistic_rows import shown_limits

PEERS_ON_A_PAGE = 40
SEARCH_FROM = 6
SORTS = {
    "lowest": "Lowest first",
    "highest": "Highest first",
    "shared": "Most shared items first",
    "name": "By name",
}


@dataclass(frozen=True, slots=True)
class Peer:
    """address, items: of the pair and of the items of both, "" where they are not to be seen. same: of the items on
    which the two agree, "" where they have no list of their own.
    """

    name: str
    kind: str
    n: int
    cells: list[tuple[str, str]]
    address: str
    items: str
    same: str


def peers_shown(
    request: HttpRequest, scope: Scope, sight: Sight, peers: Sequence[PeerFigure]
) -> dict[str, Any]:
    kind, words = result_kind(scope.kind), request.GET.get("q", "")[:200].strip()
    sort = chosen(request, "sort", SORTS, "lowest")
    found = [peer for peer in peers if words.casefold() in peer.rater.casefold()]
    page = page_of(request, _sorted(found, sort), size=PEERS_ON_A_PAGE)
    return {
        "peers": [_peer(scope, sight, peer) for peer in page],
        "page": page,
        "peer_titles": ["κ, weighted" if scope.options.is_weighted else "κ", "Agreement"]
        if kind.has_counts
        else [title_of(name) for name in kind.pair_columns],
        "n_peers": len(peers),
        "mean_of_peers": _mean(scope, [peer.value for peer in peers]),
        "has_search": len(peers) >= SEARCH_FROM,
        "q": words,
        "sort": sort,
        "sorts": SORTS,
        "kept": kept(request, "q", "page"),
    }


def _sorted(peers: Sequence[PeerFigure], sort: str) -> list[PeerFigure]:
    """Of equal ones by name, in which order they come; undefined values last."""
    if sort == "name":
        return list(peers)
    if sort == "shared":
        return sorted(peers, key=lambda peer: -(peer.n or 0))
    sign = 1 if sort == "lowest" else -1
    return sorted(peers, key=lambda peer: (peer.value is None, sign * (peer.value or 0.0)))


def _mean(scope: Scope, values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    mean = sum(known) / len(known) if known else None
    return percent(mean) if result_kind(scope.kind).is_share else figure(mean)


def _peer(scope: Scope, sight: Sight, peer: PeerFigure) -> Peer:
    kind = result_kind(scope.kind)
    address = "" if peer.rater_id is None else address_with(sight, peer.rater_id)
    if kind.has_counts:
        interval = shown_limits(peer.ci_low, peer.ci_high, is_share=False)
        cells = [
            (figure(peer.value), interval or words_of(peer.reason).short),
            (percent(peer.observed), ""),
        ]
    else:
        cells = [
            value_shown(name, read_json(Figure, (peer.figures or {})[name])) for name in kind.pair_columns
        ]
    items = f"{address}{kind.items_tail}" if address else ""
    return Peer(
        peer.rater,
        "" if peer.kind == "human" else peer.kind,
        peer.n or 0,
        cells,
        address,
        items,
        f"{items}{IN_AGREEMENT}" if items and kind.has_counts else items,
    )


def address_with(sight: Sight, other: int) -> str:
    """Of the page of the rater and another."""
    a, b = sorted((sight.rater.id, other))
    return f"{question_address(sight.agreement)}{a}/{b}/"
