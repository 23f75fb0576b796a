"""Open, close, and reveal rounds, in this order."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import Http404
from django.urls import reverse
from django.utils import timezone

from core.field_changes import changes_of
from core.refusals import Refused
from core.shapes import Json
from projects.codebook.drafts import refuse_without_categories
from projects.codebook.versions import store_version
from projects.events import record
from projects.models import Event, Project, Round, Webhook
from projects.refusals import KeyTaken, ProjectClosed
from projects.webhooks.event_queue import queue_event
from raters.models import Assignment
from raters.quality.gates import change_gates, change_pass_mark
from raters.reporting import reporting
from raters.rounds.round_keys import refuse_taken_key


class WrongRoundState(Refused):
    """The round is in the wrong state for this; the message says which state is needed and what to do."""

    code = "not_now"


class RoundUsedByReport(WrongRoundState):
    """A report selects this round by name, so renaming it would leave the report with no round or the wrong one."""

    code = "named_in_report"

    def __init__(self, key: str) -> None:
        super().__init__(f"A report is about a round called {key!r}, so that round keeps its name.")


class DeadlineInPast(Refused):
    """The new deadline is in the past."""

    code, status_code = "deadline_over", 400


class RoundNotClosed(WrongRoundState):
    """The round cannot be revealed while raters are still labeling."""

    code, status_code = "not_closed", 403


def rounds_of(project: Project) -> QuerySet[Round]:
    """Return the rounds in order, annotated with n_places and n_done."""
    # Few items are withdrawn: subtracting their pending assignments is faster than joining every assignment's item.
    waiting = Assignment.objects.filter(
        round=OuterRef("pk"), state=Assignment.State.PENDING, item__withdrawn_at__isnull=False
    )
    withdrawn = Subquery(waiting.order_by().values("round").annotate(n=Count("pk")).values("n"))
    rows = project.rounds.annotate(
        n_places=Count("assignments") - Coalesce(withdrawn, 0),
        n_done=Count("assignments", filter=Q(assignments__state=Assignment.State.DONE)),
    )
    return rows.select_related("attempt").order_by("position", "pk")


def open_round(round_: Round, *, by: Any) -> None:
    """Open the round.

    Raises ProjectClosed, WrongRoundState if it has been revealed, CodebookRefused if a question cannot be answered.
    """
    with transaction.atomic():
        now = held(round_)
        if now.state == Round.State.OPEN:
            return
        if now.project.is_closed:
            raise ProjectClosed("This project is closed, so nobody could label. Reopen the project first.")
        if now.revealed_at is not None:
            raise WrongRoundState(
                "This round has been revealed, so it can’t be reopened: raters who have seen other labels "
                "must not change their own."
            )
        if now.state == Round.State.DRAFT:
            refuse_without_categories(now.project)
        now.state, now.opened_at, now.closed_at = Round.State.OPEN, now.opened_at or timezone.now(), None
        now.save(update_fields=["state", "opened_at", "closed_at"])
        # From here on, the meaning of each key is fixed.
        store_version(now.project_id)
        record(Event.Kind.ROUND_OPENED, by=by, project=now.project, about=now.key)
    round_.refresh_from_db()


def close_round(round_: Round, *, by: Any) -> None:
    """Close the round to further changes; saves in progress finish first. Raises WrongRoundState."""
    with transaction.atomic():
        now = held(round_)
        if now.state == Round.State.CLOSED:
            return
        if now.state == Round.State.DRAFT:
            raise WrongRoundState("This round has not been opened yet.")
        now.state, now.closed_at, now.paused_at = Round.State.CLOSED, timezone.now(), None
        now.save(update_fields=["state", "closed_at", "paused_at"])
        record(Event.Kind.ROUND_CLOSED, by=by, project=now.project, about=now.key)
        queue_event(
            now.project,
            Webhook.Event.ROUND_CLOSED,
            {"round": now.key, "round_id": now.pk},
            links={"round_url": reverse("api_round", args=[now.project.slug, now.pk])},
        )
    round_.refresh_from_db()


def reveal_round(round_: Round, *, by: Any) -> None:
    """Let raters see each other's labels. Raises RoundNotClosed unless the round is closed; refusals are logged."""
    with transaction.atomic():
        now = held(round_)
        is_closed = now.state == Round.State.CLOSED
        if not is_closed:
            record(Event.Kind.REVEAL_REFUSED, by=by, project=now.project, about=now.key, state=now.state)
        elif now.revealed_at is None:
            now.revealed_at = timezone.now()
            now.save(update_fields=["revealed_at"])
            record(Event.Kind.ROUND_REVEALED, by=by, project=now.project, about=now.key)
    round_.refresh_from_db()
    if not is_closed:
        raise RoundNotClosed(
            "Close the round first. Raters can’t see each other’s labels while they are still labeling."
        )


def change_round(round_: Round, *, by: Any, **fields: Any) -> None:
    """Change key, idle_minutes, reference_use, due_on, remind_days, site, pass_mark, or gates (replaces all gates).

    Raises WrongRoundState for a closed round, because its settings are history. Raises DeadlineInPast, KeyTaken,
    GateRefused, and RoundUsedByReport if a report refers to a round by the old or new key.
    """
    gates = fields.pop("gates", None)
    with transaction.atomic():
        now = held(round_)
        if now.state == Round.State.CLOSED:
            raise WrongRoundState("This round is closed. Reopen it to change it.")
        changed = changes_of(now, fields)
        if "due_on" in changed and fields["due_on"] is not None and fields["due_on"] < timezone.localdate():
            raise DeadlineInPast("This day is over. Choose today or a later day.")
        if "key" in changed:
            _refuse_key(now, fields["key"])
        for name in changed:
            setattr(now, name, fields[name])
        try:
            with transaction.atomic():
                now.save(update_fields=list(changed))
        except IntegrityError:
            # A round with this name was planned at the same moment.
            raise KeyTaken.by(f"A round called {fields['key']!r}", fields["key"], fields["key"]) from None
        if "pass_mark" in changed:
            change_pass_mark(now)
        if gates is not None:
            changed = changed | change_gates(now, gates)
        # The base URL of links is not a setting.
        if logged := {name: _in_json(change) for name, change in changed.items() if name != "site"}:
            record(Event.Kind.ROUND_CHANGED, by=by, project=now.project, about=now.key, changed=logged)
    round_.refresh_from_db()


def _refuse_key(round_: Round, key: str) -> None:
    others = round_.project.rounds.exclude(pk=round_.pk)
    refuse_taken_key(key, others.values_list("key", flat=True))
    for name in (round_.key, key):
        if reporting().names_round(round_.project, name):
            raise RoundUsedByReport(name)


def _in_json(change: Mapping[str, Any]) -> Json:
    return {side: each.isoformat() if isinstance(each, date) else each for side, each in change.items()}


def held(round_: Round) -> Round:
    """Return the current round, locked until the transaction ends. Raises Http404 if it has just been deleted."""
    # Waits for saves in progress, each of which has locked the round.
    now = Round.objects.select_for_update(of=("self",)).select_related("project").filter(pk=round_.pk).first()
    if now is None:
        raise Http404("No such round.")
    return now
