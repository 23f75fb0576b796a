"""A part of a project's history: which labels of a question changed in it, and the history at either end."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection
from django.db.models import Max

from core.history import VISIBLE_ENTRIES, Head
from core.models import HistoryEntry
from projects.models import Project
from reports.analysis.question import Kind
from reports.sources.past_labels import deciders_of
from reports.sources.relation import Params

# Changes are counted only up to this number.
MOST = 100_000
_ENTRIES = """
    SELECT id FROM core_historyentry
    WHERE project_id = %(project)s AND kind = 'R' AND position > %(after)s AND position <= %(up_to)s"""
_CHANGES = f"""
SELECT question_id, batch_id, source = %(source)s, count(*) FROM (
    SELECT question_id, batch_id, source FROM raters_labelrevision
    WHERE question_id = ANY (%(questions)s) AND rater_id <> ALL (%(deciders)s) AND entry_id IN ({_ENTRIES})
    LIMIT %(most)s
) changes GROUP BY 1, 2, 3"""  # noqa: S608
_ANY = f"""
SELECT EXISTS (
    SELECT FROM raters_labelrevision
    WHERE question_id = %(question)s AND rater_id <> ALL (%(deciders)s) AND entry_id IN ({_ENTRIES})
)"""  # noqa: S608
# A label that was given when the question was of another kind.
_OTHER_KIND = """
SELECT EXISTS (
    SELECT FROM raters_labelrevision
    WHERE question_id = %(question)s AND change <> 'D' AND NOT is_abstention AND {column} IS NULL AND {seen}
)"""
_COLUMNS = {Kind.SINGLE: "category_id", Kind.MULTIPLE: "category_set", Kind.NUMBER: "number"}


@dataclass(frozen=True, slots=True)
class HistorySpan:
    """The part of a project's history after the first position, up to and including the second."""

    project: Project
    after: int
    up_to: int

    @property
    def heads(self) -> tuple[Head, Head]:
        """The heads of the history before and after."""
        return self._head(self.after), self._head(self.up_to)

    def _head(self, position: int) -> Head:
        entries = HistoryEntry.objects.filter(project_id=self.project.pk, position__lte=position)
        return Head(self.project.pk, position, entries.aggregate(Max("id"))["id__max"] or 0, "")


@dataclass(frozen=True, slots=True)
class ChangedLabels:
    """Changed labels of one question. rounds: IDs, None for labels without a round. n_own: those from the requested
    source.
    """

    n: int
    n_own: int
    rounds: frozenset[int | None]


def changes_in(span: HistorySpan, questions: Sequence[int], *, source: str = "") -> dict[int, ChangedLabels]:
    """Return the changed labels of raters by question, if there are any; adjudicators' decisions do not count."""
    params = {**_params(span), "questions": list(questions), "source": source, "most": MOST}
    found: dict[int, ChangedLabels] = {}
    with connection.cursor() as cursor:
        cursor.execute(_CHANGES, params)
        for question, round_, is_own, n in cursor.fetchall():
            known = found.get(question, ChangedLabels(0, 0, frozenset()))
            found[question] = ChangedLabels(known.n + n, known.n_own + n * is_own, known.rounds | {round_})
    return found


def is_changed_in(span: HistorySpan, question: int) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(_ANY, {**_params(span), "question": question})
        return bool(cursor.fetchone()[0])


def has_other_kind(head: Head, question: int, kind: str) -> bool:
    """Return whether labels up to this head answer another kind of question than the current one."""
    query = _OTHER_KIND.format(column=_COLUMNS[Kind(kind)], seen=VISIBLE_ENTRIES)
    with connection.cursor() as cursor:
        cursor.execute(query, {"question": question, **head.params})
        return bool(cursor.fetchone()[0])


def _params(span: HistorySpan) -> Params:
    return {
        "project": span.project.pk,
        "after": span.after,
        "up_to": span.up_to,
        "deciders": list(deciders_of(span.project).values_list("pk", flat=True)),
    }
