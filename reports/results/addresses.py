"""URLs of the lists of items behind figures, which can be shared with anyone who may see the items."""

from django.urls import reverse

from reports.analysis.results import Figure
from reports.models import PairAgreement, QuestionAgreement
from reports.results.items.query import ALL_ITEMS, COMPARED, IN_AGREEMENT, ItemQuery
from reports.results.statistic_rows import RowLinks
from reports.store.stored_result import StoredResult


def question_address(row: QuestionAgreement) -> str:
    report = row.report
    return reverse("report_question", args=[report.project.slug, report.pk, row.question_id])


def items_address(row: QuestionAgreement, query: ItemQuery = ALL_ITEMS) -> str:
    """Return the URL of a list of items; "" for an unstored result, which has no pages."""
    if not row.pk:
        return ""
    return f"{question_address(row)}items/{query}"


def pair_address(pair: PairAgreement) -> str:
    return f"{question_address(pair.agreement)}{pair.rater_a_id}/{pair.rater_b_id}/"


def pair_items_address(pair: PairAgreement, query: ItemQuery = ALL_ITEMS) -> str:
    if not pair.pk:
        return ""
    return f"{pair_address(pair)}items/{query}"


def items_used_address(result: StoredResult, n_items: int | None) -> str:
    """Return the URL of the items that an overall figure uses, identified by their number; "" if it has no number."""
    if n_items is None:
        return ""
    if n_items == result.counted.n_items:
        return items_address(result.row)
    if n_items == _n_compared(result):
        return items_address(result.row, COMPARED)
    return items_address(result.row, ItemQuery(among="complete"))


def _n_compared(result: StoredResult) -> int | None:
    # These two use all items that can be compared at all.
    name = "percent_agreement"
    return result.figure(name if name in result.figures.coefficients else "krippendorff_alpha").n_items


def row_links(result: StoredResult, name: str, found: Figure) -> RowLinks:
    """Return the links of a row of overall statistics."""
    counted = items_address(result.row, IN_AGREEMENT) if name == "all_agree" else ""
    left = ""
    if found.left_out and found.left_out.n_items:
        others = "alone" if found.n_items == _n_compared(result) else "incomplete"
        left = items_address(result.row, ItemQuery(among=others))
    return RowLinks(items_used_address(result, found.n_items), counted, left)


def pair_row_links(pair: PairAgreement, name: str) -> RowLinks:
    """Return the links of a row of statistics of two raters; items are left out if only one of them labeled them."""
    same = pair_items_address(pair, IN_AGREEMENT) if name == "percent_agreement" else ""
    return RowLinks(pair_items_address(pair), same, items_of_one_address(pair))


def items_of_one_address(pair: PairAgreement) -> str:
    """Return the URL of the items that only one of the two raters labeled."""
    return items_address(pair.agreement, ItemQuery(one_of=(pair.rater_a.key, pair.rater_b.key)))
