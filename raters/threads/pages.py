"""The page of a rater's question about an item, and the list of all questions for leads."""

from collections.abc import Callable

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from core.web.forms import posted, require_form
from core.web.paging import page_of
from core.web.refusals import refusals_as_messages, refusals_in_form
from projects.access import project_to
from projects.models import Project, Round
from projects.roles import Permission
from raters.access import rater_to_label, rounds_to_be_blind_in
from raters.models import Assignment, Rater, Thread
from raters.models.threads import MAX_MESSAGE
from raters.threads.actions import ask_question, into_guidelines, mark_read, reply, threads_of
from raters.threads.inquiries import (
    KINDS,
    STATES,
    Inquiries,
    InquiryFilter,
    answer_unclear,
    by_item,
    unclear_marks,
)


class MessageForm(forms.Form):
    text = forms.CharField(label="Message", max_length=MAX_MESSAGE, widget=forms.Textarea(attrs={"rows": 4}))


@require_form
def own_thread(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show the thread about the item of one of the rater's assignments."""
    rater = rater_to_label(request.user, slug)
    assignment = assignment_of(rater, pk)
    form = MessageForm(posted(request))
    if form.is_valid():
        with refusals_in_form(form):
            ask_question(rater, assignment.item, form.cleaned_data["text"], by=request.user)
            messages.success(request, "Sent. The answer appears here and under Your work.")
            return redirect("own_thread", slug, pk)
    threads = Thread.objects.filter(rater=rater, item=assignment.item).prefetch_related("messages__author")
    thread = threads.first()
    context = {
        "project": rater.project,
        "assignment": assignment,
        "thread": thread,
        "is_asked": thread is not None and any(not each.is_answer for each in thread.messages.all()),
        "form": form,
    }
    return render(request, "threads/own.html", context, status=400 if form.errors else 200)


@require_POST
def own_thread_read(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    rater = rater_to_label(request.user, slug)
    mark_read(get_object_or_404(Thread, rater=rater, item=assignment_of(rater, pk).item))
    return redirect("own_thread", slug, pk)


class FilterForm(forms.Form):
    kind = forms.ChoiceField(choices=list(KINDS.items()), required=False)
    state = forms.ChoiceField(choices=list(STATES.items()), required=False, label="State")
    round = forms.ModelChoiceField(Round.objects.none(), required=False, empty_label="All")

    def __init__(self, data: object, *, project: Project) -> None:
        super().__init__(data)  # type: ignore[arg-type]
        self.fields["round"].queryset = project.rounds.all()  # type: ignore[attr-defined]


@require_safe
def threads(request: HttpRequest, slug: str) -> HttpResponse:
    """List the threads for leads, leaving out what others wrote about items that the lead is still labeling."""
    project = project_to(request.user, slug, Permission.EDIT_PROJECT)
    hidden = rounds_to_be_blind_in(request.user, project)
    form = FilterForm(request.GET, project=project)
    if not form.is_valid():
        raise Http404("There is no such list.")
    chosen = form.cleaned_data
    round_: Round | None = chosen["round"]
    wanted = InquiryFilter(
        chosen["kind"], chosen["state"] or "open", None if round_ is None else round_.pk, tuple(hidden)
    )
    page = page_of(request, Inquiries(project, wanted))
    context = {
        "project": project,
        "page": page,
        "items": by_item(list(page)),
        "wanted": wanted,
        "kinds": KINDS,
        "states": STATES,
        "rounds": list(project.rounds.all()),
        "is_hidden": bool(hidden),
    }
    return render(request, "threads/threads.html", context)


@require_POST
def thread_reply(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Reply to a thread; with `guidelines`, also add it to the guidelines."""
    _, thread = _thread(request, slug, pk)
    return _answered(request, slug, lambda text: _replied(thread, text, request))


@require_POST
def unclear_reply(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Reply, by assignment, about an item that a rater marked as not covered by the guidelines."""
    project = project_to(request.user, slug, Permission.EDIT_PROJECT)
    hidden = rounds_to_be_blind_in(request.user, project)
    mark = get_object_or_404(unclear_marks(project, hidden=hidden), pk=pk)
    return _answered(request, slug, lambda text: answer_unclear(mark, text, by=request.user))


def _replied(thread: Thread, text: str, request: HttpRequest) -> Thread:
    reply(thread, text, by=request.user)
    return thread


def _answered(request: HttpRequest, slug: str, answer: Callable[[str], Thread]) -> HttpResponse:
    form = MessageForm(request.POST)
    if not form.is_valid():
        messages.warning(request, f"The answer is not valid: {form.errors['text'][0]}")
        return _back(request, slug)
    with refusals_as_messages(request):
        thread = answer(form.cleaned_data["text"])
        messages.success(
            request, f"Answered. {thread.rater} will see it with the next item, and under Your work."
        )
        if "guidelines" in request.POST:
            return thread_into_guidelines(request, slug, thread.pk)
    return _back(request, slug)


def _back(request: HttpRequest, slug: str) -> HttpResponse:
    """Redirect to the list, keeping its filter."""
    query = request.GET.urlencode()
    return redirect(reverse("threads", args=[slug]) + (f"?{query}" if query else ""))


@require_POST
def thread_into_guidelines(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    _, thread = _thread(request, slug, pk)
    with refusals_as_messages(request):
        is_draft = into_guidelines(thread, by=request.user)
        where = "the draft of the guidelines" if is_draft else "the guidelines"
        messages.success(request, f"Added to {where}. Edit the text so that raters can read it as a rule.")
        return redirect("guidelines_edit", slug)
    return _back(request, slug)


def assignment_of(rater: Rater, pk: int) -> Assignment:
    """Return the assignment. Raises Http404 if it is not the rater's, or its round has not been opened yet."""
    rows = Assignment.objects.filter(rater=rater, round__isnull=False).exclude(round__state=Round.State.DRAFT)
    found = rows.select_related("item__project").filter(pk=pk).first()
    if found is None:
        raise Http404("No such assignment.")
    return found


def _thread(request: HttpRequest, slug: str, pk: int) -> tuple[Project, Thread]:
    project = project_to(request.user, slug, Permission.EDIT_PROJECT)
    hidden = rounds_to_be_blind_in(request.user, project)
    return project, get_object_or_404(threads_of(project, hidden=hidden), pk=pk)
