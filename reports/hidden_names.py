"""Hides rater names from adjudicators who must not see them, on pages and in the API, with letters or not at all.

Report pages are shown with letters, as through a link; the only thing they can submit is a list of items. Pages that
name raters and cannot be shown with letters are refused. All other pages leave names out themselves;
`tests/faults/test_hidden_names.py` opens every route.
"""

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.urls import ResolverMatch
from django.urls.base import get_script_prefix
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from projects.models import Project
from raters.items.item_letters import hidden_letters
from raters.lettered import Letters, lettered
from reports.access import WITHOUT_ITEMS
from reports.pages.shared_html import LinkBounds, restrict_links
from reports.pages.shared_pages import EXPORTS, ITEMS, PAGES, with_letters

LETTERED = (
    PAGES
    | ITEMS
    | EXPORTS
    | {"pair_item", "report_export"}
    | {"api_report", "api_exports", "api_export", "api_statistics", "api_matrix", "api_pairs", "api_pair"}
    | {"api_report_rater", "api_report_confidence"}
    | {"report_filter", "report_items_list", "two_reports", "api_two_reports"}
)
# Submitted with letters in force: selects items by letters, and stores nothing about raters.
SENT = frozenset({"report_items_list"})
# Would store letters in place of raters.
UNSENT = frozenset({"report_filter"})
WITHHELD = frozenset(
    {
        *("report_compare", "report_time", "report_subgroups", "report_subgroups_file"),
        *("report_models", "report_models_file", "api_report_models"),
        *("report_decisions", "report_decisions_file", "report_decisions_round"),
        *("api_report_decisions", "api_report_decided_items"),
        *("report_sample_file", "api_report_sampled_items"),
        *("report_effect", "report_finding_note"),
        *("api_comparison", "api_report_time", "api_report_subgroups"),
        *("api_report_effect", "api_report_findings", "api_report_finding_notes"),
        *("export_labels", "labels_file", "api_label_exports", "api_label_export", "api_labels"),
        *("raters", "api_raters", "api_report_changes"),
    }
)
FILES = frozenset({"report_export", "api_export"})
SAFE = frozenset({"GET", "HEAD"})


class NamesHidden(PermissionDenied):
    def __init__(self) -> None:
        super().__init__(
            "Raters’ names are hidden from adjudicators in this project, and this page would show them. Ask a project "
            "lead for what you need."
        )


def is_withheld(match: ResolverMatch) -> bool:
    """Return whether a route would reveal names to someone who must not know them."""
    return match.url_name in WITHHELD or (
        match.url_name in FILES and match.kwargs.get("name") not in WITHOUT_ITEMS
    )


def letters_for(request: HttpRequest | Request) -> Letters | None:
    """Return the letters to be in force for the response, if any. Raises NamesHidden."""
    match = request.resolver_match
    if match is None or not request.user.is_authenticated or "slug" not in match.kwargs:
        return None
    if match.url_name not in LETTERED | WITHHELD:
        return None
    project = Project.objects.filter(slug=match.kwargs["slug"]).first()
    letters = None if project is None else hidden_letters(request.user, project)
    if letters is None:
        return None
    is_read = request.method in SAFE
    if is_withheld(match) or (match.url_name in UNSENT and not is_read):
        raise NamesHidden
    return letters if is_read or match.url_name in SENT else None


class HiddenNamesMiddleware:
    """Middleware that runs page and API views, and streaming of their files, with letters in force."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        with ExitStack() as stack:
            request.under_letters = stack  # type: ignore[attr-defined]
            response = self.get_response(request)
        letters: Letters | None = getattr(request, "letters", None)
        if letters is None:
            return response
        response["Cache-Control"] = "no-store"
        if isinstance(response, StreamingHttpResponse):
            response.streaming_content = with_letters(iter(response), letters)
        elif isinstance(response, HttpResponse) and response.get("Content-Type", "").startswith("text/html"):
            root = get_script_prefix()
            bounds = LinkBounds(
                root,
                root,
                lambda found: not is_withheld(found),
                shows_items=True,
                in_main=True,
                sends=lambda found: found.url_name in SENT,
            )
            restrict_links(bounds, response, at=request.path)
        return response

    def process_view(self, request: HttpRequest, view: Callable[..., Any], *args: Any) -> None:
        # The user of an API request is known only once its view has read the token.
        if not hasattr(view, "cls"):
            activate_letters(request, letters_for(request))


class LettersPermission(BasePermission):
    """The last permission of every API view, after which the view runs with letters in force."""

    def has_permission(self, request: Request, view: Any) -> bool:
        activate_letters(request._request, letters_for(request))
        return True


def activate_letters(request: HttpRequest, letters: Letters | None) -> None:
    """Put letters in force until the middleware has its response."""
    if letters is not None:
        request.letters = letters  # type: ignore[attr-defined]
        request.under_letters.enter_context(lettered(letters))  # type: ignore[attr-defined]
