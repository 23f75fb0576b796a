"""Reading number labels from PostgreSQL."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray

from reports.agreement.numbers.matrix import NumberSample
from reports.agreement.progress_callbacks import ReportProgress
from reports.analysis.label_arrays import IdArray, QuestionLabels
from reports.sources.copied import ROW, copied_rows
from reports.sources.relation import LabelSource, arrays_digest
from reports.sources.shared_snapshots import Snapshot

# The first pass of each item and rater counts. A null is an abstention.
FIRST_NUMBERS = """
COPY (
    SELECT DISTINCT ON (item_id, rater_id)
        item_id::bigint, rater_id::bigint, coalesce(number, 'NaN')::float8
    FROM {relation} AS labels
    ORDER BY item_id, rater_id, pass_number
) TO STDOUT (FORMAT binary)"""
# The row of a number has the layout of a category row, with another type in the last eight bytes.
NUMBER_ROW = np.dtype([(name, ">f8" if name == "category" else ROW[name]) for name in ROW.names or ()])


def read_numbers(
    snapshot: Snapshot, source: LabelSource, report_progress: ReportProgress | None
) -> QuestionLabels[NumberSample]:
    found = _Numbers()
    for rows in _number_rows(snapshot.connections[0], source):
        found.take(rows)
        if report_progress:
            report_progress(0.0)
    return found.labels()


def _number_rows(connection: psycopg.Connection[Any], source: LabelSource) -> Iterator[NDArray[Any]]:
    with psycopg.ClientCursor(connection) as cursor:
        text = cursor.mogrify(FIRST_NUMBERS.format(relation=source.relation), source.params)
    for rows in copied_rows(connection.pgconn, text.encode()):
        yield rows.view(NUMBER_ROW)


@dataclass(slots=True)
class _Numbers:
    """Labels while they are being read, at 24 bytes each."""

    items: list[IdArray] = field(default_factory=lambda: [np.empty(0, dtype=np.int64)])
    raters: list[IdArray] = field(default_factory=lambda: [np.empty(0, dtype=np.int64)])
    values: list[NDArray[np.float64]] = field(default_factory=lambda: [np.empty(0)])
    n_abstentions: int = 0

    def take(self, rows: NDArray[Any]) -> None:
        is_label = ~np.isnan(rows["category"])
        self.n_abstentions += int(len(rows) - is_label.sum())
        labels = rows[is_label]
        self.items.append(labels["item"].astype(np.int64))
        self.raters.append(labels["rater"].astype(np.int64))
        # Adding 0 turns -0 into 0.
        self.values.append(labels["category"].astype(np.float64) + 0.0)

    def labels(self) -> QuestionLabels[NumberSample]:
        item_ids, items = np.unique(np.concatenate(self.items), return_inverse=True)
        rater_ids, raters = np.unique(np.concatenate(self.raters), return_inverse=True)
        sample = NumberSample.from_labels(
            items, raters, np.concatenate(self.values), n_items=len(item_ids), n_raters=len(rater_ids)
        )
        digest = arrays_digest(item_ids, rater_ids, sample.items, sample.raters, sample.values)
        return QuestionLabels(sample, item_ids, rater_ids, self.n_abstentions, digest)
