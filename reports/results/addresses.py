"""Where the items behind a figure are listed: addresses that can be shared with whoever may see them."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from reports.models import PairAgreement, QuestionAgreement
from reports.results.statistic_rows import RowBehind
from reports.store.counted import counted_in


def question_address(agreement: QuestionAgreement) -> str:
    report = agreement.report
    return reverse("report_question", args=[report.project.slug, report.pk, agreement.question_id])


def items_address(agreement: QuestionAgreement, **query: Any) -> str:
    """The items of a single choice that the query names, as `question_items.wanted_of` reads it."""
    asked = urlencode(query, doseq=True)
    return f"{question_address(agreement)}items/{f'?{asked}' if asked else ''}"


def compared_address(agreement: QuestionAgreement) -> str:
    """The items that two raters or more have labelled."""
    return items_address(agreement, **{"in": "compared"})


def pair_items_address(pair: PairAgreement, **query: str) -> str:
    """The items of a pair that the query names, as `pair.items.cell_of` reads it."""
    asked = urlencode(query)
    two = f"{pair.rater_a_id}/{pair.rater_b_id}/items/"
    return f"{question_address(pair.agreement)}{two}{f'?{asked}' if asked else ''}"


def behind(agreement: QuestionAgreement, n_items: int | None) -> str:
    """The items that a figure of all raters rests on, told by their number; "" where it has none."""
    if n_items is None:
        return ""
    if n_items == counted_in(agreement).n_items:
        return items_address(agreement)
    if n_items == _n_compared(agreement):
        return compared_address(agreement)
    return items_address(agreement, **{"in": "complete"})


def _n_compared(agreement: QuestionAgreement) -> int | None:
    # These two use all items that can be compared at all.
    found = agreement.coefficients
    n: int | None = found.get("percent_agreement", found.get("krippendorff_alpha", {})).get("n_items")
    return n


def all_behind(agreement: QuestionAgreement, name: str, found: Mapping[str, Any]) -> RowBehind:
    """What is behind a row of statistics of all raters."""
    n_items = found.get("n_items")
    counted = items_address(agreement, **{"in": "agreement"}) if name == "all_agree" else ""
    left = ""
    if (found.get("left_out") or {}).get("n_items"):
        others = "alone" if n_items == _n_compared(agreement) else "incomplete"
        left = items_address(agreement, **{"in": others})
    return RowBehind(behind(agreement, n_items), counted, left)


def behind_pair(pair: PairAgreement, name: str) -> RowBehind:
    """What is behind a row of statistics of two raters; left out is what only one of them labelled."""
    same = pair_items_address(pair, **{"in": "agreement"}) if name == "percent_agreement" else ""
    return RowBehind(pair_items_address(pair), same, of_one_address(pair))


def of_one_address(pair: PairAgreement) -> str:
    """The items that only one of the two has labelled."""
    return items_address(pair.agreement, one_of=[pair.rater_a.key, pair.rater_b.key])
