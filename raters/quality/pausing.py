"""Pause and resume raters. Paused raters get no items until a lead resumes or they have read the note."""

from typing import Any

from django.db import transaction
from django.utils import timezone

from core.refusals import Refused
from projects.events import record
from projects.models import Event
from raters.models import Rater


class PauseRequiresLead(Refused):
    """Only a lead can end this pause."""

    code, status_code = "paused_by_lead", 403

    def __init__(self) -> None:
        super().__init__("A project lead has to resume your labeling.")


@transaction.atomic
def pause_rater(rater: Rater, *, by: Any, note: str = "", may_resume: bool = False) -> None:
    """Pause a rater. note: a message to the rater. may_resume: the pause ends when the rater has read the note.

    by: None for a quality rule. If already paused, only a pause that the rater may end is replaced, by one for leads.
    """
    now = (
        Rater.objects.select_for_update(no_key=True, of=("self",)).select_related("project").get(pk=rater.pk)
    )
    if now.is_paused and (may_resume or not now.may_resume):
        return
    now.paused_at, now.paused_by, now.pause_note, now.may_resume = timezone.now(), by, note, may_resume
    now.save(update_fields=["paused_at", "paused_by", "pause_note", "may_resume"])
    record(
        Event.Kind.RATER_PAUSED, by=by, project=now.project, about=now.key, note=note, may_resume=may_resume
    )


@transaction.atomic
def resume_rater(rater: Rater, *, by: Any) -> None:
    """Resume a rater; does nothing if not paused."""
    now = (
        Rater.objects.select_for_update(no_key=True, of=("self",)).select_related("project").get(pk=rater.pk)
    )
    if not now.is_paused:
        return
    now.paused_at, now.paused_by, now.pause_note, now.may_resume = None, None, "", False
    now.save(update_fields=["paused_at", "paused_by", "pause_note", "may_resume"])
    record(Event.Kind.RATER_RESUMED, by=by, project=now.project, about=now.key)


def resume_oneself(rater: Rater, *, by: Any) -> None:
    """Resume after the rater has read the note. Raises PauseRequiresLead for a pause that only a lead can end."""
    if rater.is_paused and not rater.may_resume:
        raise PauseRequiresLead
    resume_rater(rater, by=by)
