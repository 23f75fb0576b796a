"""What the page of the network of raters shows: the picture, and a table of the same."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from core.templatetags.shown import figure
from projects.models import Project
from reports.models import QuestionAgreement
from reports.pages.question.head import question_head
from reports.pages.question.matrix import shown_raters
from reports.pages.question.measures import Measure, measure_of, measures_of, pairs_by
from reports.pages.question.page import kinds_of, wish_of
from reports.pictures.network import Network, network_of
from reports.pictures.spots import Link
from reports.store.agreements import Rater, raters_of

# Peers that a row of the table names.
MOST_PEERS = 8


@dataclass(frozen=True, slots=True)
class Peer:
    name: str
    value: str
    address: str


@dataclass(frozen=True, slots=True)
class Row:
    """peers: those whom the rater agrees with above the cut, the most first."""

    rater: Rater
    group: int
    n_links: int
    peers: list[Peer]
    address: str

    @property
    def n_more(self) -> int:
        return self.n_links - len(self.peers)


def network(request: HttpRequest, project: Project, agreement: QuestionAgreement) -> dict[str, Any]:
    address = reverse("report_question", args=[project.slug, agreement.report_id, agreement.question_id])
    measures = measures_of(agreement)
    measure = measure_of(request, agreement, measures)
    found, raters, n_raters = drawn(request, agreement, measure, address=address)
    return {
        **question_head(project, agreement),
        "measures": measures,
        "measure": measure,
        "network": found,
        "shown_cut": figure(found.cut),
        "n_raters": n_raters,
        "n_shown": len(raters),
        "wish": wish_of(request),
        "kinds": kinds_of(agreement),
        "rows": _rows(found, raters, measure, address),
    }


def drawn(
    request: HttpRequest, agreement: QuestionAgreement, measure: Measure, *, address: str = ""
) -> tuple[Network, list[Rater], int]:
    """The network that the address asks for, its raters, and how many there are in all."""
    wish = wish_of(request)
    wanted = [rater for rater in raters_of(agreement) if wish.is_for(rater)]
    raters = shown_raters(wanted)
    pairs = [
        pair
        for pair in pairs_by(agreement, measure).among([rater.id for rater in raters])
        if pair.n >= wish.least
    ]
    return network_of(raters, pairs, cut_of(request), address=address), raters, len(wanted)


def cut_of(request: HttpRequest) -> float | None:
    """The cut that the address names, from -1 to 1; None for none or nonsense."""
    try:
        cut = float(request.GET.get("cut", ""))
    except ValueError:
        return None
    return cut if -1 <= cut <= 1 else None


def _rows(found: Network, raters: Sequence[Rater], measure: Measure, address: str) -> list[Row]:
    peers: dict[int, list[tuple[int, Link]]] = {}
    for link in found.links:
        peers.setdefault(link.a, []).append((link.b, link))
        peers.setdefault(link.b, []).append((link.a, link))
    rows = [
        Row(
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
    # By group, those who are alone last.
    return sorted(rows, key=lambda row: (not row.group, row.group))


def _peer(raters: Sequence[Rater], other: int, link: Link, measure: Measure, address: str) -> Peer:
    a, b = sorted((raters[link.a].id, raters[link.b].id))
    weights = f"?weights={measure.key}" if measure.is_kappa else ""
    return Peer(raters[other].key, measure.shown(link.value), f"{address}{a}/{b}/{weights}")
