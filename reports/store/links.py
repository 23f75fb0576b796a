"""Links by which one report can be read without an account, until they expire or are revoked."""

import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from projects.events import record
from projects.members.invitations import hashed
from projects.models import Event
from reports.models import Report, ReportLink

MAX_DAYS = 365
# A token is 43 letters; nothing longer is looked up.
LONGEST = 100


class NoLink(Exception):
    """Unknown, expired or revoked: to the outside all the same."""


@dataclass(frozen=True, slots=True)
class ShownLink:
    """state: open, expired, or revoked."""

    link: ReportLink
    state: str

    @property
    def is_open(self) -> bool:
        return self.state == "open"


@transaction.atomic
def share(report: Report, *, by: Any, days: int = 7, note: str = "") -> tuple[ReportLink, str]:
    """A new link to the report, and its token, which is known only now."""
    token = secrets.token_urlsafe(32)
    link = report.links.create(
        token_hash=hashed(token), note=note, expires_at=timezone.now() + timedelta(days=days), made_by=by
    )
    record(
        Event.Kind.REPORT_SHARED,
        by=by,
        project=report.project,
        about=note,
        report=report.pk,
        link=link.pk,
        days=days,
    )
    return link, token


@transaction.atomic
def revoke(link: ReportLink, *, by: Any) -> None:
    """Nobody reads the report by it any more."""
    if ReportLink.objects.filter(pk=link.pk, withdrawn_at=None).update(withdrawn_at=Now()):
        project = link.report.project
        record(
            Event.Kind.REPORT_LINK_WITHDRAWN, by=by, project=project, about=link.note, report=link.report_id,
            link=link.pk,
        )  # fmt: skip


def find(token: str) -> ReportLink | None:
    """The link that works at this moment."""
    if len(token) > LONGEST:
        return None
    return (
        ReportLink.objects.select_related("report__project")
        .filter(token_hash=hashed(token), withdrawn_at=None, expires_at__gt=Now())
        .filter(report__project__deletion_due_at=None)
        .first()
    )


@transaction.atomic
def opened(token: str) -> Report:
    """The report behind the token; that it was opened is counted and in the log. Raises NoLink."""
    link = find(token)
    if link is None:
        raise NoLink
    ReportLink.objects.filter(pk=link.pk).update(n_opened=F("n_opened") + 1, opened_at=Now())
    report = link.report
    record(
        Event.Kind.REPORT_LINK_OPENED, project=report.project, about=link.note, report=report.pk, link=link.pk
    )
    return report


def shown_links(report: Report) -> list[ShownLink]:
    """Newest first."""
    return [ShownLink(link, state_of(link)) for link in report.links.select_related("made_by")]


def state_of(link: ReportLink) -> str:
    if link.withdrawn_at:
        return "revoked"
    return "open" if link.expires_at > timezone.now() else "expired"


def address_of(request: HttpRequest, token: str) -> str:
    return request.build_absolute_uri(reverse("shared_report", args=[token]))
