"""Which of a rater's several labels on an item counts: the first in its round, and from the latest complete round.

A rater gets an item more than once if a blind repeat was planned in the same round, or if a later round labels it
again. A rater's passes over an item are numbered consecutively across rounds.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from django.db.models import Exists, OuterRef, Q, QuerySet

from projects.models import Project, Round
from raters.models import Assignment, Label, Rater

Model = TypeVar("Model", Label, Assignment)

# Their labels state the truth, and belong to no round.
NO_RATERS = frozenset({Rater.Kind.CONSENSUS, Rater.Kind.REFERENCE})
_NOTHING = (False, False, -1)


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


def stage_of(row: str, *, prefix: str = "") -> str:
    """Return SQL for the stage of a row's round. row: alias of a table with `batch_id`. prefix: of the parameters."""
    return f"""coalesce((%({prefix}stages)s::int[])[
        array_position(%({prefix}staged)s::bigint[], {row}.batch_id)
    ], %({prefix}main_stage)s)"""


def superseded(label: str, *, prefix: str = "") -> str:
    """Return SQL for whether labels of another stage are used instead of this one, as in `RoundStages`.

    label: the alias of raters_label. prefix: of the parameters, which are `RoundStages.params`; without stages, it
    costs nothing.
    """
    own, other = stage_of(label, prefix=prefix), stage_of("other", prefix=prefix)
    main = f"%({prefix}main_stage)s"
    # Nearly always, its own round already answers this.
    own_is_complete = f"""(NOT {_is_unfinished(label)} OR EXISTS (
        SELECT FROM raters_label same JOIN raters_rater same_rater ON same_rater.id = same.rater_id
        WHERE same.item_id = {label}.item_id AND same.question_id = {label}.question_id
            AND same_rater.kind NOT IN ('consensus', 'reference')
            AND {stage_of("same", prefix=prefix)} = {own} AND NOT {_is_unfinished("same")}
    ))"""
    return f"""(cardinality(%({prefix}staged)s::bigint[]) > 0 AND EXISTS (
        SELECT FROM raters_label other JOIN raters_rater other_rater ON other_rater.id = other.rater_id
        WHERE other.item_id = {label}.item_id AND other.question_id = {label}.question_id
            AND other_rater.kind NOT IN ('consensus', 'reference')
            AND CASE
                WHEN {other} = {own} THEN false
                WHEN ({other} >= {main}) <> ({own} >= {main}) THEN {other} >= {main}
                WHEN {other} > {own} THEN NOT {_is_unfinished("other")} OR NOT {own_is_complete}
                ELSE NOT {own_is_complete} AND NOT {_is_unfinished("other")}
            END
    ))"""


def _is_unfinished(label: str) -> str:
    """Return SQL for whether any assignment of the item, in the round of the label, still lacks its question."""
    return f"""EXISTS (
        SELECT FROM raters_assignment unfinished
        WHERE unfinished.batch_id = {label}.batch_id AND unfinished.item_id = {label}.item_id
            AND unfinished.state = 'pending'
            AND (cardinality(unfinished.asked_again) = 0 OR {label}.question_id = ANY (unfinished.asked_again))
    )"""


@dataclass(frozen=True, slots=True)
class RoundStages:
    """Which labels of an item count, if later rounds label it again.

    Rounds form stages: one that labels items again begins a new stage, and any other one belongs to the stage before
    it, because it adds raters. Of each item and question, the labels of one stage are used: the latest that is
    complete, or else the latest with labels. A stage is complete if one of its rounds has labels and no unfinished
    assignment of the item; labels without assignments are complete. Training rounds have stages of their own, which
    are only used if there is no other.

    numbers: stages by round; those of training are below `main`, the first of all others, which also has the labels
    without a round. Empty if there is a single stage.
    """

    numbers: Mapping[int | None, int] = field(default_factory=dict)
    main: int = 0

    @classmethod
    def of(cls, project: Project) -> "RoundStages":
        return cls.among(project.rounds.only("project", "position", "plans", "reference_use"))

    @classmethod
    def among(cls, rounds: Iterable[Round]) -> "RoundStages":
        """rounds: all of the project, in order."""
        known = list(rounds)
        training = _numbered([each for each in known if _is_training(each)], start=0)
        main = max(training.values(), default=-1) + 1
        others = _numbered([each for each in known if not _is_training(each)], start=main)
        if main == 0 and max(others.values(), default=0) == 0:
            return cls()
        return cls(training | others, main)

    def params(self, prefix: str = "") -> dict[str, Any]:
        """Return the parameters of `superseded` and `stage_of`."""
        return {
            f"{prefix}staged": list(self.numbers),
            f"{prefix}stages": list(self.numbers.values()),
            f"{prefix}main_stage": self.main,
        }


# For a single round, in which nothing is superseded.
ONE_STAGE = RoundStages()


def _is_training(round_: Round) -> bool:
    return round_.reference_use == Round.ReferenceUse.TRAINING


def _numbered(rounds: Iterable[Round], *, start: int) -> dict[int | None, int]:
    """Number the stages of rounds in order; the first may begin a new one, after labels without a round."""
    found: dict[int | None, int] = {}
    stage = start
    for round_ in rounds:
        stage += bool(round_.plans and round_.plans[0].get("chosen", {}).get("again"))
        found[round_.pk] = stage
    return found


def rounds_that_add_raters(project: Project) -> list[int]:
    """Return the rounds in which additional raters labeled items that others had disagreed on."""
    chosen = {"plans__0__chosen__kind": "disputed", "plans__0__chosen__again": False}
    return list(project.rounds.filter(**chosen).values_list("pk", flat=True))


@dataclass(frozen=True, slots=True)
class CurrentLabels:
    """The same as `superseded`, for labels that were read. unfinished: (item, round) with the questions still asked
    there, or none if all are.
    """

    stages: RoundStages
    unfinished: Mapping[tuple[int, int | None], Sequence[Collection[int]]]

    @classmethod
    def of(cls, project: Project, items: Collection[int]) -> "CurrentLabels":
        """Read what is needed for labels of these items."""
        stages = RoundStages.of(project)
        unfinished: dict[tuple[int, int | None], list[Collection[int]]] = {}
        if stages.numbers:
            rows = Assignment.objects.filter(
                item__in=items, state=Assignment.State.PENDING, round__isnull=False
            )
            for item, round_, asked in rows.order_by().values_list("item", "round", "asked_again"):
                unfinished.setdefault((item, round_), []).append(asked)
        return cls(stages, unfinished)

    def among(self, labels: Iterable[Label]) -> list[Label]:
        """Return the labels that count of one item, for all questions; uses their raters."""
        known = list(labels)
        if not self.stages.numbers:
            return known
        best: dict[int, tuple[bool, bool, int]] = {}
        for label in known:
            if label.rater.kind not in NO_RATERS:
                best[label.question_id] = max(best.get(label.question_id, _NOTHING), self._rank(label))
        return [
            label
            for label in known
            if label.rater.kind in NO_RATERS or self._stage(label) == best[label.question_id][2]
        ]

    def _rank(self, label: Label) -> tuple[bool, bool, int]:
        stage = self._stage(label)
        left = self.unfinished.get((label.item_id, label.round_id), ())
        is_complete = not any(not asked or label.question_id in asked for asked in left)
        return stage >= self.stages.main, is_complete, stage

    def _stage(self, label: Label) -> int:
        return self.stages.numbers.get(label.round_id, self.stages.main)
