"""The items behind a figure of all raters, the most disputed first: from the labels that the report read."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from projects.models import Item, Question
from reports.agreement.results import FloatArray, IntArray
from reports.analysis.labels import ABSTAINED
from reports.analysis.windows import EPOCH
from reports.models import QuestionAgreement
from reports.sources.rows import Rows
from reports.sources.stored import LISTED, blocks_of

# More labels of one item than there can be.
MANY = 2**31
# As fine as entropies are told apart: the order must not depend on how a sum was rounded.
DIGITS = 9
# Up to so many labels are kept in memory while a page is made; of more, the blocks with its items are read once more.
FEW_LABELS = 1_000_000
# Beyond so many cells for each label a table of items and answers is mostly empty.
MOST_CELLS = 16
MAJORITY, TIED = "majority", "tied"


@dataclass(frozen=True, slots=True)
class WantedItems:
    """both: categories, by id, that somebody gave the item. rater, says: who gave it what. differ: None for any.

    least, most: how many labels it has. abstained: how many at least could not tell; abstains: who could not. batch:
    only labels of this round count, NO_ROUND for those of none, None for all; version: the same of versions of the
    guidelines, raters: of raters. finished: when its last label was made, from and to, None for any time. one_of: two
    raters of whom only one gave it a label. vote: MAJORITY where one answer has the most labels, TIED where several
    have; elected: which one has. only: items, by id, to choose from if is_only; but: those that are left out.
    """

    both: tuple[int, ...] = ()
    rater: int | None = None
    says: int | None = None
    differ: bool | None = None
    least: int = 1
    most: int = MANY
    abstained: int = 0
    batch: int | None = None
    finished: tuple[datetime, datetime] | None = None
    version: int | None = None
    raters: tuple[int, ...] = ()
    one_of: tuple[int, ...] = ()
    abstains: int | None = None
    vote: str = ""
    elected: int | None = None
    only: tuple[int, ...] = ()
    is_only: bool = False
    but: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class SplitItem:
    """answers: what was said, and by how many raters, the most common first; numbers by their size.

    An answer is the id of a category, a number, or the ids of a set. n_abstained: who could not tell.
    """

    item: Item
    answers: list[tuple[Any, int]]
    n_abstained: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """How many raters gave each answer to each of some items.

    items: (N,) ids. places, codes, n: (T,) item, answer (ABSTAINED for "cannot tell") and how many raters. rows: the
    labels that count. row_places, row_codes: the same of each of them. answers: (S,) numbers by their codes, or None.
    """

    items: IntArray
    places: IntArray
    codes: IntArray
    n: IntArray
    rows: Rows
    row_places: IntArray
    row_codes: IntArray
    answers: FloatArray | None

    @property
    def is_answer(self) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = self.codes != ABSTAINED
        return found

    @property
    def n_labels(self) -> IntArray:
        return self._sums(self.n * self.is_answer).astype(np.int64)

    @property
    def n_abstained(self) -> IntArray:
        return self._sums(self.n * ~self.is_answer).astype(np.int64)

    @property
    def n_different(self) -> IntArray:
        return self._sums(self.is_answer).astype(np.int64)

    @property
    def entropies(self) -> FloatArray:
        """(N,) ln n - sum of n_k ln n_k / n, 0 where all agree and NaN without a label."""
        n_labels = self.n_labels
        n = np.maximum(n_labels, 1)
        found = np.log(n) - self._sums(self.n * np.log(self.n) * self.is_answer) / n
        # Adding 0 makes -0 the same as 0.
        return np.where(n_labels > 0, np.round(found, DIGITS) + 0.0, np.nan)

    @property
    def spreads(self) -> FloatArray:
        """(N,) of numbers, how far the highest lies above the lowest: halves, as the largest have no difference."""
        if self.answers is None:
            return np.zeros(len(self.items))
        low, high = np.full(len(self.items), np.inf), np.full(len(self.items), -np.inf)
        is_answer = self.is_answer
        values = self.answers[self.codes[is_answer]]
        np.minimum.at(low, self.places[is_answer], values)
        np.maximum.at(high, self.places[is_answer], values)
        return np.where(self.n_labels > 0, high / 2 - low / 2, np.nan)

    @property
    def finished(self) -> IntArray:
        """(N,) microseconds since 1970, of the last label; far in the past without one."""
        last = np.full(len(self.items), np.iinfo(np.int64).min)
        keep = self.row_codes != ABSTAINED
        np.maximum.at(last, self.row_places[keep], self.rows.moments[keep])
        return last

    def _sums(self, values: NDArray[Any]) -> NDArray[Any]:
        found: NDArray[Any] = np.bincount(
            self.places, weights=values.astype(np.float64), minlength=len(self.items)
        )
        return found


def items_wanted(agreement: QuestionAgreement, wanted: WantedItems) -> IntArray:
    """All of the wanted items, by their ids in ascending order."""
    found = [tally.items[_is_wanted(agreement, wanted, tally)] for _, tally in _tallies(agreement, wanted)]
    return np.concatenate(found) if found else np.empty(0, dtype=np.int64)


def items_behind(
    agreement: QuestionAgreement, wanted: WantedItems, *, start: int, size: int
) -> tuple[list[SplitItem], int]:
    """A page of the wanted items, and how many there are."""
    blocks, items, spreads, entropies = [], [], [], []
    tallies: Iterable[tuple[int, Tally]] = _tallies(agreement, wanted)
    is_small = agreement.n_labels <= FEW_LABELS
    if is_small:
        tallies = list(tallies)
    for first_item, tally in tallies:
        keep = _is_wanted(agreement, wanted, tally)
        items.append(tally.items[keep])
        blocks.append(np.full(len(items[-1]), first_item))
        spreads.append(tally.spreads[keep])
        entropies.append(tally.entropies[keep])
    if not items:
        return [], 0
    of_all = [np.concatenate(each) for each in (items, blocks, spreads, entropies)]
    # What has no label comes last: NaN is sorted behind all numbers.
    page = np.lexsort((of_all[0], -of_all[3], -of_all[2]))[start : start + size]
    if not is_small:
        tallies = _tallies(agreement, wanted, np.unique(of_all[1][page]).tolist())
    return _split(agreement, tallies, of_all[0][page]), len(of_all[0])


def _tallies(
    agreement: QuestionAgreement, wanted: WantedItems, first_items: Sequence[int] | None = None
) -> Iterator[tuple[int, Tally]]:
    columns = [
        *LISTED,
        *(["moments"] if wanted.finished else []),
        *([] if wanted.version is None else ["versions"]),
    ]
    raters = np.array(wanted.raters or [rater["id"] for rater in agreement.raters], dtype=np.int64)
    for first_item, rows in blocks_of(agreement, columns, first_items=first_items):
        keep = np.isin(rows.raters, raters)
        if wanted.batch is not None:
            keep &= rows.batches == wanted.batch
        if wanted.version is not None:
            keep &= rows.versions == wanted.version
        rows = rows.at(keep)
        yield first_item, tally_of(rows.at(rows.is_first))


def tally_of(rows: Rows) -> Tally:
    """rows: of each item and rater no more than one."""
    is_new = np.ones(len(rows), dtype=bool)
    is_new[1:] = rows.items[1:] != rows.items[:-1]
    row_places = np.cumsum(is_new) - 1
    row_codes, answers = rows.values, None
    if rows.values.dtype.kind == "f":
        answers, found = np.unique(rows.values, return_inverse=True)
        row_codes = np.where(rows.has_value, found, ABSTAINED)
    width = int(row_codes.max(initial=ABSTAINED)) + 2
    cells = row_places * width + row_codes + 1
    n_cells = int(is_new.sum()) * width
    if n_cells <= MOST_CELLS * len(rows):
        counts = np.bincount(cells, minlength=n_cells)
        used = np.flatnonzero(counts)
        n = counts[used]
    else:
        used, n = np.unique(cells, return_counts=True)
    places, codes = used // max(1, width), used % max(1, width) - 1
    return Tally(rows.items[is_new], places, codes, n, rows, row_places, row_codes, answers)


def _is_wanted(agreement: QuestionAgreement, wanted: WantedItems, tally: Tally) -> NDArray[np.bool_]:
    n_labels = tally.n_labels
    keep: NDArray[np.bool_] = (n_labels >= wanted.least) & (n_labels <= wanted.most)
    if wanted.abstained:
        keep &= tally.n_abstained >= wanted.abstained
    if wanted.differ is not None:
        keep &= (tally.n_different > 1) == wanted.differ
    for category in wanted.both:
        keep &= _has(tally, tally.places, _holds(agreement, tally, category, tally.codes))
    if wanted.rater is not None:
        said = (tally.rows.raters == wanted.rater) & (tally.row_codes != ABSTAINED)
        if wanted.says is not None:
            said &= _holds(agreement, tally, wanted.says, tally.row_codes)
        keep &= _has(tally, tally.row_places, said)
    if wanted.abstains is not None:
        could_not = (tally.rows.raters == wanted.abstains) & (tally.row_codes == ABSTAINED)
        keep &= _has(tally, tally.row_places, could_not)
    if wanted.one_of:
        first, second = (
            _has(tally, tally.row_places, (tally.rows.raters == rater) & (tally.row_codes != ABSTAINED))
            for rater in wanted.one_of
        )
        keep &= first ^ second
    if wanted.vote or wanted.elected is not None:
        keep &= _is_voted(agreement, tally, wanted)
    if wanted.is_only:
        keep &= np.isin(tally.items, np.array(wanted.only, dtype=np.int64))
    if wanted.but:
        keep &= ~np.isin(tally.items, np.array(wanted.but, dtype=np.int64))
    if wanted.finished is not None:
        since, until = ((each - EPOCH) // timedelta(microseconds=1) for each in wanted.finished)
        finished = tally.finished
        keep &= (finished >= since) & (finished <= until)
    return keep


def _has(tally: Tally, places: IntArray, which: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(N,) the items of those that are chosen."""
    found = np.zeros(len(tally.items), dtype=bool)
    found[places[which]] = True
    return found


def _is_voted(agreement: QuestionAgreement, tally: Tally, wanted: WantedItems) -> NDArray[np.bool_]:
    """(N,) where one answer has more labels than any other, perhaps a certain one; or where several have the most."""
    n = tally.n * tally.is_answer
    most = np.zeros(len(tally.items), dtype=np.int64)
    np.maximum.at(most, tally.places, n)
    is_first = (n == most[tally.places]) & (n > 0)
    n_first = np.bincount(tally.places, weights=is_first, minlength=len(tally.items))
    if wanted.vote == TIED:
        return n_first > 1
    is_won = n_first == 1
    if wanted.elected is not None:
        is_won &= _has(tally, tally.places, is_first & _holds(agreement, tally, wanted.elected, tally.codes))
    return is_won


def _holds(agreement: QuestionAgreement, tally: Tally, category: int, codes: IntArray) -> NDArray[np.bool_]:
    """Which answers are this category, or a set that has it."""
    place = [each["id"] for each in agreement.categories].index(category)
    members = tally.rows.members
    if members is None:
        return codes == place
    # What is no set holds none.
    holds = np.append(members[:, place], False)
    return holds[np.where(codes == ABSTAINED, len(members), codes)]


def _split(
    agreement: QuestionAgreement, tallies: Iterable[tuple[int, Tally]], page: IntArray
) -> list[SplitItem]:
    """The answers to each of these items."""
    items = Item.objects.in_bulk(page.tolist())
    found: dict[int, tuple[list[tuple[Any, int]], int]] = {}
    for _, tally in tallies:
        for place in np.flatnonzero(np.isin(tally.items, page)).tolist():
            found[int(tally.items[place])] = _answers(agreement, tally, place)
    return [SplitItem(items[pk], *found[pk]) for pk in page.tolist() if pk in items]


def _answers(agreement: QuestionAgreement, tally: Tally, place: int) -> tuple[list[tuple[Any, int]], int]:
    of_item = np.flatnonzero(tally.places == place)
    n_abstained, answers = 0, []
    for code, n in zip(tally.codes[of_item].tolist(), tally.n[of_item].tolist(), strict=True):
        if code == ABSTAINED:
            n_abstained = n
        else:
            answers.append((_answer(agreement, tally, code), n))
    if agreement.question.kind == Question.Kind.NUMBER:
        return sorted(answers), n_abstained
    return sorted(answers, key=lambda each: (-each[1], each[0])), n_abstained


def _answer(agreement: QuestionAgreement, tally: Tally, code: int) -> Any:
    if tally.answers is not None:
        return float(tally.answers[code])
    ids = [category["id"] for category in agreement.categories]
    if tally.rows.members is None:
        return ids[code]
    return sorted(ids[place] for place in np.flatnonzero(tally.rows.members[code]).tolist())
