"""Skip an item. It returns when nothing else is left and is never lost."""

from django.db import transaction
from django.http import Http404
from django.utils import timezone

from core.refusals import Refused
from projects.models import Round
from raters.labeling.saving import refuse_closed
from raters.models import Assignment, Rater


class AssignmentAlreadyDone(Refused):
    code = "already_done"

    def __init__(self) -> None:
        super().__init__("You have already labeled this item, so you can’t skip it.")


@transaction.atomic
def skip(rater: Rater, assignment_id: int) -> Assignment:
    """Skip the assignment. Skipping it again only updates the time.

    Raises Http404 for an assignment that is not the rater's, RoundClosed, AssignmentAlreadyDone.
    """
    rows = Assignment.objects.filter(rater=rater, round__isnull=False).exclude(round__state=Round.State.DRAFT)
    # A concurrent save of the same item waits, or came first.
    locked = rows.select_for_update(no_key=True, of=("self",)).select_related("item", "round__project")
    assignment = locked.filter(pk=assignment_id).first()
    if assignment is None or assignment.round is None:
        raise Http404("No such assignment.")
    is_withdrawn = assignment.item.withdrawn_at is not None
    refuse_closed(assignment.round.state, assignment.round.project.state, is_withdrawn=is_withdrawn)
    if assignment.state == Assignment.State.DONE:
        raise AssignmentAlreadyDone
    assignment.skipped_at = assignment.last_seen_at = timezone.now()
    assignment.save(update_fields=["skipped_at", "last_seen_at"])
    return assignment
