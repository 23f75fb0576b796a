"""The rule about looking at the labels of others, for pages and API.

People who label in a round are blind: until it is closed, they see nothing of others' labels on its items, whatever
their role. A request that would show these labels is refused; for other people who also rate, it is logged. What each
route shows is listed in `reports/label_access_routes.py`; unlisted routes count as showing all labels of their project.
"""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import ResolverMatch
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from raters.access import log_label_access, refuse_blind_to
from raters.models import Rater
from reports.label_access_routes import (
    BY_ITEM,
    LABEL_ACCESS,
    LEFT_OUT,
    NO_LABELS,
    LabelAccess,
)
from reports.label_access_scopes import all_labels, of_reports

SHOWN_IN_PART = NO_LABELS | BY_ITEM | LEFT_OUT.keys()
UNKNOWN = LabelAccess("labels", all_labels)


def refuse_while_blind(request: HttpRequest | Request) -> None:
    """Refuse a request for labels to which the user is blind. Raises LabelsHidden."""
    match = request.resolver_match
    if match is None or match.url_name in SHOWN_IN_PART or not request.user.is_authenticated:
        return
    look = LABEL_ACCESS.get(match.url_name or "", UNKNOWN)
    if look is UNKNOWN and "slug" not in match.kwargs:
        return
    seen = look.scope(request, match.kwargs)
    if seen is not None:
        refuse_blind_to(request.user, seen.project, seen.rounds, about=look.about)


class LabelAccessMiddleware:
    """Middleware for pages: refuses before the view, and logs after it if the response was successful."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        match = request.resolver_match
        if response.status_code == 200 and match is not None and (about := _noted(match.url_name)):
            # By then, the API has set the user of the token on the request.
            _note(request, about, **_ids(match))
        return response

    def process_view(self, request: HttpRequest, view: Callable[..., Any], *args: Any) -> None:
        # The user of an API request is known only once its view has read the token: NotLabelingPermission refuses
        # there.
        if not hasattr(view, "cls"):
            refuse_while_blind(request)


class NotLabelingPermission(BasePermission):
    """A permission of every API view."""

    def has_permission(self, request: Request, view: Any) -> bool:
        refuse_while_blind(request)
        return True


def _noted(name: str | None) -> str:
    look = LABEL_ACCESS.get(name or "")
    return look.about if look and look.is_noted else LEFT_OUT.get(name or "", "")


def _ids(match: ResolverMatch) -> dict[str, Any]:
    """Return the IDs in the URL, with that of the report under `report`."""
    ids = dict(match.kwargs)
    if "pk" in ids and LABEL_ACCESS.get(match.url_name or "", UNKNOWN).scope is of_reports:
        ids["report"] = ids.pop("pk")
    return ids


def _note(request: HttpRequest, about: str, *, slug: str, **ids: int | str) -> None:
    rater = Rater.objects.filter(user=request.user.pk, project__slug=slug).select_related("project").first()
    if rater is not None:
        log_label_access(request.user, rater.project, about, **ids)
