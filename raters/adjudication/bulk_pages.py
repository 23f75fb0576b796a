"""The page for deciding many disputes by one rule, after a preview."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from core.numbers import whole_number
from core.refusals import Refused
from core.web.forms import require_form
from core.web.refusals import refusals_as_messages
from projects.access import project_to
from projects.models import Project
from projects.roles import Permission
from raters.access import log_label_access
from raters.adjudication import bulk
from raters.adjudication.disputes import DisputeFilter, rows
from raters.adjudication.pages import filter_of, wanted_of
from raters.adjudication.proposing import (
    MOST,
    BulkPreview,
    BulkRule,
    names_in,
    names_of_categories,
    preview_of,
    words_of,
)
from raters.figures.pending_figures import when_stored
from raters.voters import voters_of

# Disputes listed in the preview; the rest are only counted.
MAX_SHOWN = 50


@dataclass(frozen=True, slots=True)
class SubmittedRule:
    """A rule as submitted. rater: position among the project's raters, from 1. fault: an error message."""

    kind: str
    share: str
    rater: str
    rule: BulkRule
    fault: str = ""


@require_form
@when_stored
def adjudicate_bulk(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_to(request.user, slug, Permission.ADJUDICATE)
    wanted = wanted_of(request, project)
    names = names_in(project)
    if request.method == "POST":
        return _decide(request, project, wanted, names)
    log_label_access(request.user, project, "disputes")
    is_asked = "rule" in request.GET
    sent = submitted_rule(request.GET, names)
    return _page(request, project, wanted, names, sent, is_asked=is_asked and not sent.fault)


def submitted_rule(sent: QueryDict, names: dict[int, str]) -> SubmittedRule:
    kind, share, place = sent.get("rule", "majority"), sent.get("share", "50"), sent.get("rater", "")
    if kind == "rater":
        number = whole_number(place) or 0
        if not 1 <= number <= len(names):
            return SubmittedRule(kind, share, place, BulkRule(), "Choose a rater.")
        return SubmittedRule(kind, share, place, BulkRule(rater=list(names)[number - 1]))
    percent = whole_number(share)
    if percent is None or not 50 <= percent <= 99:
        return SubmittedRule("majority", share, place, BulkRule(), "The share must be from 50% to 99%.")
    return SubmittedRule("majority", share, place, BulkRule(share=percent / 100))


def _decide(
    request: HttpRequest, project: Project, wanted: DisputeFilter, names: dict[int, str]
) -> HttpResponse:
    sent = submitted_rule(request.POST, names)
    if sent.fault:
        return _page(request, project, wanted, names, sent, is_asked=False, status=400)
    try:
        done = bulk.decide_many(
            project, wanted, sent.rule, digest=request.POST.get("digest", ""), by=request.user
        )
    except bulk.DisputesNotListed as waiting:
        messages.warning(request, str(waiting))
        return redirect(_preview_address(project, wanted, sent))
    except Refused as refused:
        return _page(
            request,
            project,
            wanted,
            names,
            sent,
            is_asked=True,
            refusal=str(refused),
            status=refused.status_code,
        )
    messages.success(request, f"Resolved {done.n:,} dispute{'' if done.n == 1 else 's'}.")
    return redirect(reverse("adjudicate_bulk", args=[project.slug]) + filter_of(wanted))


def _preview_address(project: Project, wanted: DisputeFilter, sent: SubmittedRule) -> str:
    chosen = urlencode({"rule": sent.kind, "share": sent.share, "rater": sent.rater})
    filtered = filter_of(wanted)
    return f"{reverse('adjudicate_bulk', args=[project.slug])}{filtered}{'&' if filtered else '?'}{chosen}"


def _page(
    request: HttpRequest,
    project: Project,
    wanted: DisputeFilter,
    names: dict[int, str],
    sent: SubmittedRule,
    *,
    is_asked: bool,
    refusal: str = "",
    status: int = 200,
) -> HttpResponse:
    found = preview_of(project, wanted, sent.rule, by=request.user) if is_asked else None
    context = {
        "voters": voters_of(project),
        "project": project,
        "wanted": wanted,
        "filter": filter_of(wanted),
        "sent": sent,
        "refusal": refusal,
        "names": list(enumerate(names.values(), start=1)),
        "questions": list(project.questions.compared()),
        "rounds": list(project.rounds.all()),
        "lists": list(project.item_lists.all()),
        "preview": found,
        "most": MOST,
        "proposed": _proposed(project, found) if found else [],
        "left": _left(found) if found else [],
        "bulks": bulk.bulks_of(project),
    }
    return render(request, "adjudication/bulk.html", context, status=status)


def _proposed(project: Project, found: BulkPreview) -> list[dict[str, object]]:
    categories = names_of_categories(project)
    shown = found.proposals[:MAX_SHOWN]
    return [
        {
            "row": row,
            "value": words_of(each.value, categories),
            "before": "" if each.before.value is None else words_of(each.before.value, categories),
            "origin": each.before.origin.words,
        }
        for each, row in zip(shown, rows([each.dispute for each in shown]), strict=True)
    ]


def _left(found: BulkPreview) -> list[dict[str, object]]:
    shown = found.left[:MAX_SHOWN]
    return [
        {"row": row, "why": each.why}
        for each, row in zip(shown, rows([each.dispute for each in shown]), strict=True)
    ]


@require_POST
def undo_bulk(request: HttpRequest, slug: str, bulk_id: str) -> HttpResponse:
    project = project_to(request.user, slug, Permission.ADJUDICATE)
    if not any(each.bulk == bulk_id for each in bulk.bulks_of(project)):
        raise Http404("No such bulk decision.")
    with refusals_as_messages(request):
        undone = bulk.undo_many(project, bulk_id, by=request.user)
        left = f" {undone.n_left:,} changed since and stay as they are." if undone.n_left else ""
        messages.success(
            request, f"Undone: {undone.n:,} dispute{'' if undone.n == 1 else 's'} open again.{left}"
        )
    return redirect(reverse("adjudicate_bulk", args=[project.slug]))
