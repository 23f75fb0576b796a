"""Set, change, and remove reference answers, stored as labels of the reference rater, or copy them from decisions.

The item is locked first, as for decisions, which serializes leads.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from core.refusals import Refused
from projects.events import record
from projects.models import Event, Item, Project, Question
from projects.refusals import ProjectClosed
from raters.adjudication.deciding import locked
from raters.adjudication.queue import forget_all
from raters.adjudication.special_raters import reference_for, reference_of
from raters.labeling.answers import Answer, AnswerValidator, answer_of
from raters.labeling.saving import questions_of, set_history_context, write_label
from raters.missing_codes import declared_by
from raters.models import Label, Rater


class ReferenceChanged(Refused):
    """The reference answers have changed since the client saw them; nothing was overwritten."""

    code = "stale_revision"

    def __init__(self) -> None:
        super().__init__("The reference answers were changed since you opened this page. Nothing was saved.")


class NoUsableDecisions(Refused):
    """No decision could become a reference answer."""

    code, status_code = "no_decisions", 409

    def __init__(self) -> None:
        super().__init__("There are no decisions on questions without a reference answer.")


@dataclass(frozen=True, slots=True)
class ReferencePreview:
    """n: decisions that become reference answers, on n_items items. n_present: decisions that already have one."""

    n: int
    n_items: int
    n_present: int


def answerable(project: Project) -> list[Question]:
    """Return the questions for reference answers: all optional, and without text questions."""
    questions = [question for question in questions_of(project.pk) if question.is_compared]
    for question in questions:
        question.is_required = False
    return questions


def current_reference_answers(item: Item, questions: list[Question]) -> dict[int, tuple[Answer, int]]:
    """Return the item's reference answers with their revisions, by question ID."""
    rater = reference_of(item.project)
    by_id = {question.pk: question for question in questions}
    labels = Label.objects.filter(item=item, rater=rater, pass_number=1, question__in=by_id)
    return {label.question_id: (answer_of(label, by_id), label.revision) for label in labels}


@transaction.atomic
def set_reference(
    item: Item,
    answers: Mapping[str, Answer],
    *,
    seen: Mapping[str, int | None],
    by: Any,
    source: str = "page",
) -> int:
    """Save the answers by question key; answers to other questions are removed.

    seen: the revisions that the client saw, 0 for none. Returns the number of changed answers. Raises ProjectClosed,
    AnswersRefused, ReferenceChanged.
    """
    project = locked(item)
    questions = answerable(project)
    columns = AnswerValidator(questions).columns(answers)
    rater = reference_for(project)
    current = {
        label.question_id: label
        for label in Label.objects.filter(item=item, rater=rater, pass_number=1).select_for_update()
    }
    revisions = {pk: label.revision for pk, label in current.items()}
    if any(revisions.get(each.pk, 0) != (seen.get(each.key) or 0) for each in questions):
        raise ReferenceChanged
    set_history_context(by, f"reference by {source}")
    n = 0
    for question in questions:
        before, now = current.get(question.pk), columns.get(question.pk)
        if now is None:
            if before is not None:
                before.delete()
                n += 1
        elif before is None:
            Label.objects.create(item=item, question=question, rater=rater, **now)
            n += 1
        elif any(getattr(before, name) != value for name, value in now.items() if name != "confidence"):
            write_label(before, **now, labelled_at=timezone.now())
            n += 1
    if n:
        forget_all(project)
        record(Event.Kind.REFERENCE_SET, by=by, project=project, about=item.key, n=n)
    return n


def from_decisions(project: Project) -> ReferencePreview:
    """Return what `copy_decisions_to_references` would do, without saving."""
    labels, n_present = _decisions(project)
    return ReferencePreview(len(labels), len({label.item_id for label in labels}), n_present)


@transaction.atomic
def copy_decisions_to_references(project: Project, *, by: Any, source: str = "page") -> ReferencePreview:
    """Copy decisions to reference answers wherever there is none. Raises ProjectClosed, NoUsableDecisions."""
    rater = reference_for(project)
    # Serialize concurrent requests by two leads.
    Rater.objects.select_for_update(no_key=True).get(pk=rater.pk)
    if project.is_closed:
        raise ProjectClosed("This project is closed, so its labels can’t be changed.")
    found = from_decisions(project)
    if not found.n:
        raise NoUsableDecisions
    labels, _ = _decisions(project)
    set_history_context(by, f"reference by {source}, from decisions")
    Label.objects.bulk_create(
        Label(
            item_id=label.item_id,
            question_id=label.question_id,
            rater=rater,
            category_id=label.category_id,
            category_set=label.category_set,
            number=label.number,
        )
        for label in labels
    )
    forget_all(project)
    about = f"{found.n:,} from decisions"
    record(Event.Kind.REFERENCE_SET, by=by, project=project, about=about, n=found.n, items=found.n_items)
    return found


def _decisions(project: Project) -> tuple[list[Label], int]:
    """Return decisions without a reference answer, and the number with one. Skips "cannot tell" and missing values."""
    of_reference = Label.objects.filter(
        item=OuterRef("item"), question=OuterRef("question"), rater__kind=Rater.Kind.REFERENCE
    )
    rows = Label.objects.filter(
        rater__project=project, rater__kind=Rater.Kind.CONSENSUS, is_abstention=False
    ).annotate(has_reference=Exists(of_reference))
    declared = declared_by(project.questions.all())
    final = [label for label in rows.order_by("item", "question") if not declared.holds(label)]
    labels: list[Label] = [label for label in final if not label.has_reference]
    return labels, len(final) - len(labels)
