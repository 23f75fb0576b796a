"""The picture of agreement window by window."""

from datetime import UTC, datetime

import pytest

from core.templatetags.shown import in_percent
from reports.pictures.time_plot import HEIGHT, WIDTH, Point, time_plot
from tests.reports.drawn import box, marks, place, words


def day(number: int) -> datetime:
    return datetime(2026, 3, number, tzinfo=UTC)


def point(number: int, value=0.5, low=0.4, high=0.6, name="pilot") -> Point:
    """From one odd day to the next even one."""
    return Point(name, value, low, high, day(2 * number - 1), day(2 * number))


def plot_of(*points: Point, versions=(), overall=None, is_share=False, is_bounded=True):
    found = time_plot(
        points, versions, overall=overall, description="", is_share=is_share, is_bounded=is_bounded
    )
    return found and found.picture


def test_values_and_limits_lie_between_the_ends_of_the_axis():
    plot = plot_of(point(1, 1.0, 0.5, 1.0), point(2, 0.0, 0.0, 0.25), overall=0.5)

    assert [place(dot) for dot in marks(plot, "dots")] == [(WIDTH / 4, 0), (3 * WIDTH / 4, HEIGHT)]
    first, second = (box(band) for band in marks(plot, "bands"))
    assert first[1::2] == pytest.approx((0, HEIGHT / 2))
    assert second[1::2] == pytest.approx((HEIGHT * 3 / 4, HEIGHT / 4))
    [course] = marks(plot, "course")
    assert course.get("d") == f"M{WIDTH / 4:g},0L{3 * WIDTH / 4:g},{HEIGHT}"


def test_below_chance_the_axis_goes_on():
    assert words(plot_of(point(1, -0.1, -0.3, 0.1), point(2)))[:3] == ["−0.4", "−0.2", "0.0"]


def test_the_line_of_all_lies_within_the_axis():
    bounded = plot_of(point(1), point(2), overall=-0.3)
    unbounded = plot_of(point(1), point(2), overall=-3.0, is_bounded=False)

    assert words(bounded)[0] == "−0.4"
    assert words(unbounded)[0] == "−3"
    assert [place(mark)[1] for mark in marks(unbounded, "overall")] == [HEIGHT]


def test_a_window_without_value_breaks_the_line_and_has_no_band():
    plot = plot_of(point(1), point(2, None, None, None), point(3), point(4))

    assert [len(marks(plot, name)) for name in ("dots", "bands")] == [3, 3]
    [course] = marks(plot, "course")
    # Two stretches, the first of one point.
    assert [stretch.count("L") for stretch in course.get("d").split("M")[1:]] == [0, 1]


@pytest.mark.parametrize("points", [(point(1),), (point(1, None, None, None), point(2, None, None, None))])
def test_nothing_to_draw(points):
    assert plot_of(*points) is None


def test_versions_stand_where_they_were_written():
    versions = [(1, day(1)), (2, day(2)), (3, day(3)), (4, day(9))]

    plot = plot_of(point(1), point(2), versions=versions)

    # The first window takes the first half from end to end, and the second begins when it does; 4 is after both.
    assert [place(mark)[0] for mark in marks(plot, "versions")] == [0, WIDTH / 2, WIDTH / 2]
    assert [text for text in words(plot) if text.startswith("guidelines")] == ["guidelines 1", "guidelines 2"]


def test_a_version_between_two_windows_is_on_the_border():
    late = Point("late", 0.5, 0.4, 0.6, day(20), day(21))

    plot = plot_of(point(1), late, versions=[(2, day(10))])

    assert [place(mark)[0] for mark in marks(plot, "versions")] == [WIDTH / 2]


def test_long_names_leave_out_others():
    plot = plot_of(*(point(n, name="a round with a name") for n in range(1, 13)))

    assert words(plot).count("a round with a name") == 4


def test_shares_have_per_cent():
    assert in_percent("100") in words(plot_of(point(1), point(2), is_share=True))


def test_numbers_have_the_ends_of_their_axis_and_0():
    plot = plot_of(point(1, -1200.5, None, None), point(2, 3, -100, 8000), is_bounded=False)

    assert words(plot)[:3] == ["−1,201", "0", "8,000"]
    assert plot_of(point(1, -1e308, None, None), point(2, 1e308, None, None), is_bounded=False) is None
