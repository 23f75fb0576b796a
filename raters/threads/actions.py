"""Asking about an item as a rater, answering as a lead, and adding the outcome to the guidelines."""

from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from core.refusals import Refused
from projects.codebook.drafts import Editor, draft_of
from projects.events import record
from projects.models import Event, Item, Project
from raters.models import Assignment, Message, Rater, Thread
from raters.models.threads import MAX_MESSAGE

MOST_MESSAGES = 200


class ThreadRefused(Refused):
    code, status_code = "thread_refused", 409


def threads_of(project: Project, *, hidden: Sequence[int] = ()) -> QuerySet[Thread]:
    """Return unanswered threads first, oldest first; then the others, newest first.

    hidden: rounds that the viewer is still labeling in; what others wrote about their items may reveal labels.
    """
    rows = Thread.objects.filter(item__project=project).select_related("item", "rater")
    if hidden:
        rows = rows.exclude(Exists(Assignment.objects.filter(item=OuterRef("item"), round__in=hidden)))
    return rows.prefetch_related("messages__author").order_by("-is_open", "-last_at", "pk")


def own_threads(rater: Rater) -> QuerySet[Thread]:
    """Return threads with an unread reply first, then the rest, newest first."""
    rows = Thread.objects.filter(rater=rater.pk or 0).select_related("item")
    return rows.prefetch_related("messages__author").order_by("-has_news", "-last_at", "pk")


@transaction.atomic
def ask_question(rater: Rater, item: Item, text: str, *, by: Any) -> Thread:
    """Add a question; the first message creates the thread. Raises ThreadRefused."""
    thread, _ = Thread.objects.select_for_update(of=("self",)).get_or_create(item=item, rater=rater)
    _add(thread, text, by=by, is_answer=False)
    Thread.objects.filter(pk=thread.pk).update(is_open=True, has_news=False, last_at=timezone.now())
    record(Event.Kind.QUESTION_ASKED, by=by, project=item.project, about=item.key, thread=thread.pk)
    return thread


@transaction.atomic
def reply(thread: Thread, text: str, *, by: Any) -> None:
    """Add a lead's reply. Raises ThreadRefused."""
    now = Thread.objects.select_for_update(of=("self",)).select_related("item__project").get(pk=thread.pk)
    _add(now, text, by=by, is_answer=True)
    Thread.objects.filter(pk=now.pk).update(is_open=False, has_news=True, last_at=timezone.now())
    record(Event.Kind.QUESTION_ANSWERED, by=by, project=now.item.project, about=now.item.key, thread=now.pk)


def _add(thread: Thread, text: str, *, by: Any, is_answer: bool) -> None:
    if thread.messages.count() >= MOST_MESSAGES:
        raise ThreadRefused(f"A thread can have at most {MOST_MESSAGES} messages.")
    Message.objects.create(thread=thread, author=by, text=text[:MAX_MESSAGE], is_answer=is_answer)


def mark_read(thread: Thread) -> None:
    """Record that the rater has read the reply."""
    Thread.objects.filter(pk=thread.pk).update(has_news=False)


@transaction.atomic
def into_guidelines(thread: Thread, *, by: Any) -> bool:
    """Append the last answer to the guidelines; return whether it went into the draft.

    Only the answer: raters were promised that nobody else sees what they ask. Raises ThreadRefused if nobody has
    answered, and any error that prevents a draft from being changed.
    """
    now = Thread.objects.select_for_update(of=("self",)).select_related("item__project").get(pk=thread.pk)
    answers = [message.text for message in now.messages.all() if message.is_answer]
    if not answers:
        raise ThreadRefused("Answer the question first.")
    project = now.item.project
    editor, draft = Editor(project, by), draft_of(project)
    text = draft.guidelines if draft and editor.is_draft else project.guidelines
    editor.do("write_guidelines", text=f"{text.rstrip()}\n\n{answers[-1]}\n".lstrip())
    Thread.objects.filter(pk=now.pk).update(in_guidelines_at=timezone.now())
    return editor.is_draft
