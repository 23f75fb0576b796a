"""Where the pages of raters are: in the newest report that speaks of them."""

from django.db.models import Subquery
from django.urls import reverse

from projects.models import Batch, Project
from raters.models import Rater
from reports.models import QuestionAgreement, Report

# Reports that are looked through for a round.
MOST_REPORTS = 200
Links = list[tuple[str, str]]


def pages_of_raters(project: Project) -> dict[int, Links]:
    """By rater: key and address for each question of the newest finished report."""
    newest = Report.objects.filter(project=project, state=Report.State.DONE).order_by("-id").values("id")[:1]
    rows = QuestionAgreement.objects.filter(report=Subquery(newest))
    found: dict[int, Links] = {}
    order = rows.order_by("question__position", "question_id")
    for report, question, key, raters in order.values_list(
        "report_id", "question_id", "question__key", "raters"
    ):
        for rater in raters:
            address = reverse("report_rater", args=[project.slug, report, question, rater["id"]])
            found.setdefault(rater["id"], []).append((key, address))
    return found


def own_pages(batch: Batch, rater: Rater) -> Links:
    """The rater's own page for each question, in the newest report with labels of the round; [] where not allowed."""
    project = batch.project
    if not project.shows_own_figures:
        return []
    rows = QuestionAgreement.objects.filter(
        report__project=project, report__state=Report.State.DONE, raters__contains=[{"id": rater.pk}]
    )
    newest = rows.order_by("-report_id").values_list(
        "report_id", "question_id", "question__key", "report__codebook__batches"
    )
    found: dict[int, tuple[str, str]] = {}
    for report, question, key, batches in newest[:MOST_REPORTS]:
        if batches is None or batch.pk in [each["id"] for each in batches]:
            address = reverse("report_rater", args=[project.slug, report, question, rater.pk])
            found.setdefault(question, (key, address))
    return [found[question] for question in sorted(found)]
