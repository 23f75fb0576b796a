"""The pages of a multiple-choice question, and of two raters on it."""

from collections.abc import Iterable, Mapping
from functools import partial

from django.http import HttpRequest

from core.templatetags.shown import figure, percent
from reports.models import PairAgreement
from reports.pages.contexts import PageSection
from reports.pages.kinds.measured_pairs import (
    PAIR_TEMPLATE,
    QUESTION_TEMPLATE,
    PairItemRow,
    pair_context,
    question_context,
    spread_sentence,
)
from reports.pages.rater.rater_list import raters_listed
from reports.results import wording
from reports.results.items.pair_items import ItemAnswerPair, most_different
from reports.store.stored_result import StoredResult

QUESTION, PAIR = QUESTION_TEMPLATE, PAIR_TEMPLATE


def question(request: HttpRequest, result: StoredResult) -> PageSection:
    return question_context(request, result, sentences)


def raters(request: HttpRequest, result: StoredResult) -> PageSection:
    return raters_listed(request, result)


def pair(request: HttpRequest, result: StoredResult, pair: PairAgreement) -> PageSection:
    """Return all figures of the pair, and the shared items, largest difference first."""
    names = {category["id"]: category["name"] or category["key"] for category in result.categories}
    return pair_context(request, result, pair, most_different(pair), partial(_item_row, names))


def sentences(result: StoredResult) -> list[str]:
    identical, jaccard = result.figure("percent_agreement"), result.figure("mean_jaccard")
    if identical.value is None:
        first = wording.long_reason(identical.reason)
    else:
        first = (
            f"Two raters choose the same set of categories {percent(identical.value)} of the time (averaged over "
            f"items); of the categories that either chooses, {percent(jaccard.value)} are chosen by both."
        )
    alpha = result.figure("krippendorff_alpha")
    second = (
        ""
        if alpha.value is None
        else f"Krippendorff’s α is {figure(alpha.value)} with the MASI distance, which counts a set and its "
        "subset as closer than two sets that merely overlap."
    )
    return [
        first,
        second,
        spread_sentence(result, "masi", "Across pairs, the mean MASI similarity", percent),
    ]


def _item_row(names: Mapping[int, str], answers: ItemAnswerPair) -> PairItemRow:
    a, b = answers.a, answers.b
    either = [category for category in names if (category in a) != (category in b)]
    shown = [_listed((category for category in names if category in chosen), names) for chosen in (a, b)]
    return PairItemRow(answers, shown[0], shown[1], _listed(either, names) if either else "")


def _listed(categories: Iterable[int], names: Mapping[int, str]) -> str:
    return ", ".join(names[category] for category in categories) or "none"
