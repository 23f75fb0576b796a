"""Loads the reports and results in URLs. All functions raise Http404 if there are none."""

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
    """Return the result of one question in a report of the project."""
    rows = QuestionAgreement.objects.select_related("report__project", "question")
    return StoredResult.of(get_object_or_404(rows, report__project=project, report=pk, question=question))


def listed_result_of(project: Project, pk: int, question: int) -> StoredResult:
    """Return the result of a question whose items can be listed."""
    result = result_of(project, pk, question)
    if result.reason in UNFIT:
        raise Http404("Items are not listed, because this question could not be computed.")
    return result


def computed_result_of(project: Project, pk: int, question: int) -> StoredResult:
    """Return the result of a question of any kind that could be computed."""
    result = result_of(project, pk, question)
    if result.reason:
        raise Http404("This question has nothing to compare.")
    return result


def categories_of(project: Project, pk: int, question: int) -> StoredResult:
    """Return the result of a single-choice question that could be computed."""
    result = result_of(project, pk, question)
    if not result_kind(result.scope.kind).has_counts or result.reason in UNFIT:
        raise Http404("This question has no results by category.")
    return result


def stated_result_of(project: Project, pk: int, question: int) -> StoredResult:
    """Return the result of a question with confidences of labels."""
    result = computed_result_of(project, pk, question)
    if not result.row.n_confidences:
        raise Http404("No label of this question has a confidence.")
    return result


def compared(result: StoredResult) -> StoredResult:
    """Return the result if it has pairs with confusion matrices."""
    if not result_kind(result.scope.kind).has_counts or result.reason or not result.n_pairs:
        raise Http404("There are no pairs of raters to draw.")
    return result


def pair_of(project: Project, pk: int, question: int, a: int, b: int) -> tuple[StoredResult, PairAgreement]:
    result = result_of(project, pk, question)
    pair = result.pair_of((a, b)) if a < b else None
    if pair is None:
        raise Http404("These two raters share no items.")
    # Avoids fetching the agreement again on each access.
    pair.agreement = result.row
    return result, pair


def counted_pair_of(project: Project, pk: int, question: int, a: int, b: int) -> PairAgreement:
    """Return a pair with a confusion matrix, whose cells have lists of items."""
    _, pair = pair_of(project, pk, question, a, b)
    if pair.figures is not None:
        raise Http404("Only single-choice questions have a confusion matrix.")
    return pair
