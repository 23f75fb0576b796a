"""Sections of a rater's page: consensus, categories, pace, repeats, reference, estimated errors."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.templatetags.shown import count, duration, figure, percent
from reports.access import RaterAccess
from reports.agreement.results import Reason
from reports.analysis.question import QuestionScope
from reports.analysis.results import (
    CategoryBiasEstimate,
    EstimatedErrors,
    Figure,
    Pace,
    RaterBias,
    RaterVersusReference,
    ReferenceComparison,
    SeriesStatistics,
)
from reports.pages.question.verdict import StatisticTile
from reports.pages.rater.peers import address_with
from reports.pages.statistic_tables import (
    MOST_CATEGORIES,
    NO_CATEGORIES,
    CategoryTable,
    ReferenceTables,
    against,
    by_category,
)
from reports.results.addresses import items_address
from reports.results.confusion import ConfusionTable, CountCell, TableCategory, count_table
from reports.results.estimate_doubts import EstimateDoubt, doubts_sentence
from reports.results.items.query import COMPARED, IN_AGREEMENT, ItemQuery
from reports.results.rater_wording import value_shown, why
from reports.results.statistic_rows import (
    CategoryLinks,
    RowLinks,
    StatisticRow,
    in_order,
    measured_row,
    shown_p,
)

# Statistics shown below a confusion matrix of the rater and the consensus, or of two passes.
CHOSEN = (
    "percent_agreement",
    "cohen_kappa",
    "cohen_kappa_weighted",
    "krippendorff_alpha",
    "gwet_ac1",
    "lin_concordance",
    "pearson_correlation",
    "lin_bias_correction",
    "identical_sets",
    "jaccard",
    "masi",
)
# Statistics of numbers, shown in place of categories.
DIFFERENCES = (
    "mean_a",
    "mean_b",
    "bland_altman_bias",
    "bland_altman_sd",
    "bland_altman_lower",
    "bland_altman_upper",
)


def tile(
    title: str, name: str, found: SeriesStatistics | ReferenceComparison, address: str = ""
) -> StatisticTile:
    """Return a tile. name: of one of the values of a comparison. address: of the items behind it."""
    if name not in found.values:
        return StatisticTile(title, "–", why(found.reason), "")
    value, interval = value_shown(name, found.values[name])
    return StatisticTile(title, value, interval, f"n {count(found.n)}", address)


@dataclass(frozen=True, slots=True)
class ComparisonLinks:
    """The lists of items of a comparison: all, those with equal answers, and those of cells, whose URLs add to the
    query.
    """

    query: ItemQuery
    same_query: ItemQuery

    @property
    def all(self) -> str:
        return f"items/{self.query}"

    @property
    def same(self) -> str:
        return f"items/{self.same_query}"

    def linked(self, row: StatisticRow) -> StatisticRow:
        return row.linked(RowLinks(self.all, self.same if row.name in SAME else ""))

    def of_category(self, key: str) -> CategoryLinks:
        """Return the lists of the items with the category, and of those with it in both answers."""
        of_row = replace(self.query, row=key)
        return CategoryLinks(f"items/{of_row}", f"items/{replace(of_row, column=key)}")


CONSENSUS = ComparisonLinks(COMPARED, IN_AGREEMENT)
REPEATS = ComparisonLinks(ItemQuery(repeat="all"), ItemQuery(repeat="same"))
# Shares of the items with equal answers.
SAME = frozenset({"percent_agreement", "identical_sets"})


@dataclass(frozen=True, slots=True)
class SeriesSection:
    """A comparison of two series of answers: confusion matrix, if any, its sides, the figures, and why there are none.
    n_differ: the number of the n items with two different answers.
    """

    n: int
    n_differ: int
    table: ConfusionTable | None
    sides: dict[str, str]
    rows: list[StatisticRow]
    by_category: CategoryTable
    why: str


def series_section(
    scope: QuestionScope,
    found: SeriesStatistics,
    sides: dict[str, str],
    lists: ComparisonLinks,
    *,
    n_same: int,
) -> SeriesSection:
    table = _table(scope, found)
    if table is not None:
        more = str(lists.query).removeprefix("?")
        table = with_addresses(table, lambda address: f"{address}{'&' if '?' in address else '?'}{more}")
    values = found.values
    names = [name for name in in_order(values) if name in CHOSEN]
    rows = [lists.linked(measured_row(name, counted(values[name], found.n))) for name in names]
    categories_shown = by_category(scope.question["categories"], found.categories, lists.of_category)
    return SeriesSection(found.n, found.n - n_same, table, sides, rows, categories_shown, why(found.reason))


def counted(found: Figure, n: int) -> Figure:
    """Return a figure of two series with the number of items it uses."""
    return found if found.n is not None else replace(found, n=n)


def _table(scope: QuestionScope, found: SeriesStatistics | ReferenceComparison) -> ConfusionTable | None:
    if not found.counts:
        return None
    categories = [TableCategory(c["key"], c["name"]) for c in scope.question["categories"]]
    return count_table(np.array(found.counts, dtype=np.int64), categories, show="row")


def with_addresses(table: ConfusionTable, change: Callable[[str], str]) -> ConfusionTable:
    def of(cell: CountCell) -> CountCell:
        return replace(cell, address=change(cell.address))

    rows = [replace(row, cells=[of(cell) for cell in row.cells], total=of(row.total)) for row in table.rows]
    return replace(table, rows=rows, totals=[of(cell) for cell in table.totals], grand=of(table.grand))


@dataclass(frozen=True, slots=True)
class BiasRow:
    """One category. words: the rater's significant bias, "" if there is none."""

    name: str
    n: int
    address: str
    share: str
    everybody: str
    others: str
    difference: str
    interval: str
    p_value: str
    words: str
    everybody_address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BiasSection:
    """means: of numbers, in place of categories. has_everybody: whether the shares of all raters are shown."""

    means: Sequence[StatisticRow] | None = None
    rows: Sequence[BiasRow] = ()
    has_everybody: bool = False
    n_left_out: int = 0


def bias_section(scope: QuestionScope, found: RaterBias, consensus: SeriesStatistics) -> BiasSection:
    """Return rows of the most used categories or, for numbers, the means."""
    if found.categories is None:
        return BiasSection(means=_means(consensus))
    names = {c["key"]: c["name"] or c["key"] for c in scope.question["categories"]}
    rows = list(found.categories)
    if len(rows) > MOST_CATEGORIES:
        rows.sort(key=lambda row: -_uses(row))
    shown = rows[:MOST_CATEGORIES]
    return BiasSection(
        rows=[_bias_row(row, names[row.category]) for row in shown],
        has_everybody=any(row.everybody is not None for row in shown),
        n_left_out=len(rows) - len(shown),
    )


def _means(consensus: SeriesStatistics) -> list[StatisticRow]:
    titles = {"mean_a": "Mean of the rater", "mean_b": "Mean of the others’ means"}
    found = consensus.values
    rows = [
        CONSENSUS.linked(measured_row(name, counted(found[name], consensus.n)))
        for name in DIFFERENCES
        if name in found
    ]
    return [replace(row, title=titles.get(row.name, row.title)) for row in rows]


def _uses(row: CategoryBiasEstimate) -> float:
    """Return how often the rater and the others together use a category."""
    return (row.difference.n or 0) + (row.others or 0) * (row.difference.n_items or 0)


def _bias_row(row: CategoryBiasEstimate, name: str) -> BiasRow:
    found = row.difference
    way = "more than the others" if (found.value or 0) > 0 else "less than the others"
    return BiasRow(
        name,
        found.n or 0,
        f"items/{ItemQuery(row=row.category)}",
        percent(row.share, 1),
        percent(row.everybody, 1),
        percent(row.others, 1),
        points(found.value),
        "" if found.ci_low is None else f"[{points(found.ci_low)}, {points(found.ci_high)}]",
        shown_p(row.p_value),
        way if row.is_beyond_chance else "",
        f"../../items/{ItemQuery(has=(row.category,))}" if row.everybody else "",
    )


def points(share: float | None) -> str:
    """Format a difference of shares in percentage points, with its sign."""
    if share is None:
        return figure(None)
    text = figure(100 * share, 1)
    return f"+{text}" if share > 0 and text != "0.0" else text


@dataclass(frozen=True, slots=True, kw_only=True)
class PaceSection:
    """of_others: the median of their medians, "" if there are too few."""

    n: int
    median: str
    quartiles: Sequence[str]
    mean: str
    per_hour: float | None
    of_others: str
    n_others: int
    why: str


def pace_section(found: Pace) -> PaceSection:
    return PaceSection(
        n=found.n,
        median=duration(found.median),
        quartiles=[duration(each) for each in found.quartiles or ()],
        mean=duration(found.mean),
        per_hour=found.per_hour,
        of_others="" if found.median_of_others is None else duration(found.median_of_others),
        n_others=found.n_others,
        why=why(found.reason),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterErrorsSection:
    """rows: each true category with its prevalence and the distribution of the rater's labels. doubts: why the
    estimates are unreliable, in a sentence.
    """

    names: Sequence[str]
    share_right: str
    rows: Sequence[tuple[str, str, Sequence[str]]]
    why: str
    doubts: str


def errors_section(names: Sequence[str], found: EstimatedErrors) -> RaterErrorsSection:
    """Return rows of estimated true categories, with the distribution of the rater's labels."""
    is_shown = bool(found.confusion) and len(names) <= MOST_CATEGORIES
    rows = zip(names, found.prevalence or (), found.confusion or (), strict=True) if is_shown else ()
    return RaterErrorsSection(
        names=names,
        share_right=percent(found.share_right, 1),
        rows=[
            (name, percent(prevalence, 1), [percent(share, 1) for share in row])
            for name, prevalence, row in rows
        ],
        why=why(found.reason) if found.reason else "" if is_shown else why(str(Reason.TOO_LARGE)),
        doubts=doubts_sentence(map(EstimateDoubt, found.doubts)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceSection:
    """choices: the raters who can be taken as the reference. items: of both. against: all figures of the comparison
    with the reference. rows, by_category: for numbers and sets, the figures of the pair.
    """

    key: str | None
    choices: Sequence[str]
    n: int
    why: str
    items: str = ""
    against: ReferenceTables | None = None
    rows: Sequence[StatisticRow] = ()
    table: ConfusionTable | None = None
    sides: Mapping[str, str | None]
    by_category: CategoryTable = NO_CATEGORIES


def reference_section(
    scope: QuestionScope, access: RaterAccess, found: ReferenceComparison
) -> ReferenceSection:
    choices = [rater.key for rater in access.others] + (
        [found.reference] if found.reference and found.reference != access.rater.key else []
    )
    shown = ReferenceSection(
        key=found.reference,
        choices=[] if access.is_own else sorted(set(choices)),
        n=found.n,
        why=why(found.reason),
        sides={"rater_a": access.rater.key, "rater_b": found.reference},
    )
    if found.reference is None or found.reference_id is None or not found.values:
        return shown
    address = address_with(access, found.reference_id)
    categories, values = scope.question["categories"], found.values
    if "accuracy" in values:
        two = (access.rater.key, found.reference)
        return replace(
            shown,
            items=f"{address}items/",
            against=against(
                categories,
                RaterVersusReference(
                    rater=two[0], reference=two[1], values=values, categories=found.categories
                ),
                items=f"{address}items/",
                left_out=items_address(access.agreement, ItemQuery(one_of=two)),
            ),
            table=_reference_table(scope, found, address, is_turned=found.reference_id < access.rater.id),
        )
    items = f"{address}#items"
    return replace(
        shown,
        items=address,
        rows=[
            replace(measured_row(name, counted(values[name], found.n)), address=items)
            for name in in_order(values)
        ],
        by_category=by_category(categories, found.categories, lambda _: CategoryLinks(figures=items)),
    )


SIDES = {"row": "column", "column": "row"}


def _reference_table(
    scope: QuestionScope, found: ReferenceComparison, address: str, *, is_turned: bool
) -> ConfusionTable | None:
    """Return the matrix with rows for the rater and columns for the reference; cells link to the items of the pair.

    is_turned: whether the pair has the two in the other order.
    """
    table = _table(scope, found)
    if table is None:
        return None

    def of_pair(own: str) -> str:
        # Category keys cannot contain these, because their special characters are percent-encoded.
        turned = re.sub(r"([?&])(row|column)=", lambda hit: f"{hit[1]}{SIDES[hit[2]]}=", own)
        return address + (turned if is_turned else own)

    return with_addresses(table, of_pair)
