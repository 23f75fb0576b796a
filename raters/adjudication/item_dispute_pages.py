"""The page for deciding all questions of an item in one form."""

from typing import Any, TypedDict

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from core.numbers import whole_number
from core.refusals import Refused, RefusedWithCode
from core.web.forms import require_form
from core.web.refusals import refusals_as_messages
from projects.access import project_to
from projects.codebook.rendered_guidelines import rendered_guidelines
from projects.models import Item, Project
from projects.roles import Permission
from raters.access import log_label_access, refuse_blind
from raters.adjudication import queue
from raters.adjudication.cases import Case
from raters.adjudication.disputes import DisputeFilter
from raters.adjudication.item_disputes import (
    ItemDisputes,
    ItemQuestion,
    SubmittedDecision,
    UndoableDecision,
    item_disputes,
    save_all,
    undo_all,
)
from raters.adjudication.pages import filter_of, next_dependent_question, wanted_of
from raters.adjudication.verdict_form import submitted_decision
from raters.figures.pending_figures import when_stored
from raters.labeling.submitted_answers import submitted_revision

# Session key of the last save, for undo.
LAST = "last_decisions"


class LastSavedDecisions(TypedDict):
    """In the session. item: an ID."""

    item: int
    done: list[UndoableDecision]


class QuestionDecisionForm(TypedDict):
    """The form of one question, as the template fills it in. chosen: the decision that is checked, if any."""

    of: ItemQuestion
    case: Case
    chosen: str
    other_categories: list[str]
    other_number: str
    reason: str
    reasons: list[str]
    note: str
    is_for_guidelines: bool


@require_safe
@when_stored
def next_item(request: HttpRequest, slug: str) -> HttpResponse:
    """Redirect to the most disputed item with something to decide."""
    project = project_to(request.user, slug, Permission.ADJUDICATE)
    return _go_on(project, wanted_of(request, project), request, None)


def _go_on(project: Project, wanted: DisputeFilter, request: HttpRequest, now: Item | None) -> HttpResponse:
    waiting = queue.queue_of(project, wanted, by=request.user)
    following = _following(waiting, now)
    if following is None:
        messages.info(request, queue.at_the_end(waiting.n_open))
        return redirect(reverse("adjudicate", args=[project.slug]) + filter_of(wanted))
    return redirect(_address(project, following, wanted))


def _address(project: Project, item: int, wanted: DisputeFilter) -> str:
    return reverse("adjudicate_whole", args=[project.slug, item]) + filter_of(wanted)


def _following(found: queue.DisputeQueue, now: Item | None) -> int | None:
    """Return the next item in the queue; after the last, the first that was skipped."""
    items = list(dict.fromkeys(item for item, _ in found.places))
    start = items.index(now.pk) + 1 if now is not None and now.pk in items else 0
    still = {item for item, _ in found.open}
    in_order = [*items[start:], *items[:start]]
    return next((pk for pk in in_order if pk in still and (now is None or pk != now.pk)), None)


@require_form
@when_stored
def adjudicate_item(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    project = project_to(request.user, slug, Permission.ADJUDICATE)
    wanted = wanted_of(request, project)
    item = get_object_or_404(Item.objects.select_related("project"), project=project, pk=pk)
    refuse_blind(request.user, item)
    found = item_disputes(item)
    if request.method == "POST":
        return _save(request, found, wanted)
    log_label_access(request.user, project, item.key)
    return _page(request, found, wanted)


def _save(request: HttpRequest, found: ItemDisputes, wanted: DisputeFilter) -> HttpResponse:
    try:
        sent = _submitted_decisions(request.POST, found)
        done = save_all(found.item, sent, digest=request.POST.get("labels", ""), by=request.user)
    except Refused as refused:
        fresh = item_disputes(found.item)
        return _page(request, fresh, wanted, refusal=str(refused), status=refused.status_code)
    request.session[LAST] = LastSavedDecisions(item=found.item.pk, done=done)
    if ahead := whole_number(request.POST.get("ahead", "")):
        return _response_to_script(found.project, wanted, ahead, request.user)
    messages.success(request, f"Saved the decisions on {found.item}.")
    saved = {each["question"] for each in done}
    decided = [each.question for each in found.questions if each.question.pk in saved]
    if next_dependent_question(found.project, wanted, found.item, decided) is not None:
        return redirect(_address(found.project, found.item.pk, wanted))
    return _go_on(found.project, wanted, request, found.item)


def _response_to_script(project: Project, wanted: DisputeFilter, shown: int, by: Any) -> HttpResponse:
    """Respond to a script that already shows the next item: the one after that and the progress, if they are known."""
    waiting = queue.known_queue_of(project, wanted, by=by)
    if not waiting.n:
        return HttpResponse(status=204)
    following = _following(waiting, project.items.filter(pk=shown).first())
    headers = {
        "X-Following": _address(project, following, wanted) if following else "",
        "X-Resolved": f"{waiting.n - waiting.n_open:,} of {waiting.n:,} resolved",
    }
    return HttpResponse(status=204, headers=headers)


def _submitted_decisions(post: QueryDict, found: ItemDisputes) -> list[SubmittedDecision]:
    """Return new and changed decisions. Raises AnswersRefused, and RefusedWithCode if there are none."""
    rater = post.get("accept", "")
    accepted = found.answers_of(rater) if rater else {}
    sent = []
    for each in found.questions:
        pk = each.question.pk
        part = _part(post, pk)
        if pk in accepted:
            part["decision"] = accepted[pk]
        if part.get("decision") and not _is_unchanged(each, part):
            sent.append(
                SubmittedDecision(
                    each.question,
                    submitted_decision(part, each.question),
                    submitted_revision(part, "revision"),
                )
            )
    if not sent:
        raise RefusedWithCode("nothing_decided", "Choose a label for at least one question.")
    return sent


def _part(post: QueryDict, question: int) -> QueryDict:
    """Return the form fields of one question, without its ID in their names."""
    part, end = QueryDict(mutable=True), f"-{question}"
    for name, values in post.lists():
        if name.endswith(end):
            part.setlist(name.removesuffix(end), values)
    return part


def _is_unchanged(item_question: ItemQuestion, part: QueryDict) -> bool:
    """Return whether the form repeats the current decision, no matter who made it."""
    current = item_question.case.current_decision
    return (
        current.label is not None
        and part["decision"] == item_question.case.chosen
        and part.get("reason", "") == current.label.reason
        and part.get("note", "").replace("\r\n", "\n") == current.label.note
        and ("for_guidelines" in part) == current.is_for_guidelines
    )


def _last_save(request: HttpRequest) -> LastSavedDecisions:
    last: LastSavedDecisions | None = request.session.get(LAST)
    return last or {"item": 0, "done": []}


@require_POST
def undo_item_decisions(request: HttpRequest, slug: str) -> HttpResponse:
    """Undo the last save in this session."""
    project = project_to(request.user, slug, Permission.ADJUDICATE)
    wanted = wanted_of(request, project)
    last = _last_save(request)
    item = Item.objects.select_related("project").filter(project=project, pk=last["item"]).first()
    if item is None or not last["done"]:
        messages.warning(request, "There is nothing to undo.")
        return redirect(reverse("adjudicate", args=[project.slug]) + filter_of(wanted))
    refuse_blind(request.user, item)
    with refusals_as_messages(request):
        undo_all(item, last["done"], by=request.user)
        del request.session[LAST]
        queue.forget(project, wanted)
        messages.success(request, f"Undone: {item}.")
    return redirect(_address(project, item.pk, wanted))


def _page(
    request: HttpRequest, found: ItemDisputes, wanted: DisputeFilter, *, refusal: str = "", status: int = 200
) -> HttpResponse:
    project = found.project
    sent = request.POST if refusal else None
    find = queue.known_queue_of if refusal else queue.queue_of
    waiting = find(project, wanted, by=request.user)
    following = _following(waiting, found.item)
    last = _last_save(request)
    undoable = project.items.filter(pk=last["item"]).first() if last["done"] else None
    context = {
        "project": project,
        "whole": found,
        "voters": found.voters,
        "filter": filter_of(wanted),
        "asked": [_form_of(project, each, sent) for each in found.questions],
        "n": waiting.n,
        "n_decided": waiting.n - waiting.n_open,
        "following": following and _address(project, following, wanted),
        "undoable": undoable,
        "refusal": refusal,
        "guidelines": rendered_guidelines(project) if project.guidelines else "",
    }
    return render(request, "adjudication/item_disputes.html", context, status=status)


def _form_of(project: Project, each: ItemQuestion, sent: QueryDict | None) -> QuestionDecisionForm:
    """Return the form context of a question: refused input, or the current decision."""
    current = each.case.current_decision
    part = None if sent is None else _part(sent, each.question.pk)
    reason = current.label.reason if current.label else ""
    return {
        "of": each,
        "case": each.case,
        "chosen": each.case.chosen if part is None else part.get("decision", ""),
        "other_categories": [] if part is None else part.getlist("other_category"),
        "other_number": "" if part is None else part.get("other_number", ""),
        "reason": reason if part is None else part.get("reason", ""),
        "reasons": list(dict.fromkeys([*project.adjudication_reasons, *([reason] if reason else [])])),
        "note": (current.label.note if current.label else "") if part is None else part.get("note", ""),
        "is_for_guidelines": current.is_for_guidelines if part is None else "for_guidelines" in part,
    }
