"""The page of the network of raters: the picture, and a table of the same data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.http import HttpRequest

from core.templatetags.shown import figure
from reports.pages.contexts import PageSection
from reports.pages.heads import QuestionHead, question_head
from reports.pages.question.pair_matrix import MatrixOptions, kinds_of, requested_matrix_options, shown_raters
from reports.pages.question.pair_measures import PairMeasure, measure_of, measures_of, pairs_by
from reports.pictures.network_plot import Network, network_of
from reports.pictures.spots import AgreementLink
from reports.results.addresses import question_address
from reports.store.agreements import ReportRater
from reports.store.stored_result import StoredResult

# The most peers named in a row of the table.
MOST_PEERS = 8


@dataclass(frozen=True, slots=True)
class NetworkPeer:
    name: str
    value: str
    address: str


@dataclass(frozen=True, slots=True)
class NetworkRow:
    """peers: those whose agreement with the rater is above the cutoff, highest first."""

    rater: ReportRater
    group: int
    n_links: int
    peers: list[NetworkPeer]
    address: str

    @property
    def n_more(self) -> int:
        return self.n_links - len(self.peers)


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkPage(PageSection):
    head: QuestionHead
    measures: Mapping[str, PairMeasure]
    measure: PairMeasure
    network: Network
    shown_cut: str
    n_raters: int
    n_shown: int
    matrix_options: MatrixOptions
    kinds: Mapping[str, str]
    rows: Sequence[NetworkRow]


def network_context(request: HttpRequest, result: StoredResult) -> NetworkPage:
    address = question_address(result.row)
    measures = measures_of(result)
    measure = measure_of(request, result, measures)
    found, raters, n_raters = drawn(request, result, measure, address=address)
    return NetworkPage(
        head=question_head(result),
        measures=measures,
        measure=measure,
        network=found,
        shown_cut=figure(found.cut),
        n_raters=n_raters,
        n_shown=len(raters),
        matrix_options=requested_matrix_options(request),
        kinds=kinds_of(result),
        rows=_rows(found, raters, measure, address),
    )


def drawn(
    request: HttpRequest, result: StoredResult, measure: PairMeasure, *, address: str = ""
) -> tuple[Network, list[ReportRater], int]:
    """Return the network in the query string, the raters drawn, and the total number of raters."""
    matrix_options = requested_matrix_options(request)
    wanted = [rater for rater in result.raters if matrix_options.is_for(rater)]
    raters = shown_raters(wanted)
    pairs = [
        pair
        for pair in pairs_by(result, measure).between([rater.id for rater in raters])
        if pair.n >= matrix_options.least
    ]
    return network_of(raters, pairs, cut_of(request), address=address), raters, len(wanted)


def cut_of(request: HttpRequest) -> float | None:
    """Return the cutoff in the query string, from -1 to 1; None if missing or invalid."""
    try:
        cut = float(request.GET.get("cut", ""))
    except ValueError:
        return None
    return cut if -1 <= cut <= 1 else None


def _rows(
    found: Network, raters: Sequence[ReportRater], measure: PairMeasure, address: str
) -> list[NetworkRow]:
    peers: dict[int, list[tuple[int, AgreementLink]]] = {}
    for link in found.links:
        peers.setdefault(link.a, []).append((link.b, link))
        peers.setdefault(link.b, []).append((link.a, link))
    rows = [
        NetworkRow(
            rater,
            found.groups[place],
            len(peers.get(place, [])),
            [
                _peer(raters, other, link, measure, address)
                for other, link in peers.get(place, [])[:MOST_PEERS]
            ],
            found.addresses[place],
        )
        for place, rater in enumerate(raters)
    ]
    # By group, isolated raters last.
    return sorted(rows, key=lambda row: (not row.group, row.group))


def _peer(
    raters: Sequence[ReportRater], other: int, link: AgreementLink, measure: PairMeasure, address: str
) -> NetworkPeer:
    a, b = sorted((raters[link.a].id, raters[link.b].id))
    weights = f"?weights={measure.key}" if measure.is_kappa else ""
    return NetworkPeer(raters[other].key, measure.shown(link.value), f"{address}{a}/{b}/{weights}")
