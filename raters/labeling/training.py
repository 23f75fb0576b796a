"""In a training round the rater sees the reference once the own answer is saved; from then on that answer stands.

So what raters knew of an item before they answered is the same in training as in a check, and hit rates are honest.
"""

from collections.abc import Sequence
from datetime import datetime

from projects.models import Question, Round
from raters.labeling.answers import Answer
from raters.labeling.references import reference_answers
from raters.models import Assignment


def is_training(assignment: Assignment) -> bool:
    round_ = assignment.round
    return round_ is not None and round_.reference_use == Round.ReferenceUse.TRAINING


def show_reference(
    assignment: Assignment, questions: Sequence[Question], at: datetime
) -> dict[str, Answer] | None:
    """The reference answers of the item, remembered as shown; None for an item that has none."""
    found = reference_answers(assignment.item_id, questions)
    if not found:
        return None
    Assignment.objects.filter(pk=assignment.pk).update(reference_shown_at=at)
    return found


def shown_reference(assignment: Assignment, questions: Sequence[Question]) -> dict[str, Answer] | None:
    """What its rater was shown before; None for one who saw nothing."""
    if assignment.reference_shown_at is None:
        return None
    return reference_answers(assignment.item_id, questions)
