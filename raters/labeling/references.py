"""What the reference says of an item, and which items have one."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from projects.models import Item, Project, Question
from raters.labeling.answers import Answer, answer_of
from raters.models import Label, Rater


def reference_answers(item_id: int, questions: Sequence[Question]) -> dict[str, Answer]:
    """By key of the question; of several references the first one. Questions without an answer are left out."""
    by_id = {question.pk: question for question in questions if question.is_compared}
    labels = Label.objects.filter(item=item_id, question__in=by_id, rater__kind=Rater.Kind.REFERENCE)
    found: dict[str, Answer] = {}
    for label in labels.order_by("rater", "pass_number"):
        # How sure a reference was is for reports alone.
        found.setdefault(by_id[label.question_id].key, replace(answer_of(label, by_id), confidence=None))
    return found


def items_with_reference(project: Project) -> NDArray[np.int64]:
    """The ids of the items that a reference has labeled, ascending."""
    rows = Item.objects.filter(
        labels__rater__project=project,
        labels__rater__kind=Rater.Kind.REFERENCE,
        labels__question__in=project.questions.compared(),
    )
    ids = rows.order_by("pk").values_list("pk", flat=True).distinct()
    return np.fromiter(ids.iterator(), dtype=np.int64)
