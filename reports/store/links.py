"""Links that open a report without an account until they expire or are revoked."""

import secrets
from collections.abc import Collection
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
from raters.lettered import Letters
from raters.models import Rater
from reports.models import Report, ReportLink

MAX_DAYS = 365
# A token has 43 characters; anything longer than this is not looked up.
LONGEST = 100
# Page views within this time are one visit, logged and counted once.
VISIT = timedelta(minutes=30)
Opens = ReportLink.Opens


class InvalidLink(Exception):
    """An unknown, expired, or revoked link; a visitor cannot tell which."""


@dataclass(frozen=True, slots=True)
class LinkRow:
    """state: open, expired, or revoked."""

    link: ReportLink
    state: str

    @property
    def is_open(self) -> bool:
        return self.state == "open"

    @property
    def shows_names(self) -> bool:
        return self.link.opens_pages and self.link.letters is None

    @property
    def shows(self) -> str:
        return choices_of(self.link).words


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkChoices:
    """What a link opens, as stored in `ReportLink`. names: whether raters are shown by name rather than by letter."""

    opens: str = Opens.SUMMARY
    names: bool = False
    shows_items: bool = False
    allows_export: bool = False
    follows: bool = False

    @property
    def refused(self) -> list[str]:
        """Return what was chosen that the page of main figures cannot follow, to share neither less nor more."""
        if self.opens == Opens.REPORT:
            return []
        return [name for name in ("names", "shows_items", "allows_export") if getattr(self, name)]

    @property
    def words(self) -> str:
        newer = ["newer reports"] if self.follows else []
        if self.opens == Opens.SUMMARY:
            return ", ".join(["main figures", *newer])
        parts = [
            "whole report",
            "names of raters" if self.names else "letters for raters",
            *(["items"] if self.shows_items else []),
            *(["files"] if self.allows_export else []),
            *newer,
        ]
        return ", ".join(parts)


SUMMARY = LinkChoices()


def choices_of(link: ReportLink) -> LinkChoices:
    return LinkChoices(
        opens=link.opens,
        names=link.letters is None,
        shows_items=link.shows_items,
        allows_export=link.allows_export,
        follows=link.follows,
    )


@transaction.atomic
def share(
    report: Report, *, by: Any, days: int = 7, note: str = "", choices: LinkChoices = SUMMARY
) -> tuple[ReportLink, str]:
    """Create a link to the report and return it with its token, which cannot be recovered later."""
    token = secrets.token_urlsafe(32)
    opens_pages = choices.opens == Opens.REPORT
    link = report.links.create(
        token_hash=hashed(token),
        note=note,
        expires_at=timezone.now() + timedelta(days=days),
        made_by=by,
        opens=choices.opens,
        letters=_drawn(report) if opens_pages and not choices.names else None,
        shows_items=opens_pages and choices.shows_items,
        allows_export=opens_pages and choices.allows_export,
        follows=choices.follows,
    )
    record(
        Event.Kind.REPORT_SHARED,
        by=by,
        project=report.project,
        about=note,
        report=report.pk,
        link=link.pk,
        days=days,
        opens=choices.words,
    )
    return link, token


def _drawn(report: Report, *, but: Collection[int] = ()) -> list[int]:
    """Return the raters of the project in a random order that cannot be reproduced."""
    ids = list(report.project.raters.exclude(pk__in=but).values_list("pk", flat=True))
    secrets.SystemRandom().shuffle(ids)
    return ids


def letters_of(link: ReportLink) -> Letters | None:
    """Return the letters of the raters; None if names are shown."""
    return None if link.letters is None else _letters(link.letters)


def any_letters(report: Report) -> Letters:
    """Draw letters once, for a page that should not need any."""
    return _letters(_drawn(report))


def _letters(ids: list[int]) -> Letters:
    keys = dict(Rater.objects.filter(pk__in=ids).values_list("pk", "key"))
    return Letters(tuple(ids), tuple(keys.get(pk, "") for pk in ids))


@transaction.atomic
def revoke(link: ReportLink, *, by: Any) -> None:
    """Revoke the link and log it."""
    if ReportLink.objects.filter(pk=link.pk, withdrawn_at=None).update(withdrawn_at=Now()):
        project = link.report.project
        record(
            Event.Kind.REPORT_LINK_WITHDRAWN, by=by, project=project, about=link.note, report=link.report_id,
            link=link.pk,
        )  # fmt: skip


def find(token: str) -> ReportLink | None:
    """Return the link of the token if it currently works."""
    if len(token) > LONGEST:
        return None
    return (
        ReportLink.objects.select_related("report__project")
        .filter(token_hash=hashed(token), withdrawn_at=None, expires_at__gt=Now())
        .filter(report__project__deletion_due_at=None)
        .first()
    )


@transaction.atomic
def opened(token: str) -> None:
    """Count and log that the link was opened. Raises InvalidLink."""
    link = find(token)
    if link is None:
        raise InvalidLink
    _count(link)


@transaction.atomic
def visited(token: str) -> ReportLink:
    """Return the link of the token, and count and log the visit once for its pages. Raises InvalidLink."""
    link = find(token)
    if link is None:
        raise InvalidLink
    if link.opened_at is None or link.opened_at < timezone.now() - VISIT:
        _count(link)
    if len(link.report_ids) > 1 and link.letters is not None:
        _draw_for_newer(link)
    return link


def _draw_for_newer(link: ReportLink) -> None:
    """Draw letters for raters who joined after the link was created; letters drawn earlier stay."""
    if not _drawn(link.report, but=link.letters or ()):
        return
    kept = ReportLink.objects.select_for_update(no_key=True).get(pk=link.pk)
    drawn: list[int] = kept.letters or []
    link.letters = [*drawn, *_drawn(link.report, but=drawn)]
    link.save(update_fields=["letters"])


def _count(link: ReportLink) -> None:
    ReportLink.objects.filter(pk=link.pk).update(n_opened=F("n_opened") + 1, opened_at=Now())
    report = link.report
    record(
        Event.Kind.REPORT_LINK_OPENED, project=report.project, about=link.note, report=report.pk, link=link.pk
    )


def link_rows(report: Report) -> list[LinkRow]:
    """Return the links of the report, newest first."""
    return [LinkRow(link, state_of(link)) for link in report.links.select_related("made_by")]


def state_of(link: ReportLink) -> str:
    if link.withdrawn_at:
        return "revoked"
    return "open" if link.expires_at > timezone.now() else "expired"


def address_of(request: HttpRequest, token: str) -> str:
    return request.build_absolute_uri(reverse("shared_report", args=[token]))
