"""Labels cut into rounds, versions of the guidelines, or windows of time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from reports.analysis.labels import NO_ROUND, LabelColumns

IntArray = NDArray[np.int64]
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
HOUR, DAY = 3_600_000_000, 86_400_000_000


class By(StrEnum):
    """What labels are grouped by: the round or guidelines of the label itself, or the time of the item's last label."""

    ROUND = "round"
    GUIDELINES = "guidelines"
    DAY = "day"
    WEEK = "week"
    NUMBER = "number"


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """key: the round's id, the version, the day's number since 1970 (of a week its Monday), or a number from 1 on."""

    key: int
    labels: LabelColumns
    # Microseconds since 1970; of time windows, when the first and the last of its items were finished.
    start: int
    end: int


def windows_of(
    labels: LabelColumns, by: By, *, rounds: Sequence[int], zone: tzinfo, n_windows: int
) -> list[Window]:
    """The windows that have labels, in order.

    rounds: ids in the order of the project; labels of no round come last. zone: where days begin. n_windows: how many
    windows of about as many labels, for By.NUMBER; labels of one moment stay together, so there may be fewer.
    """
    if not len(labels):
        return []
    moments = labels.moments if by in {By.ROUND, By.GUIDELINES} else last_moments(labels)
    keys_by: dict[By, Callable[[], IntArray]] = {
        By.ROUND: lambda: labels.rounds,
        By.GUIDELINES: lambda: labels.versions,
        By.DAY: lambda: _days(moments, zone),
        By.WEEK: lambda: _mondays(_days(moments, zone)),
        By.NUMBER: lambda: _equal(moments, n_windows),
    }
    keys = keys_by[by]()
    found = [int(key) for key in np.unique(keys)]
    if by is By.ROUND:
        places = {key: place for place, key in enumerate([*rounds, NO_ROUND])}
        found.sort(key=lambda key: (places.get(key, len(places)), key))
    return [_window(key, labels, moments, keys == key) for key in found]


def _window(key: int, labels: LabelColumns, moments: IntArray, is_in: NDArray[np.bool_]) -> Window:
    return Window(key, labels.of(is_in), int(moments[is_in].min()), int(moments[is_in].max()))


def last_moments(labels: LabelColumns) -> IntArray:
    """(L,) for each label the moment of the last label of its item, which is when the item was finished."""
    items, of_label = np.unique(labels.items, return_inverse=True)
    last = np.full(len(items), np.iinfo(np.int64).min)
    np.maximum.at(last, of_label, labels.moments)
    return last[of_label]


def _days(moments: IntArray, zone: tzinfo) -> IntArray:
    """Days since 1970 where the zone's clocks are. A clock is put forward or back on a quarter of an hour at most."""
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
    """Numbers from 1 on: windows of about as many labels each."""
    _, of_label, counts = np.unique(moments, return_inverse=True, return_counts=True)
    # The window in which the middle one of the labels of a moment falls.
    middles = np.cumsum(counts) - (counts + 1) / 2
    places = (middles * n_windows // len(moments)).astype(np.int64)
    return (np.unique(places, return_inverse=True)[1] + 1)[of_label]


def moment_of(microseconds: int) -> datetime:
    return EPOCH + timedelta(microseconds=microseconds)
