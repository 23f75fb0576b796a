"""Gates: rounds that a rater gets items of only after passing one of others. Set by a lead, while they make sense."""

from collections.abc import Collection

from core.changes import Changes
from core.refusals import Refused
from projects.models import Round, RoundGate
from raters.models import Assignment
from raters.quality.passing import settle


class GateRefused(Refused):
    """Nobody could ever pass it."""

    code, status_code = "gate_refused", 409


def change_pass_mark(round_: Round) -> None:
    """After the pass mark was saved: who passes is worked out anew, but for whom a lead has decided on.

    Raises GateRefused for a round on demand, which nobody is ever through with, and where others depend on the mark.
    """
    if round_.pass_mark is None:
        if gated := list(
            round_.gated.order_by("round__position", "round").values_list("round__key", flat=True)
        ):
            raise GateRefused(
                f"{', '.join(gated)} opens to raters who have passed {round_.key}. Remove that requirement first."
            )
        round_.qualifications.all().delete()
        return
    if Assignment.objects.filter(round=round_, is_on_demand=True).exists():
        raise GateRefused(
            "A pass mark requires items that are assigned in advance: on demand, no rater is ever done with a round."
        )
    settle(round_)


def change_gates(round_: Round, gates: Collection[Round]) -> Changes:
    """{} if they are the same. Raises GateRefused for a round that has no pass mark, or that waits for this one."""
    before = [each.gate for each in round_.gates.select_related("gate")]
    if {each.pk for each in before} == {each.pk for each in gates}:
        return {}
    for gate in gates:
        if gate.pass_mark is None:
            raise GateRefused(f"{gate.key} has no pass mark. Set one first.")
        if round_.pk in _all_before(gate):
            raise GateRefused(f"{gate.key} itself requires {round_.key}, so nobody could pass it.")
    round_.gates.all().delete()
    RoundGate.objects.bulk_create(RoundGate(round=round_, gate=gate) for gate in gates)
    return {"gates": {"old": [each.key for each in before], "new": sorted(each.key for each in gates)}}


def _all_before(gate: Round) -> set[int]:
    """The round, its gates, theirs, and so on."""
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
