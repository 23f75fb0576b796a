"""The other raters on a rater's page: searched, sorted, and paginated."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.core.paginator import Page
from django.http import HttpRequest

from core.templatetags.shown import figure, percent
from core.web.paging import page_of
from reports.access import RaterAccess
from reports.analysis.kinds import kind_of
from reports.analysis.question import QuestionScope
from reports.analysis.results import Peer
from reports.pages.address_choices import chosen, other_parameters
from reports.pages.contexts import PageSection
from reports.results.addresses import question_address
from reports.results.items.query import IN_AGREEMENT
from reports.results.kinds import result_kind
from reports.results.rater_kinds import rater_kind
from reports.results.statistic_rows import is_share

PEERS_ON_A_PAGE = 40
SEARCH_FROM = 6
SORTS = {
    "lowest": "Lowest first",
    "highest": "Highest first",
    "shared": "Most shared items first",
    "name": "By name",
}


@dataclass(frozen=True, slots=True)
class PeerRow:
    """address, items: of the pair and of its shared items, "" if hidden. same: of the items on which the two agree, ""
    if there is no separate list.
    """

    name: str
    kind: str
    n: int
    cells: list[tuple[str, str]]
    address: str
    items: str
    same: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PeersSection(PageSection):
    """n_peers, mean_of_peers: over all peers, regardless of the search."""

    peers: Sequence[PeerRow]
    page: Page
    peer_titles: Sequence[str]
    n_peers: int
    mean_of_peers: str
    has_search: bool
    q: str
    sort: str
    sorts: Mapping[str, str]
    kept: Sequence[tuple[str, str]]


def peers_section(
    request: HttpRequest, scope: QuestionScope, access: RaterAccess, peers: Sequence[Peer]
) -> PeersSection:
    kind, words = rater_kind(scope), request.GET.get("q", "")[:200].strip()
    sort = chosen(request, "sort", SORTS, "lowest")
    found = [peer for peer in peers if words.casefold() in peer.rater.casefold()]
    page = page_of(request, _sorted(found, sort), size=PEERS_ON_A_PAGE)
    return PeersSection(
        peers=[_peer(scope, access, peer) for peer in page],
        page=page,
        peer_titles=kind.peer_titles(scope),
        n_peers=len(peers),
        mean_of_peers=_mean(scope, [peer.figure.value for peer in peers]),
        has_search=len(peers) >= SEARCH_FROM,
        q=words,
        sort=sort,
        sorts=SORTS,
        kept=other_parameters(request, "q", "page"),
    )


def _sorted(peers: Sequence[Peer], sort: str) -> list[Peer]:
    """Sort peers, keeping equal ones in the order of names; undefined values come last."""
    if sort == "name":
        return list(peers)
    if sort == "shared":
        return sorted(peers, key=lambda peer: -(peer.figure.n or 0))
    sign = 1 if sort == "lowest" else -1
    return sorted(peers, key=lambda peer: (peer.figure.value is None, sign * (peer.figure.value or 0.0)))


def _mean(scope: QuestionScope, values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    mean = sum(known) / len(known) if known else None
    return percent(mean) if is_share(kind_of(scope).pair_figure) else figure(mean)


def _peer(scope: QuestionScope, access: RaterAccess, peer: Peer) -> PeerRow:
    kind = result_kind(scope.kind)
    address = "" if peer.rater_id is None else address_with(access, peer.rater_id)
    items = f"{address}{kind.items_tail}" if address else ""
    return PeerRow(
        peer.rater,
        "" if peer.kind == "human" else peer.kind,
        peer.figure.n or 0,
        rater_kind(scope).peer_cells(scope, peer),
        address,
        items,
        f"{items}{IN_AGREEMENT}" if items and kind.has_counts else items,
    )


def address_with(access: RaterAccess, other: int) -> str:
    """Return the URL of the page of the rater and another."""
    a, b = sorted((access.rater.id, other))
    return f"{question_address(access.agreement)}{a}/{b}/"
