"""The page of a question's categories: agreement on each, and the extremes of its tables."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.templatetags.shown import count, figure, percent
from reports.agreement.pairs.homogeneity import stuart_maxwell
from reports.analysis.reasons import words_of
from reports.analysis.results import SIGNIFICANT, ConfusedCategories, Confusions, NotComputable
from reports.drawing.picture import Picture
from reports.pages.contexts import PageSection
from reports.pages.heads import QuestionHead, question_head
from reports.pages.statistic_tables import MOST_CATEGORIES, CategoryTable, by_category, in_question
from reports.pictures.bars import bars_of
from reports.results.finding_words import plural
from reports.results.items.query import ItemQuery
from reports.results.statistic_rows import p_in_sentence, shown_p
from reports.results.wording import step
from reports.store.agreements import ReportRater, n_cells
from reports.store.pair_counts import MAX_CELLS, tables_of
from reports.store.stored_result import StoredResult

MOST_CONFUSED = 20
MOST_BIASED = 10
RATERS_SHOWN = 200
# A category with fewer labels is too rare to be pointed out.
LEAST_LABELS = 5


@dataclass(frozen=True, slots=True)
class Pointer:
    """The extreme of a table, whether or not it is beyond chance, with a link."""

    words: str
    link: str
    address: str


@dataclass(frozen=True, slots=True)
class ConfusedRow:
    """Two categories given to the same items. times: observed pairs / pairs expected from the category sizes."""

    a: str
    b: str
    share: str
    n_pairs: int
    n_items: int
    times: str
    address: str


@dataclass(frozen=True, slots=True)
class LinkedShare:
    n: int
    share: str
    kind: str
    address: str


@dataclass(frozen=True, slots=True)
class Distribution:
    rater: ReportRater
    cells: list[LinkedShare]


@dataclass(frozen=True, slots=True)
class Bias:
    """A pair whose marginals differ. p: of the Stuart–Maxwell test, corrected for the number of pairs."""

    name: str
    address: str
    statistic: str
    df: str
    p: float
    words: str

    @property
    def shown_p(self) -> str:
        return shown_p(self.p)


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoriesPage(PageSection):
    """why_no_confusions: "" if they were counted. findings_words: what the overview says of findings; "" if nothing was
    tested.
    """

    head: QuestionHead
    percent: str
    by_category: CategoryTable
    category_counts: Sequence[LinkedShare]
    confused: Sequence[ConfusedRow]
    why_no_confusions: str
    category_names: Sequence[str]
    distributions: Sequence[Distribution]
    bars: Picture | None
    bias: Sequence[Bias]
    points: Sequence[Pointer]
    findings_words: str
    n_findings_tested: int


def category_context(result: StoredResult) -> CategoriesPage:
    found = result.figures
    confused, bias = confused_of(result), bias_of(result)
    return CategoriesPage(
        head=question_head(result),
        percent=result.report.chosen.percent,
        by_category=by_category(result.categories, found.categories or {}, in_question(result)),
        category_counts=_counts(result),
        confused=confused,
        why_no_confusions=_why_none(found.confusions),
        category_names=result.category_names[:MOST_CATEGORIES],
        distributions=distributions_of(result),
        bars=bars_of(result, address="../items/"),
        bias=bias,
        points=points_of(result, confused, bias),
        findings_words=_findings_words(result),
        n_findings_tested=found.findings.n_tested if found.findings else 0,
    )


def _findings_words(result: StoredResult) -> str:
    """Return what the overview says of the findings of the same report."""
    found = result.figures.findings
    if found is None:
        return ""
    n = len(found.listed.found)
    if n:
        return f"{plural(n, 'finding')} {'is' if n == 1 else 'are'} significant"
    return "nothing to correct" if found.found else "no single finding is significant"


def _address(result: StoredResult, places: Sequence[int], among: str | None = None) -> str:
    """Return the URL of the items of categories, given by position, relative to the categories page."""
    keys = tuple(result.categories[place]["key"] for place in places)
    return f"../items/{ItemQuery(has=keys, among=among)}"


def _counts(result: StoredResult) -> list[LinkedShare]:
    """Return the number of labels in each category, on items with at least two labels."""
    used = _used(result)
    total = sum(used)
    return [
        LinkedShare(n, percent(n / total, 1) if total else "", "", _address(result, [place]))
        for place, n in enumerate(used)
    ]


def _used(result: StoredResult) -> list[int]:
    return [row.n or 0 for row in result.by_category("fleiss_kappa")]


def _why_none(found: Confusions | NotComputable | None) -> str:
    if found is None:
        return "This report predates the count of confusions. Recompute to see them."
    return words_of(found.reason).long if found.reason else ""


def confused_of(result: StoredResult) -> list[ConfusedRow]:
    found = result.figures.confusions
    if not isinstance(found, Confusions):
        return []
    names, used = result.category_names, _used(result)
    return [
        ConfusedRow(
            names[each.a],
            names[each.b],
            percent(each.n_pairs / found.n_differing, 1),
            each.n_pairs,
            each.n_items,
            _times(each, used, found.n_pairs),
            _address(result, [each.a, each.b]),
        )
        for each in found.most[:MOST_CONFUSED]
    ]


def _times(each: ConfusedCategories, used: Sequence[int], n_pairs: int) -> str:
    """Return the observed pairs divided by those expected if labels were combined at random."""
    if not any(used):
        return ""
    expected = n_pairs * 2 * used[each.a] * used[each.b] / sum(used) ** 2
    return f"{each.n_pairs / expected:.2f}" if expected else ""


def distributions_of(result: StoredResult) -> list[Distribution]:
    found = result.figures.distributions or {}
    return [
        Distribution(
            rater,
            [
                _share(result, rater, place, n, rater.n_labels)
                for place, n in enumerate(found[rater.key][:MOST_CATEGORIES])
            ],
        )
        for rater in result.raters[:RATERS_SHOWN]
        if rater.key in found
    ]


def _share(result: StoredResult, rater: ReportRater, place: int, n: int, total: int) -> LinkedShare:
    key = result.categories[place]["key"]
    part = n / total if total else 0.0
    return LinkedShare(n, percent(part), step(part), f"../items/{ItemQuery(rater=rater.key, label=key)}")


def bias_of(result: StoredResult) -> list[Bias]:
    """Return the pairs whose marginals differ significantly, by Stuart–Maxwell tests with Holm's correction."""
    if not result.n_pairs or result.n_pairs * n_cells(result.row) > MAX_CELLS:
        return []
    raters, tables = tables_of(result.row)
    found = stuart_maxwell(tables)
    order = sorted(range(len(raters)), key=lambda place: (found.p_value[place], raters[place]))
    names, keys = result.category_names, {rater.id: rater.key for rater in result.raters}
    rows, least = [], 0.0
    for rank, place in enumerate(order[:MOST_BIASED]):
        least = max(least, min(1.0, float(found.p_value[place]) * (len(order) - rank)))
        if not least < SIGNIFICANT:
            break
        a, b = raters[place]
        gaps = tables[place].sum(axis=1) - tables[place].sum(axis=0)
        most = int(abs(gaps).argmax())
        words = (
            f"{keys[a]} chooses “{names[most]}” on {count(abs(int(gaps[most])))} "
            f"{'more' if gaps[most] > 0 else 'fewer'} of {count(int(tables[place].sum()))} items"
        )
        rows.append(
            Bias(
                f"{keys[a]} × {keys[b]}",
                f"../{a}/{b}/",
                figure(float(found.statistic[place]), 2),
                f"{found.df[place]:g}",
                least,
                words,
            )
        )
    return rows


def points_of(result: StoredResult, confused: Sequence[ConfusedRow], bias: Sequence[Bias]) -> list[Pointer]:
    """Return the extremes, one of each table."""
    found = [_weakest(result), _most_confused(confused), _farthest_rater(result), _most_biased(bias)]
    return [point for point in found if point is not None]


def _weakest(result: StoredResult) -> Pointer | None:
    known = [
        (row.value, place)
        for place, row in enumerate(result.by_category("specific_agreement"))
        if row.value is not None and (row.n or 0) >= LEAST_LABELS
    ]
    if len(known) < 2:
        return None
    value, place = min(known)
    name = result.category_names[place]
    words = (
        f"“{name}” has the lowest agreement: when one rater chooses it, another does so {percent(value)} of the "
        f"time."
    )
    return Pointer(words, f"See disagreements on “{name}”", _address(result, [place], "dispute"))


def _most_confused(confused: Sequence[ConfusedRow]) -> Pointer | None:
    if not confused:
        return None
    most = confused[0]
    words = f"“{most.a}” and “{most.b}” are confused most often: {most.share} of all disagreements."
    return Pointer(
        words,
        f"See the {'item' if most.n_items == 1 else f'{count(most.n_items)} items'} with both",
        most.address,
    )


def _farthest_rater(result: StoredResult) -> Pointer | None:
    """Point out the rater whose use of categories is farthest from that of all, by the share of labels to move."""
    keys = {rater.key for rater in result.raters if rater.id in result.counted}
    shares = result.figures.distributions or {}
    found = {key: counts for key, counts in shares.items() if key in keys}
    if len(found) < 3:
        return None
    totals = [sum(column) for column in zip(*found.values(), strict=True)]
    far = max(found, key=lambda key: (_distance(found[key], totals), key))
    distance = _distance(found[far], totals)
    if distance < SIGNIFICANT:
        return None
    words = (
        f"{far} uses the categories least like the others: the distribution of this rater’s labels differs from "
        f"theirs by {100 * distance:.0f} percentage points."
    )
    return Pointer(words, "See distributions by rater", "#distributions")


def _distance(own: Sequence[int], totals: Sequence[int]) -> float:
    others = [total - n for total, n in zip(totals, own, strict=True)]
    n_own, n_others = sum(own), sum(others)
    if not n_own or not n_others:
        return 0.0
    return sum(abs(a / n_own - b / n_others) for a, b in zip(own, others, strict=True)) / 2


def _most_biased(bias: Sequence[Bias]) -> Pointer | None:
    if not bias:
        return None
    first = bias[0]
    return Pointer(
        f"{first.words} than {first.name.split(' × ')[1]}: {p_in_sentence(first.p)} among all pairs (Stuart–Maxwell, "
        "Holm).",
        "See their confusion matrix",
        first.address,
    )
