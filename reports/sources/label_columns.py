"""The labels that a report read, as columns: item, rater, value, round, guidelines version, and time."""

import numpy as np

from reports.analysis.confidence import StatedLabels
from reports.analysis.label_arrays import COLUMNS, LabelColumns
from reports.models import QuestionAgreement
from reports.sources.rows import COLUMNS as ROW_COLUMNS
from reports.sources.rows import Rows
from reports.sources.stored_labels import blocks_of, joined, no_rows, stated_in


def read_columns(
    agreement: QuestionAgreement, *, all_rounds: bool = False, each_round: bool = False
) -> LabelColumns:
    """Read the labels that the report's figures use, without abstentions; all_rounds: include the other rounds.

    The first pass of each item and rater counts; with each_round, the first in each round.
    """
    found = blocks_of(agreement, COLUMNS, all_rounds=all_rounds)
    blocks = [_counting(rows, each_round) for _, rows in found]
    rows = joined(blocks) if blocks else no_rows(agreement)
    columns = {name: getattr(rows, name) for name in COLUMNS}
    return LabelColumns(**columns, members=rows.members)


def read_stated(agreement: QuestionAgreement, *, all_rounds: bool = False) -> StatedLabels:
    """Read the labels that the report's figures use, with the confidence of their raters.

    all_rounds: include the other rounds.
    """
    found = blocks_of(agreement, ROW_COLUMNS, all_rounds=all_rounds)
    blocks = [_counting(rows, each_round=False) for _, rows in found]
    rows = joined(blocks) if blocks else no_rows(agreement)
    columns = {name: getattr(rows, name) for name in COLUMNS}
    return StatedLabels(LabelColumns(**columns, members=rows.members), stated_in(rows))


def _counting(rows: Rows, each_round: bool) -> Rows:
    if not each_round:
        rows = rows.at(rows.is_first)
        return rows.at(rows.has_value)
    # Rows are in the order of their passes, which a stable sort keeps within each round.
    order = np.lexsort((rows.rounds, rows.raters, rows.items))
    rows = rows.at(order)
    is_first = rows.is_first
    is_first[1:] |= rows.rounds[1:] != rows.rounds[:-1]
    rows = rows.at(is_first)
    return rows.at(rows.has_value)
