"""Reports over the API: request, progress, matrix, and pairs."""

from collections.abc import Callable, Sequence
from dataclasses import asdict

from django.db.models import Prefetch, Q, QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from core.refusals import RefusedWithCode
from core.web.api import PAGE_PARAMETERS, View, choice_parameter, chosen_parameter, paginated
from projects.access import AnyUser, project_to
from projects.models import Project
from projects.roles import Permission
from raters.access import blindness_of
from raters.lettered import order_of_pairs
from reports.agreement.interpretation.scales import SCALES
from reports.agreement.weights import Weights
from reports.analysis.results import Json, for_programs, to_json
from reports.api.figure_serializers import ComparisonSerializer
from reports.api.pair_serializers import (
    MatrixSerializer,
    PairDetailSerializer,
    PairSerializer,
    serialized_pair,
    serialized_pair_detail,
)
from reports.api.question_serializers import QuestionStatisticsSerializer, serialized_statistics
from reports.api.report_serializers import NewReport, ReportChange, ReportSerializer, serialized_report
from reports.api.waiting_views import OnDemandProgressSerializer, WaitingView
from reports.models import PairAgreement, QuestionAgreement, Report
from reports.results.kinds import result_kind
from reports.results.pair_matrices import figures_by_pair
from reports.results.question_pairs import pairs_of
from reports.store import requests as actions
from reports.store.agreements import n_cells
from reports.store.naming import name_report
from reports.store.on_demand import side_differences
from reports.store.pair_counts import may_recompute
from reports.store.pairs_in_order import lower_first
from reports.store.stored_result import StoredResult

MAX_MATRIX = 1000
# The most counts on one page of pairs: with many categories, each pair has a large matrix.
MAX_COUNTS = 1_000_000
SIDES = (
    "`all` for the labels of this report, `round:KEY` for one of its rounds, `report:ID` for another report on the"
    " question, `raters:ID:ID…` for the labels of two or more raters, or `pair:ID:ID` for the kappa of two."
)
SCALE_PARAMETER = OpenApiParameter(
    "scale",
    str,
    enum=list(SCALES),
    description="Scale used to interpret coefficients. Default: the project's.",
)
WEIGHTS_PARAMETER = OpenApiParameter(
    "weights", str, enum=Report.Weights.values, description="Default: the weights of the report."
)


def reports_of(project: Project) -> QuerySet[Report]:
    """Return the reports with the columns to be shown, without their raters."""
    results = QuestionAgreement.objects.select_related("question").defer("raters", "statistics")
    reports = project.reports.select_related("asked_by").defer("codebook")
    return reports.prefetch_related(Prefetch("questions", results))


def report_serializer_for(user: AnyUser, project: Project) -> Callable[[Report], Json]:
    """Return a function that shows a report as the user may see it."""
    blindness = blindness_of(user, project)

    def shown(report: Report) -> Json:
        found = serialized_report(report)
        # The stage reveals what there is to compute, and a name may be chosen by someone who has seen the figures.
        hidden: Json = {"name": "", "results": [], "digest": None, "stage": ""}
        return found | hidden if blindness.hides(report.scope["rounds"]) else found

    return shown


def report_of(project: Project, pk: int) -> Report:
    return get_object_or_404(reports_of(project), pk=pk)


def result_of(project: Project, pk: int, key: str) -> StoredResult:
    rows = QuestionAgreement.objects.select_related("report__project", "question")
    return StoredResult.of(get_object_or_404(rows, report__project=project, report=pk, question__key=key))


class ReportList(View):
    parameters = {"get": ["page", "page_size", "state"]}

    @extend_schema(
        parameters=[
            *PAGE_PARAMETERS,
            OpenApiParameter(
                "state", str, enum=Report.State.values, description="Only reports in this state."
            ),
        ],
        responses=paginated("Report", ReportSerializer),
        operation_id="reports_list",
    )
    def get(self, request: Request, slug: str) -> Response:
        """List the reports of the project, newest first. Results of rounds that you are still labeling are omitted."""
        project = project_to(request.user, slug, Permission.SEE_LABELS)
        reports = reports_of(project).order_by("-id")
        if state := chosen_parameter(request, "state", Report.State.values):
            reports = reports.filter(state=state)
        return self.paged(reports, report_serializer_for(request.user, project))

    @extend_schema(request=NewReport, responses={200: ReportSerializer, 202: ReportSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Request a report. Returns 202 while it is computed, or 200 if an identical, current report exists."""
        project = project_to(request.user, slug, Permission.ASK_REPORTS)
        report = actions.request_report(project, by=request.user, **self.checked(NewReport))  # type: ignore[arg-type]
        is_done = report.state == Report.State.DONE
        shown = report_serializer_for(request.user, project)(report_of(project, report.pk))
        return Response(shown, status=200 if is_done else 202)


class ReportDetail(View):
    @extend_schema(responses=ReportSerializer)
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """Get a report: its progress while it is computed, then the coefficients of each question."""
        project = project_to(request.user, slug, Permission.SEE_LABELS)
        return Response(serialized_report(report_of(project, pk)))

    @extend_schema(request=ReportChange, responses=ReportSerializer)
    def patch(self, request: Request, slug: str, pk: int) -> Response:
        """Rename a report. Nothing else about a report can be changed."""
        project = project_to(request.user, slug, Permission.ASK_REPORTS)
        report = report_of(project, pk)
        given = self.checked(ReportChange, partial=True)
        if "name" in given:
            name_report(report, given["name"], by=request.user)
        return Response(serialized_report(report_of(project, pk)))


class ReportCancel(View):
    @extend_schema(request=None, responses=ReportSerializer)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Cancel a report that is waiting or being computed."""
        project = project_to(request.user, slug, Permission.ASK_REPORTS)
        if not actions.cancel_report(report_of(project, pk), by=request.user):  # type: ignore[arg-type]
            raise RefusedWithCode("ended", "This report has already ended.", status_code=409)
        return Response(report_serializer_for(request.user, project)(report_of(project, pk)))


class ReportRetry(View):
    @extend_schema(request=None, responses={202: ReportSerializer})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Retry a failed or canceled report."""
        project = project_to(request.user, slug, Permission.ASK_REPORTS)
        if not actions.retry_report(report_of(project, pk), by=request.user):  # type: ignore[arg-type]
            raise RefusedWithCode(
                "not_ended", "Only failed or canceled reports can be retried.", status_code=409
            )
        return Response(report_serializer_for(request.user, project)(report_of(project, pk)), status=202)


class Statistics(View):
    parameters = {"get": ["reference", "scale"]}

    @extend_schema(
        parameters=[
            OpenApiParameter(
                "reference", str, description="Key of the reference rater. Default: the project's reference."
            ),
            SCALE_PARAMETER,
        ],
        responses=QuestionStatisticsSerializer,
    )
    def get(self, request: Request, slug: str, pk: int, key: str) -> Response:
        """Get all overall statistics of a question: coefficients, categories, tests, consensus, reference."""
        project = project_to(request.user, slug, Permission.SEE_LABELS)
        result = result_of(project, pk, key)
        reference = request.query_params.get("reference", "")
        if reference and reference not in [rater.key for rater in result.raters]:
            raise RefusedWithCode(
                "invalid_parameter", f"No rater {reference!r} has labels for this question."
            )
        return Response(serialized_statistics(result, reference, chosen_scale(request)))


class Comparison(WaitingView):
    parameters = {"get": ["first", "second"]}

    @extend_schema(
        parameters=[
            OpenApiParameter(name, str, required=True, description=SIDES) for name in ("first", "second")
        ],
        responses={200: ComparisonSerializer, 202: OnDemandProgressSerializer},
    )
    def get(self, request: Request, slug: str, pk: int, key: str) -> Response:
        """Compare two rounds, reports, groups of raters, or pairs, with tests; shared items are treated as paired.

        Returns 202 while the result is being computed, then 200 at the same URL. Each result is computed once.
        """
        project = project_to(request.user, slug, Permission.SEE_LABELS)
        result = result_of(project, pk, key)
        first, second = (request.query_params.get(name, "") for name in ("first", "second"))
        return Response(for_programs(to_json(side_differences(result.row, first, second, by=request.user))))


class MatrixDetail(View):
    parameters = {"get": ["weights"]}

    @extend_schema(parameters=[WEIGHTS_PARAMETER], responses=MatrixSerializer)
    def get(self, request: Request, slug: str, pk: int, key: str) -> Response:
        """Get the matrix of pairwise kappa for a question, in the order of `raters`; null where undefined."""
        project = project_to(request.user, slug, Permission.SEE_LABELS)
        result = result_of(project, pk, key)
        if result.row.n_raters > MAX_MATRIX:
            raise RefusedWithCode(
                "too_large", f"More than {MAX_MATRIX} raters. Use the list of pairs instead.", status_code=413
            )
        weights = chosen_weights(request, result)
        if weights != str(result.scope.weights) and not may_recompute(result.row):
            detail = "Too many pairs or categories. Request a report with these weights instead."
            raise RefusedWithCode("too_large", detail, status_code=413)
        return Response(serialized_matrix(result, weights))


def chosen_scale(request: Request) -> str:
    """Return the key of the requested scale; "" for the project's."""
    return choice_parameter(request, "scale", ["", *SCALES], default="")


def chosen_weights(request: Request, result: StoredResult) -> str:
    """Return the requested weights. Raises RefusedWithCode for weights that do not fit the question's categories."""
    own = str(result.scope.weights)
    weights = choice_parameter(request, "weights", Report.Weights.values, default=own)
    # The API accepts more than the pages offer: any weighting that fits the categories.
    is_possible = result_kind(result.scope.kind).has_counts and not result.scope.misfit(Weights(weights))
    if weights != own and not is_possible:
        raise RefusedWithCode("invalid_parameter", f"This question does not support {weights} weights.")
    return weights


def serialized_matrix(result: StoredResult, weights: str) -> Json:
    raters = result.raters
    places = {rater.id: place for place, rater in enumerate(raters)}
    shown = [{"id": r.id, "key": r.key, "kind": r.kind, "n_labels": r.n_labels} for r in raters]
    if not result_kind(result.scope.kind).has_counts:
        return {"weights": weights, "raters": shown, "kappa": None, **asdict(figures_by_pair(result))}
    empty: Sequence[None] = [None] * len(raters)
    kappa: list[list[float | None]] = [list(empty) for _ in raters]
    reasons: list[list[str | None]] = [["no_overlap"] * len(raters) for _ in raters]
    n = [[0] * len(raters) for _ in raters]
    for place in range(len(raters)):
        reasons[place][place] = None
    for pair in pairs_of(result, weights).between(list(places)):
        for a, b in ((pair.rater_a, pair.rater_b), (pair.rater_b, pair.rater_a)):
            kappa[places[a]][places[b]] = pair.kappa
            reasons[places[a]][places[b]] = pair.reason or None
            n[places[a]][places[b]] = pair.n
    found = {"kappa": kappa, "n": n, "reasons": reasons, "figures": None}
    return {"weights": weights, "raters": shown, **found}


class PairList(View):
    parameters = {"get": ["page", "page_size", "rater", "weights"]}

    @extend_schema(
        parameters=[
            *PAGE_PARAMETERS,
            WEIGHTS_PARAMETER,
            OpenApiParameter("rater", str, description="Only pairs of the rater with this exact key."),
        ],
        responses=paginated("Pair", PairSerializer),
        operation_id="pairs_list",
    )
    def get(self, request: Request, slug: str, pk: int, key: str) -> Response:
        """List all pairs with shared items, with their confusion matrices and statistics.

        With many categories, a page has fewer pairs than requested; `page_size` in the response says how many.
        """
        project = project_to(request.user, slug, Permission.SEE_LABELS)
        result = result_of(project, pk, key)
        weights = chosen_weights(request, result)
        rows = result.row.pairs.select_related("rater_a", "rater_b").order_by(*order_of_pairs())
        if "rater" in request.query_params:
            rater = request.query_params["rater"]
            rows = rows.filter(Q(rater_a__key=rater) | Q(rater_b__key=rater))
        most = max(1, MAX_COUNTS // max(1, n_cells(result.row)))
        return self.paged(rows, lambda pair: serialized_pair(_of(pair, result), weights), most=most)


class PairDetail(View):
    parameters = {"get": ["weights", "scale"]}

    @extend_schema(parameters=[WEIGHTS_PARAMETER, SCALE_PARAMETER], responses=PairDetailSerializer)
    def get(self, request: Request, slug: str, pk: int, key: str, a: int, b: int) -> Response:
        """Get all statistics of a pair by the IDs of its raters, in either order; `rater_a` is in the rows."""
        project = project_to(request.user, slug, Permission.SEE_LABELS)
        result = result_of(project, pk, key)
        weights = chosen_weights(request, result)
        pairs = result.row.pairs.select_related("rater_a", "rater_b")
        pair = get_object_or_404(pairs, Q(rater_a=a, rater_b=b) | Q(rater_a=b, rater_b=a))
        return Response(serialized_pair_detail(result, _of(pair, result), weights, chosen_scale(request)))


def _of(pair: PairAgreement, result: StoredResult) -> PairAgreement:
    """Return the pair with the lower ID first; setting the agreement avoids fetching it for each pair of a page."""
    pair.agreement = result.row
    return lower_first(pair)
