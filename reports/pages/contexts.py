"""What each page of agreement shows, put together from the results."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Page
from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import reverse

from projects.models import Item, Project, Question
from projects.paging import page_of
from raters import queries as label_queries
from raters.access import note_look, refuse_blind
from raters.models import Rater as RaterKind
from reports import actions, wording
from reports.models import PairAgreement, QuestionAgreement, Report
from reports.pages import behind
from reports.pages.addresses import behind as behind_figure
from reports.pages.addresses import items_address, question_address
from reports.pages.forest import NARROW, WIDE, forest_of
from reports.pages.matrix import FEW, ORDERS, Rater, Wish, matrix_of, raters_of
from reports.pages.measures import Measure, measures_of, pairs_by
from reports.pages.neighbours import neighbours_of
from reports.pages.pair_figures import SORTS, Pair, Pairs, weights_of
from reports.pages.pair_table import (
    SHOWN,
    Category,
    categories_of,
    count_table,
    direction_of,
    indices_of,
    kappas_by_weights,
    table_of,
)
from reports.pages.paradox import paradox_of
from reports.pages.remarks import remarks_of, remarks_of_pair
from reports.pages.scale_reading import reading_of, scale_of
from reports.pages.shown import shown_interval
from reports.pages.statistic_contexts import (
    all_of_pair,
    all_statistics,
    default_reference,
    statistics_of_pair,
)
from reports.pages.summary import links_of, tiles_of
from reports.pages.verdict import Standing, claim_of, main_coefficient, standing_of, verdict_of

PAIRS_ON_A_PAGE = 40
ITEMS_ON_A_PAGE = 50
# Reports that are looked through for other rounds.
MOST_ROUNDS = 200
DIGITS = 3


def chosen(request: HttpRequest, name: str, choices: Mapping[str, Any] | Sequence[str], default: str) -> str:
    """The choice that the address names; nonsense gives the default."""
    value = request.GET.get(name, default)
    return value if value in choices else default


@dataclass(frozen=True, slots=True)
class CodebookRow:
    """unfit: why the question could not be computed, in place of figures. claim, standing: those of its verdict.

    items: where its items are listed, "" where they are not.
    """

    agreement: QuestionAgreement
    figures: list["Figure"]
    unfit: str
    claim: str = ""
    standing: Standing | None = None
    items: str = ""


@dataclass(frozen=True, slots=True)
class Figure:
    value: float | None
    interval: str
    reason: str
    is_share: bool = False
    address: str = ""


CODEBOOK_FIGURES = [
    "percent_agreement",
    "mean_pairwise_kappa",
    "fleiss_kappa",
    "krippendorff_alpha",
    "gwet_ac1",
]


def codebook(project: Project, report: Report, agreements: Sequence[QuestionAgreement]) -> dict[str, Any]:
    return {
        "project": project,
        "report": report,
        "columns": [wording.COEFFICIENTS[name] for name in CODEBOOK_FIGURES],
        "rows": [_codebook_row(agreement) for agreement in agreements],
        "weights": wording.WEIGHTS[report.options["weights"]],
        "has_changed": not actions.still_holds(report),
    }


def _codebook_row(agreement: QuestionAgreement) -> CodebookRow:
    unfit = wording.UNFIT.get(agreement.reason, "")
    if unfit:
        return CodebookRow(agreement, [], unfit)
    if agreement.question.kind != Question.Kind.SINGLE:
        return CodebookRow(agreement, _figures(agreement), "", items=_items_of(agreement))
    name = main_coefficient(agreement)
    found = agreement.coefficients.get(name, {})
    project = agreement.report.project
    reading = reading_of(name, found, scale_of(project))
    claim, standing = claim_of(name, found, reading), standing_of(project, found, reading)
    return CodebookRow(agreement, _figures(agreement), "", claim, standing, _items_of(agreement))


def _items_of(agreement: QuestionAgreement) -> str:
    return "" if agreement.reason else items_address(agreement)


def _figures(agreement: QuestionAgreement) -> list[Figure]:
    found = [(name, agreement.coefficients.get(name, {})) for name in CODEBOOK_FIGURES]
    return [
        Figure(
            figure.get("value"),
            shown_interval(figure.get("ci_low"), figure.get("ci_high")),
            _beside(figure),
            name == "percent_agreement",
            _address(agreement, figure),
        )
        for name, figure in found
    ]


def _address(agreement: QuestionAgreement, figure: Mapping[str, Any]) -> str:
    """The items behind a figure."""
    if figure.get("value") is None:
        return ""
    return behind_figure(agreement, figure.get("n_items"))


def _beside(figure: Mapping[str, Any]) -> str:
    """What stands below a figure that has no interval."""
    if figure.get("n_undefined") and figure.get("value") is not None:
        return f"{figure['n_undefined']:,} undefined"
    return wording.short_reason(figure.get("reason", ""))


def question_head(project: Project, agreement: QuestionAgreement) -> dict[str, Any]:
    others = agreement.report.questions.select_related("question").only("report", "question__key")
    return {
        "project": project,
        "report": agreement.report,
        "agreement": agreement,
        "others": others.order_by("question__position", "question_id"),
        "reason": wording.long_reason(agreement.reason) if agreement.reason else "",
        "is_unfit": agreement.reason in wording.UNFIT,
        "pictures": pictures_address(agreement),
        "has_changed": not actions.still_holds(agreement.report),
    }


def pictures_address(agreement: QuestionAgreement) -> str:
    """Where the pictures of the question are saved from."""
    return f"{question_address(agreement)}pictures/"


def question(request: HttpRequest, project: Project, agreement: QuestionAgreement) -> dict[str, Any]:
    if agreement.reason in wording.UNFIT:
        return question_head(project, agreement)
    measures = measures_of(agreement)
    measure = measure_of(request, agreement, measures)
    own = agreement.report.options["weights"]
    query = f"?weights={measure.key}" if measure.is_kappa and measure.key != own else ""
    pairs, wish = pairs_by(agreement, measure), wish_of(request)
    return {
        **question_head(project, agreement),
        "verdict": verdict_of(agreement, pairs.spread(), measure.title),
        "remarks": remarks_of(agreement),
        "tiles": tiles_of(agreement, main_coefficient(agreement)),
        "links": links_of(agreement),
        "is_nominal": agreement.question.level == Question.Level.NOMINAL,
        "matrix": matrix_of(agreement, pairs, wish, show=measure.shown, query=query),
        "mean": measure.shown(pairs.mean()),
        "measure": measure,
        "measures": measures,
        "weights": measure.key if measure.is_kappa else own,
        "wish": wish,
        "orders": ORDERS,
        "kinds": kinds_of(agreement),
        "rounds": rounds_of(agreement),
        **pair_list(request, agreement, pairs, measure, query),
        **all_statistics(agreement),
    }


def measure_of(
    request: HttpRequest, agreement: QuestionAgreement, measures: Mapping[str, Measure]
) -> Measure:
    """What the address asks for: a coefficient, or, as old links do, weights of kappa; else those of the report."""
    weights = chosen(request, "weights", measures, agreement.report.options["weights"])
    return measures[chosen(request, "coefficient", measures, weights)]


def wish_of(request: HttpRequest) -> Wish:
    kinds = frozenset(request.GET.getlist("kind")) & frozenset(RaterKind.Kind.values)
    least = request.GET.get("least", "")
    n = int(least) if least.isascii() and least.isdigit() and len(least) < 10 else 1
    named = request.GET.get("named", "").strip()[:200]
    return Wish(chosen(request, "order", ORDERS, "name"), kinds, max(1, n), named)


def kinds_of(agreement: QuestionAgreement) -> dict[str, str]:
    """The kinds of raters that the report has, with their names; {} if all are of one kind."""
    found = {rater.kind for rater in raters_of(agreement)}
    return {value: name for value, name in RaterKind.Kind.choices if value in found} if len(found) > 1 else {}


def rounds_of(agreement: QuestionAgreement) -> list[tuple[str, str, bool]]:
    """Reports on the same question by the same options, each of one round or of all: name, address, whether it is this.

    Of several on the same labels the newest, but always this one.
    """
    report = agreement.report
    same = QuestionAgreement.objects.filter(
        report__project=report.project_id,
        report__state=Report.State.DONE,
        report__options=report.options,
        question=agreement.question_id,
        reason="",
    )
    found: dict[str, tuple[int, bool]] = {}
    scopes = same.order_by("-report_id").values_list("report_id", "report__scope")[:MOST_ROUNDS]
    for pk, scope in [(report.pk, report.scope), *scopes]:
        name = "all labels" if scope["batches"] is None else " and ".join(scope["batches"])
        found.setdefault(name, (pk, pk == report.pk))
    if len(found) == 1:
        return []
    return [
        (name, reverse("report_question", args=[report.project.slug, pk, agreement.question_id]), is_this)
        for name, (pk, is_this) in sorted(found.items())
    ]


@dataclass(frozen=True, slots=True)
class PairRow:
    pair: Pair | PairAgreement
    address: str
    items: str
    name_a: str
    name_b: str
    value: str
    interval: str
    reason: str


def pair_list(
    request: HttpRequest, agreement: QuestionAgreement, pairs: Pairs, measure: Measure, query: str
) -> dict[str, Any]:
    """One page of pairs: searched by the names of raters, sorted, and the same drawn as a forest plot."""
    raters = raters_of(agreement)
    names = {rater.id: rater.key for rater in raters}
    words, sort, page = _page_of_pairs(request, raters, pairs)
    rows = [_pair_row(pair, names, measure, query) for pair in page]
    shape = NARROW if len(raters) <= FEW else WIDE
    return {
        "pair_rows": rows,
        "page": page,
        "sort": sort,
        "sorts": SORTS,
        "q": words,
        "kept": kept(request, "q", "page"),
        "kept_of_matrix": kept(request, "coefficient", "weights", "order", "kind", "least", "named", "page"),
        "forest": forest_of([_plain(row.pair) for row in rows], names, shape=shape, query=query),
    }


def _page_of_pairs(request: HttpRequest, raters: Sequence[Rater], pairs: Pairs) -> tuple[str, str, Page]:
    """What the address searches for, how it sorts, and the page of pairs that it asks for."""
    words = request.GET.get("q", "")[:200]
    sort = chosen(request, "sort", SORTS, "worst")
    return words, sort, page_of(request, pairs.sorted(sort, of=_named(raters, words)), size=PAIRS_ON_A_PAGE)


def listed_pairs(
    request: HttpRequest, agreement: QuestionAgreement
) -> tuple[Measure, list[Pair], dict[int, str]]:
    """The coefficient, the pairs and the names of raters of the list that the address asks for."""
    measure, raters = measure_of(request, agreement, measures_of(agreement)), raters_of(agreement)
    _, _, page = _page_of_pairs(request, raters, pairs_by(agreement, measure))
    return measure, [_plain(pair) for pair in page], {rater.id: rater.key for rater in raters}


def kept(request: HttpRequest, *but: str) -> list[tuple[str, str]]:
    """What else the address says, for a form that must not lose it."""
    return [(name, value) for name, values in request.GET.lists() if name not in but for value in values]


def _named(raters: Sequence[Rater], words: str) -> set[int] | None:
    if not words.strip():
        return None
    return {rater.id for rater in raters if words.strip().casefold() in rater.key.casefold()}


def _plain(pair: Pair | PairAgreement) -> Pair:
    if isinstance(pair, Pair):
        return pair
    return Pair(
        pair.rater_a_id, pair.rater_b_id, pair.n, pair.observed, pair.kappa, pair.se, pair.ci_low, pair.ci_high,
        pair.reason,
    )  # fmt: skip


def _pair_row(found: Pair | PairAgreement, names: dict[int, str], measure: Measure, query: str) -> PairRow:
    pair = _plain(found)
    return PairRow(
        pair=pair,
        address=f"{pair.rater_a}/{pair.rater_b}/{query}",
        items=f"{pair.rater_a}/{pair.rater_b}/items/",
        name_a=names[pair.rater_a],
        name_b=names[pair.rater_b],
        value=measure.shown(pair.kappa),
        interval=shown_interval(pair.ci_low, pair.ci_high),
        reason=wording.short_reason(pair.reason),
    )


def pair(request: HttpRequest, project: Project, pair: PairAgreement) -> dict[str, Any]:
    table, categories = table_of(pair), categories_of(pair)
    own = pair.agreement.report.options["weights"]
    weightings = weights_of(pair.agreement)
    weights = chosen(request, "weights", weightings, own)
    show = chosen(request, "show", SHOWN, "total")
    kappas = kappas_by_weights(pair)
    chosen_kappa = kappas[weights]
    found = statistics_of_pair(pair, weights)
    return {
        **pair_head(project, pair),
        "percent": pair.agreement.report.chosen.percent,
        "weights": weights,
        "weightings": weightings,
        "kappa": chosen_kappa,
        "interval": shown_interval(chosen_kappa.ci_low, chosen_kappa.ci_high, DIGITS),
        "reason": wording.long_reason(str(chosen_kappa.reason)) if chosen_kappa.reason else "",
        "share_of_max": _share_of_max(chosen_kappa.kappa, chosen_kappa.kappa_max),
        "by_weights": [
            (
                wording.WEIGHTS[name],
                k,
                shown_interval(k.ci_low, k.ci_high, DIGITS),
                wording.short_reason(str(k.reason)),
            )
            for name, k in kappas.items()
        ],
        "counts": count_table(table, categories, show=show),
        "show": show,
        "shows": SHOWN,
        "indices": indices_of(table),
        "is_two": len(categories) == 2,
        "is_nominal": pair.agreement.question.level == Question.Level.NOMINAL,
        "direction": direction_of(table, categories, pair.rater_a.key, pair.rater_b.key),
        "n_dispute": behind.n_wanted(table, None, None, True),
        "remarks": remarks_of_pair(pair.agreement, pair.rater_a.key, pair.rater_b.key),
        "paradox": paradox_of(pair, found["values"]),
        **neighbours_of(pair, weights, with_differences=request.GET.get("differences") == "show"),
        **all_of_pair(
            pair, found, weights, chosen(request, "reference", ["", "a", "b"], default_reference(pair))
        ),
    }


def _share_of_max(kappa: float | None, kappa_max: float | None) -> float | None:
    return None if kappa is None or not kappa_max or kappa_max < 0 else kappa / kappa_max


def pair_head(project: Project, pair: PairAgreement) -> dict[str, Any]:
    report = pair.agreement.report
    return {
        "project": project,
        "report": report,
        "agreement": pair.agreement,
        "pair": pair,
        "question_address": reverse(
            "report_question", args=[project.slug, report.pk, pair.agreement.question_id]
        ),
        "pair_address": pair_address(project, pair),
        "pictures": f"{pair_address(project, pair)}pictures/",
    }


def pair_address(project: Project, pair: PairAgreement) -> str:
    agreement = pair.agreement
    return reverse(
        "pair",
        args=[project.slug, agreement.report_id, agreement.question_id, pair.rater_a_id, pair.rater_b_id],
    )


@dataclass(frozen=True, slots=True)
class Cell:
    """Which cell of the table the address names: positions of row and column, or where the two differ or agree."""

    row: int | None
    column: int | None
    differ: bool | None
    query: str
    words: str


def cell_of(request: HttpRequest, pair: PairAgreement) -> Cell:
    """Raises Http404 for a category that the report does not know."""
    categories = categories_of(pair)
    row = _position(categories, request.GET.get("row"))
    column = _position(categories, request.GET.get("column"))
    differ = {"dispute": True, "agreement": False}.get(request.GET.get("in", ""))
    named = {name: request.GET[name] for name in ("row", "column", "in") if name in request.GET}
    return Cell(row, column, differ, _encoded(named), _words(pair, categories, row, column, differ))


def _position(categories: Sequence[Category], key: str | None) -> int | None:
    if key is None:
        return None
    for place, category in enumerate(categories):
        if category.key == key:
            return place
    raise Http404("The report has no such category.")


def _encoded(named: Mapping[str, str]) -> str:
    return f"?{urlencode(named)}" if named else ""


def _words(
    pair: PairAgreement,
    categories: Sequence[Category],
    row: int | None,
    column: int | None,
    differ: bool | None,
) -> str:
    parts = []
    if row is not None:
        parts.append(f"{pair.rater_a} says “{categories[row]}”")
    if column is not None:
        parts.append(f"{pair.rater_b} says “{categories[column]}”")
    if differ is not None:
        parts.append("the two differ" if differ else "the two agree")
    return "Items where " + " and ".join(parts) if parts else "All items that both have labelled"


def _wanted(pair: PairAgreement, cell: Cell) -> behind.Wanted:
    ids = [category["id"] for category in pair.agreement.categories]
    row = None if cell.row is None else ids[cell.row]
    column = None if cell.column is None else ids[cell.column]
    return behind.Wanted(row, column, cell.differ)


@dataclass(frozen=True, slots=True)
class ItemRow:
    item: Item
    address: str
    excerpt: str
    label_a: str
    label_b: str
    differ: bool


def pair_items(request: HttpRequest, project: Project, pair: PairAgreement) -> dict[str, Any]:
    cell = cell_of(request, pair)
    now = behind.table_now(pair)
    n_now = behind.n_wanted(now, cell.row, cell.column, cell.differ)
    n_then = behind.n_wanted(table_of(pair), cell.row, cell.column, cell.differ)
    items = behind.ItemsBehind(pair, _wanted(pair, cell), n_items=n_now)
    page = page_of(request, items, size=ITEMS_ON_A_PAGE)
    names = {c["id"]: c["name"] or c["key"] for c in pair.agreement.categories}
    return {
        **pair_head(project, pair),
        "cell": cell,
        "page": page,
        "rows": [_item_row(found, names, cell) for found in page],
        "n_now": n_now,
        "n_then": n_then,
        "has_changed": bool((now != table_of(pair)).any()),
    }


def _item_row(found: behind.ItemBehind, names: dict[int, str], cell: Cell) -> ItemRow:
    return ItemRow(
        item=found.item,
        address=f"{found.item.pk}/{cell.query}",
        excerpt=label_queries.excerpt(found.item),
        label_a=names.get(found.category_a, "?"),
        label_b=names.get(found.category_b, "?"),
        differ=found.category_a != found.category_b,
    )


def pair_item(request: HttpRequest, project: Project, pair: PairAgreement, pk: int) -> dict[str, Any]:
    item = get_object_or_404(Item.objects.select_related("project"), project=project, pk=pk)
    refuse_blind(request.user, item)
    note_look(request.user, project, item.key)
    cell = cell_of(request, pair)
    before, after = behind.neighbours(pair, _wanted(pair, cell), pk)
    items_address = f"{pair_address(project, pair)}items/"
    return {
        "project": project,
        "page": label_queries.item_page(item),
        "before": f"{items_address}{before}/{cell.query}" if before else "",
        "after": f"{items_address}{after}/{cell.query}" if after else "",
        "back": items_address + cell.query,
        "back_words": cell.words,
        "pair": pair,
        "pair_address": pair_address(project, pair),
    }
