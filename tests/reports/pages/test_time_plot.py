"""The picture of agreement window by window."""

from datetime import UTC, datetime

import pytest

from projects.templatetags.shown import in_percent
from reports.pages.pictures.time_plot import BOTTOM, LEFT, RIGHT, TOP, Point, time_plot


def day(number: int) -> datetime:
    return datetime(2026, 3, number, tzinfo=UTC)


def point(number: int, value=0.5, low=0.4, high=0.6, name="pilot") -> Point:
    """From one odd day to the next even one."""
    return Point(name, value, low, high, day(2 * number - 1), day(2 * number))


def plot_of(*points: Point, versions=(), overall=None, is_share=False):
    return time_plot(points, versions, overall=overall, is_share=is_share)


def test_values_and_limits_lie_between_the_ends_of_the_axis():
    plot = plot_of(point(1, 1.0, 0.5, 1.0), point(2, 0.0, 0.0, 0.25), overall=0.5)

    first, second = plot.slots
    assert (first.y, second.y, plot.overall) == (TOP, BOTTOM, (TOP + BOTTOM) / 2)
    assert (first.band_y, first.band_height) == (TOP, (BOTTOM - TOP) / 2)
    assert plot.lines == [f"{first.x},{first.y} {second.x},{second.y}"]


def test_below_chance_the_axis_goes_on():
    plot = plot_of(point(1, -0.1, -0.3, 0.1), point(2))

    assert [tick.text for tick in plot.ticks][:3] == ["−0.4", "−0.2", "0.0"]


def test_a_window_without_value_breaks_the_line_and_has_no_band():
    plot = plot_of(point(1), point(2, None, None, None), point(3), point(4))

    assert plot.slots[1].y is None
    assert plot.slots[1].band_y is None
    assert [line.count(",") for line in plot.lines] == [2]


@pytest.mark.parametrize("points", [(point(1),), (point(1, None, None, None), point(2, None, None, None))])
def test_nothing_to_draw(points):
    assert plot_of(*points) is None


def test_versions_stand_where_they_were_written():
    versions = [(1, day(1)), (2, day(2)), (3, day(3)), (4, day(9))]

    plot = plot_of(point(1), point(2), versions=versions)

    half = (LEFT + RIGHT) / 2
    # The first window takes the first half from end to end, and the second begins when it does; 4 is after both.
    assert [mark.x for mark in plot.marks] == [LEFT, half, half]
    assert [mark.text for mark in plot.marks] == ["guidelines 1", "guidelines 2", ""]


def test_a_version_between_two_windows_stands_on_the_border():
    late = Point("late", 0.5, 0.4, 0.6, day(20), day(21))

    plot = plot_of(point(1), late, versions=[(2, day(10))])

    assert [mark.x for mark in plot.marks] == [(LEFT + RIGHT) / 2]


def test_long_names_leave_out_others():
    plot = plot_of(*(point(n, name="a round with a name") for n in range(1, 13)))

    named = [place for place, slot in enumerate(plot.slots) if slot.name]
    assert named == [0, 3, 6, 9]


def test_shares_have_per_cent():
    assert [tick.text for tick in plot_of(point(1), point(2), is_share=True).ticks][-1] == in_percent("100")
