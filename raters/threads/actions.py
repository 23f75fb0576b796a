"""A rater asks about an item, a lead answers, and what was settled goes into the guidelines."""

from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from core.refusals import Refused
from projects.codebook.drafts import Editor, draft_of
from projects.events import record
from projects.models import Event, Item, Project
from raters.models import Assignment, Label, Message, Rater, Thread
from raters.models.threads import MAX_MESSAGE

MOST_MESSAGES = 200


class ThreadRefused(Refused):
    code, status_code = "thread_refused", 409


def threads_of(project: Project, *, hidden: Sequence[int] = ()) -> QuerySet[Thread]:
    """Those that wait for an answer first, the longest ago first; then the others, the last first.

    hidden: rounds that the person who looks still labels in; what others wrote about their items may tell labels.
    """
    rows = Thread.objects.filter(item__project=project).select_related("item", "rater")
    if hidden:
        rows = rows.exclude(Exists(Assignment.objects.filter(item=OuterRef("item"), round__in=hidden)))
    return rows.prefetch_related("messages__author").order_by("-is_open", "-last_at", "pk")


def own_threads(rater: Rater) -> QuerySet[Thread]:
    """Those with a reply that was not read first, then the last ones."""
    rows = Thread.objects.filter(rater=rater.pk or 0).select_related("item")
    return rows.prefetch_related("messages__author").order_by("-has_news", "-last_at", "pk")


@transaction.atomic
def ask(rater: Rater, item: Item, text: str, *, by: Any) -> Thread:
    """The first message begins the thread. Raises ThreadRefused."""
    thread, _ = Thread.objects.select_for_update(of=("self",)).get_or_create(item=item, rater=rater)
    _add(thread, text, by=by, is_answer=False)
    Thread.objects.filter(pk=thread.pk).update(is_open=True, has_news=False, last_at=timezone.now())
    record(Event.Kind.QUESTION_ASKED, by=by, project=item.project, about=item.key, thread=thread.pk)
    return thread


@transaction.atomic
def reply(thread: Thread, text: str, *, by: Any) -> None:
    """Raises ThreadRefused."""
    now = Thread.objects.select_for_update(of=("self",)).select_related("item__project").get(pk=thread.pk)
    _add(now, text, by=by, is_answer=True)
    Thread.objects.filter(pk=now.pk).update(is_open=False, has_news=True, last_at=timezone.now())
    record(Event.Kind.QUESTION_ANSWERED, by=by, project=now.item.project, about=now.item.key, thread=now.pk)


def _add(thread: Thread, text: str, *, by: Any, is_answer: bool) -> None:
    if thread.messages.count() >= MOST_MESSAGES:
        raise ThreadRefused(f"A thread can have at most {MOST_MESSAGES} messages.")
    Message.objects.create(thread=thread, author=by, text=text[:MAX_MESSAGE], is_answer=is_answer)


def mark_read(thread: Thread) -> None:
    """The rater has read the reply."""
    Thread.objects.filter(pk=thread.pk).update(has_news=False)


@transaction.atomic
def into_guidelines(thread: Thread, *, by: Any) -> bool:
    """Add question and answer at the end of the guidelines, with the name of the item; whether into their draft.

    Where nothing was asked, the notes of the rater who marked the item come in place of the question. Raises
    ThreadRefused where nobody has answered, and what keeps a draft from being changed.
    """
    now = Thread.objects.select_for_update(of=("self",)).select_related("item__project").get(pk=thread.pk)
    messages = list(now.messages.all())
    if not any(message.is_answer for message in messages):
        raise ThreadRefused("Answer the question first.")
    project = now.item.project
    editor, draft = Editor(project, by), draft_of(project)
    text = draft.guidelines if draft and editor.is_draft else project.guidelines
    editor.do("write_guidelines", text=f"{text.rstrip()}\n\n{_in_markdown(now, messages)}\n".lstrip())
    Thread.objects.filter(pk=now.pk).update(in_guidelines_at=timezone.now())
    return editor.is_draft


def _in_markdown(thread: Thread, messages: Sequence[Message]) -> str:
    """The first question and the last answer, as a section; raters who read it learn nobody's name."""
    questions = [message.text for message in messages if not message.is_answer][:1] or _notes(thread)
    answer = [message.text for message in messages if message.is_answer][-1]
    quoted = "\n>\n".join("\n".join(f"> {line}" for line in each.splitlines()) for each in questions)
    return f"{quoted}\n\n{answer}\n\n(From a question about {_plain(thread.item.key)}.)".lstrip()


def _notes(thread: Thread) -> list[str]:
    """Of the rater's labels of the item, where the rater marked it as not covered by the guidelines."""
    marked = Assignment.objects.filter(item=thread.item, rater=thread.rater, is_guideline_unclear=True)
    labels = Label.objects.filter(item=thread.item, rater=thread.rater).exclude(note="")
    passes = labels.filter(pass_number__in=marked.values("pass_number")).order_by("pass_number", "pk")
    return list(dict.fromkeys(passes.values_list("note", flat=True)))


def _plain(key: str) -> str:
    """What Markdown would read as more than text is escaped."""
    return "".join(f"\\{letter}" if letter in "\\`*_[]<>()#!" else letter for letter in key)
