"""Current labels in the order of their last change, for programs that keep a copy of them.

The history of a project is a chain: an entry gets its position when its transaction commits, and whoever sees a
position also sees all earlier ones (docs/adr/0016). So everything new to a program comes after the last position it
has seen, whatever was being written during its request. IDs and times do not ensure this, as they are assigned
before the commit.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

from django.db import connection

from core.numbers import whole_number
from core.refusals import RefusedWithCode
from projects.codebook.former import ids_ever
from projects.models import Item, Project, Question, Round
from raters.models import Rater

# The latest revisions, ordered by the position of their entry and their place in it.
_CHANGED = """
SELECT e.position, v.id, v.label_id, v.change = 'D', i.key, v.item_id, q.key, r.key, r.kind, b.key, v.pass_number,
    c.key, CASE WHEN v.category_set IS NOT NULL THEN ARRAY(
        SELECT part.key FROM projects_category part WHERE part.id = ANY (v.category_set) ORDER BY part.position, part.id
    ) END,
    v.number, v.text, v.is_abstention AND v.change <> 'D', v.reason, v.note, coalesce(l.seconds, v.seconds),
    coalesce(l.labelled_at, v.labelled_at), coalesce(l.source_id, v.old_value ->> 'source_id', ''), v.revision, v.at,
    v.confidence, v.from_suggestion
FROM core_historyentry e
JOIN raters_labelrevision v ON v.entry_id = e.id AND v.question_id = ANY (%(questions)s)
JOIN (
    SELECT id, key FROM projects_question UNION ALL SELECT id, key FROM projects_formerquestion
) q ON q.id = v.question_id
LEFT JOIN raters_label l ON l.id = v.label_id
LEFT JOIN projects_item i ON i.id = v.item_id
LEFT JOIN raters_rater r ON r.id = v.rater_id
LEFT JOIN projects_batch b ON b.id = v.batch_id
LEFT JOIN projects_category c ON c.id = v.category_id
WHERE e.project_id = %(project)s AND e.kind = 'R' AND e.position >= %(position)s
    AND (e.position, v.id) > (%(position)s, %(revision)s)
    AND (%(item)s::bigint IS NULL OR v.item_id = %(item)s)
    AND (%(rater)s::bigint IS NULL OR v.rater_id = %(rater)s)
    AND (%(round)s::bigint IS NULL OR v.batch_id = %(round)s)
    AND (%(with_withdrawn)s OR v.change <> 'D')
    AND NOT EXISTS (
        SELECT FROM raters_labelrevision later
        WHERE later.item_id = v.item_id AND later.question_id = v.question_id AND later.label_id = v.label_id
            AND later.id > v.id
    )
ORDER BY e.position, v.id
LIMIT %(most)s
"""
_CURSOR = re.compile(r"([0-9]{1,18})-([0-9]{1,18})", re.ASCII)


@dataclass(frozen=True, slots=True)
class HistoryPoint:
    """A point in a project's history: the position of an entry, and the last of its revisions that was seen."""

    position: int = 0
    revision: int = 0

    @classmethod
    def of_text(cls, text: str) -> Self:
        """Parse a point. Raises RefusedWithCode."""
        found = _CURSOR.fullmatch(text)
        numbers = [whole_number(part) for part in found.groups()] if found else [None]
        if None in numbers:
            raise RefusedWithCode(
                "invalid_parameter", "changed_since must be the `next` of an earlier response."
            )
        return cls(*(number or 0 for number in numbers))

    def __str__(self) -> str:
        return f"{self.position}-{self.revision}"


@dataclass(frozen=True, slots=True)
class RequestedLabels:
    """Which labels are requested; None for any."""

    question: Question | None = None
    rater: Rater | None = None
    round: Round | None = None
    item: Item | None = None


@dataclass(frozen=True, slots=True)
class ChangedLabel:
    """A label in its current state; if it was withdrawn or its item is gone, as far as the history shows.

    since: the point immediately after it.
    """

    since: HistoryPoint
    id: int
    is_withdrawn: bool
    item: str | None
    item_id: int
    question: str
    rater: str | None
    rater_kind: str | None
    round: str | None
    pass_number: int
    category: str | None
    categories: list[str] | None
    number: float | None
    text: str | None
    cannot_tell: bool
    reason: str
    note: str
    seconds: float | None
    labeled_at: datetime | None
    source_id: str
    revision: int
    changed_at: datetime
    confidence: float | None
    from_suggestion: bool


def changed_labels(
    project: Project, wanted: RequestedLabels, since: HistoryPoint | None, *, most: int
) -> list[ChangedLabel]:
    """Return labels added, changed, or withdrawn after this point, each once in its current state, earliest first.

    If since is None, withdrawn labels are left out.
    """
    start = since or HistoryPoint()
    # Programs may still have labels of a question that was removed with its import.
    questions = ids_ever(project, wanted.question.pk if wanted.question else None)
    params: Mapping[str, Any] = {
        "project": project.pk,
        "questions": questions,
        "item": wanted.item.pk if wanted.item else None,
        "rater": wanted.rater.pk if wanted.rater else None,
        "round": wanted.round.pk if wanted.round else None,
        "position": start.position,
        "revision": start.revision,
        "with_withdrawn": since is not None,
        "most": most,
    }
    with connection.cursor() as cursor:
        cursor.execute(_CHANGED, params)
        return [ChangedLabel(HistoryPoint(row[0], row[1]), *row[2:]) for row in cursor.fetchall()]
