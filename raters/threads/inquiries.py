"""One list of what raters raised with leads: questions about items, and items that the guidelines do not cover.

There is one entry per rater and item, holding the question, the mark, or both. It is open until a lead has answered.
If a rater marks an item without asking a question, the lead's answer starts the thread.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from django.db import connection, transaction
from django.db.models import Exists, OuterRef, QuerySet

from projects.models import Item, Project
from raters.items.queries import excerpt
from raters.models import Assignment, Label, Rater, Thread
from raters.threads.actions import reply

KINDS = {"": "All", "questions": "Questions from raters", "unclear": "Not covered by the guidelines"}
STATES = {"open": "Open", "answered": "Answered", "all": "All"}

# For a rater and an item: the thread, and the assignments that the rater marked. Items withdrawn with an open
# assignment count here as they do elsewhere.
_ENTRIES = """
WITH marked AS (
    SELECT work.item_id, work.rater_id, array_agg(work.id ORDER BY work.pass_number) AS marks,
        min(coalesce(work.done_at, work.last_seen_at)) AS at, array_agg(work.batch_id) AS rounds
    FROM raters_assignment work
    JOIN projects_batch round ON round.id = work.batch_id JOIN projects_item item ON item.id = work.item_id
    WHERE round.project_id = %(project)s AND work.is_guideline_unclear AND work.rater_id IS NOT NULL
        AND (work.state = 'done' OR item.withdrawn_at IS NULL)
    GROUP BY 1, 2
), asked AS (
    SELECT thread.*, ARRAY(
        SELECT work.batch_id FROM raters_assignment work
        WHERE work.item_id = thread.item_id AND work.rater_id = thread.rater_id
    ) AS rounds, EXISTS (
        SELECT FROM raters_message WHERE thread_id = thread.id AND NOT is_answer
    ) AS is_question
    FROM raters_thread thread JOIN projects_item item ON item.id = thread.item_id
    WHERE item.project_id = %(project)s
), entries AS (
    SELECT item_id, rater_id, asked.id AS thread_id, coalesce(marked.marks, '{}') AS marks,
        coalesce(asked.is_open, true) AS is_open, least(asked.last_at, marked.at) AS at,
        coalesce(asked.is_question, false) AS is_question
    FROM asked FULL JOIN marked USING (item_id, rater_id)
    WHERE (%(round)s::bigint IS NULL OR %(round)s = ANY (asked.rounds || marked.rounds))
), chosen AS (
    SELECT * FROM entries
    WHERE (%(kind)s = '' OR (%(kind)s = 'questions' AND is_question) OR (%(kind)s = 'unclear' AND marks <> '{}'))
        AND (%(state)s = 'all' OR is_open = (%(state)s = 'open'))
        AND NOT EXISTS (
            SELECT FROM raters_assignment hidden
            WHERE hidden.item_id = entries.item_id AND hidden.batch_id = ANY (%(hidden)s::bigint[])
        )
)
"""
_COUNT = (
    _ENTRIES
    + """
SELECT count(*), count(*) FILTER (WHERE is_question), count(*) FILTER (WHERE marks <> '{}') FROM chosen
"""
)
# Items with open entries come first, oldest first; entries about the same item stay together.
_PAGE = (
    _ENTRIES
    + """
SELECT item_id, rater_id, thread_id, marks, is_open FROM chosen
ORDER BY bool_or(is_open) OVER (PARTITION BY item_id) DESC, min(at) OVER (PARTITION BY item_id), item_id,
    is_open DESC, at, rater_id
LIMIT %(limit)s OFFSET %(offset)s
"""
)


@dataclass(frozen=True, slots=True)
class InquiryFilter:
    """None means any round. hidden: rounds that the viewer is still labeling in."""

    kind: str = ""
    state: str = "open"
    round: int | None = None
    hidden: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class OpenCounts:
    """n is the number of entries; one entry can be both a question and a mark."""

    n: int
    n_questions: int
    n_unclear: int


@dataclass(frozen=True, slots=True)
class Inquiry:
    """marks: assignments that the rater marked as not covered by the guidelines.

    notes: the notes on labels by assignment; it may include other assignments.
    """

    item: Item
    rater: Rater
    thread: Thread | None
    marks: list[Assignment]
    notes: Mapping[int, Sequence[str]]
    is_open: bool

    @property
    def id(self) -> str:
        """The HTML id on the page."""
        return f"{self.item.pk}-{self.rater.pk}"

    @property
    def is_question(self) -> bool:
        return self.thread is not None and any(not each.is_answer for each in self.thread.messages.all())

    @property
    def all_notes(self) -> list[str]:
        return list(dict.fromkeys(note for each in self.marks for note in self.notes[each.pk]))

    @property
    def rounds(self) -> str:
        return ", ".join(dict.fromkeys(each.round.key for each in self.marks if each.round))


@dataclass(frozen=True, slots=True)
class ItemInquiries:
    item: Item
    excerpt: str
    inquiries: list[Inquiry] = field(default_factory=list)


class Inquiries:
    """A sequence of entries for a paginator: it has a length and can be sliced."""

    def __init__(self, project: Project, wanted: InquiryFilter) -> None:
        self._asked = _params(project, wanted)

    def __len__(self) -> int:
        return _count(self._asked).n

    def __getitem__(self, page: slice) -> list[Inquiry]:
        start = page.start or 0
        with connection.cursor() as cursor:
            cursor.execute(_PAGE, {**self._asked, "limit": page.stop - start, "offset": start})
            return _inquiries(cursor.fetchall())


def open_counts(project: Project, *, hidden: Sequence[int] = ()) -> OpenCounts:
    return _count(_params(project, InquiryFilter(hidden=tuple(hidden))))


def by_item(inquiries: Sequence[Inquiry]) -> list[ItemInquiries]:
    return [
        ItemInquiries(item, excerpt(item), list(of_item))
        for item, of_item in groupby(inquiries, key=lambda each: each.item)
    ]


@transaction.atomic
def answer_unclear(mark: Assignment, text: str, *, by: Any) -> Thread:
    """Answer a rater who marked the item, even if they asked nothing. Raises ThreadRefused."""
    thread, _ = Thread.objects.get_or_create(item=mark.item, rater=mark.rater, defaults={"is_open": False})
    reply(thread, text, by=by)
    return thread


def unclear_marks(project: Project, *, hidden: Sequence[int] = ()) -> QuerySet[Assignment]:
    """Return assignments that raters marked as not covered, except those for items of hidden rounds."""
    rows = Assignment.objects.filter(round__project=project, is_guideline_unclear=True, rater__isnull=False)
    if hidden:
        rows = rows.exclude(Exists(Assignment.objects.filter(item=OuterRef("item"), round__in=hidden)))
    return rows.select_related("item", "rater", "round").order_by("item", "rater", "pass_number")


def notes_on(assignments: Sequence[Assignment]) -> dict[int, tuple[str, ...]]:
    """Map each assignment to the notes on its labels, in codebook order; one note may be on several answers."""
    noted = (
        Label.objects.exclude(note="")
        .filter(item__in={each.item_id for each in assignments})
        .filter(rater__in={each.rater_id for each in assignments if each.rater_id})
        .order_by("question__position", "question")
        .values_list("item", "rater", "pass_number", "note")
    )
    notes: dict[tuple[int, int | None, int], dict[str, None]] = {}
    for item, rater, pass_number, note in noted:
        notes.setdefault((item, rater, pass_number), {})[note] = None
    return {
        each.pk: tuple(notes.get((each.item_id, each.rater_id, each.pass_number), ())) for each in assignments
    }


def _params(project: Project, wanted: InquiryFilter) -> dict[str, int | str | list[int] | None]:
    return {
        "project": project.pk,
        "kind": wanted.kind,
        "state": wanted.state,
        "round": wanted.round,
        "hidden": list(wanted.hidden),
    }


def _count(params: Mapping[str, int | str | list[int] | None]) -> OpenCounts:
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, params)
        return OpenCounts(*cursor.fetchone())


def _inquiries(rows: Sequence[tuple[int, int, int | None, list[int], bool]]) -> list[Inquiry]:
    """Build the entries in a fixed number of queries."""
    items = Item.objects.in_bulk({row[0] for row in rows})
    raters = Rater.objects.in_bulk({row[1] for row in rows})
    threads = Thread.objects.prefetch_related("messages__author").in_bulk([row[2] for row in rows if row[2]])
    marks = Assignment.objects.select_related("round").in_bulk([pk for row in rows for pk in row[3]])
    notes = notes_on(list(marks.values()))
    return [
        Inquiry(
            items[item],
            raters[rater],
            None if thread is None else threads[thread],
            [marks[pk] for pk in of_entry],
            notes,
            is_open=is_open,
        )
        for item, rater, thread, of_entry, is_open in rows
    ]
