"""Labels cut into rounds, versions of the guidelines and windows of time."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from reports.analysis.label_arrays import NO_ROUND, NO_VERSION, LabelColumns
from reports.analysis.windows import WindowGrouping, windows_of

SECOND = 1_000_000


def moment(*parts: int) -> int:
    return int(datetime(*parts, tzinfo=UTC).timestamp()) * SECOND


def labels_of(rows: list[tuple[int, int, int]], *, rounds=None, versions=None) -> LabelColumns:
    """rows: item, rater, moment."""
    items, raters, moments = np.array(rows, dtype=np.int64).T
    nothing = np.zeros(len(rows), dtype=np.int64)
    return LabelColumns(
        items,
        raters,
        nothing,
        nothing + NO_ROUND if rounds is None else np.array(rounds),
        nothing + NO_VERSION if versions is None else np.array(versions),
        moments,
    )


def cut(labels, by, *, rounds=(), zone=UTC, n_windows=2):
    found = windows_of(labels, by, rounds=rounds, zone=zone, n_windows=n_windows)
    return [(window.key, window.labels.items.tolist()) for window in found]


def test_rounds_come_in_the_order_of_the_project_and_no_round_last():
    labels = labels_of([(1, 1, 0), (2, 1, 0), (3, 1, 0)], rounds=[NO_ROUND, 8, 9])

    assert cut(labels, WindowGrouping.ROUND, rounds=[9, 8]) == [(9, [3]), (8, [2]), (NO_ROUND, [1])]


def test_guidelines_are_those_of_each_label():
    labels = labels_of([(1, 1, 0), (1, 2, 0), (2, 1, 0)], versions=[2, NO_VERSION, 2])

    assert cut(labels, WindowGrouping.GUIDELINES) == [(NO_VERSION, [1]), (2, [1, 2])]


def test_an_item_counts_on_the_day_of_its_last_label():
    early, late = moment(2026, 3, 2, 9), moment(2026, 3, 4, 9)
    labels = labels_of([(1, 1, early), (1, 2, late), (2, 1, early), (2, 2, early)])

    days = cut(labels, WindowGrouping.DAY)

    assert [items for _, items in days] == [[2, 2], [1, 1]]
    assert days[1][0] - days[0][0] == 2


def test_a_window_begins_and_ends_with_items_that_were_finished():
    early, late = moment(2026, 3, 2, 9), moment(2026, 3, 4, 9)
    labels = labels_of([(1, 1, early), (1, 2, late)])

    [day] = windows_of(labels, WindowGrouping.DAY, rounds=(), zone=UTC, n_windows=2)
    [round_] = windows_of(labels, WindowGrouping.ROUND, rounds=(), zone=UTC, n_windows=2)

    assert (day.start, day.end) == (late, late)
    assert (round_.start, round_.end) == (early, late)


@pytest.mark.parametrize(
    ("zone", "n_days"), [(UTC, 1), (ZoneInfo("Asia/Kolkata"), 2), (ZoneInfo("America/New_York"), 1)]
)
def test_days_begin_where_the_clocks_are(zone, n_days):
    labels = labels_of([(1, 1, moment(2026, 3, 2, 17)), (2, 1, moment(2026, 3, 2, 19))])

    assert len(cut(labels, WindowGrouping.DAY, zone=zone)) == n_days


def test_a_week_is_named_by_its_monday():
    sunday, monday = moment(2026, 3, 8, 12), moment(2026, 3, 9, 12)
    labels = labels_of([(1, 1, sunday), (2, 1, monday)])

    (first, _), (second, _) = cut(labels, WindowGrouping.WEEK)

    assert datetime.fromtimestamp(first * 86_400, tz=UTC) == datetime(2026, 3, 2, tzinfo=UTC)
    assert second - first == 7


def test_windows_of_equal_numbers_keep_one_moment_together():
    labels = labels_of([(item, 1, 10 * item) for item in range(1, 7)] + [(7, 1, 60), (8, 1, 60)])

    assert cut(labels, WindowGrouping.NUMBER) == [(1, [1, 2, 3, 4]), (2, [5, 6, 7, 8])]
    # All but the first item of this one were finished at the same moment.
    assert (
        len(cut(labels_of([(1, 1, 1), (2, 1, 2), (3, 1, 2), (4, 1, 2)]), WindowGrouping.NUMBER, n_windows=4))
        == 2
    )


def test_without_labels_there_is_no_window():
    assert cut(labels_of([(1, 1, 1)]).of(np.zeros(1, dtype=bool)), WindowGrouping.ROUND) == []
