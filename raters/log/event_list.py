"""The events of a project by kind, person, and date, and their text."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Q, QuerySet
from django.utils import timezone

from core.templatetags.shown import moment
from projects.events import events_of
from projects.models import Event, ItemList, Project, Question, Round
from raters.access import further_rounds, rounds_to_be_blind_in
from raters.log.detail_words import is_shown, name_in_words, value_in_words
from raters.models import Rater, User

# Details that are date-times, in ISO 8601.
MOMENTS = {"due", "requested_at"}
# Changes of a codebook whose fields are listed.
LISTED = ("changed", "category changed")


@dataclass(frozen=True, slots=True)
class LogFilter:
    """person: who did it, or whom or what it affected. since, until: inclusive days."""

    kind: str = ""
    person: str = ""
    since: date | None = None
    until: date | None = None


def events_matching(project: Project, wanted: LogFilter, *, by: Any) -> QuerySet[Event]:
    """Return the matching events, newest first, without those that depend on labels hidden from `by`."""
    events = _shown_to(by, project)
    if wanted.kind:
        events = events.filter(kind=wanted.kind)
    if wanted.person:
        events = events.filter(Q(user_name__icontains=wanted.person) | Q(about__icontains=wanted.person))
    if wanted.since:
        events = events.filter(at__gte=timezone.make_aware(datetime.combine(wanted.since, time.min)))
    if wanted.until:
        events = events.filter(at__lte=timezone.make_aware(datetime.combine(wanted.until, time.max)))
    return events


def _shown_to(user: Any, project: Project) -> QuerySet[Event]:
    """Leave out reminders of rounds whose assignments depend on labels hidden from the user: they name who has work."""
    events = events_of(project)
    hidden = further_rounds(project, rounds_to_be_blind_in(user, project))
    if not hidden:
        return events
    # Earlier reminders only have the name of their round.
    names = list(Round.objects.filter(pk__in=hidden).values_list("key", flat=True))
    of_hidden = reduce(or_, (Q(detail__contains={"round": pk}) for pk in hidden), Q(about__in=names))
    return events.exclude(of_hidden, kind=Event.Kind.ROUND_REMINDED)


@dataclass(frozen=True, slots=True)
class Detail:
    """One detail of an event; old is None if nothing was replaced."""

    name: str
    new: str
    old: str | None = None


@dataclass(frozen=True, slots=True)
class EventRow:
    event: Event
    details: list[Detail]


def event_rows(events: Sequence[Event]) -> list[EventRow]:
    """Return the events for display; details show the current names of what they store by ID."""
    ours = {"project__in": {event.project_id for event in events}}
    stored_by_id: tuple[tuple[tuple[str, ...], QuerySet[Any, Any]], ...] = (
        (("user", "people"), User.objects.values_list("pk", "username")),
        (
            ("rater", "raters", "without_address", "a", "b"),
            Rater.objects.filter(**ours).values_list("pk", "key"),
        ),
        (("question",), Question.objects.filter(**ours).values_list("pk", "key")),
        (("round",), Round.objects.filter(**ours).values_list("pk", "key")),
        (("list",), ItemList.objects.filter(**ours).values_list("pk", "name")),
    )
    names: dict[str, dict[int, str]] = {}
    for details, rows in stored_by_id:
        ids = {pk for event in events for name in details for pk in _ids(event, name)}
        found = dict(rows.filter(pk__in=ids))
        names |= dict.fromkeys(details, found)
    return [EventRow(event, list(_details(event, names))) for event in events]


def _ids(event: Event, name: str) -> list[int]:
    value = event.detail.get(name)
    return [pk for pk in (value if isinstance(value, list) else [value]) if isinstance(pk, int)]


def _details(event: Event, names: dict[str, dict[int, str]]) -> Iterator[Detail]:
    rest = dict(event.detail)
    change = rest.pop("change", "changed")
    if change not in LISTED:
        yield Detail("", _value(value_in_words(event, "change", change)))
    if isinstance(rest.get("changed"), dict):
        for name, each in rest.pop("changed").items():
            new, old = (_value(value_in_words(event, name, each[which])) for which in ("new", "old"))
            yield Detail(name_in_words(event, name), new, old)
    if "old" in rest and "new" in rest:
        new, old = _value(rest.pop("new")), _value(rest.pop("old"))
        yield Detail("", new, old)
    for name, value in rest.items():
        if not is_shown(event, name, value):
            continue
        if name in names and (ids := _ids(event, name)):
            value = [names[name].get(pk, str(pk)) for pk in ids]
        value = value_in_words(event, name, value)
        yield Detail(name_in_words(event, name), _moment(value) if name in MOMENTS else _value(value))


def _moment(value: Any) -> str:
    """Format a date-time; invalid ones, which project files may contain, are returned as they are."""
    try:
        return moment(datetime.fromisoformat(value))
    except (TypeError, ValueError, OverflowError):
        return _value(value)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or value in ("", [], {}):
        return "none"
    if isinstance(value, list):
        is_nested = any(isinstance(each, (dict, list)) for each in value)
        return ("; " if is_nested else ", ").join(map(_value, value))
    if isinstance(value, dict):
        return ", ".join(f"{name}: {_value(each)}" for name, each in value.items())
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
