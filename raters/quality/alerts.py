"""Alerts of quality rules, and closing them."""

from typing import Any

from django.db import transaction
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from projects.events import record
from projects.models import Event, Project, Round
from raters.models import Assignment, QualityAlert, Rater
from raters.quality.pausing import resume_rater


def alerts_of(project: Project) -> QuerySet[QualityAlert]:
    """Return alerts, open ones first, then the latest."""
    rows = project.quality_alerts.select_related("rater", "closed_by")
    return rows.order_by("-closed_at", "-pk")


def raters_at_work(project: Project) -> QuerySet[Rater]:
    """Return people with work left in open rounds, open alerts, or a pause, annotated with n_left and n_alerts."""
    left = Q(assignments__state=Assignment.State.PENDING, assignments__round__state=Round.State.OPEN)
    open_alerts = QualityAlert.objects.filter(rater=OuterRef("pk"), closed_at=None).order_by()
    rows = Rater.objects.filter(project=project, kind=Rater.Kind.HUMAN, user__isnull=False)
    rows = rows.annotate(
        n_left=Count("assignments", filter=left),
        n_alerts=Coalesce(Subquery(open_alerts.values("rater").annotate(n=Count("pk")).values("n")), 0),
    )
    at_work = Q(n_left__gt=0) | Q(n_alerts__gt=0) | Q(paused_at__isnull=False)
    return rows.filter(at_work).select_related("paused_by").order_by("key")


@transaction.atomic
def close_alert(alert: QualityAlert, *, by: Any, note: str = "", resumes: bool = False) -> None:
    """Close an alert; does nothing if it is already closed. resumes: whether the rater is resumed, too."""
    now = QualityAlert.objects.select_for_update(no_key=True, of=("self",)).get(pk=alert.pk)
    if now.closed_at is None:
        now.closed_at, now.closed_by, now.note = timezone.now(), by, note
        now.save(update_fields=["closed_at", "closed_by", "note"])
        record(Event.Kind.QUALITY_ALERT_CLOSED, by=by, project=now.project, about=now.rater.key, note=note)
    if resumes:
        resume_rater(now.rater, by=by)
