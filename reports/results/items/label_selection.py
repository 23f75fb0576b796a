"""The labels of a result behind a list of items."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from reports.agreement.results import IntArray
from reports.models import QuestionAgreement
from reports.sources.stored_labels import LISTED, blocks_of, disagreement_of
from reports.sources.tally import ItemDisagreement, Tally
from reports.store.included_raters import counted_in


@dataclass(frozen=True, slots=True)
class LabelSelection:
    """The labels of a result that count: by rater, round, and version of the guidelines.

    raters: () for everyone. round: NO_ROUND for labels without a round. None for any. all_rounds: include rounds other
    than the leading one, as for a list of one round, version, or period.
    """

    row: QuestionAgreement
    raters: tuple[int, ...] = ()
    round: int | None = None
    version: int | None = None
    all_rounds: bool = False

    @property
    def disagreement(self) -> Iterator[tuple[int, ItemDisagreement]] | None:
        """Yield how much raters disagree, by block of items; None if the report did not store it for these labels."""
        if self.all_rounds or self.round is not None or self.version is not None:
            return None
        raters = {*self.raters} or {rater["id"] for rater in self.row.raters}
        return disagreement_of(self.row) if raters == {*counted_in(self.row).listed} else None

    def tallies(
        self,
        *,
        moments: bool = False,
        first_items: Sequence[int] | None = None,
        items: IntArray | None = None,
    ) -> Iterator[tuple[int, Tally]]:
        """Yield tallies in blocks of items, each with the ID of its first item.

        first_items: only these blocks. items: only these items.
        """
        columns = [
            *LISTED,
            *(["moments"] if moments else []),
            *([] if self.version is None else ["versions"]),
        ]
        all_rounds = self.all_rounds or self.round is not None or self.version is not None
        everyone = [rater["id"] for rater in self.row.raters]
        raters = np.array(self.raters or everyone, dtype=np.int64)
        blocks = blocks_of(self.row, columns, first_items=first_items, all_rounds=all_rounds)
        for first_item, rows in blocks:
            if items is not None:
                rows = rows.at(np.isin(rows.items, items))
            keep = np.isin(rows.raters, raters) | (all_rounds and not self.raters)
            if self.round is not None:
                keep &= rows.rounds == self.round
            if self.version is not None:
                keep &= rows.versions == self.version
            rows = rows.at(keep)
            yield first_item, Tally.of(rows.at(rows.is_first))
