"""The labeling page: show an item with all questions, save, go to the next. Works without scripts."""

from collections.abc import Sequence
from dataclasses import replace
from uuid import uuid4

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from core.numbers import whole_number
from core.refusals import Refused
from core.web.forms import require_form
from core.web.refusals import refusals_as_messages
from projects.codebook.content import shortcuts_in
from projects.codebook.rendered_guidelines import rendered_guidelines
from projects.codebook.version_changes import VersionChanges, changes_since
from projects.codebook.versions import content_of
from projects.items.content import fields_in
from projects.items.layout import ItemLayout, laid_out, visible_content
from projects.models import Project, Question
from raters.access import rater_or_newcomer, rater_to_label
from raters.actions import rater_of
from raters.confidence_scale import in_words
from raters.labeling.answers import Answer, AnswerFault, AnswersRefused
from raters.labeling.assignment_context import (
    AssignmentContext,
    assignment_context,
    closed_with_items_left,
    last_done,
    replaced_since_labeled,
)
from raters.labeling.missing_answers import missing_answers_of
from raters.labeling.next_assignment import next_assignment_of, take_next_assignment
from raters.labeling.own_rounds import own_rounds, paused_in, rounds_with_work
from raters.labeling.progress import progress_of
from raters.labeling.question_rows import for_text_area, question_row
from raters.labeling.saving import save_answers
from raters.labeling.saving_records import KeyReused, ReferenceAlreadyShown, RoundClosed
from raters.labeling.shortcuts import page_keys
from raters.labeling.skipping import skip
from raters.labeling.submitted_form import ParsedAnswers, parsed_answers, questions_in
from raters.labeling.training import is_training
from raters.labeling.undoing import undo, undone_answers
from raters.models import Rater
from raters.quality.passing import own_results
from raters.quality.pausing import resume_oneself

# Includes answers waiting for a flaky connection, since whatever is not listed is handed out again. Must fit in a URL
# that gunicorn accepts (config/gunicorn.py).
MAX_IN_HAND = 150
# Number of items that a browser may fetch ahead in case it loses the connection.
AHEAD, AHEAD_ON_DEMAND = 20, 1
# Header with the codebook version whose changes the page has already shown to the rater.
CODEBOOK_HEADER = "Codebook-Seen"
# The page around an item, whole or as much as scripts take from it.
WHOLE, IN_PLACE = "base.html", "labeling/_fetched.html"
ALREADY_SUBMITTED = (
    "This page was already submitted with a different answer. Review the current answer and save again."
)


@require_form
def label(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the next assignment. `held` lists those that the browser already holds.

    GET changes nothing. POST, from a rater at work, takes a free assignment if there is no other.
    With `in_place`, scripts get the item itself and its URL instead of a redirect, saving a request.
    """
    rater = rater_or_newcomer(request.user, slug)
    if request.method == "POST":
        return _take_assignment(request, rater)
    upcoming = next_assignment_of(rater, held=_held(request.GET))
    if upcoming.is_free:
        context = {"project": rater.project, "progress": progress_of(rater), "before": last_done(rater)}
        return render(request, "labeling/start.html", context)
    return _next_page(request, rater, upcoming.own, is_in_place="in_place" in request.GET)


def _take_assignment(request: HttpRequest, rater: Rater) -> HttpResponse:
    if rater.is_newcomer and next_assignment_of(rater).is_free:
        # Taking a free assignment makes a member a rater.
        rater = rater_of(rater.project, request.user)
    taken = None if rater.is_newcomer else take_next_assignment(rater, held=_held(request.POST))
    return _next_page(request, rater, taken, is_in_place="in_place" in request.POST)


def _held(sent: QueryDict) -> list[int]:
    named = [whole_number(pk) for pk in sent.getlist("held")[:MAX_IN_HAND]]
    return [pk for pk in named if pk is not None]


def _next_page(request: HttpRequest, rater: Rater, pk: int | None, *, is_in_place: bool) -> HttpResponse:
    slug = rater.project.slug
    if pk is not None and is_in_place:
        response = _item_page(request, rater, assignment_context(rater, pk), frame=IN_PLACE)
        response["Content-Location"] = reverse("label_item", args=[slug, pk])
        return response
    if pk is not None:
        return redirect("label_item", slug, pk)
    rounds = own_rounds(rater)
    results = [] if rater.is_newcomer else own_results(rater)
    context = {
        "project": rater.project,
        "progress": progress_of(rater),
        "before": last_done(rater),
        "closed": [] if rater.is_newcomer else closed_with_items_left(rater),
        "rater": rater,
        "paused": paused_in(rounds),
        "gated": [each for each in rounds_with_work(rounds) if each.gates],
        "results": results,
        "missed": any(each.is_missed for each in results if each.qualification.round.is_open),
        "replaced": [] if rater.is_newcomer else replaced_since_labeled(rater),
        "missing_answers": [] if rater.is_newcomer else missing_answers_of(rater),
    }
    return render(request, "labeling/done.html", context)


@require_form
def label_item(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show or save an assignment. `?undone` fills in the answers that were just undone."""
    rater = rater_to_label(request.user, slug)
    try:
        shown = assignment_context(rater, pk, named=questions_in(request.POST))
    except Http404:
        return _lost_page(request, rater)
    if request.method == "POST":
        return _save(request, rater, shown)
    if "undone" in request.GET and not shown.is_closed:
        undone = undone_answers(rater, shown.assignment, shown.questions)
        shown = replace(shown, answers={**shown.answers, **undone})
    return _item_page(request, rater, shown)


def _lost_page(request: HttpRequest, rater: Rater) -> HttpResponse:
    """Return the same page for lost assignments and those of others, so as not to reveal who has what."""
    context = {"project": rater.project, "before": last_done(rater), "is_sent": request.method == "POST"}
    return render(request, "labeling/lost.html", context, status=404)


def _item_page(
    request: HttpRequest, rater: Rater, context: AssignmentContext, *, frame: str = WHOLE
) -> HttpResponse:
    if context.reference is not None:
        return _reference_page(request, rater, context)
    return _page(request, rater, context, frame=frame)


def _save(request: HttpRequest, rater: Rater, context: AssignmentContext) -> HttpResponse:
    form = parsed_answers(request.POST, context.questions)
    pk = context.assignment.pk
    try:
        if form.faults:
            raise AnswersRefused(form.faults)
        done = save_answers(rater, pk, form.draft, key=form.key, by=request.user)
    except ReferenceAlreadyShown as refused:
        messages.warning(request, str(refused))
        return redirect("label_item", rater.project.slug, pk)
    except AnswersRefused as refused:
        return _page(request, rater, context, form=form, faults=refused.faults, status=400)
    except Refused as refused:
        sentence = ALREADY_SUBMITTED if isinstance(refused, KeyReused) else str(refused)
        now = (
            context
            if isinstance(refused, RoundClosed)
            else assignment_context(rater, pk, named=questions_in(request.POST))
        )
        return _page(request, rater, now, form=form, refusal=sentence, status=refused.status_code)
    if done.reference is not None:
        # First show the reference next to the saved answers.
        return redirect("label_item", rater.project.slug, pk)
    return _go_on(rater, f"?saved={pk}")


def _go_on(rater: Rater, query: str = "") -> HttpResponse:
    """Take the next item and redirect to it. `?saved=` lets its page mention the item just saved."""
    slug = rater.project.slug
    following = take_next_assignment(rater)
    if following is None:
        return redirect("label", slug)
    return redirect(reverse("label_item", args=[slug, following]) + query)


@require_POST
def label_resume(request: HttpRequest, slug: str) -> HttpResponse:
    """Resume labeling after the rater has read why it was interrupted."""
    rater = rater_to_label(request.user, slug)
    with refusals_as_messages(request):
        resume_oneself(rater, by=request.user)
    return redirect("label", slug)


@require_POST
def label_skip(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    rater = rater_to_label(request.user, slug)
    with refusals_as_messages(request):
        assignment = skip(rater, pk)
        messages.success(request, f"{assignment.item} skipped; it will return at the end.")
        return _go_on(rater)
    return redirect("label_item", slug, pk)


@require_POST
def label_undo(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    rater = rater_to_label(request.user, slug)
    shown = assignment_context(rater, pk, named=questions_in(request.POST))
    form = parsed_answers(request.POST, shown.questions)
    with refusals_as_messages(request):
        undo(rater, pk, form.draft.revisions, key=form.key, by=request.user)
        messages.success(
            request, f"Undid your last save of {shown.assignment.item}. Change your answer and save it again."
        )
        return redirect(reverse("label_item", args=[slug, pk]) + "?undone")
    return redirect("label_item", slug, pk)


def _reference_page(request: HttpRequest, rater: Rater, shown: AssignmentContext) -> HttpResponse:
    """Show the rater's answers next to the reference; they can no longer be changed."""
    reference = shown.reference or {}
    rows = []
    for question in shown.questions:
        answer, right = shown.answers.get(question.key), reference.get(question.key)
        is_same = right is not None and answer is not None and answer.value == right.value
        words = "no reference" if right is None else answer_in_words(question, right)
        rows.append((question, answer_in_words(question, answer), words, right is not None, is_same))
    context = {
        "project": rater.project,
        "shown": shown,
        "assignment": shown.assignment,
        "rows": rows,
        "note": next((answer.note for answer in reference.values() if answer.note), ""),
        "progress": progress_of(rater),
    }
    return render(request, "labeling/reference.html", context)


def _page(
    request: HttpRequest,
    rater: Rater,
    shown: AssignmentContext,
    *,
    form: ParsedAnswers | None = None,
    faults: Sequence[AnswerFault] = (),
    refusal: str = "",
    status: int = 200,
    frame: str = WHOLE,
) -> HttpResponse:
    answers = shown.answers if form is None else dict(form.draft.answers)
    given = [] if shown.codebook is None else shortcuts_in(content_of(shown.codebook))
    # From all questions, so that each answer keeps its usual key.
    keys = page_keys(shown.all_questions, given)
    assignment = shown.assignment
    context = {
        "frame": frame,
        "project": rater.project,
        "rater": rater,
        "shown": shown,
        "assignment": assignment,
        "earlier": _earlier_layout(rater, shown),
        "rows": [
            question_row(
                q,
                answers.get(q.key),
                keys,
                revision=shown.revisions.get(q.key, 0),
                faults=faults,
                questions=shown.all_questions,
            )
            for q in shown.questions
        ],
        "note": for_text_area(form.note if form else _note_of(shown)),
        "is_unclear": form.draft.is_guideline_unclear if form else assignment.is_guideline_unclear,
        "key": uuid4(),
        "changes": _changes(request, rater, shown),
        "progress": progress_of(rater),
        "guidelines": rendered_guidelines(rater.project) if rater.project.guidelines else "",
        "refusal": refusal,
        "now": [
            (question, answer_in_words(question, shown.answers.get(question.key)))
            for question in shown.questions
        ]
        if refusal
        else [],
        "faults": faults,
        "saved": _saved_before(request, rater),
        "existing_answers": [
            (question, answer_in_words(question, answer)) for question, answer in shown.existing_answers
        ],
        "can_abstain": any(question.allows_abstention for question in shown.questions),
        "asks_confidence": any(question.asks_confidence for question in shown.questions),
        "ahead": AHEAD_ON_DEMAND if assignment.is_on_demand else AHEAD,
        "is_done": assignment.state == assignment.State.DONE,
        "is_training": is_training(assignment),
        "at_once": _at_once(rater.project, shown.all_questions),
        # Refused answers may be corrected and sent again.
        "is_paused": shown.is_paused and form is None,
    }
    return render(request, "labeling/item.html", context, status=status)


def _at_once(project: Project, questions: Sequence[Question]) -> str:
    """Return whether choosing an answer saves it: "always", "on" or "off" (the rater can switch), or "" (never)."""
    is_off = project.one_key_saving == Project.OneKeySaving.OFF
    if is_off or len(questions) != 1 or questions[0].kind != Question.Kind.SINGLE:
        return ""
    [question] = questions
    if question.requires_confidence:
        return ""
    if project.one_key_saving == Project.OneKeySaving.ON:
        return "always"
    # Raters who may give a confidence need time to do so.
    return "on" if len(question.categories.all()) == 2 and not question.asks_confidence else "off"


def _earlier_layout(rater: Rater, context: AssignmentContext) -> ItemLayout | None:
    if context.earlier is None:
        return None
    content = visible_content(context.earlier.content, rater.project)
    return laid_out(fields_in(content, rater.project_id), rater.project)


def _changes(request: HttpRequest, rater: Rater, context: AssignmentContext) -> VersionChanges | None:
    """Return changes to codebook and guidelines that the rater has not seen.

    Scripts send the version they have already shown; otherwise, the version last saved under counts.
    """
    known = whole_number(request.headers.get(CODEBOOK_HEADER, ""))
    since = rater.codebook_seen if known is None else known
    return None if context.codebook is None or since is None else changes_since(context.codebook, since)


def _note_of(context: AssignmentContext) -> str:
    answers = [
        context.answers[question.key] for question in context.questions if question.key in context.answers
    ]
    return next((answer.note for answer in answers if answer.note), "")


def answer_in_words(question: Question, answer: Answer | None) -> str:
    words = _value_in_words(question, answer)
    return (
        words if answer is None or answer.confidence is None else f"{words} – {in_words(answer.confidence)}"
    )


def _value_in_words(question: Question, answer: Answer | None) -> str:
    if answer is None:
        return "no answer"
    if answer.is_abstention:
        return "cannot tell"
    if answer.number is not None:
        return f"{answer.number:.12g}"
    if answer.text is not None:
        return answer.text
    chosen = {answer.category, *(answer.categories or ())}
    names = [str(category) for category in question.categories.all() if category.key in chosen]
    return ", ".join(names) or "none of these"


def _saved_before(request: HttpRequest, rater: Rater) -> AssignmentContext | None:
    """Return the assignment that was just saved, with what is needed to undo it."""
    pk = whole_number(request.GET.get("saved", ""))
    if request.method == "POST" or pk is None:
        return None
    if not rater.assignments.filter(pk=pk, state="done").exists():
        return None
    return assignment_context(rater, pk)
