"""Positions of raters in their network: linked raters are close, and all have room."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reports.agreement.results import FloatArray

WIDTH, HEIGHT, MARGIN = 860, 560, 44
ROUNDS = 200
# The iterations that separate overlapping marks.
APART_ROUNDS = 60


@dataclass(frozen=True, slots=True)
class AgreementLink:
    """Two raters, by position, who agree above the cutoff."""

    a: int
    b: int
    value: float


@dataclass(frozen=True, slots=True)
class MarkSizes:
    """The size of marks and letters, the length of names, and the room for both."""

    size: float
    letter: float
    letters: int
    wide: int
    high: int


def spread(n: int, links: Sequence[AgreementLink]) -> FloatArray:
    """Return (n, 2) positions with linked raters close and room for all, starting from a circle.

    All repel each other, links attract, and the center attracts slightly; steps become smaller with each iteration.
    Source: Fruchterman & Reingold 1991, Software: Practice and Experience 21(11), 1129-1164.
    """
    angles = 2 * np.pi * np.arange(n) / max(1, n)
    spots = np.column_stack([np.cos(angles), np.sin(angles)])
    if n < 2:
        return spots * 0
    pull = np.zeros((n, n))
    for link in links:
        pull[link.a, link.b] = pull[link.b, link.a] = 1.0
    ideal = 1.6 / math.sqrt(n)
    for step in range(ROUNDS):
        spots = spots + _moves(spots, pull, ideal, 0.2 * (1 - step / ROUNDS))
    return spots


def _moves(spots: FloatArray, pull: FloatArray, ideal: float, most: float) -> FloatArray:
    """Return the displacement of each, limited to `most`."""
    across, along = (np.subtract.outer(spots[:, k], spots[:, k]) for k in (0, 1))
    squares = across**2 + along**2
    np.fill_diagonal(squares, 1.0)
    squares = np.maximum(squares, 1e-6)
    force = ideal**2 / squares - pull * np.sqrt(squares) / ideal
    np.fill_diagonal(force, 0.0)
    moves = np.column_stack([(force * across).sum(axis=1), (force * along).sum(axis=1)]) - 0.6 * ideal * spots
    lengths = np.maximum(np.hypot(moves[:, 0], moves[:, 1]), 1e-9)
    shares: FloatArray = np.minimum(1.0, most / lengths)
    return moves * shares[:, None]


def places_of(
    groups: Sequence[int], links: Sequence[AgreementLink], crowd: MarkSizes
) -> tuple[FloatArray, int]:
    """Return the position of each rater, unlinked raters in rows below, and the height of the drawing."""
    joined = [place for place, group in enumerate(groups) if group]
    alone = [place for place, group in enumerate(groups) if not group]
    new = {place: number for number, place in enumerate(joined)}
    own = [AgreementLink(new[link.a], new[link.b], link.value) for link in links]
    top = HEIGHT if joined else 0
    found = np.zeros((len(groups), 2))
    found[joined] = apart(on_paper(spread(len(joined), own)), crowd)
    found[alone], below = rows_of(len(alone), crowd, top)
    return found, below


def rows_of(n: int, crowd: MarkSizes, top: int) -> tuple[FloatArray, int]:
    """Return (n, 2) positions in rows starting at `top`, and the end of the last row."""
    in_row = (WIDTH - 20) // crowd.wide
    places = np.arange(n)
    across = 10 + crowd.wide * (places % in_row + 0.5)
    along = top + crowd.high * (places // in_row + 0.6)
    n_rows = -(-n // in_row)
    return np.column_stack([across, along]).reshape(n, 2), int(top + crowd.high * n_rows + (10 if n else 0))


def on_paper(spots: FloatArray) -> FloatArray:
    """Scale the positions to the drawing, as large as possible."""
    if not len(spots):
        return spots
    low, high = spots.min(axis=0), spots.max(axis=0)
    size = np.where(high - low > 1e-9, high - low, 1.0)
    room = np.array([WIDTH - 2 * MARGIN, HEIGHT - 2 * MARGIN])
    middle = np.where(high - low > 1e-9, 0.0, room / 2)
    found: FloatArray = MARGIN + middle + (spots - low) / size * room
    return found


def apart(spots: FloatArray, crowd: MarkSizes) -> FloatArray:
    """Move overlapping marks and names apart, within the drawing."""
    n = len(spots)
    room = np.array([crowd.wide, crowd.high])
    low, high = np.array([MARGIN, MARGIN * 0.5]), np.array([WIDTH - MARGIN, HEIGHT - MARGIN])
    for _ in range(APART_ROUNDS if n > 1 else 0):
        across, along = (np.subtract.outer(spots[:, k], spots[:, k]) / room[k] for k in (0, 1))
        gaps = np.hypot(across, along)
        # Two at the same position separate in their order.
        same = np.sign(np.subtract.outer(np.arange(n), np.arange(n))) * (gaps < 1e-6)
        push = np.where(gaps < 1, (1 - gaps) / np.maximum(gaps, 1e-6), 0.0)
        np.fill_diagonal(push, 0.0)
        moves = np.column_stack([(push * across + same).sum(axis=1), (push * along).sum(axis=1)])
        spots = np.clip(spots + 0.25 * np.clip(moves, -1, 1) * room, low, high)
    found: FloatArray = np.round(spots, 1)
    return found
