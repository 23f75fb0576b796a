"""The items in dispute to plan a round on: those found now or, of a large project, those that a worker last found.

What is planned is checked when it is planned: items whose disputes have been resolved since are left out.
"""

import base64
import zlib
from typing import Any

import numpy as np

from core.shapes import Json
from projects.models import Project
from raters.adjudication.disputes import DisputeFilter, each_undecided_item
from raters.figures.size import is_large
from raters.figures.stored_figures import NOW, FigureFreshness, stored_figures
from raters.models import StoredFigures
from raters.rounds.assigning.allocation import IntArray

# Items checked by one query.
AT_ONCE = 10_000


def disputed_items(project: Project, round_: int | None, *, by: Any) -> tuple[IntArray, FigureFreshness]:
    """Return the IDs of items in dispute, in one round or all, (N,), ascending, and when they were found.

    Raises FiguresNotComputed, for which no transaction may be open: what is asked for would be rolled back.
    """
    if not is_large(project):
        return _found(project, _wanted(round_)), NOW
    stored = stored_figures(project, StoredFigures.What.DISPUTED, {"round": round_}, by=by)
    return _unpacked(stored.result["items"]), stored.counted


def disputes_as_json(project: Project, asked: Json) -> Json:
    return {"items": _packed(_found(project, _wanted(asked["round"])))}


def still_disputed(project: Project, items: IntArray, round_: int | None) -> IntArray:
    """Return those of the items that are in dispute now."""
    if not is_large(project):
        return items
    parts = (tuple(items[start : start + AT_ONCE].tolist()) for start in range(0, len(items), AT_ONCE))
    return np.concatenate([items[:0], *(_found(project, _wanted(round_, part)) for part in parts)])


def _wanted(round_: int | None, items: tuple[int, ...] | None = None) -> DisputeFilter:
    return DisputeFilter(round=round_, includes_waiting=True, items=items)


def _found(project: Project, wanted: DisputeFilter) -> IntArray:
    return np.sort(np.fromiter(each_undecided_item(project, wanted), dtype=np.int64))


def _packed(items: IntArray) -> str:
    """Return ascending IDs in about a byte each: there may be millions."""
    return base64.b64encode(zlib.compress(np.diff(items, prepend=0).tobytes())).decode()


def _unpacked(text: str) -> IntArray:
    return np.cumsum(np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype=np.int64))
