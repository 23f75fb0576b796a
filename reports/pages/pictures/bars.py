"""How each rater uses the categories, as a bar for each: plain numbers for an SVG."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from projects.models import Question
from projects.templatetags.shown import count, percent
from reports.counted import counted_in
from reports.models import QuestionAgreement
from reports.pages.pictures.forest import shortened
from reports.pages.pictures.palette import Colour, named_colours, ordered_colours, other_colour
from reports.pages.question.matrix import raters_of

WIDTH, LEFT, RIGHT, TOP = 840, 150, 770, 8
MAX_RATERS = 200
# With more raters than this rows are low, and have no room for words.
MANY = 40
TALL, LOW = 24, 12
# Narrower parts have no room for their share.
ROOM = 38
MAX_NAME, MAX_KEY = 20, 28
KEY_ROW, KEY_WIDTH = 22, 206
# Categories without an order are told apart by colour up to here; an ordered scale may have more.
MAX_NAMED, MAX_ORDERED = 7, 40


@dataclass(frozen=True, slots=True)
class Part:
    """The share of one category in one bar; text: "" where it has no room."""

    x: float
    width: float
    colour: Colour
    words: str
    text: str
    address: str

    @property
    def middle(self) -> float:
        return self.x + self.width / 2


@dataclass(frozen=True, slots=True)
class Bar:
    name: str
    y: float
    parts: list[Part]
    n: str


@dataclass(frozen=True, slots=True)
class Key:
    """What a colour stands for."""

    x: float
    y: float
    colour: Colour
    name: str


@dataclass(frozen=True, slots=True)
class Bars:
    bars: list[Bar]
    legend: list[Key]
    row: int
    height: int
    width: int = WIDTH
    left: int = LEFT
    right: int = RIGHT

    @property
    def thick(self) -> int:
        return self.row - (5 if self.is_tall else 2)

    @property
    def text_y(self) -> float:
        """From the top of a bar to the line that its words stand on."""
        return self.thick / 2 + (4.2 if self.is_tall else 3)

    @property
    def kind(self) -> str:
        """Its classes of the style sheet."""
        return "bars" if self.is_tall else "bars low"

    @property
    def is_tall(self) -> bool:
        return self.row == TALL

    @property
    def name_x(self) -> int:
        return self.left - 10

    @property
    def n_x(self) -> int:
        return self.width - 4


@dataclass(frozen=True, slots=True)
class _Group:
    """Categories that share a colour: one, or all those used least."""

    name: str
    key: str
    places: tuple[int, ...]
    colour: Colour


def bars_of(agreement: QuestionAgreement, *, address: str = "", only: int | None = None) -> Bars | None:
    """A bar for each rater and one for all who count; None where nothing was counted.

    address: of the items behind a part. only: the id of one rater, in place of all.
    """
    found: Mapping[str, Sequence[int]] = agreement.statistics.get("distributions", {})
    shown = [rater for rater in raters_of(agreement) if only in (None, rater.id)]
    raters = [rater for rater in shown[:MAX_RATERS] if rater.key in found]
    if not raters:
        return None
    ids = counted_in(agreement).ids
    counted = [found[rater.key] for rater in raters_of(agreement) if rater.id in ids and rater.key in found]
    # Where nobody counts, the bar of all is of everybody.
    totals = [sum(column) for column in zip(*(counted or found.values()), strict=True)]
    groups = _groups(agreement, totals)
    row = TALL if len(raters) <= MANY else LOW
    keys = _keys(groups)
    top = keys[-1].y + KEY_ROW
    bars = [_bar("all raters", totals, groups, top, address)]
    for place, rater in enumerate(raters):
        own = f"{address}?{urlencode({'rater': rater.key})}" if address else ""
        # A little apart from the bar of all.
        bars.append(_bar(rater.key, found[rater.key], groups, top + row * (place + 1) + 6, own))
    return Bars(bars, keys, row, int(top + row * len(bars) + 10))


def _groups(agreement: QuestionAgreement, totals: Sequence[int]) -> list[_Group]:
    """The categories in their order; beyond as many as have a colour, those used least are one group."""
    is_ordered = agreement.question.level != Question.Level.NOMINAL
    most = MAX_ORDERED if is_ordered else MAX_NAMED
    used = sorted(range(len(totals)), key=lambda place: (-totals[place], place))
    shown = sorted(used[:most])
    colours = ordered_colours(len(shown)) if is_ordered else named_colours(len(shown))
    groups = [
        _Group(_name(agreement, place), agreement.categories[place]["key"], (place,), colour)
        for place, colour in zip(shown, colours, strict=True)
    ]
    rest = tuple(sorted(used[most:]))
    return [*groups, _Group(f"{len(rest)} others", "", rest, other_colour())] if rest else groups


def _name(agreement: QuestionAgreement, place: int) -> str:
    category = agreement.categories[place]
    return category["name"] or category["key"]


def _keys(groups: Sequence[_Group]) -> list[Key]:
    a_row = (WIDTH - 8) // KEY_WIDTH
    return [
        Key(
            8 + KEY_WIDTH * (place % a_row),
            TOP + KEY_ROW * (place // a_row),
            group.colour,
            shortened(group.name, MAX_KEY),
        )
        for place, group in enumerate(groups)
    ]


def _bar(name: str, counts: Sequence[int], groups: Sequence[_Group], y: float, address: str) -> Bar:
    total, x, parts = sum(counts), float(LEFT), []
    for group in groups:
        n = sum(counts[place] for place in group.places)
        if not n:
            continue
        width = n / total * (RIGHT - LEFT)
        parts.append(_part(name, group, n, total, x, width, address))
        x += width
    return Bar(shortened(name, MAX_NAME), y, parts, count(total))


def _part(name: str, group: _Group, n: int, total: int, x: float, width: float, address: str) -> Part:
    share = percent(n / total)
    words = f"{name}: {share} “{group.name}”, {count(n)} labels"
    return Part(
        round(x, 2), round(width, 2), group.colour, words, share if width >= ROOM else "",
        _behind(address, group.key),
    )  # fmt: skip


def _behind(address: str, key: str) -> str:
    if not address or not key:
        return ""
    query = urlencode({"says" if "?" in address else "has": key})
    return f"{address}{'&' if '?' in address else '?'}{query}"
