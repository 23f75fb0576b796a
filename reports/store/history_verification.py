"""Verification of the history of a project: its chain, its rows, and the labels that result from it.

The database computes everything in one snapshot. A superuser who rewrites the whole chain is detected only by
comparison with a head that was kept elsewhere.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import psycopg
from django.db import connection
from django.db.models import Sum

from core.history import Head, head_of
from core.models import SITE, HistoryEntry
from core.refusals import Refused
from core.snapshots import snapshot_connection
from projects.codebook.former import EVER
from projects.models import Project

# The head of an empty chain has no digest.
_HEAD = re.compile(r"([0-9]{1,18}):([0-9a-f]{64}|)")
# Can be verified within a few seconds.
MOST_AT_ONCE = 1_000_000
SETTINGS = (
    "SET LOCAL statement_timeout = '30min'",
    "SET LOCAL idle_in_transaction_session_timeout = '30min'",
    "SET LOCAL search_path = pg_catalog, public",
)


@dataclass(frozen=True, slots=True)
class HistoryFault:
    """The first fault of its type. position: of its entry, or None if it has none."""

    position: int | None
    sentence: str


@dataclass(frozen=True, slots=True)
class Verification:
    """head: in the format of `Head`. faults: the first ones by position; [] if there are none."""

    head: str
    n_entries: int
    n_revisions: int
    n_events: int
    faults: list[HistoryFault]


class HistoryTooLarge(Refused):
    """A history that takes too long to verify at once; the message says what to do."""

    code, status_code = "too_large", 413


class BadHead(Refused):
    """Text that is not a valid head."""

    code, status_code = "bad_head", 400


def verify_at_once(project: Project, *, expected: str = "") -> Verification:
    """Verify a history in the request. Raises HistoryTooLarge, and BadHead if `expected` is not a head."""
    if count_revisions(project) > MOST_AT_ONCE:
        raise HistoryTooLarge(
            f"This history has more than {MOST_AT_ONCE:,} revisions, which takes too long to verify on a page. "
            f"Run manage.py verify_history {project.slug} on the server."
        )
    return verify_history(project, expected=expected)


def verify_history(project: Project | None, *, expected: str = "") -> Verification:
    """Verify the history of a project, or of the site if None. expected: a head exported earlier, "position:digest".

    Raises BadHead if `expected` is not a head.
    """
    known = parsed_head(expected) if expected else None
    with snapshot_connection(SETTINGS) as opened:
        check = _Check(opened, project.pk if project else SITE)
        faults = [*check.links(), *(check.at_head(*known) if known else ())]
        faults += check.revisions()
        faults += check.events()
        faults += [*check.labels(), *check.reports()]
        return Verification(
            str(head_of(check.project, opened.cursor())),
            *check.counts(),
            sorted(faults, key=lambda fault: (fault.position is None, fault.position)),
        )


def parsed_head(text: str) -> tuple[int, str]:
    """Return the position and the digest of a head. Raises BadHead."""
    if not (found := _HEAD.fullmatch(text.strip())):
        raise BadHead("A head is a position, a colon, and 64 hexadecimal digits, as in 128:9f86d0….")
    return int(found[1]), found[2]


# The formulas of docs/history.md, written out because anyone who can alter rows could also replace database functions.
_ENTRY_DIGEST = """sha256(coalesce(lag(digest) OVER chain, '')
            || record_send(ROW(project_id, kind::text, n_rows, content, at, position)))"""
_REVISION = """r.id, r.label_id, r.change::text, r.item_id, r.question_id, r.rater_id, r.batch_id,
        r.pass_number::integer, r.revision::integer, r.old_value, r.category_id, r.category_set, r.number,
        r.is_abstention, r.reason::text, r.note, r.guidelines_version::integer, r.user_id, r.source::text, r.at,
        r.seconds, r.labelled_at"""
# Text is added to the row, a confidence adds both, and the mark of a suggestion all three; rows without any have the
# digest of earlier releases.
_REVISION_DIGEST = f"""sha256(CASE
        WHEN r.from_suggestion THEN record_send(ROW({_REVISION}, r.text, r.confidence, r.from_suggestion))
        WHEN r.confidence IS NOT NULL THEN record_send(ROW({_REVISION}, r.text, r.confidence))
        WHEN r.text IS NOT NULL THEN record_send(ROW({_REVISION}, r.text))
        ELSE record_send(ROW({_REVISION})) END)"""
_EVENT_DIGEST = """sha256(record_send(ROW(
            v.id, v.at, v.kind::text, v.project_id, v.user_id, v.names, v.detail - ARRAY['user', 'raters'])))"""
_EVENT_NAMES = """sha256(uuid_send(v.salt)
                || record_send(ROW(v.user_name::text, v.about::text, v.detail->'user', v.detail->'raters')))"""

_LINKS = f"""
SELECT position, place, is_right FROM (
    SELECT position, row_number() OVER chain AS place,
        coalesce(digest = {_ENTRY_DIGEST}, false) AS is_right
    FROM core_historyentry WHERE project_id = %(project)s
    WINDOW chain AS (ORDER BY position)
) linked
WHERE NOT is_right OR place IS DISTINCT FROM position
ORDER BY place LIMIT 1
"""  # noqa: S608
_ROWS = f"""
SELECT r.id, r.entry_id, r.digest AS stored_digest, {_REVISION_DIGEST} AS digest
FROM raters_labelrevision r
WHERE r.question_id IN ({EVER})
"""  # noqa: S608
# Each entry with its rows. An altered row is detected by its digest, an extra or missing one by the count, and one that
# was altered together with its digest by the content of its entry.
_REVISIONS = f"""
WITH found AS (
    SELECT entry_id, count(*) AS n_rows, sha256(string_agg(digest, '' ORDER BY id)) AS content,
        min(id) FILTER (WHERE digest IS DISTINCT FROM stored_digest) AS altered, min(id) AS first
    FROM ({_ROWS}) digested GROUP BY entry_id
), entries AS (
    SELECT id, position, n_rows, content FROM core_historyentry WHERE project_id = %(project)s AND kind = 'R'
)
SELECT e.position, e.n_rows, coalesce(f.n_rows, 0), f.altered, f.first, e.id
FROM entries e FULL JOIN found f ON f.entry_id = e.id
WHERE f.altered IS NOT NULL OR e.n_rows IS DISTINCT FROM f.n_rows OR e.content IS DISTINCT FROM f.content
ORDER BY e.position NULLS FIRST LIMIT 5
"""  # noqa: S608
_EVENTS = f"""
WITH found AS (
    SELECT v.id, v.entry_id, v.at, CASE
            -- Only an erasure takes the salt, and it leaves its pseudonym and an event of the site.
            WHEN v.salt IS NULL THEN EXISTS (
                SELECT FROM projects_event erased
                WHERE erased.kind = 'person_erased' AND erased.project_id IS NULL AND erased.at >= v.at
                    AND erased.about ~ ('^erased-' || (erased.detail->>'account') || 'x*$')
                    AND (erased.about IN (v.user_name, v.about) OR v.detail->'user' = to_jsonb(erased.about)
                        OR v.detail->'raters' ? erased.about)
            )
            ELSE v.names = {_EVENT_NAMES}
        END AS has_names,
        sha256({_EVENT_DIGEST}) AS content
    FROM projects_event v WHERE coalesce(v.project_id, 0) = %(project)s
), entries AS (
    SELECT id, position, content, at FROM core_historyentry WHERE project_id = %(project)s AND kind = 'E'
)
SELECT e.position, f.id, e.at FROM entries e FULL JOIN found f ON f.entry_id = e.id
WHERE e.content IS DISTINCT FROM f.content OR NOT f.has_names
ORDER BY e.position NULLS FIRST LIMIT 5
"""  # noqa: S608
_VALUES = (
    "item_id", "question_id", "rater_id", "batch_id", "pass_number", "revision", "category_id", "category_set",
    "number", "text", "is_abstention", "reason", "note", "guidelines_version", "confidence", "from_suggestion",
)  # fmt: skip
_LABELS = f"""
WITH last AS (
    SELECT DISTINCT ON (label_id) * FROM raters_labelrevision
    WHERE question_id IN ({EVER})
    ORDER BY label_id, id DESC
), now AS (
    SELECT * FROM raters_label
    WHERE question_id IN (SELECT id FROM projects_question WHERE project_id = %(project)s)
)
SELECT coalesce(l.id, n.label_id), n.id, n.entry_id, l.id IS NOT NULL
FROM now l FULL JOIN last n ON n.label_id = l.id
WHERE CASE
    WHEN n.id IS NULL THEN true
    WHEN l.id IS NULL THEN n.change <> 'D'
    ELSE n.change = 'D'
        OR ({", ".join(f"l.{name}" for name in _VALUES)})
            IS DISTINCT FROM ({", ".join(f"n.{name}" for name in _VALUES)})
        OR (n.labelled_at IS NOT NULL AND (l.labelled_at, l.seconds) IS DISTINCT FROM (n.labelled_at, n.seconds))
END
ORDER BY n.entry_id NULLS FIRST, 1 LIMIT 5
"""  # noqa: S608
# Reports, and their exports, keep the head up to which they read.
_REPORTS = """
WITH heads AS (
    SELECT position, encode(digest, 'hex') AS digest, max(id) OVER (ORDER BY position) AS entry
    FROM core_historyentry WHERE project_id = %(project)s
)
SELECT r.id, r.head_position FROM reports_report r
LEFT JOIN heads h ON h.position = r.head_position
WHERE r.project_id = %(project)s AND (r.head_position > 0 OR r.head_entry > 0 OR r.head_digest <> '')
    AND (h.digest, h.entry) IS DISTINCT FROM (r.head_digest::text, r.head_entry)
ORDER BY r.head_position, r.id LIMIT 1
"""
_COUNTS = """
SELECT count(*), coalesce(sum(n_rows) FILTER (WHERE kind = 'R'), 0), count(*) FILTER (WHERE kind = 'E')
FROM core_historyentry WHERE project_id = %(project)s
"""


def count_revisions(project: Project) -> int:
    """Return the number of revisions in the chain of a project."""
    entries = HistoryEntry.objects.filter(project_id=project.pk, kind=HistoryEntry.Kind.REVISIONS)
    return entries.aggregate(n=Sum("n_rows", default=0))["n"]


class _Check:
    def __init__(self, opened: psycopg.Connection[Any], project: int) -> None:
        self.opened, self.project = opened, project

    def _rows(self, query: str, **params: Any) -> list[tuple[Any, ...]]:
        return self.opened.execute(query, {"project": self.project, **params}).fetchall()

    def links(self) -> Iterator[HistoryFault]:
        for position, place, is_right in self._rows(_LINKS):
            if position is None:
                yield HistoryFault(None, "An entry was written without being linked to the chain.")
            elif place != position:
                yield HistoryFault(place, f"Entry {place} is missing: the next one is entry {position}.")
            elif not is_right:
                yield HistoryFault(position, f"Entry {position} does not follow from the one before it.")

    def at_head(self, position: int, digest: str) -> Iterator[HistoryFault]:
        found = self._rows(
            "SELECT encode(digest, 'hex') FROM core_historyentry WHERE project_id = %(project)s"
            " AND position = %(position)s",
            position=position,
        )
        if position and not found:
            [(last,)] = self._rows(
                "SELECT coalesce(max(position), 0) FROM core_historyentry WHERE project_id = %(project)s"
            )
            yield HistoryFault(
                last + 1,
                f"The history ends at entry {last}, but the given head is entry {position}: its end was cut off.",
            )
        elif position and found[0][0] != digest:
            yield HistoryFault(
                position,
                f"Entry {position} does not match the given head: it, or an entry before it, was rewritten.",
            )

    def revisions(self) -> Iterator[HistoryFault]:
        for position, n_written, n_found, altered, first, entry in self._rows(_REVISIONS):
            if position is None:
                yield HistoryFault(
                    None, f"{self._revision(first)} is in no entry of this project: it was inserted."
                )
            elif altered is not None:
                yield HistoryFault(position, f"{self._revision(altered)} was altered.")
            elif n_found < n_written:
                yield HistoryFault(position, self._missing(position, n_written - n_found, entry, n_written))
            elif n_found > n_written:
                n = n_found - n_written
                yield HistoryFault(
                    position,
                    f"Entry {position} has {n} more revisions than it should: they were inserted.",
                )
            else:
                what = (
                    self._revision(first)
                    if n_written == 1
                    else f"One of the {n_written:,} revisions of entry {position}"
                )
                yield HistoryFault(position, f"{what} was altered.")

    def _missing(self, position: int, n: int, entry: int, n_written: int) -> str:
        """Describe missing revisions; the row of one that was moved to another project may still exist."""
        moved = self._rows("SELECT min(id) FROM raters_labelrevision WHERE entry_id = %(entry)s", entry=entry)
        if n_written == 1 and moved[0][0] is not None:
            return f"{self._revision(moved[0][0])} was altered."
        if n_written == 1:
            return f"The revision of entry {position} was deleted."
        return f"{n:,} of the {n_written:,} revisions of entry {position} were deleted."

    def _revision(self, pk: int) -> str:
        rows = self._rows(
            "SELECT r.revision, coalesce(i.key, r.item_id::text), coalesce(q.key, f.key, r.question_id::text),"
            " coalesce(t.key, r.rater_id::text) FROM raters_labelrevision r"
            " LEFT JOIN projects_item i ON i.id = r.item_id LEFT JOIN projects_question q ON q.id = r.question_id"
            " LEFT JOIN projects_formerquestion f ON f.id = r.question_id"
            " LEFT JOIN raters_rater t ON t.id = r.rater_id WHERE r.id = %(pk)s",
            pk=pk,
        )
        [(revision, item, question, rater)] = rows
        return (
            f"Revision {pk} (revision {revision} of the label of {rater} on item {item}, question {question})"
        )

    def events(self) -> Iterator[HistoryFault]:
        for position, pk, at in self._rows(_EVENTS):
            if position is None:
                yield HistoryFault(None, f"Event {pk} is in no entry of this project: it was inserted.")
            elif pk is None:
                yield HistoryFault(
                    position, f"The event of entry {position}, of {at:%Y-%m-%d %H:%M:%S} UTC, was deleted."
                )
            else:
                yield HistoryFault(position, f"Event {pk} was altered.")

    def labels(self) -> Iterator[HistoryFault]:
        for label, revision, entry, is_there in self._rows(_LABELS):
            if revision is None:
                yield HistoryFault(
                    None, f"Label {label} has no history: it was inserted, or its history was deleted."
                )
                continue
            [(position,)] = self._rows(
                "SELECT min(position) FROM core_historyentry WHERE id = %(entry)s", entry=entry
            )
            what = (
                "does not match its history"
                if is_there
                else "was deleted, but its history does not record that"
            )
            yield HistoryFault(
                position, f"Label {label} {what}. Its last revision: {self._revision(revision)}."
            )

    def reports(self) -> Iterator[HistoryFault]:
        for report, position in self._rows(_REPORTS):
            yield HistoryFault(
                position,
                f"Report {report} was computed from a different history: entry {position}, or an earlier one,"
                " was rewritten.",
            )

    def counts(self) -> tuple[int, int, int]:
        [(entries, revisions, events)] = self._rows(_COUNTS)
        return entries, int(revisions), events


def head_now(project: Project) -> Head:
    with connection.cursor() as cursor:
        return head_of(project.pk, cursor)
