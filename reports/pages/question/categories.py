"""What the page of a question's categories shows: how far each is agreed on, and what to look at first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from core.templatetags.shown import count, figure, percent
from projects.models import Project
from reports.agreement.pairs.homogeneity import stuart_maxwell
from reports.analysis.reasons import words_of
from reports.models import QuestionAgreement
from reports.pages.question.head import question_head
from reports.pages.question.statistics import MOST_CATEGORIES, by_category, in_question
from reports.pictures.bars import bars_of
from reports.results.shown import step
from reports.results.statistic_rows import shown_p
from reports.store.agreements import Rater, n_cells, raters_of
from reports.store.counted import counted_in
from reports.store.pair_counts import MAX_CELLS, tables_of

MOST_CONFUSED = 20
MOST_BIASED = 10
RATERS_SHOWN = 200
# Labels below which a category is too rare to be looked at first.
LEAST_LABELS = 5
# After Holm's correction for all pairs.
SIGNIFICANT = 0.05


@dataclass(frozen=True, slots=True)
class Point:
    """Something to look at, and where."""

    words: str
    link: str
    address: str


@dataclass(frozen=True, slots=True)
class Confused:
    """Two categories that were given to the same items. times: as often as their sizes alone would give."""

    a: str
    b: str
    share: str
    n_pairs: int
    n_items: int
    times: str
    address: str


@dataclass(frozen=True, slots=True)
class Share:
    n: int
    share: str
    kind: str
    address: str


@dataclass(frozen=True, slots=True)
class Distribution:
    rater: Rater
    cells: list[Share]


@dataclass(frozen=True, slots=True)
class Bias:
    """A pair whose totals differ. p: of Stuart and Maxwell's test, corrected for the number of pairs."""

    name: str
    address: str
    statistic: str
    df: str
    p: float
    words: str

    @property
    def shown_p(self) -> str:
        return shown_p(self.p)


def categories(project: Project, agreement: QuestionAgreement) -> dict[str, Any]:
    found = agreement.statistics.get("categories", {})
    confused, bias = confused_of(agreement), bias_of(agreement)
    return {
        **question_head(project, agreement),
        "percent": agreement.report.chosen.percent,
        **by_category(agreement.categories, found, in_question(agreement)),
        "category_counts": _counts(agreement, found),
        "confused": confused,
        "why_no_confusions": _why_none(agreement),
        "category_names": names_of(agreement)[:MOST_CATEGORIES],
        "distributions": distributions_of(agreement),
        "bars": bars_of(agreement, address="../items/"),
        "bias": bias,
        "points": points_of(agreement, confused, bias),
    }


def names_of(agreement: QuestionAgreement) -> list[str]:
    return [category["name"] or category["key"] for category in agreement.categories]


def address_of(agreement: QuestionAgreement, places: Sequence[int] = (), **more: str) -> str:
    """The items behind categories by their places, seen from the page of categories."""
    keys = [("has", agreement.categories[place]["key"]) for place in places]
    return f"../items/?{urlencode([*keys, *more.items()])}"


def _counts(agreement: QuestionAgreement, found: Mapping[str, Any]) -> list[Share]:
    """Labels in each category, on items with two labels or more."""
    rows = found.get("fleiss_kappa", [])
    total = sum(row["n"] for row in rows)
    return [
        Share(row["n"], percent(row["n"] / total, 1) if total else "", "", address_of(agreement, [place]))
        for place, row in enumerate(rows)
    ]


def _why_none(agreement: QuestionAgreement) -> str:
    if "confusions" not in agreement.statistics:
        return "This report predates the count of confusions. Recompute to see them."
    reason = agreement.statistics["confusions"].get("reason", "")
    return words_of(reason).long if reason else ""


def confused_of(agreement: QuestionAgreement) -> list[Confused]:
    found = agreement.statistics.get("confusions", {})
    names, n_all = names_of(agreement), found.get("n_pairs", 0)
    rows = agreement.statistics.get("categories", {}).get("fleiss_kappa", [])
    total = sum(row["n"] for row in rows)
    return [
        Confused(
            names[each["a"]],
            names[each["b"]],
            percent(each["n_pairs"] / found["n_differing"], 1),
            each["n_pairs"],
            each["n_items"],
            _times(each, rows, total, n_all),
            address_of(agreement, [each["a"], each["b"]]),
        )
        for each in found.get("most", [])[:MOST_CONFUSED]
    ]


def _times(each: Mapping[str, int], rows: Sequence[Mapping[str, Any]], total: int, n_all: int) -> str:
    """Observed pairs by those that labels thrown together at random would make."""
    if not rows or not total:
        return ""
    expected = n_all * 2 * rows[each["a"]]["n"] * rows[each["b"]]["n"] / total**2
    return f"{each['n_pairs'] / expected:.2f}" if expected else ""


def distributions_of(agreement: QuestionAgreement) -> list[Distribution]:
    found = agreement.statistics.get("distributions", {})
    return [
        Distribution(
            rater,
            [
                _share(agreement, rater, place, n, rater.n_labels)
                for place, n in enumerate(found[rater.key][:MOST_CATEGORIES])
            ],
        )
        for rater in raters_of(agreement)[:RATERS_SHOWN]
        if rater.key in found
    ]


def _share(agreement: QuestionAgreement, rater: Rater, place: int, n: int, total: int) -> Share:
    key = agreement.categories[place]["key"]
    part = n / total if total else 0.0
    return Share(n, percent(part), step(part), f"../items/?{urlencode({'rater': rater.key, 'says': key})}")


def bias_of(agreement: QuestionAgreement) -> list[Bias]:
    """The pairs whose totals differ beyond chance, by Stuart and Maxwell's test of all pairs with Holm's correction."""
    if not agreement.n_pairs or agreement.n_pairs * n_cells(agreement) > MAX_CELLS:
        return []
    raters, tables = tables_of(agreement)
    found = stuart_maxwell(tables)
    order = sorted(range(len(raters)), key=lambda place: (found.p_value[place], raters[place]))
    names, keys = names_of(agreement), {rater.id: rater.key for rater in raters_of(agreement)}
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


def points_of(
    agreement: QuestionAgreement, confused: Sequence[Confused], bias: Sequence[Bias]
) -> list[Point]:
    """What to look at first, the worst of each sort."""
    found = [_weakest(agreement), _most_confused(confused), _farthest_rater(agreement), _most_biased(bias)]
    return [point for point in found if point is not None]


def _weakest(agreement: QuestionAgreement) -> Point | None:
    rows = agreement.statistics.get("categories", {}).get("specific_agreement", [])
    known = [
        (row["value"], place)
        for place, row in enumerate(rows)
        if row["value"] is not None and row["n"] >= LEAST_LABELS
    ]
    if len(known) < 2:
        return None
    value, place = min(known)
    name = names_of(agreement)[place]
    words = (
        f"“{name}” has the lowest agreement: when one rater chooses it, another does so {percent(value)} of the "
        f"time."
    )
    return Point(words, f"See disagreements on “{name}”", address_of(agreement, [place], **{"in": "dispute"}))


def _most_confused(confused: Sequence[Confused]) -> Point | None:
    if not confused:
        return None
    most = confused[0]
    words = f"“{most.a}” and “{most.b}” are confused most often: {most.share} of all disagreements."
    return Point(words, f"See the {count(most.n_items)} items with both", most.address)


def _farthest_rater(agreement: QuestionAgreement) -> Point | None:
    """Whoever uses the categories least like the others together, by the share of labels that would have to move."""
    ids = counted_in(agreement).ids
    keys = {rater.key for rater in raters_of(agreement) if rater.id in ids}
    shares = agreement.statistics.get("distributions", {})
    found = {key: counts for key, counts in shares.items() if key in keys}
    if len(found) < 3:
        return None
    totals = [sum(column) for column in zip(*found.values(), strict=True)]
    far = max(found, key=lambda key: (_distance(found[key], totals), key))
    distance = _distance(found[far], totals)
    if distance < SIGNIFICANT:
        return None
    words = (
        f"{far} uses the categories least like the others: its distribution differs from theirs by "
        f"{100 * distance:.0f} percentage points."
    )
    return Point(words, "See distributions by rater", "#distributions")


def _distance(own: Sequence[int], totals: Sequence[int]) -> float:
    others = [total - n for total, n in zip(totals, own, strict=True)]
    n_own, n_others = sum(own), sum(others)
    if not n_own or not n_others:
        return 0.0
    return sum(abs(a / n_own - b / n_others) for a, b in zip(own, others, strict=True)) / 2


def _most_biased(bias: Sequence[Bias]) -> Point | None:
    if not bias:
        return None
    first = bias[0]
    return Point(
        f"{first.words} than {first.name.split(' × ')[1]}, a significant difference.",
        "See their confusion matrix",
        first.address,
    )
