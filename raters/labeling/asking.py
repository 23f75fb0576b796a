"""Ask raters again about one question: items labeled without it return to them with this question only."""

from collections import Counter
from typing import Any

from django.db import connection, transaction
from django.db.models import Q, QuerySet

from core.refusals import Refused
from projects.events import record
from projects.models import Event, Membership, Project, Question, Round
from projects.refusals import ProjectClosed
from projects.roles import PERMISSIONS, Permission
from raters.access import rounds_to_be_blind_in
from raters.labeling.missing_answers import incomplete_assignments
from raters.models import Assignment, Notification
from raters.notifications.notifying import notify


class NoAssignmentsToAsk(Refused):
    code = "nothing_to_ask"

    def __init__(self, question: Question) -> None:
        super().__init__(
            f"Nobody can be asked again for “{question.key}” now. Raters can answer only in an open round, while they "
            "are members of the project, and before they see the reference."
        )


_ASK = """
UPDATE raters_assignment SET
    asked_again = CASE
        WHEN state = 'done' THEN ARRAY[%(question)s]::bigint[]
        ELSE ARRAY(SELECT unnest(asked_again || %(question)s::bigint) ORDER BY 1)
    END,
    state = 'pending', put_off_at = NULL
WHERE id = ANY (%(asked)s)
"""


def can_be_asked(project: Project, question: Question) -> Q:
    """Filter for assignments whose rater can still give a missing answer and has not been asked yet."""
    roles = [role for role, permissions in PERMISSIONS.items() if Permission.LABEL in permissions]
    members = Membership.objects.filter(project=project, role__in=roles).values("user")
    return Q(Q(state=Assignment.State.DONE) | ~Q(asked_again__contains=[question.pk])) & Q(
        round__state=Round.State.OPEN,
        rater__user__in=members,
        reference_shown_at=None,
    )


def n_to_ask(project: Project, question: Question, round_: Round | None = None, *, by: Any) -> int:
    return 0 if project.is_closed else _to_ask(project, question, round_, by).count()


@transaction.atomic
def ask_again(project: Project, question: Question, *, by: Any, round_: Round | None = None) -> int:
    """Make assignments that lack an answer to the question pending again, and return their number.

    Existing answers stay. Of a conditional question, items that `by` still labels are left out.
    Raises ProjectClosed, and NoAssignmentsToAsk if nobody can be asked.
    """
    # Waits for saves in progress, each of which has locked its round.
    list(Round.objects.select_for_update().filter(project=project).order_by("pk"))
    project.refresh_from_db(fields=["state"])
    if project.is_closed:
        raise ProjectClosed("This project is closed. Reopen it to ask raters again.")
    asked = list(_to_ask(project, question, round_, by).values_list("pk", "round", "rater__user"))
    if not asked:
        raise NoAssignmentsToAsk(question)
    with connection.cursor() as cursor:
        cursor.execute(_ASK, {"question": question.pk, "asked": [pk for pk, _, _ in asked]})
    counts = Counter(of_round for _, of_round, _ in asked)
    for each in Round.objects.filter(pk__in=counts).order_by("position"):
        record(
            Event.Kind.ROUND_CHANGED,
            by=by,
            project=project,
            about=each.key,
            asked_again=question.key,
            n_assignments=counts[each.pk],
        )
        users = {user for _, of_round, user in asked if of_round == each.pk}
        notify(Notification.Kind.ASSIGNED, project, users, by=by, round_=each, replaces=True)
    return len(asked)


def _to_ask(project: Project, question: Question, round_: Round | None, by: Any) -> QuerySet[Assignment]:
    hidden = rounds_to_be_blind_in(by, project)
    rows = incomplete_assignments(project, question, hidden=hidden).filter(can_be_asked(project, question))
    return rows if round_ is None else rows.filter(round=round_)
