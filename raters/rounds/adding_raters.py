"""Assign items on which the raters of a round disagree to one more rater, once the last answer is in."""

from collections.abc import Sequence

from django.db import connection, transaction
from django.db.models import Count, Max, Q
from django.utils import timezone

from core.history import end_of_step
from core.shapes import Json
from projects.codebook.versions import store_version
from projects.events import record
from projects.models import Event, Round
from raters.actions import rater_of
from raters.models import AdaptiveOverlap, Assignment, Label, Notification, Rater
from raters.notifications.causes import users_with_work
from raters.notifications.notifying import notify
from raters.rounds.adaptive import needs_another, rule_of, votes_on
from raters.rounds.assigning.assignment_design import AssignmentDesign, Overlap
from raters.rounds.chosen_items import ItemChoice, ItemSource
from raters.rounds.round_keys import free_key
from raters.rounds.round_plan import RoundPlan
from raters.rounds.round_status import may_label

# Seconds between runs.
EVERY = 3.0

_ROUNDS_WITH_NEW_LABELS = f"""
SELECT a.id, {end_of_step("p.id", "a.looked_up_to")}
FROM raters_adaptiveoverlap a
JOIN projects_batch b ON b.id = a.round_id
JOIN projects_project p ON p.id = b.project_id AND p.deletion_due_at IS NULL AND p.state <> 'closed'
CROSS JOIN LATERAL (
    SELECT position FROM core_historyentry e
    WHERE e.project_id = p.id AND e.position IS NOT NULL ORDER BY e.position DESC LIMIT 1
) head
WHERE a.is_active AND head.position > a.looked_up_to
ORDER BY a.id LIMIT 100
"""  # noqa: S608
_LABELED = """
SELECT DISTINCT l.item_id
FROM core_historyentry e
JOIN projects_question q ON q.project_id = e.project_id
JOIN raters_labelrevision l ON l.question_id = q.id AND l.entry_id = e.id
WHERE e.project_id = %(project)s AND e.kind = 'R' AND e.position > %(after)s AND e.position <= %(up_to)s
    AND l.batch_id = ANY (%(rounds)s)
"""


def add_raters() -> None:
    """Process each round that adds raters and has unprocessed labels."""
    with connection.cursor() as cursor:
        cursor.execute(_ROUNDS_WITH_NEW_LABELS)
        rounds = cursor.fetchall()
    for pk, up_to in rounds:
        _process_round(pk, up_to)


@transaction.atomic
def _process_round(pk: int, up_to: int) -> None:
    rows = AdaptiveOverlap.objects.select_for_update(of=("self",), skip_locked=True)
    rows = rows.select_related("round__project", "further")
    adaptive = rows.filter(pk=pk, is_active=True, looked_up_to__lt=up_to).first()
    if adaptive is None:
        # A lead is changing it right now, or another worker got there first.
        return
    rounds = [each for each in (adaptive.round_id, adaptive.further_id) if each is not None]
    asked: dict[str, int | list[int]] = {
        "project": adaptive.round.project_id,
        "after": adaptive.looked_up_to,
        "up_to": up_to,
        "rounds": rounds,
    }
    with connection.cursor() as cursor:
        cursor.execute(_LABELED, asked)
        labeled = [item for (item,) in cursor.fetchall()]
    AdaptiveOverlap.objects.filter(pk=pk).update(looked_up_to=up_to)
    items = _in_dispute(adaptive, _through(labeled, rounds), rounds)
    if items:
        _assign(adaptive, items, rounds)


def _through(items: Sequence[int], rounds: Sequence[int]) -> list[int]:
    """Return the items with no unfinished assignment in these rounds."""
    rows = Assignment.objects.filter(item__in=items, round__in=rounds, item__withdrawn_at=None).order_by()
    left = Count("pk", filter=~Q(state=Assignment.State.DONE))
    found = rows.values("item").annotate(n_left=left).filter(n_left=0)
    return list(found.order_by("item").values_list("item", flat=True))


def _in_dispute(adaptive: AdaptiveOverlap, items: Sequence[int], rounds: Sequence[int]) -> list[int]:
    """Return the items that need another rater under the rule and have not reached its maximum."""
    if not items:
        return []
    rule = rule_of(adaptive)
    if adaptive.questions and not rule.questions:
        # All questions that counted have been deleted.
        return []
    questions = list(rule.questions) or list(adaptive.round.project.questions.compared())
    tolerance = {question.pk: question.tolerance for question in questions}
    open_items = {
        item
        for (item, question), cast in votes_on(items, rounds, list(tolerance)).items()
        if needs_another(cast, rule.until, tolerance[question])
    }
    rows = Assignment.objects.filter(item__in=open_items, round__in=rounds).order_by()
    raters = rows.values("item").annotate(n=Count("rater", distinct=True)).filter(n__lt=rule.up_to)
    return list(raters.order_by("item").values_list("item", flat=True))


def _assign(adaptive: AdaptiveOverlap, items: Sequence[int], rounds: Sequence[int]) -> None:
    """Assign each item to the rater with the least work left who never had it; on demand, to nobody yet.

    Items that every rater has had are skipped.
    """
    further = adaptive.further or _new_round(adaptive)
    last = Assignment.objects.filter(round=further).aggregate(last=Max("position"))["last"]
    position = 0 if last is None else last + 1
    is_on_demand = bool(adaptive.round.plans[0].get("is_on_demand"))
    left = {} if is_on_demand else _left_of(adaptive, [*rounds, further.pk])
    had = _had(items)
    new = []
    for item in items:
        rater = None
        if not is_on_demand:
            free = [pk for pk in left if pk not in had.get(item, ())]
            if not free:
                continue
            rater = min(free, key=lambda pk: (left[pk], pk))
            left[rater] += 1
        new.append(
            Assignment(
                item_id=item, rater_id=rater, round=further, position=position, is_on_demand=is_on_demand
            )
        )
        position += 1
    had_work = set(users_with_work(further))
    Assignment.objects.bulk_create(new)
    newly = set(users_with_work(further)) - had_work
    notify(Notification.Kind.ASSIGNED, further.project, newly, round_=further, replaces=True)


def _left_of(adaptive: AdaptiveOverlap, rounds: Sequence[int]) -> dict[int, int]:
    """Return the number of pending assignments in these rounds for each rater who may be added."""
    round_ = adaptive.round
    if adaptive.users:
        users = may_label(round_).filter(pk__in=adaptive.users).order_by("pk")
        raters = [rater_of(round_.project, user).pk for user in users]
    else:
        of_round = Rater.objects.filter(assignments__round=round_, user__in=may_label(round_))
        raters = list(of_round.values_list("pk", flat=True).distinct())
    pending = Q(assignments__state=Assignment.State.PENDING, assignments__round__in=rounds)
    rows = Rater.objects.filter(pk__in=raters, paused_at=None).annotate(
        n=Count("assignments", filter=pending)
    )
    return dict(rows.order_by("pk").values_list("pk", "n"))


def _had(items: Sequence[int]) -> dict[int, set[int]]:
    """Return the raters who have or had each item, in any round."""
    found: dict[int, set[int]] = {}
    assigned = Assignment.objects.filter(item__in=items, rater__isnull=False).values_list("item", "rater")
    for item, rater in [*assigned, *Label.objects.filter(item__in=items).values_list("item", "rater")]:
        found.setdefault(item, set()).add(rater)
    return found


def _new_round(adaptive: AdaptiveOverlap) -> Round:
    """Create the round of added raters, already open, after all others. Reports recognize it by its plan."""
    round_, project = adaptive.round, adaptive.round.project
    last = project.rounds.aggregate(last=Max("position"))["last"]
    chosen = ItemChoice(source=ItemSource.DISPUTED, about=round_.key, pk=round_.pk)
    plan = RoundPlan(overlap=Overlap(AssignmentDesign.SOME, adaptive.up_to), seed=1, chosen=chosen)
    about: Json = {
        "raters": [],
        "n_planned": 0,
        "by": adaptive.changed_by.get_username(),
        "at": timezone.now().isoformat(),
    }
    further = Round.objects.create(
        project=project,
        key=free_key(project, f"{round_.key}: more"),
        position=0 if last is None else last + 1,
        state=Round.State.OPEN,
        opened_at=timezone.now(),
        plans=[plan.as_json() | about],
        idle_minutes=round_.idle_minutes,
        reference_use=Round.ReferenceUse.CHECK,
    )
    store_version(project.pk)
    AdaptiveOverlap.objects.filter(pk=adaptive.pk).update(further=further)
    record(Event.Kind.ROUND_OPENED, project=project, about=further.key)
    return further
