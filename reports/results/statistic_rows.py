"""Stored statistics as table rows: each figure with its interval, data, method, and reason."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.templatetags.shown import figure, percent
from reports.agreement.intervals.difference import Difference
from reports.analysis.catalog import CATALOG, CatalogEntry, StatisticFamily, title_of
from reports.analysis.question import CategoryJson
from reports.analysis.reasons import words_of
from reports.analysis.results import Figure, SignificanceTest
from reports.results.wording import clipped_words, measured, method_shown, shown_interval, shown_shares

DIGITS = 3
# In the order of the catalog; unknown names come last.
ORDER = {name: place for place, name in enumerate(CATALOG)}


@dataclass(frozen=True, slots=True)
class RowLinks:
    """URLs of lists of items: those that a statistic uses, those that a share counts, and those left out."""

    all: str = ""
    counted: str = ""
    left_out: str = ""


@dataclass(frozen=True, slots=True)
class StatisticRow:
    """One statistic for display. n_*: the data it uses, left_*: the data it cannot use; None if unknown.

    address: the list of items it uses, "" if there is none; value_address, left_address: the list of items that a share
    counts, and of those left out. clipped: where the interval was truncated.
    """

    name: str
    title: str
    entry: CatalogEntry | None
    value: str
    interval: str
    se: str
    n_items: int | None
    n_raters: int | None
    n_labels: int | None
    left_items: int | None
    left_raters: int | None
    left_labels: int | None
    method: str
    interval_method: str
    reason: str
    reading: str = ""
    address: str = ""
    clipped: str = ""
    value_address: str = ""
    left_address: str = ""

    def linked(self, links: RowLinks) -> "StatisticRow":
        return replace(self, address=links.all, value_address=links.counted, left_address=links.left_out)

    @property
    def left_out(self) -> str:
        """What is excluded, in words; "" for nothing."""
        parts = [
            f"{n:,} {thing}{'' if n == 1 else 's'}"
            for n, thing in (
                (self.left_items, "item"),
                (self.left_raters, "rater"),
                (self.left_labels, "label"),
            )
            if n
        ]
        return ", ".join(parts)


def statistic_row(name: str, found: Figure, *, reading: str = "") -> StatisticRow:
    in_percent, left, title = is_share(name), found.left_out, title_of(name)
    method = method_shown(found.method or "")
    return StatisticRow(
        name=name,
        title=title,
        entry=CATALOG.get(name),
        value=shown_value(found.value, is_share=in_percent),
        interval=shown_limits(found.ci_low, found.ci_high, is_share=in_percent),
        se=figure(found.se, 4),
        # For a category, the labels or items that have it.
        n_items=found.n_items if found.n is None else found.n,
        n_raters=found.n_raters,
        n_labels=found.n_labels,
        left_items=left.n_items if left else None,
        left_raters=left.n_raters if left else None,
        left_labels=left.n_labels if left else None,
        # Not again what the title says: α, Jaccard.
        method="" if method in title else method,
        interval_method=method_shown(found.interval_method or ""),
        reason=words_of(found.reason).phrase,
        reading=reading,
        clipped=clipped_words(found, is_share=in_percent),
    )


def is_share(name: str) -> bool:
    """Return whether a statistic is shown in percent."""
    return name in CATALOG and CATALOG[name].is_share


def shown_value(value: float | None, *, is_share: bool) -> str:
    return percent(value, 1) if is_share else figure(value, DIGITS)


def shown_limits(low: float | None, high: float | None, *, is_share: bool) -> str:
    if low is None or high is None:
        return ""
    if is_share:
        return shown_shares(low, high, 1)
    return shown_interval(low, high, DIGITS)


def shown_difference(value: float | None, *, is_share: bool) -> str:
    """Format a difference with its sign; of two shares, in percentage points."""
    if not is_share or value is None:
        return signed(value, DIGITS)
    return f"{signed(100 * value, 1)} points"


def shown_difference_limits(low: float | None, high: float | None, *, is_share: bool) -> str:
    if low is None or high is None:
        return ""
    times, digits = (100, 1) if is_share else (1, DIGITS)
    return f"[{signed(times * low, digits)}, {signed(times * high, digits)}]"


def shown_size(value: float, *, is_share: bool) -> str:
    """Format the size of a difference; of two shares, in percentage points."""
    return f"{figure(100 * abs(value), 1)} points" if is_share else figure(abs(value))


def signed(value: float | None, digits: int) -> str:
    text = figure(value, digits)
    return f"+{text}" if value is not None and float(f"{value:.{digits}f}") > 0 else text


def in_order(names: Iterable[str]) -> list[str]:
    """Return the names in the order of the catalog."""
    return sorted(names, key=lambda name: ORDER.get(name, len(ORDER)))


@dataclass(frozen=True, slots=True)
class SignificanceRow:
    """address: the list of items that the test uses, "" if there is none."""

    name: str
    title: str
    entry: CatalogEntry | None
    statistic: str
    df: str
    p_value: str
    n: int | None
    method: str
    reason: str
    address: str = ""


def significance_row(name: str, found: SignificanceTest, address: str = "") -> SignificanceRow:
    return SignificanceRow(
        name=name,
        title=title_of(name),
        entry=CATALOG.get(name),
        statistic=figure(found.statistic, DIGITS),
        df="" if found.df is None else f"{found.df:g}",
        p_value=shown_p(found.p_value),
        n=found.n_items,
        method=method_words(found),
        reason=words_of(found.reason).phrase,
        address=address,
    )


def method_words(found: SignificanceTest) -> str:
    """Return how a test was done, with its standard error if it has one."""
    method = method_shown(found.method)
    return method if found.se is None else f"{method} = {figure(found.se, 4)}"


def shown_p(p: float | None) -> str:
    """Format a p value with three digits, or as < 0.001."""
    if p is None:
        return figure(None)
    return "< 0.001" if p < 0.001 else figure(p, DIGITS)


def p_in_sentence(p: float | None) -> str:
    """Format a p value for a sentence: p = 0.012; p < 0.001."""
    shown = shown_p(p)
    return f"p {shown}" if shown.startswith("<") else f"p = {shown}"


def words_of_test(found: Difference) -> str:
    """Format a test statistic: t(34) = 2.10; "" if there is no test."""
    letter = "z" if found.df is None else f"t({found.df})"
    return "" if found.statistic is None else f"{letter} = {figure(found.statistic, 2)}"


@dataclass(frozen=True, slots=True)
class CategoryRow:
    """One category with a cell for each of its statistics. address: the list of items with the category."""

    name: str
    cells: list[StatisticRow]
    address: str = ""


@dataclass(frozen=True, slots=True)
class CategoryLinks:
    """URLs of lists of items of a category: all that have it, and those that its figures use."""

    all: str = ""
    figures: str = ""


def no_links(key: str) -> CategoryLinks:
    return CategoryLinks()


def category_rows(
    categories: Sequence[CategoryJson],
    families: Mapping[str, Sequence[Figure]],
    links: Callable[[str], CategoryLinks] = no_links,
) -> list[CategoryRow]:
    """Return rows of categories. families: the values of each statistic by category. links: the lists of items of a
    category.
    """
    names = in_order(families)
    return [
        CategoryRow(
            category["name"] or category["key"],
            [
                replace(statistic_row(name, families[name][place]), address=links(category["key"]).figures)
                for name in names
            ],
            links(category["key"]).all,
        )
        for place, category in enumerate(categories)
    ]


def in_family(names: Iterable[str], family: StatisticFamily) -> list[str]:
    """Return the names in this table, in the order of the catalog; unknown ones are in every table."""
    return [name for name in in_order(names) if name not in CATALOG or family in CATALOG[name].families]


# In the unit of the numbers, not between 0 and 1.
MEASURED = frozenset(
    {"bland_altman_bias", "bland_altman_sd", "bland_altman_lower", "bland_altman_upper", "mean_a", "mean_b"}
)


def measured_row(name: str, found: Figure) -> StatisticRow:
    """Return a row of a table of statistics; those in the unit of the numbers have as many digits as needed."""
    row = statistic_row(name, found)
    if name not in MEASURED:
        return row
    interval = "" if found.ci_low is None else f"[{measured(found.ci_low)}, {measured(found.ci_high)}]"
    return replace(row, value=measured(found.value), interval=interval, se=measured(found.se))
