"""Coefficients against prevalence: their values if a category were rarer or more common."""

import math
from collections.abc import Mapping, Sequence
from typing import TypedDict

from reports.agreement.planning.curve import PrevalenceCurve
from reports.agreement.results import number
from reports.drawing.marks import axis_from, once, placed
from reports.drawing.picture import Picture
from reports.drawing.specification import Layer, Part
from reports.plans.presentation import LINES

WIDTH, HEIGHT = 430, 250
SHARES = (0, 0.2, 0.4, 0.6, 0.8, 1)
DASHES = {
    "cohen_kappa": [1, 0],
    "gwet_ac1": [7, 4],
    "brennan_prediger": [2, 3],
    "percent_agreement": [11, 3, 2, 3],
}


class CurveRow(TypedDict):
    """One point of a line: the share of the category, and the coefficient."""

    share: float
    value: float | None
    line: str


def curve_picture(curve: PrevalenceCurve, *, category: str = "", here: float | None = None) -> Picture:
    """Draw the curve. category: the one whose share varies, "" for the first of two. here: its actual share."""
    of = category or "the first category"
    rows: list[CurveRow] = [
        {"share": share, "value": number(value), "line": _title(curve, name)}
        for name in DASHES
        for share, value in zip(curve.prevalence.tolist(), getattr(curve, name).tolist(), strict=True)
    ]
    specification = {
        "width": WIDTH,
        "height": HEIGHT,
        "data": {"values": rows},
        "layer": [
            *_here(here),
            {
                "name": "lines",
                "mark": {"type": "line", "strokeWidth": 2},
                "encoding": _encoding(curve, rows, of),
            },
        ],
    }
    return Picture(
        specification,
        kind="curve",
        words=f"Coefficients by share of {of}; same data in the table below",
    )


def _title(curve: PrevalenceCurve, name: str) -> str:
    return LINES[name] + (" (undefined)" if all(map(math.isnan, getattr(curve, name).tolist())) else "")


def _encoding(curve: PrevalenceCurve, rows: Sequence[CurveRow], of: str) -> Mapping[str, Part]:
    lowest = min((row["value"] for row in rows if row["value"] is not None), default=0.0)
    ticks = axis_from(lowest)
    titles = [_title(curve, name) for name in DASHES]
    across = {"domain": [0, 1], "nice": False}
    return {
        "x": _axis("share", across, SHARES, f"share of {of}"),
        "y": _axis("value", {"domain": [ticks[0], 1], "nice": False}, ticks, None),
        "color": {"field": "line", "scale": {"domain": titles}, "legend": _legend()},
        "strokeDash": {"field": "line", "scale": {"domain": titles, "range": list(DASHES.values())}},
    }


def _axis(field: str, scale: Part, ticks: Sequence[float], title: str | None) -> Part:
    axis = {"values": list(ticks), "format": ".1f", "title": title, "grid": field == "value"}
    return {"field": field, "type": "quantitative", "scale": scale, "axis": axis}


def _legend() -> Part:
    return {"columns": 2, "symbolType": "stroke", "symbolSize": 900, "symbolStrokeWidth": 2}


def _here(share: float | None) -> list[Layer]:
    if share is None:
        return []
    line: Layer = {"name": "here", "mark": {"type": "rule", "style": "here"}}
    return [once(placed(line, x={"datum": share, "type": "quantitative"}))]
