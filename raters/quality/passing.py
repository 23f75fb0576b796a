"""Pass marks: each rater's share of correct reference answers in a round, and which rounds are open to whom.

Each reference answer for the rater's items counts, even if the rater gave none; “Cannot tell” is wrong.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from core.refusals import Refused
from core.tolerance import sql_beyond
from projects.events import record
from projects.models import Event, Question, Round, RoundAttempt, RoundGate
from raters.missing_codes import is_missing
from raters.models import Qualification, Rater
from raters.notifications.causes import notify_of_pass
from raters.passes import first_in_round


class NoPassMark(Refused):
    """The round has no pass mark, so nobody can pass or fail it."""

    code, status_code = "no_pass_mark", 409

    def __init__(self) -> None:
        super().__init__("This round has no pass mark.")


@dataclass(frozen=True, slots=True)
class PassMarkResult:
    """A rater's result in a round with a pass mark. n_left: items that are not done.

    n: reference answers for the items that the rater has labeled. n_right: how many of them the rater gave.
    """

    rater: int
    key: str
    n_left: int
    n: int
    n_right: int
    qualification: Qualification | None

    @property
    def share(self) -> float | None:
        return self.n_right / self.n if self.n else None


# The first of several references counts, as everywhere.
_RESULTS = f"""
WITH done AS (
    SELECT rater_id, item_id, bool_or(state = 'pending') AS is_left
    FROM raters_assignment
    WHERE batch_id = %(round)s AND rater_id IS NOT NULL
        AND (%(raters)s::bigint[] IS NULL OR rater_id = ANY (%(raters)s::bigint[]))
        AND (state = 'done' OR item_id NOT IN (
            SELECT id FROM projects_item WHERE project_id = %(project)s AND withdrawn_at IS NOT NULL
        ))
    GROUP BY rater_id, item_id
), known AS (
    SELECT DISTINCT ON (item_id, question_id) item_id, question_id, category_id, category_set, number
    FROM raters_label
    WHERE rater_id IN (SELECT id FROM raters_rater WHERE project_id = %(project)s AND kind = 'reference')
        AND item_id IN (SELECT item_id FROM done)
        AND question_id = ANY (%(questions)s) AND NOT is_abstention AND NOT {is_missing("raters_label")}
    ORDER BY item_id, question_id, rater_id, pass_number
)
SELECT r.id, r.key, count(DISTINCT done.item_id) FILTER (WHERE done.is_left),
    count(known.item_id) FILTER (WHERE NOT done.is_left),
    count(l.id) FILTER (WHERE NOT done.is_left AND CASE WHEN known.number IS NULL
        THEN (l.category_id, l.category_set) IS NOT DISTINCT FROM (known.category_id, known.category_set)
        ELSE NOT ({sql_beyond("abs(l.number - known.number)", "q.tolerance")}) END)
FROM done
JOIN raters_rater r ON r.id = done.rater_id
LEFT JOIN known ON known.item_id = done.item_id
LEFT JOIN projects_question q ON q.id = known.question_id
LEFT JOIN raters_label l ON l.item_id = known.item_id AND l.question_id = known.question_id
    AND l.rater_id = done.rater_id AND l.batch_id = %(round)s AND NOT l.is_abstention AND {first_in_round("l")}
GROUP BY r.id, r.key ORDER BY r.key
"""  # noqa: S608


def results_of(round_: Round, *, raters: Collection[int] | None = None) -> list[PassMarkResult]:
    """Return the results of all raters with assignments in the round, or of these, sorted by name."""
    questions = Question.objects.compared().filter(project=round_.project_id).values_list("pk", flat=True)
    asked: dict[str, int | list[int] | None] = {
        "round": round_.pk,
        "project": round_.project_id,
        "questions": list(questions),
        "raters": None if raters is None else list(raters),
    }
    with connection.cursor() as cursor:
        cursor.execute(_RESULTS, asked)
        rows = cursor.fetchall()
    known = {each.rater_id: each for each in round_.qualifications.select_related("decided_by")}
    return [
        PassMarkResult(rater, key, n_left, n, n_right, known.get(rater))
        for rater, key, n_left, n, n_right in rows
    ]


def record_passes(round_: Round, *, raters: Collection[int] | None = None) -> None:
    """Record which of these raters, among those who are done, have passed. Decisions by leads are kept."""
    if round_.pass_mark is None:
        return
    at = timezone.now()
    results = [
        each
        for each in results_of(round_, raters=raters)
        if each.n and not each.n_left and (each.qualification is None or not each.qualification.decided_by_id)
    ]
    found = [
        Qualification(
            round=round_,
            rater_id=each.rater,
            n=each.n,
            n_right=each.n_right,
            is_passed=each.n_right >= round_.pass_mark * each.n - 1e-9,
            at=at,
        )
        for each in results
    ]
    Qualification.objects.bulk_create(
        found,
        update_conflicts=True,
        unique_fields=["round", "rater"],
        update_fields=["n", "n_right", "is_passed", "at"],
    )
    before = {each.rater: each.qualification.is_passed for each in results if each.qualification}
    changed = [each for each in found if each.is_passed != before.get(each.rater_id)]
    for is_passed in (True, False):
        of = [each.rater_id for each in changed if each.is_passed == is_passed]
        # An empty list causes no query.
        users = Rater.objects.filter(pk__in=of).values_list("user", flat=True)
        notify_of_pass(round_, list(users), is_passed=is_passed)


@transaction.atomic
def decide(round_: Round, rater: Rater, *, is_passed: bool, by: Any, note: str = "") -> Qualification:
    """Record a lead's decision on whether a rater has passed, regardless of the figures. Raises NoPassMark."""
    if round_.pass_mark is None:
        raise NoPassMark
    result = next(iter(results_of(round_, raters=[rater.pk])), None)
    qualification, _ = Qualification.objects.update_or_create(
        round=round_,
        rater=rater,
        defaults={
            "n": result.n if result else 0,
            "n_right": result.n_right if result else 0,
            "is_passed": is_passed,
            "at": timezone.now(),
            "decided_by": by,
            "note": note,
        },
    )
    record(
        Event.Kind.PASS_DECIDED,
        by=by,
        project=round_.project,
        about=rater.key,
        round=round_.key,
        is_passed=is_passed,
        note=note,
    )
    return qualification


# Whether a rater may get items of a round: it has no gates, or the rater has passed one, or another attempt at one.
OPEN_TO = """(
    NOT EXISTS (SELECT FROM projects_roundgate g WHERE g.round_id = {round}.id)
    OR EXISTS (
        SELECT FROM projects_roundgate g
        JOIN raters_qualification q ON q.rater_id = %(rater)s AND q.is_passed AND (
            q.round_id = g.gate_id
            OR q.round_id IN (SELECT a.round_id FROM projects_roundattempt a WHERE a.first_id = g.gate_id)
        )
        WHERE g.round_id = {round}.id
    )
)"""


def gates_closed_to(rater: Rater) -> dict[int, tuple[str, ...]]:
    """Return the names of the gates of each round that is closed to the rater."""
    gates = RoundGate.objects.filter(round__project=rater.project_id)
    rows = gates.order_by("gate__position", "gate").values_list("round", "gate", "gate__key")
    results = Qualification.objects.filter(rater=rater.pk or 0, is_passed=True)
    passed = {pk for row in results.values_list("round", "round__attempt__first") for pk in row}
    found: dict[int, list[tuple[int, str]]] = {}
    for round_, gate, key in rows:
        found.setdefault(round_, []).append((gate, key))
    return {
        round_: tuple(key for _, key in before)
        for round_, before in found.items()
        if passed.isdisjoint(gate for gate, _ in before)
    }


def missed_gates(rater: Rater) -> frozenset[str]:
    """Return the names of rounds whose pass mark the rater has missed, without another attempt to come."""
    found = set()
    for each in own_results(rater):
        if each.is_missed:
            round_ = each.qualification.round
            attempt: RoundAttempt | None = getattr(round_, "attempt", None)
            found |= {round_.key} if attempt is None else {round_.key, attempt.first.key}
    return frozenset(found)


def missed_marks(rounds: Sequence[Round]) -> dict[int, list[Qualification]]:
    """Return the results, by round, of raters who missed the pass mark and wait for a lead to decide.

    A lead has decided who passes or not, or has given another attempt.
    """
    marked = [round_.pk for round_ in rounds if round_.pass_mark is not None]
    if not marked:
        return {}
    rows = Qualification.objects.filter(round__in=marked, is_passed=False, decided_by=None)
    results = list(rows.select_related("rater", "round__attempt").order_by("rater__key"))
    if not results:
        return {}
    given = RoundAttempt.objects.filter(
        first__project=rounds[0].project_id,
        round__assignments__rater__in={each.rater_id for each in results},
    )
    later: dict[int, list[tuple[int, int, str]]] = {}
    rows_of_attempts = given.values_list(
        "round__assignments__rater", "first", "number", "round__key"
    ).distinct()
    for rater, first, number, key in rows_of_attempts:
        later.setdefault(rater, []).append((first, number, key))
    found: dict[int, list[Qualification]] = {}
    for each in results:
        if not _further(each.round, later.get(each.rater_id, ())):
            found.setdefault(each.round_id, []).append(each)
    return found


@dataclass(frozen=True, slots=True)
class OwnResult:
    """A rater's result as shown to them. further: the round of the next attempt, "" for none."""

    qualification: Qualification
    further: str

    # Whether other rounds open to those who pass, so that the result matters even after the round is closed.
    is_of_gate: bool

    @property
    def is_missed(self) -> bool:
        """Whether the rater missed the pass mark and has no other attempt."""
        return not self.qualification.is_passed and not self.further

    @property
    def awaits_decision(self) -> bool:
        """Whether a lead still has to decide what happens after a missed pass mark."""
        is_decided = self.qualification.decided_by_id is not None
        return self.is_missed and not is_decided and (self.is_of_gate or self.qualification.round.is_open)


def own_results(rater: Rater) -> list[OwnResult]:
    """Return the rater's results in all rounds with a pass mark, in order. The rater may be a newcomer."""
    rows = Qualification.objects.filter(rater=rater.pk or 0, round__pass_mark__isnull=False)
    rows = rows.select_related("round__attempt__first")
    gates = RoundGate.objects.filter(Q(gate=OuterRef("round")) | Q(gate=OuterRef("round__attempt__first")))
    results = list(rows.annotate(is_of_gate=Exists(gates)).order_by("round__position", "round"))
    given = (
        RoundAttempt.objects.filter(round__assignments__rater=rater.pk or 0)
        .select_related("round")
        .distinct()
    )
    later = [(each.first_id, each.number, each.round.key) for each in given]
    return [OwnResult(each, _further(each.round, later), each.is_of_gate) for each in results]


def _further(round_: Round, later: Sequence[tuple[int, int, str]]) -> str:
    """Return the attempt that follows the round."""
    attempt: RoundAttempt | None = getattr(round_, "attempt", None)
    first, number = (round_.pk, 1) if attempt is None else (attempt.first_id, attempt.number)
    return next((key for of, n, key in sorted(later) if of == first and n > number), "")
