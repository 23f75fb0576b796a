"""Raters as a network: those who agree above a cutoff are linked, and linked raters are close together."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict
from urllib.parse import urlencode

import numpy as np

from reports.agreement.results import FloatArray
from reports.drawing.marks import linked, pixels, placed, words
from reports.drawing.palette import named_colors, other_color
from reports.drawing.picture import Picture, shortened
from reports.drawing.specification import Layer, Part
from reports.pictures.spots import WIDTH, AgreementLink, MarkSizes, places_of
from reports.results.question_pairs import Pair
from reports.store.agreements import ReportRater

# With more lines, a picture is unreadable; the strongest are drawn.
MAX_LINES = 1500
# The default cutoff leaves about this many links per rater.
LINKS_EACH = 1.5
CUT_STEP = 0.05
# With more raters, marks and names are smaller, and names are shorter.
MANY, VERY_MANY = 25, 80
SHAPES = {"human": "circle", "model": "square", "reference": "diamond", "consensus": "diamond"}


class Node(TypedDict):
    """A rater. below: the position of the name."""

    name: str
    kind: str
    x: float
    y: float
    below: float
    fill: str
    address: str
    description: str


class NetworkLine(TypedDict):
    """A link between two positions. kind: its strength."""

    x: float
    y: float
    x2: float
    y2: float
    kind: str


@dataclass(frozen=True, slots=True)
class Network:
    """groups: the group number of each rater, 0 for none. links: all of them, strongest first. addresses: of the pairs
    of each rater, "" for a picture without links. n_lines: the number of links drawn.
    """

    picture: Picture
    links: list[AgreementLink]
    groups: list[int]
    addresses: list[str]
    cut: float
    n_lines: int

    @property
    def n_groups(self) -> int:
        return max(self.groups, default=0)

    @property
    def n_alone(self) -> int:
        return sum(not group for group in self.groups)

    @property
    def is_part(self) -> bool:
        return self.n_lines < len(self.links)


def network_of(
    raters: Sequence[ReportRater], pairs: Sequence[Pair], cut: float | None, *, address: str = ""
) -> Network:
    """Return the network of these raters, which is deterministic. address: of the pairs of a rater."""
    places = {rater.id: place for place, rater in enumerate(raters)}
    known = sorted(
        (AgreementLink(places[p.rater_a], places[p.rater_b], p.kappa) for p in pairs if p.kappa is not None),
        key=lambda link: (-link.value, link.a, link.b),
    )
    cut = usual_cut(known, len(raters)) if cut is None else cut
    links = [link for link in known if link.value >= cut]
    groups = groups_of(len(raters), links)
    crowd = CROWDS[_density(len(raters))]
    spots, height = places_of(groups, links, crowd)
    addresses = [f"{address}?{urlencode({'q': rater.key})}#pairs" if address else "" for rater in raters]
    # Weakest first, so that the strongest are drawn on top.
    lines = [_line(link, spots, links) for link in reversed(links[:MAX_LINES])]
    nodes = _nodes(raters, groups, spots, addresses, crowd)
    return Network(
        picture=_picture(nodes, lines, crowd, height),
        links=links,
        groups=groups,
        addresses=addresses,
        cut=cut,
        n_lines=len(lines),
    )


def usual_cut(links: Sequence[AgreementLink], n_raters: int) -> float:
    """Return the step at or below the value that leaves LINKS_EACH links per rater; links are strongest first."""
    if not links:
        return 0.0
    last = links[min(len(links), math.ceil(LINKS_EACH * n_raters)) - 1].value
    return round(math.floor(round(last / CUT_STEP, 6)) * CUT_STEP, 2)


def groups_of(n: int, links: Sequence[AgreementLink]) -> list[int]:
    """Return the number of each rater's connected group; the largest group is 1, and 0 means no links."""
    # Imported here because it would delay the start of every process by a quarter of a second.
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    if not n:
        return []
    rows, columns = [link.a for link in links], [link.b for link in links]
    graph = coo_array((np.ones(len(links)), (rows, columns)), shape=(n, n))
    _, labels = connected_components(graph, directed=False)
    sizes = np.bincount(labels, minlength=1)
    firsts: dict[int, int] = {}
    for place, label in enumerate(labels.tolist()):
        firsts.setdefault(label, place)
    order = sorted(
        (label for label in firsts if sizes[label] > 1), key=lambda label: (-sizes[label], firsts[label])
    )
    numbers = {label: number for number, label in enumerate(order, start=1)}
    return [numbers.get(label, 0) for label in labels.tolist()]


CROWDS = {
    "few": MarkSizes(9, 12.5, 22, 110, 42),
    "many": MarkSizes(7, 10.5, 14, 84, 32),
    "most": MarkSizes(4.5, 8.5, 11, 54, 27),
}


def _density(n: int) -> str:
    return "few" if n <= MANY else "many" if n <= VERY_MANY else "most"


def _nodes(
    raters: Sequence[ReportRater],
    groups: Sequence[int],
    spots: FloatArray,
    addresses: Sequence[str],
    crowd: MarkSizes,
) -> list[Node]:
    colors = named_colors(max(groups, default=0))
    return [
        {
            "name": shortened(rater.key, crowd.letters),
            "kind": rater.kind,
            "x": x,
            "y": y,
            "below": y + crowd.size + 12,
            "fill": (colors[group - 1] if 0 < group <= len(colors) else other_color()).fill,
            "address": address,
            "description": rater.key,
        }
        for rater, group, address, (x, y) in zip(raters, groups, addresses, spots.tolist(), strict=True)
    ]


def _line(link: AgreementLink, spots: FloatArray, links: Sequence[AgreementLink]) -> NetworkLine:
    """Return a strong, middling, or weak line, by its value relative to the weakest and strongest links."""
    strongest, weakest = links[0].value, links[-1].value
    share = (link.value - weakest) / (strongest - weakest) if strongest > weakest else 1.0
    kind = "strong" if share >= 2 / 3 else "middling" if share >= 1 / 3 else "weak"
    (x1, y1), (x2, y2) = spots[link.a].tolist(), spots[link.b].tolist()
    return {"x": x1, "y": y1, "x2": x2, "y2": y2, "kind": kind}


def _picture(nodes: Sequence[Node], lines: Sequence[NetworkLine], crowd: MarkSizes, height: int) -> Picture:
    place, below = {"x": pixels("x"), "y": pixels("y")}, {"x": pixels("x"), "y": pixels("below")}
    shapes = {"domain": list(SHAPES), "range": list(SHAPES.values())}
    dots: Layer = {
        "name": "raters",
        "mark": {"type": "point", "style": "node", "size": 4 * crowd.size**2},
        "encoding": {
            **place,
            "shape": {"field": "kind", "scale": shapes, "legend": None},
            "fill": {"field": "fill", "scale": None},
        },
    }
    has_links = any(node["address"] for node in nodes)
    return Picture(
        {
            "width": WIDTH,
            "height": height,
            "layer": [
                *_rules(lines),
                {"data": {"values": nodes}, **(linked(dots) if has_links else dots)},
                {
                    "data": {"values": nodes},
                    **placed(words("name", "halo", align="center", size=crowd.letter), **below),
                },
                {
                    "data": {"values": nodes},
                    **placed(words("name", "strong", align="center", size=crowd.letter), **below),
                },
            ],
        },
        kind="network wide",
        words="Raters who agree at or above the threshold are linked; same data in the table below",
        has_links=has_links,
    )


def _rules(lines: Sequence[NetworkLine]) -> list[Layer]:
    """Return a layer for each strength present, weakest at the bottom."""
    ends: dict[str, Part] = {"x": pixels("x"), "y": pixels("y"), "x2": {"field": "x2"}, "y2": {"field": "y2"}}
    found = {
        kind: [line for line in lines if line["kind"] == kind] for kind in ("weak", "middling", "strong")
    }
    return [
        {
            "name": kind,
            "data": {"values": rows},
            "mark": {"type": "rule", "style": f"link-{kind}"},
            "encoding": ends,
        }
        for kind, rows in found.items()
        if rows
    ]
