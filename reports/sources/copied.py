"""The general way of reading labels: one binary COPY of any relation, on one connection."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray
from psycopg import pq

from reports.agreement.building import RatingsBuilder
from reports.agreement.progress_callbacks import ReportProgress
from reports.sources.relation import LabelSource, Positions

BLOCK_BYTES = 4 << 20
# No ID is this small.
ABSTENTION = -(1 << 63)

FIRST_PASSES = """
COPY (
    SELECT DISTINCT ON (item_id, rater_id)
        item_id::bigint, rater_id::bigint, coalesce(category_id::bigint, {abstention})
    FROM {relation} AS labels
    ORDER BY item_id, rater_id, pass_number
) TO STDOUT (FORMAT binary)"""

HEADER_BYTES = 19
TRAILER_BYTES = 2
ROW = np.dtype(
    [
        ("n_fields", ">i2"),
        ("item_size", ">i4"),
        ("item", ">i8"),
        ("rater_size", ">i4"),
        ("rater", ">i8"),
        ("category_size", ">i4"),
        ("category", ">i8"),
    ]
)


def read_copied(
    connection: psycopg.Connection[Any],
    source: LabelSource,
    positions: Positions,
    builder: RatingsBuilder,
    report_progress: ReportProgress | None,
) -> int:
    """Read all labels into the builder and return the number of abstentions.

    The number of labels is not known in advance, so `report_progress` is called with 0 until the end.
    """
    query = FIRST_PASSES.format(relation=source.relation, abstention=f"'{ABSTENTION}'::bigint")
    n_abstentions = 0
    with psycopg.ClientCursor(connection) as cursor:
        text = cursor.mogrify(query, source.params)
    for rows in _whole_items(copied_rows(connection.pgconn, text.encode())):
        labels = rows[rows["category"] != ABSTENTION]
        n_abstentions += len(rows) - len(labels)
        items, raters, categories = (labels[name].astype(np.int64) for name in ("item", "rater", "category"))
        builder.add(items, raters, positions.of(categories))
        if report_progress:
            report_progress(0.0)
    return n_abstentions


def copied_rows(pgconn: pq.abc.PGconn, query: bytes) -> Iterator[NDArray[Any]]:
    """Yield blocks of rows. Calls libpq directly: psycopg's `copy()` creates an object per row, which is slower."""
    _check(pgconn, pgconn.exec_(query), pq.ExecStatus.COPY_OUT)
    left, is_first = b"", True
    for block in _blocks(pgconn):
        stream = left + block
        if is_first:
            stream, is_first = stream[HEADER_BYTES:], False
        n_rows = max(0, len(stream) - TRAILER_BYTES) // ROW.itemsize
        yield np.frombuffer(stream, dtype=ROW, count=n_rows)
        left = stream[n_rows * ROW.itemsize :]
    _check(pgconn, pgconn.get_result(), pq.ExecStatus.COMMAND_OK)
    while pgconn.get_result() is not None:
        pass
    if len(left) != TRAILER_BYTES:
        raise ValueError(f"COPY ended with {len(left)} bytes that are no row")


def _blocks(pgconn: pq.abc.PGconn) -> Iterator[bytes]:
    held: list[memoryview] = []
    size = 0
    while True:
        n_bytes, row = pgconn.get_copy_data(0)
        if n_bytes < 0:
            break
        held.append(row)
        size += n_bytes
        if size >= BLOCK_BYTES:
            yield b"".join(held)
            held, size = [], 0
    yield b"".join(held)


def _whole_items(blocks: Iterator[NDArray[Any]]) -> Iterator[NDArray[Any]]:
    """Yield the same rows, split only between items."""
    rest: NDArray[Any] = np.empty(0, dtype=ROW)
    for block in blocks:
        rows = np.concatenate((rest, block))
        start = int(np.searchsorted(rows["item"], rows["item"][-1])) if len(rows) else 0
        if start:
            yield rows[:start]
        rest = rows[start:]
    yield rest


def _check(pgconn: pq.abc.PGconn, result: pq.abc.PGresult | None, expected: pq.ExecStatus) -> None:
    if result is None or result.status != expected:
        raise psycopg.OperationalError(pgconn.get_error_message())
