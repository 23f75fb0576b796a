"""Numbers along an axis."""

import pytest

from reports.drawing.marks import format_of
from reports.drawing.vega import svg_of
from tests.reports.drawn import words


def ticks(low: float, high: float) -> list[str]:
    scale = {"domain": [low, high], "nice": False, "zero": False}
    axis = {"format": format_of([low, high]), "tickCount": 5, "title": None, "labelOverlap": False}
    x = {"datum": low, "type": "quantitative", "scale": scale, "axis": axis}
    return words(svg_of({"data": {"values": [{}]}, "mark": "point", "width": 500, "encoding": {"x": x}}))


@pytest.mark.parametrize(
    ("low", "high", "written"),
    [
        (2019, 2021, ["2,019", "2,019.5", "2,020", "2,020.5", "2,021"]),
        (12345, 12349, ["12,345", "12,346", "12,347", "12,348", "12,349"]),
        (0, 0.0008, ["0", "0.0002", "0.0004", "0.0006", "0.0008"]),
        (-3, 40000, ["0", "10,000", "20,000", "30,000", "40,000"]),
        (1e-5, 3e-5, ["1e-5", "1.5e-5", "2e-5", "2.5e-5", "3e-5"]),
        (0, 1e300, ["0e+0", "2e+299", "4e+299", "6e+299", "8e+299", "1e+300"]),
    ],
)
def test_every_tick_is_written_as_what_it_is(low, high, written):
    assert ticks(low, high) == written


def test_large_numbers_near_each_other_are_distinguished():
    written = ticks(1e15 + 1, 1e15 + 5)

    assert len(set(written)) == len(written) > 3
