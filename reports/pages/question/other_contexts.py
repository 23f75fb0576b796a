"""What the pages of number and multiple-choice questions show."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import F, FloatField, Q, QuerySet
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Cast
from django.http import HttpRequest
from django.urls import reverse

from core.templatetags.shown import count, figure, in_percent, percent
from core.web.paging import page_of
from projects.models import Item, Project, Question
from reports.analysis.catalogue import Family, title_of
from reports.analysis.reasons import UNFIT
from reports.drawing.picture import Picture
from reports.models import PairAgreement, QuestionAgreement
from reports.pages.pair.other_behind import Answers, SharedAnswers
from reports.pages.pair.page import pair_head
from reports.pages.question.head import question_head
from reports.pages.question.statistics import by_category, in_question
from reports.pages.question.summary import Tile, links_of
from reports.pictures.difference_plot import MAX_DOTS, difference_plot
from reports.results import wording
from reports.results.addresses import all_behind, behind
from reports.results.measured import measured
from reports.results.pairs import left_out_of
from reports.results.readings import reading_of, said_by, scale_of
from reports.results.shown import shown_interval
from reports.results.statistic_rows import (
    CategoryBehind,
    StatisticRow,
    in_family,
    in_order,
    measured_row,
    significance_row,
    statistic_row,
)
from reports.sources.history import labels_changed_since
from reports.store.agreements import raters_of, scope_of
from reports.store.counted import counted_in

PAIRS_ON_A_PAGE = 40
ITEMS_ON_A_PAGE = 50
# With more categories the pairs of a table have no room for each.
MOST_CATEGORIES = 6


@dataclass(frozen=True, slots=True)
class Kind:
    """How a kind of question is shown: its tiles, its columns of pairs, and the figure that pairs are sorted by."""

    family: Family
    tiles: tuple[str, ...]
    columns: tuple[str, ...]
    main: str


KINDS = {
    Question.Kind.NUMBER: Kind(
        Family.NUMBERS,
        ("icc_a_1", "icc_c_1", "krippendorff_alpha", "kendall_w"),
        (
            "lin_concordance",
            "pearson_correlation",
            "bland_altman_bias",
            "bland_altman_lower",
            "bland_altman_upper",
        ),
        "lin_concordance",
    ),
    Question.Kind.MULTIPLE: Kind(
        Family.SETS,
        ("krippendorff_alpha", "krippendorff_alpha_jaccard", "percent_agreement", "mean_jaccard"),
        ("masi", "jaccard", "identical_sets"),
        "masi",
    ),
}


def question(request: HttpRequest, project: Project, agreement: QuestionAgreement) -> dict[str, Any]:
    if agreement.reason in UNFIT:
        return question_head(project, agreement)
    kind = KINDS[Question.Kind(scope_of(agreement).kind)]
    coefficients, statistics = agreement.coefficients, agreement.statistics
    scale = scale_of(project)
    return {
        **question_head(project, agreement),
        "is_number": kind.family is Family.NUMBERS,
        "sentences": sentences_of(agreement, kind),
        "tiles": [_tile(name, coefficients.get(name, {}), agreement) for name in kind.tiles],
        "links": links_of(agreement),
        "percent": agreement.report.chosen.percent,
        "all_rows": [
            statistic_row(
                name, coefficients[name], reading=said_by(reading_of(name, coefficients[name], scale))
            ).linked(all_behind(agreement, name, coefficients[name]))
            for name in in_family(coefficients, kind.family)
        ],
        "test_rows": [
            significance_row(name, found, behind(agreement, found.get("n_items")))
            for name, found in statistics.get("tests", {}).items()
        ],
        **by_category(agreement.categories, statistics.get("categories", {}), in_question(agreement)),
        **pair_list(request, agreement, kind),
    }


def _tile(name: str, found: Mapping[str, Any], agreement: QuestionAgreement) -> Tile:
    row = statistic_row(name, found)
    reason = wording.short_reason(found.get("reason") or "")
    address = "" if found.get("value") is None else behind(agreement, found.get("n_items"))
    return Tile(row.title, row.value, row.interval or reason, row.method, address)


def sentences_of(agreement: QuestionAgreement, kind: Kind) -> list[str]:
    found = _number_sentences(agreement) if kind.family is Family.NUMBERS else _set_sentences(agreement)
    counted = counted_in(agreement)
    found += [_only_pair(agreement, kind) if counted.are_too_few else "", counted.sentence]
    return [sentence for sentence in found if sentence]


def _only_pair(agreement: QuestionAgreement, kind: Kind) -> str:
    """What the one pair says where too few count for a figure of all raters."""
    pair = agreement.pairs.select_related("rater_a", "rater_b").first() if agreement.n_pairs == 1 else None
    if pair is None:
        return ""
    row = measured_row(kind.main, _figures(pair)[kind.main])
    interval = f", {in_percent(agreement.report.chosen.percent)} CI {row.interval}" if row.interval else ""
    return f"{pair.rater_a.key} and {pair.rater_b.key}: {row.title} = {row.value}{interval}."


def _number_sentences(agreement: QuestionAgreement) -> list[str]:
    found = agreement.coefficients["icc_a_1"]
    if found["value"] is None:
        first = f"ICC(A,1) is undefined. {wording.long_reason(found['reason'])}{_of_alpha(agreement)}"
    else:
        interval = shown_interval(found["ci_low"], found["ci_high"])
        first = (
            f"ICC(A,1) = {figure(found['value'])}{_ci(agreement, interval)}: the share of the variance of single "
            "ratings that lies between items; the rest is rater differences and error."
        )
    left = found["left_out"]["n_items"]
    second = (
        f"{count(left)} of {count(counted_in(agreement).n_items)} items were not labeled by every rater. Intraclass "
        "correlations and Kendall’s W exclude them; α and the pairs include them."
        if left and found["value"] is not None
        else ""
    )
    return [first, second, _spread(agreement, "lin_concordance", "Across pairs, Lin’s concordance", figure)]


def _of_alpha(agreement: QuestionAgreement) -> str:
    """What α says, which needs no item that all have labeled."""
    alpha = agreement.coefficients["krippendorff_alpha"]
    if alpha["value"] is None:
        return ""
    interval = shown_interval(alpha["ci_low"], alpha["ci_high"])
    return (
        f" Krippendorff’s α, which needs only two labels per item, is {figure(alpha['value'])}"
        f"{_ci(agreement, interval)}."
    )


def _ci(agreement: QuestionAgreement, interval: str) -> str:
    return f", {in_percent(agreement.report.chosen.percent)} CI {interval}" if interval else ""


def _set_sentences(agreement: QuestionAgreement) -> list[str]:
    identical, jaccard = (
        agreement.coefficients[name]["value"] for name in ("percent_agreement", "mean_jaccard")
    )
    if identical is None:
        first = wording.long_reason(agreement.coefficients["percent_agreement"]["reason"])
    else:
        first = (
            f"Two raters choose the same set of categories {percent(identical)} of the time (averaged over items); of "
            f"the categories that either chooses, {percent(jaccard)} are chosen by both."
        )
    alpha = agreement.coefficients["krippendorff_alpha"]
    second = (
        ""
        if alpha["value"] is None
        else f"Krippendorff’s α is {figure(alpha['value'])} with the MASI distance, which counts a set and its "
        "subset as closer than two sets that merely overlap."
    )
    return [first, second, _spread(agreement, "masi", "Across pairs, the mean MASI similarity", percent)]


def _spread(agreement: QuestionAgreement, name: str, words: str, show: Any) -> str:
    out = left_out_of(counted_in(agreement))
    pairs = agreement.pairs.exclude(Q(rater_a__in=out) | Q(rater_b__in=out)) if out else agreement.pairs.all()
    rows = with_main(pairs, name)
    ends = [rows.order_by(order).first() for order in (ORDERS["worst"], ORDERS["best"])]
    values = [_figures(row)[name]["value"] for row in ends if row is not None]
    if len(values) < 2 or None in values or ends[0] == ends[1]:
        return ""
    without = counted_in(agreement).without if out else ""
    return f"{words}{f' ({without})' if without else ''} ranges from {show(values[0])} to {show(values[1])}."


def _figures(pair: PairAgreement) -> Mapping[str, Any]:
    return pair.figures or {}


def with_main(rows: QuerySet[PairAgreement], name: str) -> QuerySet[PairAgreement]:
    """With one of their figures as `main`, so that they can be sorted by it."""
    value = KeyTextTransform("value", KeyTransform(name, "figures"))
    return rows.annotate(main=Cast(value, FloatField()))


ORDERS = {
    "worst": F("main").asc(nulls_last=True),
    "best": F("main").desc(nulls_last=True),
    "largest": F("n").desc(),
}
SORTS = {"worst": "Lowest first", "best": "Highest first", "largest": "Most shared items first"}


@dataclass(frozen=True, slots=True)
class PairRow:
    pair: PairAgreement
    address: str
    name_a: str
    name_b: str
    cells: list[StatisticRow]


def pair_list(request: HttpRequest, agreement: QuestionAgreement, kind: Kind) -> dict[str, Any]:
    """One page of pairs, searched by the names of raters and sorted."""
    names = {rater.id: rater.key for rater in raters_of(agreement)}
    words = request.GET.get("q", "")[:200]
    sort = request.GET.get("sort", "worst")
    sort = sort if sort in SORTS else "worst"
    page = page_of(request, _sorted(agreement, kind, names, words, sort), size=PAIRS_ON_A_PAGE)
    by_kappa = kind.family is Family.SETS and len(agreement.categories) <= MOST_CATEGORIES
    categories = agreement.categories if by_kappa else []
    return {
        "pair_titles": [title_of(name) for name in kind.columns],
        "pair_categories": [f"κ {category['name'] or category['key']}" for category in categories],
        "pair_rows": [_pair_row(pair, names, kind, by_kappa=by_kappa) for pair in page],
        "page": page,
        "sort": sort,
        "sorts": SORTS,
        "sorted_by": title_of(kind.main),
        "q": words,
        "kept": [(name, value) for name, value in request.GET.items() if name not in {"q", "page"}],
    }


def _sorted(
    agreement: QuestionAgreement, kind: Kind, names: Mapping[int, str], words: str, sort: str
) -> QuerySet[PairAgreement]:
    rows = with_main(agreement.pairs.all(), kind.main)
    if words.strip():
        named = [rater for rater, key in names.items() if words.strip().casefold() in key.casefold()]
        rows = rows.filter(Q(rater_a__in=named) | Q(rater_b__in=named))
    return rows.order_by(ORDERS[sort], "rater_a_id", "rater_b_id")


def _pair_row(pair: PairAgreement, names: Mapping[int, str], kind: Kind, *, by_kappa: bool) -> PairRow:
    figures = _figures(pair)
    found = [(name, figures[name]) for name in kind.columns]
    if by_kappa:
        found += [("cohen_kappa", each) for each in figures["cohen_kappa"]]
    # Reasons are short, for there is a column for each figure.
    cells = [
        replace(measured_row(name, each), reason=wording.short_reason(each["reason"])) for name, each in found
    ]
    address = f"{pair.rater_a_id}/{pair.rater_b_id}/"
    return PairRow(pair, address, names[pair.rater_a_id], names[pair.rater_b_id], cells)


@dataclass(frozen=True, slots=True)
class ItemRow:
    """Both answers on one item; difference: of numbers, or the categories that only one holds."""

    answers: Answers
    label_a: str
    label_b: str
    difference: str


def pair(request: HttpRequest, project: Project, pair: PairAgreement) -> dict[str, Any]:
    """The page of two raters: every figure, and the shared items, those that differ most first."""
    kind = KINDS[Question.Kind(scope_of(pair.agreement).kind)]
    figures = _figures(pair)
    names = [name for name in in_order(figures) if name != "cohen_kappa"]
    is_number = kind.family is Family.NUMBERS
    items = SharedAnswers(pair)
    page = page_of(request, items, size=ITEMS_ON_A_PAGE)
    return {
        **pair_head(project, pair),
        "percent": pair.agreement.report.chosen.percent,
        "is_number": is_number,
        "all_rows": [measured_row(name, figures[name]) for name in names],
        **by_category(
            pair.agreement.categories,
            {"cohen_kappa": figures["cohen_kappa"]} if "cohen_kappa" in figures else {},
            lambda _: CategoryBehind(figures="#items"),
        ),
        "plot": _plot(project, items, figures) if is_number else None,
        "page": page,
        "rows": _item_rows(page, pair.agreement),
        "has_changed": labels_changed_since(pair.agreement.report.head, [pair.agreement.question_id]),
    }


def _plot(project: Project, items: SharedAnswers, figures: Mapping[str, Any]) -> Picture | None:
    """The differences, each dot with the way to its item."""
    numbers, ids = items.numbers(MAX_DOTS + 1), items.items(MAX_DOTS + 1)
    if len(ids) > MAX_DOTS:
        return None
    keys = dict(Item.objects.filter(pk__in=ids).values_list("pk", "key"))
    links = [
        (reverse("item", args=[project.slug, pk]), f"{keys.get(pk, '')}: {measured(a)} and {measured(b)}")
        for pk, (a, b) in zip(ids, numbers, strict=True)
    ]
    return difference_plot(numbers, figures, links)


def _item_rows(page: Sequence[Answers], agreement: QuestionAgreement) -> list[ItemRow]:
    names = {category["id"]: category["name"] or category["key"] for category in agreement.categories}
    return [_item_row(answers, names) for answers in page]


def _item_row(answers: Answers, names: Mapping[int, str]) -> ItemRow:
    a, b = answers.a, answers.b
    if not isinstance(a, list):
        return ItemRow(answers, measured(a), measured(b), measured(a - b))
    either = [category for category in names if (category in a) != (category in b)]
    shown = [_listed([category for category in names if category in chosen], names) for chosen in (a, b)]
    return ItemRow(answers, shown[0], shown[1], _listed(either, names) if either else "")


def _listed(categories: Sequence[int], names: Mapping[int, str]) -> str:
    return ", ".join(names[category] for category in categories) or "none"
