"""Figures as a worker last stored them. Asking for them has newer ones computed if the project has changed since."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection, transaction
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from core.shapes import Json
from core.web import request_ids
from projects.models import Event, Project
from raters.models import StoredFigures

# Raise this when the result of any kind of figures changes its shape: results in another format are never shown.
FIGURES_FORMAT = 1
What, State = StoredFigures.What, StoredFigures.State
# Figures are not computed again before this time has passed since, and no more than this share of the time is spent
# computing them, however often the project changes.
AT_LEAST, MOST_SHARE = timedelta(seconds=10), 0.1
# Skipping an item or taking one up is no part of the history, so that figures are not kept for longer than this.
LONGEST = timedelta(hours=1)
# Those that nobody has asked for since are deleted after this time.
KEPT_FOR = timedelta(days=7)
# Figures that one person has asked for in a project and that wait for a worker; further ones take the place of the
# oldest, whose page asks for them again if it is still open.
MOST_WAITING = 10
# Looking at figures changes none.
ACCESS_EVENTS = [Event.Kind.LABELS_SEEN, Event.Kind.LOOK_REFUSED, Event.Kind.EXPORTED]
# After very many looks, figures are counted again all the same.
_HAS_CHANGED = """
WITH newer AS (
    SELECT id FROM core_historyentry
    WHERE project_id = %(project)s AND position > %(position)s ORDER BY position LIMIT 201
), events AS (
    SELECT entry_id, kind FROM projects_event WHERE project_id = %(project)s ORDER BY id DESC LIMIT 1000
)
SELECT count(*) > 200 OR count(*) FILTER (WHERE NOT EXISTS (
    SELECT FROM events WHERE entry_id = newer.id AND kind = ANY (%(looks)s)
)) > 0
FROM newer
"""


@dataclass(frozen=True, slots=True)
class FigureFreshness:
    """When figures were counted. as_of: None if just now.

    is_current: nothing but looks has been added to the project's history since. failure: why the last attempt to
    compute newer ones failed; empty if it did not.
    """

    as_of: datetime | None = None
    is_current: bool = True
    failure: str = ""


NOW = FigureFreshness()


@dataclass(frozen=True, slots=True)
class StoredFigure:
    result: Json
    counted: FigureFreshness


class FiguresNotComputed(Exception):
    """The figures have never been computed; the only argument is their run, which is waiting, running, or failed."""

    def __init__(self, run: StoredFigures) -> None:
        super().__init__(run)
        self.run = run


def stored_figures(project: Project, what: StoredFigures.What, asked: Json, *, by: Any) -> StoredFigure:
    """Return the stored figures, and have newer ones computed if they are due. Raises FiguresNotComputed."""
    run = _requested(project, what, asked, by)
    if run.result is None or run.as_of is None or run.format != FIGURES_FORMAT:
        if _is_due(run) or (run.state == State.DONE and run.format != FIGURES_FORMAT):
            _renew(run, by)
        raise FiguresNotComputed(run)
    is_current = not _is_old(run.as_of) and not _has_changed(run)
    if not is_current and _is_due(run):
        _renew(run, by)
    return StoredFigure(run.result, FigureFreshness(run.as_of, is_current, run.failure))


def _requested(project: Project, what: StoredFigures.What, asked: Json, by: Any) -> StoredFigures:
    with transaction.atomic():
        run, is_new = StoredFigures.objects.get_or_create(
            project=project, what=what, asked=asked, defaults={"asked_by_id": by and by.pk}
        )
        if is_new:
            _limit_waiting(project, by)
            run.notify()
    return run


def _limit_waiting(project: Project, by: Any) -> None:
    waiting = StoredFigures.objects.filter(
        project=project, asked_by=by and by.pk, state=State.QUEUED, result__isnull=True
    )
    oldest = waiting.order_by("-asked_at", "-pk").values_list("pk", flat=True)[MOST_WAITING:]
    # One that a worker has taken since is no longer queued.
    waiting.filter(pk__in=list(oldest)).delete()


def _has_changed(run: StoredFigures) -> bool:
    params: Json = {
        "project": run.project_id,
        "position": run.head_position or 0,
        "looks": [str(kind) for kind in ACCESS_EVENTS],
    }
    with connection.cursor() as cursor:
        cursor.execute(_HAS_CHANGED, params)
        return bool(cursor.fetchone()[0])


def _is_old(as_of: datetime) -> bool:
    return timezone.now() - as_of > LONGEST


def _is_due(run: StoredFigures) -> bool:
    """Return whether the last computation has ended long enough ago."""
    if not run.is_final or run.finished_at is None:
        return False
    pause = max(AT_LEAST, timedelta(seconds=(run.seconds or 0.0) / MOST_SHARE))
    return timezone.now() - run.finished_at >= pause


@transaction.atomic
def _renew(run: StoredFigures, by: Any) -> None:
    """Queue an ended run once more; the result, or why there was none, stays until there is a newer one."""
    ended = Q(state__in=[State.DONE, State.FAILED, State.CANCELLED])
    renewed = StoredFigures.objects.filter(ended, pk=run.pk).update(
        state=State.QUEUED,
        losses=0,
        sent_at=None,
        sends=0,
        asked_by_id=by and by.pk,
        asked_at=Now(),
        request_id=request_ids.current(),
    )
    if renewed:
        run.notify()
        run.refresh_from_db(fields=["state", "asked_at"])
