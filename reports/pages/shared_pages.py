"""Reports opened by link: the same views, for a guest, under the URL of the link.

`opens` decides which pages a link can open. Their URLs are prefixed with that of the link; so are all URLs that such a
page generates, because the views run as if the program were mounted there. Links to other pages are removed from the
HTML: see `reports.pages.shared_html`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import Resolver404, ResolverMatch, resolve, reverse
from django.urls.base import get_script_prefix, set_script_prefix
from django.views.decorators.http import require_safe

from projects.access import Guest
from raters.lettered import Letters, lettered
from reports.access import OF_LABELS, WITHOUT_ITEMS
from reports.models import Report, ReportLink
from reports.pages.shared_html import LinkBounds, restrict_links
from reports.results.paper import table_of
from reports.results.prose import Style, prose_of
from reports.results.queries import agreements_of
from reports.results.round_wording import rounds_used
from reports.store import links
from reports.store.sides import reports_named

PAGES = frozenset(
    {
        *("report", "report_question", "report_raters", "report_categories", "report_network"),
        *("report_rater", "report_confidence", "pair"),
        *("report_time", "report_subgroups", "report_compare", "report_filter"),
    }
)
# Their address may ask for items that other reports have too.
LISTING = frozenset({"report_items", "report_filter"})
ITEMS = frozenset({"report_items", "report_rater_items", "pair_items"})
# Charts are drawn on their pages; these are their files.
EXPORTS = frozenset({"report_exports", "report_picture", "report_rater_picture", "pair_picture"})
NOT_FOUND = "This page does not exist, or the link has expired."


def opens(link: ReportLink, match: ResolverMatch) -> bool:
    """Return whether the link opens this page of its reports."""
    args, name = match.kwargs, match.url_name or ""
    if args.get("slug") != link.report.project.slug:
        return False
    if name == "two_reports":
        return len(link.report_ids) > 1
    if args.get("pk") not in link.report_ids:
        return False
    if name in ITEMS:
        return link.shows_items
    if name == "report_export":
        return args["name"] in files_of(link)
    return name in PAGES or (name in EXPORTS and link.allows_export)


def files_of(link: ReportLink) -> frozenset[str]:
    """Return the files that can be downloaded by the link."""
    if not link.allows_export:
        return frozenset()
    return WITHOUT_ITEMS | OF_LABELS if link.shows_items and link.letters is None else WITHOUT_ITEMS


@login_not_required
@require_safe
def shared(request: HttpRequest, token: str) -> HttpResponseBase:
    """Show what the link opens first: one page of figures, or the report."""
    link = links.find(token)
    if link is None:
        raise Http404(NOT_FOUND)
    if link.opens_pages:
        return _private(redirect(f"{request.path}{_address(link)}"))
    links.opened(token)
    return _private(_summary(request, link))


def _address(link: ReportLink) -> str:
    """Return the report's own URL, to be appended to that of the link."""
    slug, newest = link.report.project.slug, link.report_ids[0]
    return reverse("report", args=[slug, newest]).removeprefix(get_script_prefix())


def _summary(request: HttpRequest, link: ReportLink) -> HttpResponse:
    """Show the figures without names: letters replace them, for example in the raters a report is limited to."""
    newest = link.report_ids[0]
    with lettered(links.any_letters(link.report)):
        report = Report.objects.select_related("project").get(pk=newest)
        context = {
            "report": report,
            "rounds": rounds_used(report, agreements_of(report)),
            "prose": prose_of(report, Style.PLAIN),
            "table": table_of(report, Style.PLAIN),
        }
        return render(request, "reports/shared.html", context)


@login_not_required
@require_safe
def shared_page(request: HttpRequest, token: str, path: str) -> HttpResponseBase:
    """Show a page of the report, read-only, as the link allows."""
    link = links.find(token)
    if link is None or not link.opens_pages:
        raise Http404(NOT_FOUND)
    try:
        match = resolve(f"/{path}")
    except Resolver404:
        raise Http404(NOT_FOUND) from None
    if not opens(link, match):
        raise Http404(NOT_FOUND)
    if match.url_name in LISTING and not reports_named(request.GET) <= set(link.report_ids):
        raise Http404(NOT_FOUND)
    # Before letters are in force, because what is written with them in force would be wrong.
    link = links.visited(token)
    letters = links.letters_of(link)
    outside = get_script_prefix()
    root = f"{outside}r/{token}/"
    with _as_guest(request, link, match), lettered(letters), _url_prefix(root):
        response = cast(HttpResponseBase, match.func(request, *match.args, **match.kwargs))
    if isinstance(response, StreamingHttpResponse):
        response.streaming_content = with_letters(iter(response), letters)
    elif isinstance(response, HttpResponse) and response.get("Content-Type", "").startswith("text/html"):
        bounds = LinkBounds(root, outside, lambda found: opens(link, found), link.shows_items)
        restrict_links(bounds, response, at=request.path)
    return _private(response)


@contextmanager
def _as_guest(request: HttpRequest, link: ReportLink, match: ResolverMatch) -> Iterator[None]:
    """Make the user a guest, with or without an account, who sees what the link shows and nothing of their own."""
    user, outer = request.user, request.resolver_match
    guest = Guest(
        link.report.project,
        opens_items=link.shows_items,
        files=files_of(link),
        reports=frozenset(link.report_ids),
    )
    request.user = cast(AnonymousUser, guest)
    request.resolver_match = match
    try:
        yield
    finally:
        request.user, request.resolver_match = user, outer


@contextmanager
def _url_prefix(root: str) -> Iterator[None]:
    """Prefix URLs with that of the link."""
    before = get_script_prefix()
    set_script_prefix(root)
    try:
        yield
    finally:
        set_script_prefix(before)


def with_letters(pieces: Iterator[bytes], letters: Letters | None) -> Iterator[bytes]:
    """Apply letters to each piece of a file that is streamed after the view has returned."""
    while True:
        with lettered(letters):
            piece = next(pieces, None)
        if piece is None:
            return
        yield piece


def _private(response: HttpResponseBase) -> HttpResponseBase:
    response["Referrer-Policy"] = "no-referrer"
    response["X-Robots-Tag"] = "noindex, nofollow"
    response["Cache-Control"] = "no-store"
    return response
