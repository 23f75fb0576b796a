"""Where the items behind a figure are listed: addresses that can be shared with whoever may see them."""

from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from reports.models import PairAgreement, QuestionAgreement


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
    if n_items == agreement.n_items:
        return items_address(agreement)
    # These two use all items that can be compared at all.
    found = agreement.coefficients
    compared = found.get("percent_agreement", found.get("krippendorff_alpha", {})).get("n_items")
    return (
        compared_address(agreement) if n_items == compared else items_address(agreement, **{"in": "complete"})
    )
