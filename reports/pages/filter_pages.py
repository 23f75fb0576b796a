"""A question of a report on a part of its labels, computed at once from the stored labels, or as a new report."""

from dataclasses import dataclass, replace

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_http_methods

from projects.access import opens_items, permissions_in, project_to
from projects.roles import Permission
from raters.lettered import letters_in_force
from reports.pages.address_choices import other_parameters
from reports.pages.calculator.result_page import result_context
from reports.pages.contexts import PageSection, context_of
from reports.pages.forms import MAX_RATERS
from reports.pages.heads import QuestionHead, question_head
from reports.pages.loaders import computed_result_of
from reports.pages.question.pair_matrix import kinds_of
from reports.results.filters import (
    ITEM,
    MOST_SAVED,
    RATER,
    LabelFilter,
    Resolved,
    UnknownRater,
    attribute_choices,
    filter_limits,
    resolved,
)
from reports.store import requests
from reports.store.filtered import TooManyLabels, filtered_result
from reports.store.included_raters import IncludedRaters
from reports.store.sides import rounds_with_labels
from reports.store.stored_result import StoredResult

# Empty text fields for further raters.
SPARE_FIELDS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterPage(PageSection):
    """asked: as submitted. words: each of its parts. raters: keys, and whether each is chosen. typed_raters: the values
    of text fields, the last ones empty, if there are too many raters to choose from. The other choices are query-string
    values, in words, and whether they are chosen. has_words: whether items can be searched by text. unknown: which
    rater the report does not have, as a sentence. too_many: why there is no result. left: what the filter leaves, None
    for nothing; figures: of that, as HTML.
    """

    head: QuestionHead
    asked: LabelFilter
    words: tuple[str, ...]
    raters: list[tuple[str, bool]]
    typed_raters: list[str]
    kinds: list[tuple[str, str, bool]]
    rater_attributes: list[tuple[str, str, bool]]
    item_attributes: list[tuple[str, str, bool]]
    rounds: list[tuple[str, str, bool]]
    has_words: bool
    may_save: bool
    unknown: str
    too_many: str
    left: IncludedRaters | None
    figures: str
    may_ask: bool


@require_http_methods(["GET", "HEAD", "POST"])
@gzip_page
def filtered(request: HttpRequest, slug: str, pk: int, question: int) -> HttpResponse:
    """Show the filtered question; a POST requests a report limited to what the filter keeps."""
    permission = Permission.ASK_REPORTS if request.method == "POST" else Permission.SEE_LABELS
    project = project_to(request.user, slug, permission)
    result = computed_result_of(project, pk, question)
    asked = LabelFilter.parsed(request.GET)
    if not opens_items(request.user):
        # Guests could find out the contents of items by trying words.
        asked = replace(asked, items="", words="", field="")
    if asked.rater_attribute and letters_in_force():
        # Attributes of raters could reveal who is behind a letter.
        raise Http404("Raters’ names are hidden, so labels can’t be filtered by what is known about raters.")
    found, unknown = None, ""
    try:
        found = resolved(result, asked)
    except UnknownRater as error:
        if request.method == "POST":
            raise
        unknown = str(error)
    if found is not None and request.method == "POST":
        return _saved(request, result, asked, found)
    context = context_of(_page(request, result, asked, found, unknown))
    return render(request, "reports/question/filtered.html", context, status=404 if unknown else 200)


def _page(
    request: HttpRequest,
    result: StoredResult,
    label_filter: LabelFilter,
    found: Resolved | None,
    unknown: str,
) -> FilterPage:
    too_many, shown, figures = "", None, ""
    try:
        shown = None if found is None else filtered_result(result.row, found.keep)
    except TooManyLabels as refused:
        too_many = str(refused)
    if shown is not None:
        more = {"project": result.report.project, "kept": other_parameters(request, "pair")}
        context = context_of(result_context(shown, request.GET.get("pair", ""))) | more
        figures = render_to_string("reports/question/_filter_figures.html", context, request)
    may_ask = Permission.ASK_REPORTS in permissions_in(request.user, result.report.project)
    is_typed = len(result.raters) > MAX_RATERS
    return FilterPage(
        head=question_head(result),
        asked=label_filter,
        words=() if found is None else found.words,
        raters=[] if is_typed else [(rater.key, rater.key in label_filter.raters) for rater in result.raters],
        typed_raters=[*label_filter.raters, *[""] * SPARE_FIELDS] if is_typed else [],
        kinds=[(value, name, value in label_filter.kinds) for value, name in kinds_of(result).items()],
        rater_attributes=[]
        if letters_in_force()
        else _chosen(attribute_choices(result, RATER), label_filter.rater_attribute),
        item_attributes=_chosen(attribute_choices(result, ITEM), label_filter.item_attribute),
        rounds=_chosen([(key, key) for key in rounds_with_labels(result.row)], label_filter.round),
        has_words=opens_items(request.user),
        # A new report would be limited by letters.
        may_save=may_ask and found is not None and not label_filter.is_empty and not letters_in_force(),
        unknown=unknown,
        too_many=too_many,
        left=None if shown is None else shown.counted,
        figures=figures,
        may_ask=may_ask,
    )


def _chosen(choices: list[tuple[str, str]], value: str) -> list[tuple[str, str, bool]]:
    return [(key, words, key == value) for key, words in choices]


def _saved(
    request: HttpRequest, result: StoredResult, label_filter: LabelFilter, found: Resolved
) -> HttpResponse:
    if label_filter.is_empty:
        raise Http404("Nothing is filtered.")
    only, report = filter_limits(found), result.report
    if only["items"] is not None and len(only["items"]) > MOST_SAVED:
        messages.error(request, f"A report can be limited to at most {MOST_SAVED:,} items.")
        return redirect(f"{request.path}{label_filter}")
    try:
        # If a round leads, the filtered labels are of that round.
        round_ = label_filter.round or (result.row.lead["key"] if result.row.lead else "")
        limited = requests.request_limited(report, result.question.key, only, round_, by=request.user)  # type: ignore[arg-type]
    except requests.ReportRefused as refused:
        messages.error(request, str(refused))
        return redirect(f"{request.path}{label_filter}")
    return redirect(limited)
