"""Which of a rater's several labels on an item counts: the first in its round, and from the newest relabeling.

A rater gets an item more than once if a blind repeat was planned in the same round, or if a later round labels it
again. A rater's passes over an item are numbered consecutively across rounds.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from django.db.models import Exists, OuterRef, Q, QuerySet

from projects.models import Project
from raters.models import Assignment, Label, Rater

Model = TypeVar("Model", Label, Assignment)

# Their labels state the truth, and belong to no round.
_NO_RATERS = frozenset({Rater.Kind.CONSENSUS, Rater.Kind.REFERENCE})


def first_in_round(label: str) -> str:
    """Return SQL for whether a label is its rater's first on the item in the round. label: alias of raters_label."""
    return f"""({label}.pass_number = 1 OR NOT EXISTS (
        SELECT FROM raters_label before
        WHERE before.item_id = {label}.item_id AND before.question_id = {label}.question_id
            AND before.rater_id = {label}.rater_id AND before.batch_id IS NOT DISTINCT FROM {label}.batch_id
            AND before.pass_number < {label}.pass_number
    ))"""  # noqa: S608


def firsts_of_round(rows: QuerySet[Model]) -> QuerySet[Model]:
    """Filter labels or assignments of a round to each rater's first pass over each item."""
    same: dict[str, object] = {name: OuterRef(name) for name in ("item", "rater", "round")}
    if rows.model is Label:
        same["question"] = OuterRef("question")
    before = rows.model._default_manager.filter(**same, pass_number__lt=OuterRef("pass_number"))
    return rows.filter(Q(pass_number=1) | ~Exists(before))


def superseded(label: str, *, again: str = "again") -> str:
    """Return SQL for whether a later round labels the item again and has an answer to the question.

    label: the alias of raters_label. again: the parameter with the IDs of such rounds; if there are none, it costs
    nothing.
    """
    return f"""(cardinality(%({again})s::bigint[]) > 0 AND EXISTS (
        SELECT FROM raters_label newer
        JOIN projects_batch newer_round ON newer_round.id = newer.batch_id
        JOIN raters_rater newer_rater ON newer_rater.id = newer.rater_id
        WHERE newer.item_id = {label}.item_id AND newer.question_id = {label}.question_id
            AND newer.batch_id = ANY (%({again})s::bigint[]) AND newer_rater.kind NOT IN ('consensus', 'reference')
            AND (newer_round.position, newer_round.id) > coalesce(
                (SELECT (own.position, own.id) FROM projects_batch own WHERE own.id = {label}.batch_id), (-1, -1)
            )
    ))"""  # noqa: S608


def repeat_rounds(project: Project) -> list[int]:
    return list(project.rounds.filter(plans__0__chosen__again=True).values_list("pk", flat=True))


def rounds_that_add_raters(project: Project) -> list[int]:
    """Return the rounds in which additional raters labeled items that others had disagreed on."""
    chosen = {"plans__0__chosen__kind": "disputed", "plans__0__chosen__again": False}
    return list(project.rounds.filter(**chosen).values_list("pk", flat=True))


@dataclass(frozen=True, slots=True)
class Passes:
    """The rounds of a project in order, and which of them label items again."""

    places: dict[int | None, int]
    again: frozenset[int]

    @classmethod
    def of(cls, project: Project) -> "Passes":
        rows = project.rounds.order_by("position", "pk").values_list("pk", "plans")
        places: dict[int | None, int] = {None: -1}
        again = set()
        for place, (pk, plans) in enumerate(rows):
            places[pk] = place
            if plans and plans[0].get("chosen", {}).get("again"):
                again.add(pk)
        return cls(places, frozenset(again))

    def current(self, labels: Iterable[Label]) -> list[Label]:
        """Return the labels of one item, for all questions, that no later round has superseded; uses their raters."""
        known = list(labels)
        newest: dict[int, int] = {}
        for label in known:
            if label.round_id in self.again and label.rater.kind not in _NO_RATERS:
                place = self.places[label.round_id]
                newest[label.question_id] = max(newest.get(label.question_id, -1), place)
        return [
            label
            for label in known
            if label.rater.kind in _NO_RATERS
            or self.places[label.round_id] >= newest.get(label.question_id, -1)
        ]
