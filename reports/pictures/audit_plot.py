"""Wrong labels as an audit proceeds, with the numbers at which its plan accepts or rejects."""

from collections.abc import Sequence
from typing import TypedDict

from reports.agreement.audits.sampling_plans import NEVER, SamplingPlan
from reports.drawing.marks import placed, words
from reports.drawing.picture import Picture
from reports.drawing.specification import Part

WIDTH, HEIGHT = 560, 240
# Lines with more points look the same.
MOST_POINTS = 600


class _Point(TypedDict):
    n: int
    wrong: int


def audit_plot(plan: SamplingPlan, path: Sequence[int], *, description: str) -> Picture:
    """path: the number of wrong labels after each audited label."""
    shown = path[: plan.n_most]
    x: Part = {
        "field": "n",
        "type": "quantitative",
        "scale": {"domain": [0, plan.n_most], "nice": False},
        "axis": {"title": "labels audited", "grid": False, "tickMinStep": 1},
    }
    y: Part = {
        "field": "wrong",
        "type": "quantitative",
        "scale": {"domain": [0, max(plan.looks[-1].reject, *shown, 1)]},
        "axis": {"title": "wrong labels", "tickMinStep": 1},
    }
    lines = {
        "accept": [(look.n, look.accept) for look in plan.looks if look.accept != NEVER],
        "reject": [(look.n, look.reject) for look in plan.looks],
    }
    is_stepwise = len(plan.looks) > 2
    layers: list[Part] = []
    for name, points in lines.items():
        mark: Part = (
            {"type": "line", "style": "bias", "strokeDash": [4, 3] if name == "accept" else [1, 0]}
            if is_stepwise
            else {
                "type": "point",
                "style": "bias",
                "shape": "triangle-down" if name == "accept" else "triangle-up",
            }
        )
        layers.append(
            {"name": name, "data": {"values": _thinned(points)}, "mark": mark, "encoding": {"x": x, "y": y}}
        )
        if points:
            last = {"n": points[-1][0], "wrong": points[-1][1], "words": name}
            side = words("words", "text", align="right", dx=-6, dy=-9 if name == "reject" else 11)
            layers.append(placed({"name": f"{name}-name", "data": {"values": [last]}, **side}, x=x, y=y))
    course = [(0, 0), *((place, wrong) for place, wrong in enumerate(shown, start=1))]
    layers.append(
        placed(
            {
                "name": "course",
                "data": {"values": _thinned(course)},
                "mark": {"type": "line", "style": "course", "interpolate": "step-after", "strokeWidth": 2},
            },
            x=x,
            y=y,
        )
    )
    return Picture({"width": WIDTH, "height": HEIGHT, "layer": layers}, kind="audit", words=description)


def _thinned(points: Sequence[tuple[int, int]]) -> list[_Point]:
    step = max(1, len(points) // MOST_POINTS)
    kept = [*points[::step]]
    if points and kept[-1] != points[-1]:
        kept.append(points[-1])
    return [{"n": n, "wrong": wrong} for n, wrong in kept]
