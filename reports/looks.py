"""Where everyone's labels, or figures of them, are shown: each look by one who also rates is logged.

The views that know which item or round is looked at log it themselves; all the others stand here by the name of their
route, pages and API alike.
"""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from raters.access import note_look
from raters.models import Rater

# In words, what was looked at.
LOOKS = {
    "project": "overview",
    "progress": "progress",
    "progress_items": "items behind a number",
    "agreement": "agreement",
    "report": "report",
    "report_question": "report of a question",
    "report_compare": "comparison",
    "two_reports": "two reports",
    "report_time": "report over time",
    "report_network": "network of raters",
    "report_raters": "raters of a report",
    "report_rater": "rater of a report",
    "report_rater_items": "items of a rater",
    "report_rater_picture": "rater of a report",
    "report_categories": "categories of a report",
    "pair": "pair",
    "trust": "reliability of a report",
    "verify": "reliability of a report",
    "report_share": "reliability of a report",
    "api_progress": "progress",
    "api_report": "report",
    "api_reports": "reports",
    "api_report_cancel": "report",
    "api_report_retry": "report",
    "api_report_verify": "reliability of a report",
    "api_statistics": "report of a question",
    "api_matrix": "matrix",
    "api_pairs": "pairs",
    "api_pair": "pair",
    "api_comparison": "comparison",
    "api_report_rater": "rater of a report",
    "api_two_reports": "two reports",
    "api_report_time": "report over time",
}


class NoteLooks:
    """Middleware: after an answer, so that nothing is logged of what was not found or refused."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        match = request.resolver_match
        if response.status_code == 200 and match is not None and match.url_name in LOOKS:
            # The API has told the request by then whose token it came with.
            _note(request, LOOKS[match.url_name], **match.kwargs)
        return response


def _note(request: HttpRequest, about: str, *, slug: str, **ids: int | str) -> None:
    rater = Rater.objects.filter(user=request.user.pk, project__slug=slug).select_related("project").first()
    if rater is not None:
        note_look(request.user, rater.project, about, **ids)
