"""Two raters on one question: their confusion matrix and what follows from it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

import numpy as np

from core.templatetags.shown import MINUS, count, percent
from reports.agreement.intervals.holm import holm
from reports.agreement.pairs.homogeneity import mcnemar, stuart_maxwell
from reports.agreement.results import IntArray
from reports.models import PairAgreement
from reports.results.statistic_rows import p_in_sentence
from reports.results.wording import step

# Longer names are replaced by keys in the head of a table.
LONG_NAME = 24
# Longer lists of categories are reduced to those the two raters used, and these to the most used.
ALL_SHOWN = 20
MOST_USED = 40

SHOWN = {
    "total": "% of all",
    "row": "% of row",
    "column": "% of column",
    "count": "Counts only",
    "expected": "Expected counts",
    "residual": "Residuals",
}
# An adjusted residual beyond this is more than expected by chance in one cell (Haberman 1973).
MARKED = 2.0
# Differences between two raters are reported if the p value is below this.
SIGNIFICANT = 0.05


@dataclass(frozen=True, slots=True)
class TableCategory:
    key: str
    name: str

    def __str__(self) -> str:
        return self.name or self.key

    @property
    def is_long(self) -> bool:
        return len(self.name) > LONG_NAME

    @property
    def title(self) -> str:
        return self.name if self.is_long else self.key


@dataclass(frozen=True, slots=True)
class CountCell:
    count: int
    share: str
    address: str
    kind: str = "sum"


@dataclass(frozen=True, slots=True)
class CountRow:
    category: TableCategory
    cells: list[CountCell]
    total: CountCell


@dataclass(frozen=True, slots=True)
class ConfusionTable:
    categories: list[TableCategory]
    rows: list[CountRow]
    totals: list[CountCell]
    grand: CountCell
    n_left_out: int


@dataclass(frozen=True, slots=True)
class Indices:
    """Indices that depend on the margins and the diagonal, unweighted.

    With q categories: Brennan-Prediger (q po - 1) / (q - 1), which for two categories is PABAK = 2 po - 1. For two
    categories also the prevalence index (a - d) / n and the bias index (b - c) / n.
    Sources: Byrt, Bishop & Carlin 1993, J Clin Epidemiol 46, 423-429; Brennan & Prediger 1981, EPM 41, 687-699.
    """

    brennan_prediger: float | None
    prevalence: float | None
    bias: float | None


def table_of(pair: PairAgreement) -> IntArray:
    """Return the counts, (K, K), with rows for rater_a."""
    n_categories = len(pair.agreement.categories)
    return np.array(pair.counts, dtype=np.int64).reshape(n_categories, n_categories)


def categories_of(pair: PairAgreement) -> list[TableCategory]:
    return [TableCategory(c["key"], c["name"]) for c in pair.agreement.categories]


def indices_of(table: IntArray) -> Indices:
    n, q = int(table.sum()), len(table)
    if not n or q < 2:
        return Indices(None, None, None)
    observed = float(np.trace(table)) / n
    brennan_prediger = (q * observed - 1) / (q - 1)
    if q > 2:
        return Indices(brennan_prediger, None, None)
    prevalence = (int(table[0, 0]) - int(table[1, 1])) / n
    return Indices(brennan_prediger, prevalence, (int(table[0, 1]) - int(table[1, 0])) / n)


def displayed_categories(table: IntArray) -> list[int]:
    """Return the positions of the categories to show: all or, in a long list, the MOST_USED that the raters used."""
    if len(table) <= ALL_SHOWN:
        return list(range(len(table)))
    n_uses = (table.sum(axis=1) + table.sum(axis=0)).tolist()
    used = sorted((place for place, n in enumerate(n_uses) if n), key=lambda place: -n_uses[place])
    return sorted(used[:MOST_USED])


class Totals:
    """The totals of a table, which its shares are relative to."""

    def __init__(self, table: IntArray, show: str) -> None:
        self.n = int(table.sum())
        self.rows: list[int] = table.sum(axis=1).tolist()
        self.columns: list[int] = table.sum(axis=0).tolist()
        self.show = show
        off_diagonal = table.copy()
        np.fill_diagonal(off_diagonal, 0)
        self.largest_dispute = int(off_diagonal.max(initial=0))

    def share(self, count: int, row: int, column: int) -> str:
        """Return what is shown below a count."""
        if self.show == "expected":
            return f"{self.expected(row, column):,.1f}" if self.n else ""
        if self.show == "residual":
            return f"{count - self.expected(row, column):+,.1f}".replace("-", MINUS) if self.n else ""
        whole = {"total": self.n, "row": self.rows[row], "column": self.columns[column], "count": 0}[
            self.show
        ]
        return _share(count, whole)

    def share_of_all(self, count: int) -> str:
        return _share(count, self.n if self.show in {"total", "row", "column"} else 0)

    def expected(self, row: int, column: int) -> float:
        """Return the number of items expected in this cell by chance, given the totals."""
        return self.rows[row] * self.columns[column] / max(1, self.n)

    def adjusted_residual(self, count: int, row: int, column: int) -> float:
        """Return (count - expected) / standard error under independence; 0 if undefined.

        Source: Haberman 1973, Biometrics 29, 205-220.
        """
        n = max(1, self.n)
        variance = self.expected(row, column) * (1 - self.rows[row] / n) * (1 - self.columns[column] / n)
        return (count - self.expected(row, column)) / math.sqrt(variance) if variance > 0 else 0.0

    def kind(self, count: int, row: int, column: int) -> str:
        """Return the CSS class of a cell."""
        if self.show == "residual":
            beyond = self.adjusted_residual(count, row, column)
            if abs(beyond) <= MARKED:
                return "zero"
            return "step-4" if beyond > 0 else "below-1"
        if not count:
            return "zero"
        if row == column:
            return step(count / self.n)
        return f"off-{1 + min(2, int(3 * (count - 1) / self.largest_dispute))}"


def count_table(table: IntArray, categories: Sequence[TableCategory], *, show: str) -> ConfusionTable:
    """Return the table for display; totals include categories that are not shown."""
    places, totals = displayed_categories(table), Totals(table, show)
    rows = [
        CountRow(
            categories[row],
            [_count_cell(table, categories, totals, row, column) for column in places],
            CountCell(
                totals.rows[row], totals.share_of_all(totals.rows[row]), _address(row=categories[row].key)
            ),
        )
        for row in places
    ]
    sums = [
        CountCell(n, totals.share_of_all(n), _address(column=categories[place].key))
        for place, n in ((place, totals.columns[place]) for place in places)
    ]
    shown = [categories[place] for place in places]
    return ConfusionTable(shown, rows, sums, CountCell(totals.n, "", "items/"), len(categories) - len(places))


def _count_cell(
    table: IntArray, categories: Sequence[TableCategory], totals: Totals, row: int, column: int
) -> CountCell:
    n = int(table[row, column])
    return CountCell(
        n,
        totals.share(n, row, column),
        _address(row=categories[row].key, column=categories[column].key),
        totals.kind(n, row, column),
    )


def _share(part: int, whole: int) -> str:
    return percent(part / whole, 1) if whole else ""


def _address(**query: str) -> str:
    return f"items/?{urlencode(query)}"


def _beyond_chance(table: IntArray, gaps: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the categories that the raters use unequally often, each tested vs. the rest."""
    alone = np.array([[[table[k, k], table[k].sum() - table[k, k]], [0, 0]] for k, _ in gaps])
    alone[:, 1, 0] = [table[:, k].sum() - table[k, k] for k, _ in gaps]
    alone[:, 1, 1] = table.sum() - alone.sum(axis=(1, 2))
    corrected = holm([float(p) for p in mcnemar(alone).p_value])
    return [gap for gap, p in zip(gaps, corrected, strict=True) if p is not None and p < SIGNIFICANT]


def direction_of(table: IntArray, categories: Sequence[TableCategory], name_a: str, name_b: str) -> str:
    """Return which rater uses which category significantly more often: the one or two largest differences.

    All categories are tested together first; if there are more than two, each is then tested with Holm's correction.
    """
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    n = int(table.sum())
    gaps = sorted(enumerate((rows - columns).tolist()), key=lambda gap: -abs(gap[1]))
    gaps = [gap for gap in gaps if gap[1]]
    if not n:
        return ""
    if not gaps:
        return f"{name_a} and {name_b} use every category equally often."
    is_two = len(table) == 2
    p_value = float((mcnemar if is_two else stuart_maxwell)(table[None]).p_value[0])
    if not p_value < SIGNIFICANT:
        test = "McNemar’s test" if is_two else "Stuart–Maxwell test"
        return (
            f"{name_a} and {name_b} do not differ significantly in how often they use the categories ({test}, "
            f"{p_in_sentence(p_value)})."
        )
    gaps = gaps[:1] if is_two else _beyond_chance(table, gaps)[:2] or gaps[:1]
    parts = [
        f"“{categories[k]}” {'more' if gap > 0 else 'less'} often"
        f" ({count(int(rows[k]))} vs. {count(int(columns[k]))} of {count(n)} items)"
        for k, gap in gaps
    ]
    return f"{name_a} uses {', and '.join(parts)} than {name_b}."
