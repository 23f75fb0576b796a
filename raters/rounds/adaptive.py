"""Adaptive overlap of a round: its rule, expected cost, and progress."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db import connection, transaction
from django.db.models import Count

from core.history import head_of
from core.refusals import Refused
from core.tolerance import are_within
from projects.events import record
from projects.models import Event, Question, Round
from raters.access import hides_assignments, rounds_to_be_blind_in
from raters.missing_codes import is_missing
from raters.models import AdaptiveOverlap, Assignment, User
from raters.passes import first_in_round

Until = AdaptiveOverlap.Until
MAX_RATERS = 20
# Comparable answers by (item, question).
Votes = dict[tuple[int, int], list[Any]]

# Labels of models decide nothing about which items people get.
_VOTES = f"""
SELECT l.item_id, l.question_id,
    coalesce(l.category_id::text, l.category_set::text), l.number
FROM raters_label l
JOIN raters_rater r ON r.id = l.rater_id AND r.kind = 'human'
WHERE l.item_id = ANY (%(items)s::bigint[]) AND l.batch_id = ANY (%(rounds)s) AND l.question_id = ANY (%(questions)s)
    AND NOT l.is_abstention AND NOT {is_missing("l")} AND {first_in_round("l")}
"""  # noqa: S608


class AdaptiveRefused(Refused):
    code, status_code = "adaptive_refused", 409


@dataclass(frozen=True, slots=True, kw_only=True)
class AdaptiveRule:
    """The rule by which raters are added.

    questions: the questions that count; empty for all. up_to: maximum number of raters per item. users: members who may
    be added, among those who may label; empty for the raters of the round.
    """

    until: str = Until.MAJORITY
    up_to: int = 3
    questions: Sequence[Question] = ()
    users: Sequence[User] = ()

    @property
    def words(self) -> str:
        about = ", ".join(question.key for question in self.questions) or "any question"
        if self.until == Until.MAJORITY:
            return f"up to {self.up_to} raters, until more than half give the same answer to {about}"
        return f"up to {self.up_to} raters, until all give the same answer to {about}"


@dataclass(frozen=True, slots=True)
class ExpectedCost:
    """The expected cost of a rule.

    n_items: items in the round. n_known: items in the project with answers from two or more raters. n_open: how many of
    those the rule would send to another rater. n_planned: mean number of raters per item in the round.
    """

    n_items: int
    n_known: int
    n_open: int
    n_planned: float

    @property
    def share(self) -> float | None:
        return self.n_open / self.n_known if self.n_known else None

    @property
    def n_first(self) -> int | None:
        """Expected number of assignments if each open item gets one more rater."""
        return None if self.share is None else round(self.share * self.n_items)

    def n_most(self, up_to: int) -> int:
        """Maximum number of further assignments: every item stays in dispute up to the limit."""
        return round(self.n_items * max(0.0, up_to - self.n_planned))


def rule_of(adaptive: AdaptiveOverlap) -> AdaptiveRule:
    """Return the current rule. Questions deleted in the meantime are left out."""
    questions = adaptive.round.project.questions.compared().filter(pk__in=adaptive.questions)
    users = User.objects.filter(pk__in=adaptive.users).order_by("username")
    return AdaptiveRule(
        until=adaptive.until, up_to=adaptive.up_to, questions=list(questions), users=list(users)
    )


def votes_on(items: Sequence[int], rounds: Sequence[int], questions: Sequence[int]) -> Votes:
    """Return raters' answers in these rounds by (item, question), using each rater's first answer per round."""
    asked = {"items": list(items), "rounds": list(rounds), "questions": list(questions)}
    with connection.cursor() as cursor:
        cursor.execute(_VOTES, asked)
        rows = cursor.fetchall()
    found: Votes = {}
    for item, question, choice, number in rows:
        found.setdefault((item, question), []).append(choice if number is None else number)
    return found


def needs_another(answers: Sequence[Any], until: str, tolerance: float | None) -> bool:
    """Return whether another rater is needed, given the answers of two or more raters to one question.

    Numbers agree if they are within the tolerance; they have a majority if more than half are within it of one answer.
    """
    if len(answers) < 2:
        return False

    def alike(one: Any, other: Any) -> bool:
        return are_within(one, other, tolerance or 0.0) if isinstance(one, float) else one == other

    if until == Until.UNANIMOUS:
        if isinstance(answers[0], float):
            return not alike(min(answers), max(answers))
        return any(not alike(answers[0], each) for each in answers)
    return max(sum(alike(one, other) for other in answers) for one in answers) * 2 <= len(answers)


def cost_of(round_: Round, rule: AdaptiveRule, *, by: Any) -> ExpectedCost:
    """Estimate the cost from all items of the project that two or more raters have labeled in one round.

    Items whose labels are hidden from `by`, who labels them in a round that is not closed, are left out.
    """
    project = round_.project
    assignments = Assignment.objects.filter(round=round_)
    n_items = assignments.values("item").distinct().count()
    n_planned = assignments.filter(pass_number=1).count() / n_items if n_items else 0.0
    rounds = list(project.rounds.exclude(adds_to__isnull=False).values_list("pk", flat=True))
    questions = list(rule.questions) or list(project.questions.compared())
    tolerance = {question.pk: question.tolerance for question in questions}
    labeled = Assignment.objects.filter(round__in=rounds, state=Assignment.State.DONE).order_by()
    if blind_in := rounds_to_be_blind_in(by, project):
        labeled = labeled.exclude(item__in=Assignment.objects.filter(round__in=blind_in).values("item"))
    several = labeled.values("item").annotate(n=Count("rater", distinct=True)).filter(n__gte=2)
    items = _sample(several.values_list("item", flat=True))
    votes = votes_on(items, rounds, list(tolerance))
    known = {item for (item, _), cast in votes.items() if len(cast) >= 2}
    found = {
        item
        for (item, question), cast in votes.items()
        if needs_another(cast, rule.until, tolerance[question])
    }
    return ExpectedCost(n_items, len(known), len(found), n_planned)


# A sample of this size estimates the share well enough.
MOST_SAMPLED = 5_000


def _sample(items: Any) -> list[int]:
    ids = np.fromiter(items.iterator(chunk_size=20_000), dtype=np.int64)
    if len(ids) > MOST_SAMPLED:
        ids = np.random.default_rng(1).choice(np.sort(ids), MOST_SAMPLED, replace=False)
    return [int(pk) for pk in ids]


@transaction.atomic
def start(round_: Round, rule: AdaptiveRule, *, by: Any) -> AdaptiveOverlap:
    """Start adding raters, or change the rule if already started. Raises AdaptiveRefused.

    Existing labels are checked once, too, since completed items may already be in dispute.
    """
    now = Round.objects.select_for_update(of=("self",)).select_related("project").get(pk=round_.pk)
    if not now.plans:
        raise AdaptiveRefused("Only rounds that were planned in Interrater can add raters.")
    if AdaptiveOverlap.objects.filter(further=now).exists():
        raise AdaptiveRefused("This round contains the raters added to another round. Change the rule there.")
    adaptive, _ = AdaptiveOverlap.objects.update_or_create(
        round=now,
        defaults={
            "until": rule.until,
            "up_to": rule.up_to,
            "questions": sorted(question.pk for question in rule.questions),
            "users": sorted(user.pk for user in rule.users),
            "is_active": True,
            "looked_up_to": 0,
            "changed_by": by,
        },
    )
    record(Event.Kind.ADAPTIVE_CHANGED, by=by, project=now.project, about=now.key, rule=rule.words)
    return adaptive


@transaction.atomic
def stop(round_: Round, *, by: Any) -> None:
    """Stop adding raters; those already added stay. Does nothing if already stopped."""
    changed = AdaptiveOverlap.objects.filter(round=round_, is_active=True)
    with connection.cursor() as cursor:
        position = head_of(round_.project_id, cursor).position
    if changed.update(is_active=False, looked_up_to=position):
        record(Event.Kind.ADAPTIVE_CHANGED, by=by, project=round_.project, about=round_.key, rule="")


@dataclass(frozen=True, slots=True)
class AdaptiveProgress:
    """Progress so far.

    n_added: assignments created for additional raters; None if it would tell the viewer about labels that are hidden.
    n_done: how many of them are done.
    """

    adaptive: AdaptiveOverlap
    rule: AdaptiveRule
    n_added: int | None
    n_done: int | None


def adaptive_progress(round_: Round, *, by: Any) -> AdaptiveProgress | None:
    adaptive = AdaptiveOverlap.objects.select_related("further", "round").filter(round=round_).first()
    if adaptive is None:
        return None
    if adaptive.further is not None and hides_assignments(by, adaptive.further):
        return AdaptiveProgress(adaptive, rule_of(adaptive), None, None)
    added = Assignment.objects.filter(round=adaptive.further_id or 0)
    n_done = added.filter(state=Assignment.State.DONE).count()
    return AdaptiveProgress(adaptive, rule_of(adaptive), added.count(), n_done)
