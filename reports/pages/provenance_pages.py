"""Verification of a report, and its links for people without an account."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from core.web.form_pages import require_form_of_page_above
from projects.access import permissions_in, project_to
from projects.models import Project
from projects.roles import Permission
from raters.access import rounds_to_be_blind_in
from reports.access import finished_report, link_of
from reports.models import Report, ReportLink
from reports.pages.previous_report import earlier_of
from reports.results.queries import agreements_of
from reports.results.report_changes import changes_since
from reports.results.round_wording import rounds_used
from reports.store import links, verification


class LinkForm(forms.Form):
    opens = forms.ChoiceField(
        label="Opens", choices=ReportLink.Opens.choices, initial=ReportLink.Opens.REPORT, required=False
    )
    names = forms.ChoiceField(
        label="Raters",
        choices=[("letters", "Letters (A, B, C …)"), ("names", "Names")],
        initial="letters",
        required=False,
    )
    shows_items = forms.BooleanField(label="Items can be opened", required=False)
    allows_export = forms.BooleanField(label="Files can be downloaded", required=False)
    follows = forms.BooleanField(label="Opens newer reports too", required=False)
    days = forms.IntegerField(label="Expires after (days)", min_value=1, max_value=links.MAX_DAYS, initial=7)
    note = forms.CharField(label="Recipient", required=False, max_length=200)

    @property
    def choices(self) -> links.LinkChoices:
        """The choices in the form; missing ones show less."""
        found = self.cleaned_data
        return links.LinkChoices(
            opens=found.get("opens") or ReportLink.Opens.SUMMARY,
            names=found.get("names") == "names",
            shows_items=found["shows_items"],
            allows_export=found["allows_export"],
            follows=found["follows"],
        )

    def clean(self) -> None:
        for name in self.choices.refused if "opens" in self.cleaned_data else ():
            self.add_error(name, "Only for the whole report. Change what the link opens, or this choice.")


# Carries the token from the form to the page that shows the link, only in the browser of the person who created it.
COOKIE = "report_link"
SECONDS = 60


@require_safe
def provenance(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    project = project_to(request.user, slug, Permission.SEE_LABELS)
    report = finished_report(project, pk)
    token = request.get_signed_cookie(COOKIE, default="", salt=_salt(report), max_age=SECONDS)
    if not token:
        return _page(request, project, report)
    response = _page(request, project, report, address=links.address_of(request, token))
    response.delete_cookie(COOKIE, path=request.path)
    return response


def _salt(report: Report) -> str:
    return f"{COOKIE}:{report.pk}"


@require_form_of_page_above
def verify(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Verify a report for the user; the result is not stored."""
    project = project_to(request.user, slug, Permission.SEE_LABELS)
    report = finished_report(project, pk)
    try:
        return _page(request, project, report, verified=verification.verified(report))
    except verification.TooLarge as refused:
        messages.warning(request, str(refused))
        return redirect("provenance", slug, pk)


@require_form_of_page_above
def share(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Create a link. The next page shows it once, as the token is not stored; a reload creates no second link."""
    project = project_to(request.user, slug, Permission.SHARE_REPORTS)
    report = finished_report(project, pk)
    form = LinkForm(request.POST)
    if not form.is_valid():
        return _page(request, project, report, form=form, status=400)
    days, note = form.cleaned_data["days"], form.cleaned_data["note"]
    _, token = links.share(report, by=request.user, days=days, note=note, choices=form.choices)
    response = redirect("provenance", slug, pk)
    response.set_signed_cookie(
        COOKIE,
        token,
        salt=_salt(report),
        max_age=SECONDS,
        path=response["Location"],
        secure=request.is_secure(),
        httponly=True,
        samesite="Strict",
    )
    return response


@require_POST
def revoke_link(request: HttpRequest, slug: str, pk: int, link: int) -> HttpResponse:
    project = project_to(request.user, slug, Permission.SHARE_REPORTS)
    links.revoke(link_of(project, pk, link), by=request.user)
    messages.success(request, "Link revoked. It no longer opens the report.")
    return redirect("provenance", slug, pk)


def _page(
    request: HttpRequest, project: Project, report: Report, *, status: int = 200, **more: Any
) -> HttpResponse:
    agreements = agreements_of(report)
    context = {
        "verified": None,
        "address": "",
        "form": LinkForm(),
        "project": project,
        "report": report,
        "agreements": agreements,
        "rounds": rounds_used(report, agreements),
        "changes": changes_since(report),
        "earlier": earlier_of(report, agreements),
        "links": links.link_rows(report),
        "may_see_history": not rounds_to_be_blind_in(request.user, project),
        "may_share": Permission.SHARE_REPORTS in permissions_in(request.user, project),
        **more,
    }
    return render(request, "reports/provenance.html", context, status=status)
