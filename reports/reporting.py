"""What the pages of raters use from statistics and reports; see raters.reporting."""

from collections.abc import Collection, Sequence
from datetime import UTC, datetime

import numpy as np
from django.db.models import Q, Subquery
from django.urls import reverse
from numpy.typing import NDArray

from projects.models import Project, Question, Round
from raters.models import Rater
from raters.reporting import Estimated, Links, PlainFigure, ReportsSince, RoundAgreementChange
from reports.agreement.consensus.dawid_skene import dawid_skene_of_labels
from reports.agreement.consensus.item_labels import ItemLabels
from reports.agreement.consensus.vote_weights import vote_weights as weights_of_votes
from reports.agreement.pairs.cohen import cohen_kappa
from reports.agreement.pairs.estimates import reasons, wilson_estimates
from reports.agreement.planning.checked import critical_z
from reports.agreement.planning.margins import Margins
from reports.agreement.results import REASONS, Estimates, PairKappas, Reason
from reports.agreement.weights import Weights, weighting
from reports.analysis.consensus import MAX_LABEL_CELLS
from reports.analysis.reasons import words_of
from reports.models import QuestionAgreement, Report
from reports.pages.comparing.rounds_overview import rounds_overview
from reports.results import effects as results_of_changes
from reports.results.queries import NOT_LIMITED
from reports.store.requests import words_of_items
from reports.store.stored_result import StoredResult

CONFIDENCE = 0.95
# The most reports searched for a round.
MOST_REPORTS = 200


def half_width_of_one(*, kappa: float, share: float) -> float:
    """Return z tau, where tau is sqrt(n) times the large-sample standard error of kappa.

    Source: Fleiss, Cohen & Everitt 1969, Psychological Bulletin 72, 323-327.
    """
    shares = np.array([share, 1 - share])
    margins = Margins(shares, shares, weighting(Weights.UNWEIGHTED, n_categories=2))
    return critical_z(CONFIDENCE, n_sides=2) * margins.tau(kappa)


def shares_alike(same: Sequence[int], shared: Sequence[int]) -> list[PlainFigure]:
    n = np.array(shared, dtype=np.float64)
    undefined = reasons(n.shape, (n == 0, Reason.NO_OVERLAP))
    found = wilson_estimates(np.array(same, dtype=np.float64), n, undefined=undefined, confidence=CONFIDENCE)
    return _figures(found, found.value)


def kappas(tables: NDArray[np.int64]) -> list[PlainFigure]:
    found = cohen_kappa(tables, weighting(Weights.UNWEIGHTED, n_categories=tables.shape[1]))
    return _figures(found, found.kappa)


def posteriors(labels: NDArray[np.int64], shape: tuple[int, int, int]) -> NDArray[np.float64] | None:
    if _is_too_large(labels, shape):
        return None
    found = dawid_skene_of_labels(_item_labels(labels, shape))
    return None if found.reason else found.posterior


def error_rates(labels: NDArray[np.int64], shape: tuple[int, int, int]) -> Estimated:
    if _is_too_large(labels, shape):
        return Reason.TOO_LARGE
    found = dawid_skene_of_labels(_item_labels(labels, shape))
    return found.reason if found.reason else (found.prevalence, found.confusion)


def vote_weights(labels: NDArray[np.int64], shape: tuple[int, int, int]) -> Estimated:
    return (weights_of_votes(_item_labels(labels, shape)),) if len(labels) else Reason.NO_ITEMS


def _is_too_large(labels: NDArray[np.int64], shape: tuple[int, int, int]) -> bool:
    return len(labels) * shape[2] > MAX_LABEL_CELLS


def _item_labels(labels: NDArray[np.int64], shape: tuple[int, int, int]) -> ItemLabels:
    items, raters, codes = labels.T
    return ItemLabels(items, raters, codes, *shape)


def _figures(found: Estimates | PairKappas, values: np.ndarray) -> list[PlainFigure]:
    return [
        PlainFigure(
            _or_none(value), _or_none(low), _or_none(high), REASONS[reason], words_of(REASONS[reason]).phrase
        )
        for value, low, high, reason in zip(values, found.ci_low, found.ci_high, found.reason, strict=True)
    ]


def _or_none(number: float) -> float | None:
    return None if np.isnan(number) else float(number)


def last_asked_at(project: Project) -> datetime | None:
    return NOT_LIMITED.filter(project=project).order_by("-pk").values_list("asked_at", flat=True).first()


def names_round(project: Project, key: str) -> bool:
    if Report.objects.filter(project=project, scope__rounds__contains=[key]).exists():
        return True
    return QuestionAgreement.objects.filter(report__project=project, lead__key=key).exists()


def pages_of_raters(project: Project, raters: Collection[int]) -> dict[int, Links]:
    newest = Report.objects.filter(project=project, state=Report.State.DONE).order_by("-id").values("id")[:1]
    rows = QuestionAgreement.objects.filter(report=Subquery(newest))
    found: dict[int, Links] = {}
    order = rows.order_by("question__position", "question_id")
    for report, question, key, reported in order.values_list(
        "report_id", "question_id", "question__key", "raters"
    ):
        for pk in {rater["id"] for rater in reported}.intersection(raters):
            address = reverse("report_rater", args=[project.slug, report, question, pk])
            found.setdefault(pk, []).append((key, address))
    return found


def reports_since(project: Project, since: datetime, questions: Collection[int]) -> ReportsSince:
    """Return reports since a time; a link that was revoked before it was opened shared nothing."""
    is_active = Q(state__in=[Report.State.QUEUED, Report.State.RUNNING])
    found = Report.objects.filter(is_active | Q(finished_at__gte=since), project=project)
    is_shared = Q(links__isnull=False) & (Q(links__withdrawn_at=None) | Q(links__n_opened__gt=0))
    shared = found.filter(is_shared, questions__question__in=questions).order_by("pk").distinct()
    return ReportsSince(found.count(), list(shared.values_list("pk", flat=True)))


def shared_report(question: Question) -> int | None:
    """Return the first report on the question that anyone could read by a link."""
    ever = datetime.min.replace(tzinfo=UTC)
    return next(iter(reports_since(question.project, ever, [question.pk]).shared), None)


effects = results_of_changes.effects


def changes_in_round(round_: Round) -> list[RoundAgreementChange]:
    rows = QuestionAgreement.objects.filter(
        report__project=round_.project_id,
        report__state=Report.State.DONE,
        report__scope__only__words=words_of_items(round_.key),
        lead__id=round_.pk,
    )
    newest: dict[int, QuestionAgreement] = {}
    for row in rows.select_related("report", "question").order_by("-report_id")[:MOST_REPORTS]:
        newest.setdefault(row.question_id, row)
    found = []
    for row in sorted(newest.values(), key=lambda each: (each.question.position, each.question_id)):
        overview = rounds_overview(StoredResult.of(row))
        if overview is not None:
            address = reverse("report_time", args=[round_.project.slug, row.report_id, row.question_id])
            found.append(RoundAgreementChange(row.question.key, overview.now, overview.change, address))
    return found


def own_pages(round_: Round, rater: Rater) -> Links:
    project = round_.project
    if not project.shows_own_figures:
        return []
    rows = QuestionAgreement.objects.filter(
        report__project=project, report__state=Report.State.DONE, raters__contains=[{"id": rater.pk}]
    )
    newest = rows.order_by("-report_id").values_list(
        "report_id", "question_id", "question__key", "report__codebook__rounds"
    )
    found: dict[int, tuple[str, str]] = {}
    for report, question, key, rounds in newest[:MOST_REPORTS]:
        if rounds is None or round_.pk in [each["id"] for each in rounds]:
            address = reverse("report_rater", args=[project.slug, report, question, rater.pk])
            found.setdefault(question, (key, address))
    return [found[question] for question in sorted(found)]
