"""All changes to a project's labels: who changed whose label of what, when, and from where."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any, Self

from django.db.models import Q, QuerySet
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Collate
from django.utils import timezone

from core.models import HistoryEntry
from core.numbers import whole_number
from core.refusals import RefusedWithCode
from projects.codebook.former import ids_ever
from projects.models import Item, Project, Question
from raters.items.label_history import LabelChange, changes, import_of
from raters.models import LabelRevision, Rater, User
from raters.spans import Span, span_of_import, span_of_undoing

# Prefixes of the sources that `label_history.source_in_words` puts into words.
WAYS = {
    "page": ("Labeling page", "page"),
    "api": ("API", "api"),
    "import": ("Import", "import "),
    "undone_import": ("Undo of an import", "undo of "),
    "model": ("Model run", "model run "),
    "adjudication": ("Adjudication", "decision by "),
    "merge": ("Merge of categories", "merge by "),
    "database": ("Database", "sql by "),
}
_CURSOR = re.compile(r"([0-9]{1,18})-([0-9]{1,18})", re.ASCII)
FEW_PEOPLE = 500
# The number of history rows whose names are looked up together.
CHUNK = 2000


@dataclass(frozen=True, slots=True)
class ChangeFilter:
    """person: part of the name of the rater or of who made the change. text: part of the old or new free-text answer.

    since, until: inclusive days. after, up_to: positions in the project's history, the first exclusive and the second
    inclusive.
    """

    person: str = ""
    item: str = ""
    question: int | None = None
    text: str = ""
    change: str = ""
    way: str = ""
    since: date | None = None
    until: date | None = None
    after: int | None = None
    up_to: int | None = None


@dataclass(frozen=True, slots=True)
class ItemChange:
    """item: its key. item_id: None if the item has been deleted since."""

    revision: LabelRevision
    item_id: int | None
    item: str
    change: LabelChange


@dataclass(frozen=True, slots=True)
class Cursor:
    """A revision identified by its entry in the chain and its ID; older revisions follow it, newest first."""

    entry: int
    revision: int

    @classmethod
    def of_text(cls, text: str) -> Self:
        """Parse a cursor. Raises RefusedWithCode."""
        found = _CURSOR.fullmatch(text)
        numbers = [whole_number(part) for part in found.groups()] if found else [None]
        if None in numbers:
            raise RefusedWithCode("invalid_parameter", "before must be the `next` of an earlier response.")
        return cls(*(number or 0 for number in numbers))

    def __str__(self) -> str:
        return f"{self.entry}-{self.revision}"


@dataclass(frozen=True, slots=True)
class ChangePage:
    """older: where the next page begins; None on the last page."""

    rows: list[ItemChange]
    older: Cursor | None


def change_page(project: Project, wanted: ChangeFilter, before: Cursor | None, *, size: int) -> ChangePage:
    """Return a page, newest first. Pages start at a cursor, so that the millionth change is as fast as the first."""
    if wanted.person and not _is_anybody(project, wanted.person):
        return ChangePage([], None)
    matching = _matching(project, wanted)
    if before:
        matching = matching.filter(
            Q(entry_id__lt=before.entry) | Q(entry_id=before.entry, pk__lt=before.revision),
            entry_id__lte=before.entry,
        )
    # Each question is read along its index; the first rows overall are among these.
    parts = [
        matching.filter(question_id=question).order_by("-entry_id", "-pk")[: size + 1]
        for question in _questions(project, wanted)
    ]
    if not parts:
        return ChangePage([], None)
    all_parts = parts[0].union(*parts[1:], all=True).order_by("-entry_id", "-pk") if parts[1:] else parts[0]
    found = [*all_parts[: size + 1]]
    rows = _named(found[:size])
    last = found[size - 1] if len(found) > size else None
    return ChangePage(rows, Cursor(last.entry_id or 0, last.pk) if last else None)


@dataclass(frozen=True, slots=True)
class ImportSource:
    """An import, or its undoing, that caused some of the changes. source: as named in revisions."""

    name: str
    source: str


def imports_behind(project: Project, rows: Sequence[ItemChange]) -> list[ImportSource]:
    sources = dict.fromkeys(row.revision.source for row in rows)
    # A project file may contain a source from another server, with a number that belongs to a different import here.
    names = dict(
        project.imports.filter(pk__in=[pk for source in sources if (pk := import_of(source))]).values_list(
            "pk", "file_name"
        )
    )
    return [
        ImportSource(f"{'undo of ' if source.startswith('undo of ') else ''}{names[pk]}", source)
        for source in sources
        if (pk := import_of(source)) in names
    ]


def span_of_source(project: Project, source: str) -> Span | None:
    """Return the part of the history that belongs to an import or its undoing."""
    run = project.imports.select_related("project").filter(pk=import_of(source) or 0).first()
    if run is None:
        return None
    return span_of_undoing(run) if source.startswith("undo of ") else span_of_import(run)


def every_change(project: Project, wanted: ChangeFilter) -> Iterator[ItemChange]:
    """Yield the matching changes, oldest first."""
    matching = _matching(project, wanted).filter(question_id__in=_questions(project, wanted))
    held: list[LabelRevision] = []
    for revision in matching.order_by("entry_id", "pk").iterator(chunk_size=CHUNK):
        held.append(revision)
        if len(held) == CHUNK:
            yield from _named(held)
            held = []
    yield from _named(held)


def _people(project: Project, name: str) -> list[QuerySet[Any, int]]:
    """Return the IDs of the users and of the raters whose name contains this one."""
    users = User.objects.filter(username__icontains=name)
    raters = Rater.objects.filter(project=project, key__icontains=name)
    return [people.order_by().values_list("pk", flat=True) for people in (users, raters)]


def _is_anybody(project: Project, name: str) -> bool:
    """Return whether the name is part of any: finding nothing would take reading all changes."""
    return any(people.exists() for people in _people(project, name))


def _by(project: Project, name: str) -> Q:
    """Return the condition on who made a change, or whose label it is of."""
    users, raters = (
        # By their IDs, the indexes of few people are used; many are in most changes.
        ids if len(ids := list(people[: FEW_PEOPLE + 1])) <= FEW_PEOPLE else people
        for people in _people(project, name)
    )
    return Q(user_id__in=users) | Q(rater_id__in=raters)


def _questions(project: Project, wanted: ChangeFilter) -> list[int]:
    """Return the IDs of the questions whose labels may match: only free-text questions have texts."""
    return ids_ever(project, wanted.question, kind=Question.Kind.TEXT if wanted.text else None)


def _matching(project: Project, wanted: ChangeFilter) -> QuerySet[LabelRevision]:
    found = LabelRevision.objects.all()
    if wanted.person:
        found = found.filter(_by(project, wanted.person))
    if wanted.item:
        found = found.filter(item_id__in=Item.objects.filter(project=project, key=wanted.item).values("pk"))
    if wanted.text:
        found = found.alias(was=KeyTextTransform("text", "old_value"))
        found = found.filter(Q(text__icontains=wanted.text) | Q(was__icontains=wanted.text))
    if wanted.change:
        found = found.filter(change=wanted.change)
    if wanted.way:
        # As a range in byte order, since that is how the index `revision_of_time_and_source` has the sources.
        first = WAYS[wanted.way][1]
        found = found.alias(in_bytes=Collate("source", "C")).filter(
            in_bytes__gte=first, in_bytes__lt=f"{first[:-1]}{chr(ord(first[-1]) + 1)}"
        )
    if wanted.since:
        found = found.filter(at__gte=timezone.make_aware(datetime.combine(wanted.since, time.min)))
    if wanted.until:
        found = found.filter(at__lte=timezone.make_aware(datetime.combine(wanted.until, time.max)))
    if wanted.after is not None or wanted.up_to is not None:
        entries = HistoryEntry.objects.filter(project_id=project.pk, kind=HistoryEntry.Kind.REVISIONS)
        if wanted.after is not None:
            entries = entries.filter(position__gt=wanted.after)
        if wanted.up_to is not None:
            entries = entries.filter(position__lte=wanted.up_to)
        found = found.filter(entry_id__in=entries.values("pk"))
    return found


def _named(revisions: list[LabelRevision]) -> list[ItemChange]:
    items = dict(Item.objects.filter(pk__in={each.item_id for each in revisions}).values_list("pk", "key"))
    return [
        ItemChange(
            revision,
            revision.item_id if revision.item_id in items else None,
            items.get(revision.item_id, f"item {revision.item_id}"),
            change,
        )
        for revision, change in zip(revisions, changes(revisions), strict=True)
    ]
