"""The reports and results that the addresses of pages name. Each raises Http404 for what there is not."""

from django.http import Http404
from django.shortcuts import get_object_or_404

from projects.models import Project
from reports.analysis.reasons import UNFIT
from reports.models import PairAgreement, QuestionAgreement, Report
from reports.results.kinds import result_kind
from reports.store.stored_result import StoredResult


def report_of(project: Project, pk: int) -> Report:
    return get_object_or_404(project.reports.select_related("project", "asked_by"), pk=pk)


def result_of(project: Project, pk: int, question: int) -> StoredResult:
    """The results of one question of a report of the project."""
    rows = QuestionAgreement.objects.select_related("report__project", "question")
    return StoredResult.of(get_object_or_404(rows, report__project=project, report=pk, question=question))


def listed_result_of(project: Project, pk: int, question: int) -> StoredResult:
    """The results of a question whose items can be listed."""
    result = result_of(project, pk, question)
    if result.reason in UNFIT:
        raise Http404("Items are not listed, because this question could not be computed.")
    return result


def computed_result_of(project: Project, pk: int, question: int) -> StoredResult:
    """The results of a question that could be computed, of whatever kind."""
    result = result_of(project, pk, question)
    if result.reason:
        raise Http404("This question has nothing to compare.")
    return result


def categories_of(project: Project, pk: int, question: int) -> StoredResult:
    """The results of a question whose labels are one category each, and that could be computed."""
    result = result_of(project, pk, question)
    if not result_kind(result.scope.kind).has_counts or result.reason in UNFIT:
        raise Http404("This question has no results by category.")
    return result


def stated_result_of(project: Project, pk: int, question: int) -> StoredResult:
    """The results of a question of which some labels have a confidence."""
    result = computed_result_of(project, pk, question)
    if not result.row.n_confidences:
        raise Http404("No label of this question has a confidence.")
    return result


def compared(result: StoredResult) -> StoredResult:
    """The same, if it has pairs with tables of counts."""
    if not result_kind(result.scope.kind).has_counts or result.reason or not result.n_pairs:
        raise Http404("There are no pairs of raters to draw.")
    return result


def pair_of(project: Project, pk: int, question: int, a: int, b: int) -> tuple[StoredResult, PairAgreement]:
    result = result_of(project, pk, question)
    pair = result.pair_of((a, b)) if a < b else None
    if pair is None:
        raise Http404("These two raters share no items.")
    # Without it each look at the agreement would fetch it again.
    pair.agreement = result.row
    return result, pair


def counted_pair_of(project: Project, pk: int, question: int, a: int, b: int) -> PairAgreement:
    """A pair with a table of counts, whose cells have items behind them."""
    _, pair = pair_of(project, pk, question, a, b)
    if pair.figures is not None:
        raise Http404("Only single-choice questions have a confusion matrix.")
    return pair
