"""Gates: rounds of which a rater has to pass one before getting items of another round."""

from collections.abc import Collection

from django.db.models import Exists, OuterRef

from core.field_changes import Changes
from core.refusals import Refused
from projects.models import Question, Round, RoundGate
from raters.models import Assignment, Label, Rater
from raters.quality.passing import record_passes


class GateRefused(Refused):
    """The gate could never be passed. field: where it was entered."""

    code, status_code = "gate_refused", 409

    def __init__(self, sentence: str, *, field: str) -> None:
        super().__init__(sentence)
        self.field = field
        self.errors = [{"field": field, "code": self.code, "detail": sentence}]


def change_pass_mark(round_: Round) -> None:
    """Recompute who has passed after the pass mark was saved, except for decisions by leads.

    Raises GateRefused for an on-demand round, which nobody ever finishes, for one without reference items,
    and if other rounds depend on the mark.
    """
    if round_.pass_mark is None:
        if gated := list(
            round_.gated.order_by("round__position", "round").values_list("round__key", flat=True)
        ):
            raise GateRefused(
                f"{', '.join(gated)} opens to raters who have passed {round_.key}. Remove that requirement first.",
                field="pass_mark",
            )
        round_.qualifications.all().delete()
        return
    if Assignment.objects.filter(round=round_, is_on_demand=True).exists():
        raise GateRefused(
            "A pass mark requires items that are assigned in advance: on demand, no rater is ever done with a round.",
            field="pass_mark",
        )
    if not _has_reference_items(round_):
        raise GateRefused(
            "None of this round’s items has a reference answer, so nobody could pass. Set reference answers first, or "
            "plan a round with reference items.",
            field="pass_mark",
        )
    record_passes(round_)


def _has_reference_items(round_: Round) -> bool:
    known = Label.objects.filter(
        rater__in=Rater.objects.filter(project=round_.project_id, kind=Rater.Kind.REFERENCE),
        question__in=Question.objects.compared().filter(project=round_.project_id),
        is_abstention=False,
    )
    return known.filter(Exists(Assignment.objects.filter(round=round_, item=OuterRef("item")))).exists()


def change_gates(round_: Round, gates: Collection[Round]) -> Changes:
    """Change the gates; returns {} if unchanged. Raises GateRefused for a gate without a pass mark, or for a cycle."""
    before = [each.gate for each in round_.gates.select_related("gate")]
    if {each.pk for each in before} == {each.pk for each in gates}:
        return {}
    for gate in gates:
        if gate.pass_mark is None:
            raise GateRefused(f"{gate.key} has no pass mark. Set one first.", field="gates")
        if round_.pk in _all_before(gate):
            raise GateRefused(
                f"{gate.key} itself requires {round_.key}, so nobody could pass it.", field="gates"
            )
    round_.gates.all().delete()
    RoundGate.objects.bulk_create(RoundGate(round=round_, gate=gate) for gate in gates)
    return {"gates": {"old": [each.key for each in before], "new": sorted(each.key for each in gates)}}


def _all_before(gate: Round) -> set[int]:
    """Return the round and all its direct and indirect gates."""
    edges: dict[int, set[int]] = {}
    rows = RoundGate.objects.filter(round__project=gate.project_id)
    for behind, before in rows.values_list("round", "gate"):
        edges.setdefault(behind, set()).add(before)
    found, waiting = set(), [gate.pk]
    while waiting:
        pk = waiting.pop()
        if pk not in found:
            found.add(pk)
            waiting += edges.get(pk, ())
    return found
