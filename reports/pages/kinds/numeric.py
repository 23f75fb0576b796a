"""The pages of a question with numeric answers, and of two raters on it."""

from dataclasses import replace

from django.http import HttpRequest
from django.urls import reverse

from core.templatetags.shown import count, figure
from projects.access import AnyUser, opens_items
from projects.models import Item
from reports.agreement.weights import Level
from reports.analysis.catalog import title_of
from reports.analysis.measure import fitting_coefficient
from reports.drawing.picture import Picture
from reports.models import PairAgreement
from reports.pages.contexts import PageSection
from reports.pages.kinds.measured_pairs import (
    PAIR_TEMPLATE,
    QUESTION_TEMPLATE,
    PairItemRow,
    ci,
    pair_context,
    question_context,
    spread_sentence,
)
from reports.pages.rater.rater_list import raters_listed
from reports.pictures.difference_plot import MAX_DOTS, difference_plot
from reports.results import wording
from reports.results.items.pair_items import ItemAnswerPair, PairItems, most_different
from reports.results.kinds import design_of
from reports.results.pair_statistics import stored_figures
from reports.results.wording import measured, shown_interval
from reports.store.stored_result import StoredResult

QUESTION, PAIR = QUESTION_TEMPLATE, PAIR_TEMPLATE


def question(request: HttpRequest, result: StoredResult) -> PageSection:
    return question_context(request, result, sentences)


def raters(request: HttpRequest, result: StoredResult) -> PageSection:
    return raters_listed(request, result)


def pair(request: HttpRequest, result: StoredResult, pair: PairAgreement) -> PageSection:
    """Return all figures of the pair, the shared items, largest difference first, and a plot of the differences."""
    items = most_different(pair)
    context = pair_context(request, result, pair, items, _item_row)
    return replace(context, has_differences=True, plot=_plot(request.user, items, pair))


# What the rest of the variance is, and why the coefficient fits.
MODELS = {
    "icc_a_1": "the rest is rater differences and error.",
    "icc_a_1_reml": (
        "the rest is rater differences and error. Not every rater labeled every item, so it is estimated with two-way "
        "random effects by REML (incomplete crossing)."
    ),
    "icc_1_1": "the rest is rater differences and error, which one-way analysis does not separate.",
}


def sentences(result: StoredResult) -> list[str]:
    design = design_of(result.row)
    name = fitting_coefficient(result.scope.kind, str(Level.INTERVAL), design)
    found, two_way = result.figure(name), result.figure("icc_a_1")
    if found.value is None:
        first = f"ICC(A,1) is undefined. {wording.long_reason(two_way.reason)}{_of_alpha(result)}"
    else:
        interval = shown_interval(found.ci_low, found.ci_high)
        title = title_of(name).removesuffix(", REML")
        first = (
            f"{title} = {figure(found.value)}{ci(result, interval)}: the share of the variance of single ratings that "
            f"lies between items; {MODELS[name]}"
        )
    left = two_way.left_out.n_items if two_way.left_out else 0
    second = (
        f"{count(left)} of {count(result.counted.n_items)} items were not labeled by every rater. Intraclass "
        "correlations and Kendall’s W exclude them; α and the pairs include them."
        if left and name == "icc_a_1" and found.value is not None
        else ""
    )
    by_reml = result.figures.coefficients.get("icc_a_1_reml")
    third = wording.long_reason(by_reml.reason) if name == "icc_1_1" and by_reml else ""
    return [
        first,
        second,
        third,
        spread_sentence(result, "lin_concordance", "Across pairs, Lin’s concordance", figure),
    ]


def _of_alpha(result: StoredResult) -> str:
    """Return a sentence on α, which does not need items labeled by all raters."""
    alpha = result.figure("krippendorff_alpha")
    if alpha.value is None:
        return ""
    interval = shown_interval(alpha.ci_low, alpha.ci_high)
    return (
        f" Krippendorff’s α, which needs only two labels per item, is {figure(alpha.value)}"
        f"{ci(result, interval)}."
    )


def _plot(user: AnyUser, items: PairItems, pair: PairAgreement) -> Picture | None:
    """Plot the differences; for users who may see items, each dot links to its item."""
    rows = items.numbers(MAX_DOTS + 1)
    if len(rows) > MAX_DOTS:
        return None
    numbers = [(a, b) for _, a, b in rows]
    if not opens_items(user):
        return difference_plot(numbers, stored_figures(pair).values)
    slug = pair.agreement.report.project.slug
    keys = dict(Item.objects.filter(pk__in=[pk for pk, _, _ in rows]).values_list("pk", "key"))
    links = [
        (reverse("item", args=[slug, pk]), f"{keys.get(pk, '')}: {measured(a)} and {measured(b)}")
        for pk, a, b in rows
    ]
    return difference_plot(numbers, stored_figures(pair).values, links)


def _item_row(answers: ItemAnswerPair) -> PairItemRow:
    a, b = answers.a, answers.b
    return PairItemRow(answers, measured(a), measured(b), measured(a - b))
