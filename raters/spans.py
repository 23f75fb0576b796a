"""The part of a project's history that belongs to an import, its undoing, or an adjudication session."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import QuerySet

from core.models import HistoryEntry
from projects.codebook.former import ids_ever
from projects.models import Event, Project
from raters.models import Decision, ImportedRange, LabelImport, LabelRevision
from raters.reporting import EffectOnQuestion, reporting

# A session ends after this long without a decision.
PAUSE = timedelta(hours=1)
MOST_SESSIONS = 5
# The maximum number of entries, over all projects, written during the transaction that undoes an import.
MOST_ENTRIES = 100_000
# The number of decisions searched for sessions.
MOST_DECISIONS = 1000


@dataclass(frozen=True, slots=True)
class Span:
    """A range of history positions, excluding the first. source: of its changes, as named in revisions."""

    project: Project
    after: int
    up_to: int
    source: str = ""

    @property
    def effects(self) -> list[EffectOnQuestion]:
        return reporting().effects(self.project, self.after, self.up_to, self.source)


@dataclass(frozen=True, slots=True)
class Session:
    """Decisions by one person without long pauses. span: None if they left no trace in the history."""

    person: str
    started_at: datetime
    ended_at: datetime
    n_decisions: int
    span: Span | None
    effects: Sequence[EffectOnQuestion]


def span_of_import(run: LabelImport) -> Span | None:
    """Return None if it changed no label, or was run by a release that did not record which changes were its own."""
    bounds = run.ranges.filter(kind=ImportedRange.Kind.REVISION).values_list("first_id", "last_id").first()
    if bounds is None:
        return None
    own = LabelRevision.objects.filter(
        pk__range=bounds, question_id__in=ids_ever(run.project), source=run.origin, entry_id__isnull=False
    )
    return _span(run.project, own, "pk", run.origin)


def span_of_undoing(run: LabelImport) -> Span | None:
    events = Event.objects.filter(project_id=run.project_id, kind=Event.Kind.IMPORT_UNDONE)
    end = events.filter(detail__contains={"import": run.pk}).values_list("entry_id", flat=True).first()
    if end is None:
        return None
    source = f"undo of {run.origin}"
    # From the same transaction as the event; others may belong to another server's import with the same number.
    own = LabelRevision.objects.filter(
        question_id__in=ids_ever(run.project),
        source=source,
        entry_id__range=(end - MOST_ENTRIES, end + MOST_ENTRIES),
    )
    return _span(run.project, own, "entry_id", source)


def _span(project: Project, revisions: QuerySet[LabelRevision], order: str, source: str) -> Span | None:
    """Return the span from the first to the last revision."""
    ends = [revisions.order_by(by).values_list("entry_id", flat=True).first() for by in (order, f"-{order}")]
    entries = HistoryEntry.objects.filter(pk__in=[pk for pk in ends if pk])
    found = sorted(position for position in entries.values_list("position", flat=True) if position)
    return Span(project, found[0] - 1, found[-1], source) if found else None


def sessions_of(project: Project) -> list[Session]:
    """Return the newest adjudication sessions, based on the current decisions; newest first."""
    rows = Decision.objects.filter(label__question__project=project).order_by("-label__labelled_at")
    decisions = rows.values_list("decided_by__username", "label__labelled_at")[:MOST_DECISIONS]
    sessions: list[Session] = []
    for person, moments in _together([*decisions]):
        if len(sessions) == MOST_SESSIONS:
            break
        first, last = moments[-1], moments[0]
        span = _span_between(project, first, last)
        effects = span.effects if span and span.after < span.up_to else []
        sessions.append(Session(person, first, last, len(moments), span, effects))
    return sessions


def _together(decisions: list[tuple[str, datetime]]) -> Iterator[tuple[str, list[datetime]]]:
    """Yield sessions by person, ordered by their last decision, newest first."""
    held: dict[str, list[datetime]] = {}
    found: list[tuple[str, list[datetime]]] = []
    for person, at in decisions:
        if person not in held or held[person][-1] - at > PAUSE:
            held[person] = []
            found.append((person, held[person]))
        held[person].append(at)
    yield from found


def _span_between(project: Project, first: datetime, last: datetime) -> Span | None:
    """Return the span from just before the first decision to the last, including raters' changes in between."""
    entries = HistoryEntry.objects.filter(project_id=project.pk, position__isnull=False).order_by("-position")
    up_to = entries.filter(at__lte=last).values_list("position", flat=True).first()
    if up_to is None:
        return None
    return Span(project, entries.filter(at__lt=first).values_list("position", flat=True).first() or 0, up_to)
