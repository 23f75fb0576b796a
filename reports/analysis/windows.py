"""Split labels by round, version of the guidelines, or time window."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from reports.analysis.label_arrays import NO_ROUND, LabelColumns

IntArray = NDArray[np.int64]
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
HOUR, DAY = 3_600_000_000, 86_400_000_000


class WindowGrouping(StrEnum):
    """The grouping of labels: by the label's own round or guidelines, or by the time of the item's last label."""

    ROUND = "round"
    GUIDELINES = "guidelines"
    DAY = "day"
    WEEK = "week"
    NUMBER = "number"


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """key: the round's ID, the version, days since 1970 (for a week, its Monday), or a number counting from 1."""

    key: int
    labels: LabelColumns
    # Microseconds since 1970; for time windows, when the first and the last of the items were finished.
    start: int
    end: int


def windows_of(
    labels: LabelColumns, by: WindowGrouping, *, rounds: Sequence[int], zone: tzinfo, n_windows: int
) -> list[Window]:
    """Return the windows that have labels, in order.

    rounds: IDs in the order of the project; labels of no round come last. zone: time zone of days. n_windows: number of
    windows of about equal size, for By.NUMBER; labels of the same moment stay together, so there may be fewer.
    """
    if not len(labels):
        return []
    moments = (
        labels.moments if by in {WindowGrouping.ROUND, WindowGrouping.GUIDELINES} else last_moments(labels)
    )
    keys_by: dict[WindowGrouping, Callable[[], IntArray]] = {
        WindowGrouping.ROUND: lambda: labels.rounds,
        WindowGrouping.GUIDELINES: lambda: labels.versions,
        WindowGrouping.DAY: lambda: _days(moments, zone),
        WindowGrouping.WEEK: lambda: _mondays(_days(moments, zone)),
        WindowGrouping.NUMBER: lambda: _equal(moments, n_windows),
    }
    keys = keys_by[by]()
    found = [int(key) for key in np.unique(keys)]
    if by is WindowGrouping.ROUND:
        places = {key: place for place, key in enumerate([*rounds, NO_ROUND])}
        found.sort(key=lambda key: (places.get(key, len(places)), key))
    return [_window(key, labels, moments, keys == key) for key in found]


def _window(key: int, labels: LabelColumns, moments: IntArray, is_in: NDArray[np.bool_]) -> Window:
    return Window(key, labels.of(is_in), int(moments[is_in].min()), int(moments[is_in].max()))


def last_moments(labels: LabelColumns) -> IntArray:
    """Return (L,) for each label, the moment of its item's last label, which is when the item was finished."""
    items, of_label = np.unique(labels.items, return_inverse=True)
    last = np.full(len(items), np.iinfo(np.int64).min)
    np.maximum.at(last, of_label, labels.moments)
    return last[of_label]


def _days(moments: IntArray, zone: tzinfo) -> IntArray:
    """Return days since 1970 in the time zone. Offsets change only at multiples of a quarter of an hour."""
    quarters, of_label = np.unique(moments // (HOUR // 4), return_inverse=True)
    offsets = np.array([_offset(int(quarter), zone) for quarter in quarters], dtype=np.int64)
    return (moments + offsets[of_label]) // DAY


def _offset(quarter: int, zone: tzinfo) -> int:
    moment = EPOCH + timedelta(minutes=15 * quarter)
    offset = moment.astimezone(zone).utcoffset() or timedelta()
    return offset // timedelta(microseconds=1)


def _mondays(days: IntArray) -> IntArray:
    # 1 January 1970 was a Thursday.
    return days - (days + 3) % 7


def _equal(moments: IntArray, n_windows: int) -> IntArray:
    """Return numbers, counting from 1, of windows with about equal numbers of labels."""
    _, of_label, counts = np.unique(moments, return_inverse=True, return_counts=True)
    # The window that contains the middle label of those of the same moment.
    middles = np.cumsum(counts) - (counts + 1) / 2
    places = (middles * n_windows // len(moments)).astype(np.int64)
    return (np.unique(places, return_inverse=True)[1] + 1)[of_label]


def moment_of(microseconds: int) -> datetime:
    return EPOCH + timedelta(microseconds=microseconds)
