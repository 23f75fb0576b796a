"""Two raters on one question: their table of counts, and what follows from it."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

import numpy as np

from projects.templatetags.shown import count, percent
from reports.agreement.results import IntArray, PairKappa
from reports.matrix import step
from reports.models import PairAgreement, Report
from reports.pair_figures import kappas_of

SHOWN = {"total": "% of all", "row": "% of row", "column": "% of column", "count": "Counts only"}


@dataclass(frozen=True, slots=True)
class Category:
    key: str
    name: str

    def __str__(self) -> str:
        return self.name or self.key


@dataclass(frozen=True, slots=True)
class CountCell:
    count: int
    share: str
    address: str
    kind: str = "sum"


@dataclass(frozen=True, slots=True)
class CountRow:
    category: Category
    cells: list[CountCell]
    total: CountCell


@dataclass(frozen=True, slots=True)
class CountTable:
    categories: list[Category]
    rows: list[CountRow]
    totals: list[CountCell]
    grand: CountCell


@dataclass(frozen=True, slots=True)
class Indices:
    """What the margins alone say, unweighted.

    With q categories: Brennan-Prediger (q po - 1) / (q - 1), which is PABAK = 2 po - 1 for two. For two categories
    also the prevalence index (a - d) / n and the bias index (b - c) / n.
    Sources: Byrt, Bishop & Carlin 1993, J Clin Epidemiol 46, 423-429; Brennan & Prediger 1981, EPM 41, 687-699.
    """

    brennan_prediger: float | None
    prevalence: float | None
    bias: float | None


def table_of(pair: PairAgreement) -> IntArray:
    """(K, K) counts, rows rater_a."""
    n_categories = len(pair.agreement.categories)
    return np.array(pair.counts, dtype=np.int64).reshape(n_categories, n_categories)


def categories_of(pair: PairAgreement) -> list[Category]:
    return [Category(c["key"], c["name"]) for c in pair.agreement.categories]


def kappas_by_weights(pair: PairAgreement) -> dict[str, PairKappa]:
    """Cohen's kappa under each weighting, all from the same counts."""
    return {
        weights: kappas_of(pair.agreement, [pair.counts], weights).pair(0)
        for weights in Report.Weights.values
    }


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


def count_table(table: IntArray, categories: Sequence[Category], *, show: str) -> CountTable:
    n = int(table.sum())
    rows, columns = table.sum(axis=1).tolist(), table.sum(axis=0).tolist()
    off_diagonal = table.copy()
    np.fill_diagonal(off_diagonal, 0)
    largest = int(off_diagonal.max(initial=0))

    def base(k: int, l: int) -> int:  # noqa: E741
        return {"total": n, "row": rows[k], "column": columns[l], "count": 0}[show]

    shown = [
        CountRow(
            row,
            [
                CountCell(
                    int(table[k, l]),
                    _share(int(table[k, l]), base(k, l)),
                    _address(row=row.key, column=column.key),
                    _kind(int(table[k, l]), k == l, n, largest),
                )
                for l, column in enumerate(categories)  # noqa: E741
            ],
            CountCell(rows[k], _share(rows[k], 0 if show == "count" else n), _address(row=row.key)),
        )
        for k, row in enumerate(categories)
    ]
    totals = [
        CountCell(columns[l], _share(columns[l], 0 if show == "count" else n), _address(column=column.key))
        for l, column in enumerate(categories)  # noqa: E741
    ]
    return CountTable(list(categories), shown, totals, CountCell(n, "", "items/"))


def _share(part: int, whole: int) -> str:
    return percent(part / whole, 1) if whole else ""


def _address(**query: str) -> str:
    return f"items/?{urlencode(query)}"


def _kind(n: int, is_agreement: bool, total: int, largest: int) -> str:
    if not n:
        return "zero"
    if is_agreement:
        return step(n / total)
    return f"off-{1 + min(2, int(3 * (n - 1) / largest))}"


def direction_of(table: IntArray, categories: Sequence[Category], name_a: str, name_b: str) -> str:
    """Which rater uses which category more often: the one or two largest differences of the margins."""
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    n = int(table.sum())
    gaps = sorted(enumerate((rows - columns).tolist()), key=lambda gap: -abs(gap[1]))
    gaps = [gap for gap in gaps if gap[1]][: 1 if len(table) == 2 else 2]
    if not n:
        return ""
    if not gaps:
        return f"{name_a} and {name_b} use every category equally often."
    parts = [
        f"“{categories[k]}” {'more' if gap > 0 else 'less'} often ({count(int(rows[k]))} against {count(int(columns[k]))}"
        f" of {count(n)} items)"
        for k, gap in gaps
    ]
    return f"{name_a} uses {', and '.join(parts)} than {name_b}."
