"""Category distribution by rater, as a bar for each rater."""

import json
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypedDict
from urllib.parse import urlencode

from django.template.defaultfilters import pluralize

from core.templatetags.shown import count, percent
from projects.models import Question
from reports.drawing.marks import described, linked, placed, words
from reports.drawing.palette import Color, named_colors, ordered_colors, other_color
from reports.drawing.picture import Picture, shortened
from reports.drawing.specification import Layer, Part
from reports.drawing.theme import SIZE
from reports.store.stored_result import StoredResult

WIDTH = 620
MAX_RATERS = 200
# With more raters, rows are low and have no room for text.
MANY = 40
TALL, LOW = 24, 12
SMALL = 9
# Narrower parts have no room for their share.
ROOM = 38
MAX_NAME = 20
# A long name of a category takes several lines of the legend, each of so many letters; the parts have the whole name.
LINE, MAX_LINES, MAX_KEYS_IN_A_ROW = 24, 4, 4
# The width of a letter, and of all else that a key takes (symbol, gap).
LETTER, AROUND = 7, 38
# Up to this many unordered categories can be distinguished by color; an ordered scale may have more.
MAX_NAMED, MAX_ORDERED = 7, 40


@dataclass(frozen=True, slots=True)
class _Group:
    """Categories that share a color: one, or all those used least."""

    name: str
    key: str
    places: tuple[int, ...]
    color: Color


class BarPart(TypedDict):
    """A category, or several, in the bar of a row. text: its label, "" if there is no room."""

    row: int
    key: str
    start: float
    middle: float
    end: float
    ink: str
    text: str
    description: str
    address: str


def bars_of(result: StoredResult, *, address: str = "", only: int | None = None) -> Picture | None:
    """Return a bar for each rater and one for all who count; None if nothing was counted.

    address: of the items behind a part. only: the ID of one rater, instead of all.
    """
    found = result.figures.distributions or {}
    shown = [rater for rater in result.raters if only in (None, rater.id)]
    raters = [rater for rater in shown[:MAX_RATERS] if rater.key in found]
    if not raters:
        return None
    counted = [
        found[rater.key] for rater in result.raters if rater.id in result.counted and rater.key in found
    ]
    # If nobody counts, the overall bar includes everybody.
    totals = [sum(column) for column in zip(*(counted or found.values()), strict=True)]
    groups = _groups(result, totals)
    bars: list[tuple[str, Sequence[int], str]] = [("all raters", totals, address)]
    for rater in raters:
        bars.append((rater.key, found[rater.key], f"{address}?{urlencode({'rater': rater.key})}"))
    description = f"How {'each rater uses' if only is None else f'{raters[0].key} uses'} the categories"
    return _picture(bars, groups, description, has_links=bool(address))


def _picture(
    bars: Sequence[tuple[str, Sequence[int], str]],
    groups: Sequence[_Group],
    description: str,
    *,
    has_links: bool,
) -> Picture:
    is_tall = len(bars) <= MANY + 1
    names = [
        {"row": row, "name": shortened(name, MAX_NAME), "n": count(sum(counts))}
        for row, (name, counts, _) in enumerate(bars)
    ]
    parts = [
        part
        for row, (name, counts, address) in enumerate(bars)
        for part in _parts(row, name, counts, groups, address if has_links else "")
    ]
    size = SIZE if is_tall else SMALL
    specification = {
        "width": WIDTH,
        "height": {"step": TALL if is_tall else LOW},
        "encoding": {"y": {"field": "row", "type": "ordinal", "axis": None, "scale": {"padding": 0.16}}},
        "layer": [
            {"data": {"values": parts}, **_bar(groups, has_links=has_links)},
            *(
                [{"data": {"values": [part for part in parts if part["text"]]}, **_share()}]
                if is_tall
                else []
            ),
            {
                "data": {"values": names},
                **placed(words("name", "strong", align="right", size=size), x={"value": -10}),
            },
            {"data": {"values": names}, **placed(words("n", dx=10, size=size), x={"value": "width"})},
        ],
    }
    return Picture(specification, kind="bars wide", words=description, has_links=has_links)


def _bar(groups: Sequence[_Group], *, has_links: bool) -> Layer:
    colors = {"domain": [group.key for group in groups], "range": [group.color.fill for group in groups]}
    names = [textwrap.wrap(group.name, LINE, max_lines=MAX_LINES, placeholder="…") for group in groups]
    longest = max((len(line) for lines in names for line in lines), default=0)
    legend = {
        "columns": min(MAX_KEYS_IN_A_ROW, WIDTH // (LETTER * longest + AROUND)),
        "symbolType": "square",
        "symbolSize": 180,
        "symbolLimit": len(groups),
        "labelExpr": _named(names),
    }
    bar: Layer = {
        "name": "parts",
        "mark": {"type": "bar", "style": "part"},
        "encoding": {
            "x": {"field": "start", **_x_axis()},
            "x2": {"field": "end"},
            "color": {"field": "key", "scale": colors, "legend": legend},
        },
    }
    return linked(bar) if has_links else described(bar)


def _named(names: Sequence[Sequence[str]]) -> str:
    """Return an expression for the lines of a name by its index. Prefixed, as the engine refuses words such as
    "constructor".
    """
    joined = json.dumps(["=" + "\n".join(lines) for lines in names])
    return f"split(slice({joined}[datum.index], 1), '\\n')"


def _share() -> Layer:
    """Return a layer with the share of each part in its middle."""
    layer = words("text", align="center", size=11.5)
    return placed(layer, x={"field": "middle", **_x_axis()}, fill={"field": "ink", "scale": None})


def _x_axis() -> Part:
    return {"type": "quantitative", "scale": {"domain": [0, 1], "nice": False}, "axis": None}


def _parts(
    row: int, name: str, counts: Sequence[int], groups: Sequence[_Group], address: str
) -> Iterator[BarPart]:
    total, start = sum(counts), 0
    for group in groups:
        n = sum(counts[place] for place in group.places)
        if not n:
            continue
        share = percent(n / total)
        yield {
            "row": row,
            "key": group.key,
            "start": start / total,
            "middle": (start + n / 2) / total,
            "end": (start + n) / total,
            "ink": group.color.ink,
            "text": share if n / total * WIDTH >= ROOM else "",
            "description": f"{name}: {share} “{group.name}”, {count(n)} label{pluralize(n)}",
            "address": _items_address(address, group.key),
        }
        start += n


def _items_address(address: str, key: str) -> str:
    if not address or not key:
        return ""
    query = urlencode({"label" if "?" in address else "has": key})
    return f"{address}{'&' if '?' in address else '?'}{query}"


def _groups(result: StoredResult, totals: Sequence[int]) -> list[_Group]:
    """Return the categories in order; if there are more than colors, those used least form one group."""
    is_ordered = result.question.level != Question.Level.NOMINAL
    most = MAX_ORDERED if is_ordered else MAX_NAMED
    used = sorted(range(len(totals)), key=lambda place: (-totals[place], place))
    shown = sorted(used[:most])
    colors = ordered_colors(len(shown)) if is_ordered else named_colors(len(shown))
    groups = [
        _Group(_name(result, place), result.categories[place]["key"], (place,), color)
        for place, color in zip(shown, colors, strict=True)
    ]
    rest = tuple(sorted(used[most:]))
    return [*groups, _Group(f"{len(rest)} others", "", rest, other_color())] if rest else groups


def _name(result: StoredResult, place: int) -> str:
    category = result.categories[place]
    return category["name"] or category["key"]
