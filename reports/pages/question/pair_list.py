"""The list of a question's pairs: searched, sorted, and drawn as a forest plot."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.core.paginator import Page
from django.http import HttpRequest

from core.templatetags.shown import in_percent
from core.web.paging import page_of
from reports.drawing.picture import Picture
from reports.models import PairAgreement
from reports.pages.address_choices import chosen, other_parameters
from reports.pages.contexts import PageSection
from reports.pages.question.pair_measures import PairMeasure, measure_of, measures_of, pairs_by
from reports.pictures.forest import WIDE, forest_of
from reports.results import wording
from reports.results.question_pairs import SORTS, Pair, QuestionPairs
from reports.results.wording import shown_interval
from reports.store.agreements import ReportRater
from reports.store.pairs_in_order import lower_first
from reports.store.stored_result import StoredResult

PAIRS_ON_A_PAGE = 40


@dataclass(frozen=True, slots=True)
class PairRow:
    pair: Pair | PairAgreement
    address: str
    items: str
    name_a: str
    name_b: str
    value: str
    interval: str
    clipped: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PairListSection(PageSection):
    """kept, kept_of_matrix: the other query parameters, which the forms of the list and of the matrix must keep."""

    pair_rows: Sequence[PairRow]
    page: Page
    sort: str
    sorts: Mapping[str, str]
    q: str
    kept: Sequence[tuple[str, str]]
    kept_of_matrix: Sequence[tuple[str, str]]
    forest: Picture | None


def pair_list(
    request: HttpRequest, result: StoredResult, pairs: QuestionPairs, measure: PairMeasure, query: str
) -> PairListSection:
    """Return one page of pairs, searched by rater name and sorted, and a forest plot of the same pairs."""
    raters = result.raters
    names = {rater.id: rater.key for rater in raters}
    words, sort, page = _page_of_pairs(request, raters, pairs)
    rows = [_pair_row(pair, names, measure, query) for pair in page]
    return PairListSection(
        pair_rows=rows,
        page=page,
        sort=sort,
        sorts=SORTS,
        q=words,
        kept=other_parameters(request, "q", "page"),
        kept_of_matrix=other_parameters(
            request, "coefficient", "weights", "order", "kind", "least", "named", "page"
        ),
        forest=forest_of(
            [_plain(row.pair) for row in rows],
            names,
            shape=WIDE,
            query=query,
            description=forest_description(result, measure),
        ),
    )


def forest_description(result: StoredResult, measure: PairMeasure) -> str:
    """Return the text alternative of the forest plot."""
    percent = in_percent(result.report.chosen.percent)
    return f"Forest plot of {measure.title} for the pairs in the table below, with {percent} CIs"


def _page_of_pairs(
    request: HttpRequest, raters: Sequence[ReportRater], pairs: QuestionPairs
) -> tuple[str, str, Page]:
    """Return the search, the sort order, and the page of pairs in the query string."""
    words = request.GET.get("q", "")[:200]
    sort = chosen(request, "sort", SORTS, "worst")
    part = words.strip().casefold()
    named = {rater.id for rater in raters if part in rater.key.casefold()} if part else None
    return (
        words,
        sort,
        page_of(
            request,
            pairs.sorted(sort, of=named),
            size=PAIRS_ON_A_PAGE,
            n_rows=pairs.n_pairs if named is None else None,
        ),
    )


def listed_pairs(
    request: HttpRequest, result: StoredResult
) -> tuple[PairMeasure, list[Pair], dict[int, str]]:
    """Return the coefficient, the pairs, and the rater names of the list in the query string."""
    measure, raters = measure_of(request, result, measures_of(result)), result.raters
    _, _, page = _page_of_pairs(request, raters, pairs_by(result, measure))
    return measure, [_plain(pair) for pair in page], {rater.id: rater.key for rater in raters}


def _plain(pair: Pair | PairAgreement) -> Pair:
    if isinstance(pair, Pair):
        return pair
    pair = lower_first(pair)
    return Pair(
        pair.rater_a_id, pair.rater_b_id, pair.n, pair.observed, pair.kappa, pair.se, pair.ci_low, pair.ci_high,
        pair.reason,
    )  # fmt: skip


def _pair_row(
    found: Pair | PairAgreement, names: dict[int, str], measure: PairMeasure, query: str
) -> PairRow:
    pair = _plain(found)
    return PairRow(
        pair=pair,
        address=f"{pair.rater_a}/{pair.rater_b}/{query}",
        items=f"{pair.rater_a}/{pair.rater_b}/items/",
        name_a=names[pair.rater_a],
        name_b=names[pair.rater_b],
        value=measure.shown(pair.kappa),
        interval=shown_interval(pair.ci_low, pair.ci_high),
        clipped=wording.clipped_words(pair),
        reason=wording.short_reason(pair.reason),
    )
