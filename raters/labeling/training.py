"""Training rounds: raters see the reference once they have saved their answer, and can no longer change it.

So raters know no more before they answer than in a check, and accuracy is unbiased.
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
    """Return the reference answers and record that they were shown; None if the item has none."""
    found = reference_answers(assignment.item_id, questions)
    if not found:
        return None
    Assignment.objects.filter(pk=assignment.pk).update(reference_shown_at=at)
    return found


def shown_reference(assignment: Assignment, questions: Sequence[Question]) -> dict[str, Answer] | None:
    """Return the reference answers that the rater has already been shown; None if not shown."""
    if assignment.reference_shown_at is None:
        return None
    return reference_answers(assignment.item_id, questions)
