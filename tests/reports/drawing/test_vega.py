"""Vega-Lite in its engine: what it draws, what it refuses, and that nobody's words become markup or code."""

import asyncio
import hashlib
import re
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from reports.drawing import vega
from reports.drawing.picture import NOT_DRAWN, Picture, width_of
from reports.drawing.theme import IN_FILE, ON_PAGE
from reports.drawing.vega import HERE, DrawingFailed, svg_of
from tests.reports.drawn import marks, parsed, words

HOSTILE = """</text><script>alert(1)</script>"'<b>&amp;\\"""


def bars(*names: str, **more) -> dict:
    values = [
        {"name": name, "n": n, "address": f"/{name}", "description": name} for n, name in enumerate(names, 1)
    ]
    encoding = {
        "x": {"field": "n", "type": "quantitative"},
        "y": {"field": "name", "axis": {"labelLimit": 0}},
        "href": {"field": "address"},
        "description": {"field": "description"},
    }
    return {
        "data": {"values": values},
        "name": "bars",
        "mark": {"type": "bar", "aria": True},
        "encoding": encoding,
    } | more


def picture(*names: str) -> Picture:
    return Picture(bars(*names), kind="bars", words=f"Bars of {names}", has_links=True)


def test_the_library_is_the_published_one():
    told = (HERE / "vendor/README.md").read_text()

    for file in (HERE / "vendor").glob("*.js"):
        assert f"`{file.name}`" in told
        assert hashlib.sha256(file.read_bytes()).hexdigest() in told


def test_a_specification_is_drawn():
    svg = svg_of(bars("one", "two"))

    assert [word for word in words(svg) if word in {"one", "two"}] == ["one", "two"]
    assert len(marks(svg, "bars")) == 2


def test_words_of_people_stay_words_on_a_page_and_in_a_file():
    drawn = picture(HOSTILE, "b\x0bell")

    for svg in (str(drawn.inline), drawn.named(HOSTILE, HOSTILE).file()):
        assert HOSTILE in words(svg)
        assert "bell" in words(svg)
        assert not re.search(r"<(script|b)\b| on\w+=| style=", svg)
    title = next(each for each in parsed(drawn.inline).iter() if each.tag == "title")
    assert title.text == HOSTILE


@pytest.mark.parametrize(
    ("name", "width"),
    [
        ("rater-001", 406),
        ("WWW", 283),
        ("ЖАННА ШМЫКОВА", 926),
        ("Щукина", 356),
        ("ΩΡΑΙΟΖΗΛΗ", 579),
        ("ÅÄÖÉŠŽ", 406),
    ],
)
def test_names_have_room_in_every_script(name, width):
    """width: in a sans serif of 100 pixels."""

    def drawn(name: str) -> float:
        mark = {"type": "text", "align": "right", "fontSize": 100}
        return width_of(
            svg_of(bars(name, mark=mark, encoding={"text": {"field": "name"}, "x": {"value": 0}}))
        )

    assert width <= drawn(name) - drawn("") <= 1.4 * width


def test_half_a_letter_does_not_hold_up_the_engine():
    assert "half \ufffd" in words(svg_of(bars("half \ud83d")))


def test_addresses_that_are_scripts_are_left_out():
    specification = bars("one")
    specification["data"]["values"][0]["address"] = "javascript:alert(1)"

    assert "<a" not in svg_of(specification)


def test_expressions_have_no_way_to_code():
    escape = {"calculate": "datum.constructor.constructor('return 1')()", "as": "name"}

    with pytest.raises(DrawingFailed):
        svg_of(bars("one", transform=[escape]))
    assert "one" in words(svg_of(bars("one")))


def test_nothing_is_fetched():
    svg = svg_of(bars("one", data={"url": "http://127.0.0.1:1/data.json"}))

    assert marks(svg, "bars") == []


@pytest.mark.parametrize("specification", [{}, {"mark": "nonsense"}, {"layer": 3}])
def test_nonsense_is_refused_and_the_next_one_drawn(specification):
    with pytest.raises(DrawingFailed):
        svg_of(specification)

    assert "one" in words(svg_of(bars("one")))


def test_a_picture_that_takes_too_long_gives_way_to_a_sentence(monkeypatch):
    monkeypatch.setattr(vega, "SECONDS", 1e-6)

    assert NOT_DRAWN in picture("a picture that nobody has asked for").inline
    monkeypatch.undo()
    assert "after it" in words(picture("after it").inline)


def test_a_picture_waits_for_others_only_so_long(monkeypatch):
    drawer, ended = vega._Drawer(), Event()
    monkeypatch.setattr(drawer, "_draw", lambda _: str(ended.wait(30)))
    monkeypatch.setattr(vega, "WAIT", 0.01)

    for _ in range(2):
        with pytest.raises(DrawingFailed, match="Too many"):
            drawer.drawn("{}")

    ended.set()
    monkeypatch.setattr(vega, "WAIT", 30.0)
    assert drawer.drawn("{}") == "True"


def test_a_picture_that_takes_too_much_memory_is_given_up_and_the_next_one_drawn(monkeypatch):
    monkeypatch.setattr(vega, "BYTES", 64 << 20)
    rows = {"sequence": {"start": 0, "stop": 3_000_000, "as": "n"}}

    with pytest.raises(DrawingFailed, match="memory"):
        svg_of({"data": rows, "mark": "point", "encoding": {"x": {"field": "n", "type": "quantitative"}}})

    monkeypatch.undo()
    assert "after too much" in words(picture("after too much").inline)


def test_many_draw_at_once():
    names = [f"rater {n}" for n in range(24)]

    with ThreadPoolExecutor(8) as pool:
        drawn = list(pool.map(lambda name: svg_of(bars(name)), names))

    assert [name in words(svg) for name, svg in zip(names, drawn, strict=True)] == [True] * 24


def test_a_thread_with_tasks_of_its_own_draws_too():
    async def draw() -> str:
        return svg_of(bars("within a loop"))

    with ThreadPoolExecutor(1) as thread:
        assert "within a loop" in words(thread.submit(lambda: asyncio.run(draw())).result())


def test_only_the_whole_has_a_role():
    assert re.findall("role=|aria-roledescription", picture("one").inline) == ["role="]


def test_a_file_has_colors_and_a_page_has_names_of_them():
    drawn = Picture({"title": "x", **bars("one")}, kind="bars", words="Bars")

    assert ON_PAGE.ink in drawn.inline
    assert ON_PAGE.ink not in drawn.file()
    assert IN_FILE.ink in drawn.file()


def test_a_picture_is_drawn_once_and_kept_by_its_length():
    vega.kept.clear()

    first, again, other = (svg_of(bars(name)) for name in ("kept", "kept", "another"))

    assert first is again
    assert vega.kept.currsize == len(first) + len(other)
