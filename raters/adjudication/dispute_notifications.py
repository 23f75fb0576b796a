"""Notify adjudicators of the first new dispute. Disputes are found in the history, not while saving.

Adjudicators with an unread notification who have decided nothing since are not notified again.
"""

from collections.abc import Sequence

from django.db import connection, transaction
from django.db.models import Exists, OuterRef

from core.history import end_of_step
from projects.models import Project
from raters.access import rounds_to_be_blind_in
from raters.adjudication.disputes import DisputeFilter, has_undecided
from raters.models import Decision, DisputeWatch, Notification, User
from raters.notifications.notification_kinds import members_for
from raters.notifications.notifying import mark_read, notify

Kind = Notification.Kind
# Seconds between runs.
EVERY = 10.0
MOST_ITEMS = 5_000

_PROJECTS_WITH_NEW_LABELS = f"""
SELECT p.id, coalesce(w.looked_up_to, 0), {end_of_step("p.id", "coalesce(w.looked_up_to, 0)")}
FROM projects_project p
LEFT JOIN raters_disputewatch w ON w.project_id = p.id
CROSS JOIN LATERAL (
    SELECT position FROM core_historyentry e
    WHERE e.project_id = p.id AND e.position IS NOT NULL ORDER BY e.position DESC LIMIT 1
) head
WHERE p.deletion_due_at IS NULL AND p.state <> 'closed' AND head.position > coalesce(w.looked_up_to, 0)
ORDER BY p.id LIMIT 100
"""  # noqa: S608
# Items that were labeled, and items that expect no more labels because their round was closed.
_CHANGED = """
WITH entries AS MATERIALIZED (
    SELECT id, kind FROM core_historyentry
    WHERE project_id = %(project)s AND position > %(after)s AND position <= %(up_to)s
)
SELECT l.item_id
FROM entries e
JOIN projects_question q ON q.project_id = %(project)s
JOIN raters_labelrevision l ON l.question_id = q.id AND l.entry_id = e.id
WHERE e.kind = 'R'
UNION
SELECT a.item_id
FROM projects_event event
JOIN projects_batch b ON b.project_id = event.project_id AND b.key = event.about
JOIN raters_assignment a ON a.batch_id = b.id AND a.state = 'pending'
WHERE event.project_id = %(project)s AND event.kind = 'round_closed'
    AND event.entry_id IN (SELECT id FROM entries WHERE kind = 'E')
"""


def look_for_disputes() -> None:
    """Look for disputes in each project with unprocessed labels."""
    with connection.cursor() as cursor:
        cursor.execute(_PROJECTS_WITH_NEW_LABELS)
        projects = cursor.fetchall()
    for project, after, up_to in projects:
        _check_project(project, after, up_to)


@transaction.atomic
def _check_project(pk: int, after: int, up_to: int) -> None:
    project = Project.objects.get(pk=pk)
    DisputeWatch.objects.update_or_create(project=project, defaults={"looked_up_to": up_to})
    waiting = _not_notified(project)
    if waiting and (items := _changed(pk, after, up_to)):
        _notify(project, waiting, items)


def _not_notified(project: Project) -> list[int]:
    since = Decision.objects.filter(
        decided_by=OuterRef("recipient"),
        label__rater__project=project,
        label__labelled_at__gt=OuterRef("created_at"),
    )
    known = Notification.objects.filter(~Exists(since), project=project, kind=Kind.DISPUTES, read_at=None)
    return sorted(set(members_for(Kind.DISPUTES, project)) - set(known.values_list("recipient", flat=True)))


def _changed(project: int, after: int, up_to: int) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(_CHANGED, {"project": project, "after": after, "up_to": up_to})
        return [item for (item,) in cursor.fetchall()]


def _notify(project: Project, waiting: Sequence[int], items: Sequence[int]) -> None:
    """Notify adjudicators only of items they may see, so that raters do not learn of disagreement on their items."""
    found: dict[tuple[int, ...], bool] = {}
    users = []
    for user in User.objects.filter(pk__in=waiting).order_by("pk"):
        hidden = tuple(rounds_to_be_blind_in(user, project))
        if hidden not in found:
            found[hidden] = any(
                has_undecided(
                    project, DisputeFilter(hidden=hidden, items=tuple(items[start : start + MOST_ITEMS]))
                )
                for start in range(0, len(items), MOST_ITEMS)
            )
        if found[hidden]:
            users.append(user.pk)
    mark_read(Notification.objects.filter(recipient__in=users, project=project, kind=Kind.DISPUTES))
    notify(Kind.DISPUTES, project, users)
