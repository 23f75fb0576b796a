"""Reference answers of items, and which items have any."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from projects.models import Item, Project, Question
from raters.labeling.answers import Answer, answer_of
from raters.models import Label, Rater


def reference_answers(item_id: int, questions: Sequence[Question]) -> dict[str, Answer]:
    """Return the answer of the first reference that has one, by question key. Unanswered questions are absent."""
    by_id = {question.pk: question for question in questions if question.is_compared}
    labels = Label.objects.filter(item=item_id, question__in=by_id, rater__kind=Rater.Kind.REFERENCE)
    found: dict[str, Answer] = {}
    for label in labels.order_by("rater", "pass_number"):
        # A reference's confidence is only for reports.
        found.setdefault(by_id[label.question_id].key, replace(answer_of(label, by_id), confidence=None))
    return found


def items_with_reference(project: Project) -> NDArray[np.int64]:
    """Return the IDs of items labeled by a reference, ascending."""
    rows = Item.objects.filter(
        labels__rater__project=project,
        labels__rater__kind=Rater.Kind.REFERENCE,
        labels__question__in=project.questions.compared(),
    )
    ids = rows.order_by("pk").values_list("pk", flat=True).distinct()
    return np.fromiter(ids.iterator(), dtype=np.int64)
