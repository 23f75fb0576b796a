"""A rater's own labels. Nothing of other raters is read."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypedDict

from django.contrib.postgres.fields import ArrayField
from django.db.models import (
    Exists,
    F,
    Func,
    Max,
    OuterRef,
    Q,
    QuerySet,
    TextField,
    Value,
)
from django.db.models.functions import Cast

from projects.codebook.codebook_rules import number_of
from projects.items.content import ContentPart
from projects.items.layout import visible_content
from projects.models import Category, Item, Project, Question, Round
from raters.items.queries import excerpt_of
from raters.labeling.answers import Answer, answer_of
from raters.labeling.assignment_context import is_closed
from raters.labeling.saving import questions_of
from raters.models import Assignment, Label, Rater

ABSTENTION = "cannot tell"


@dataclass(frozen=True, slots=True)
class OwnLabelSearch:
    """A search for own labels. words: in the item's key or content. question, round: keys. answer: part of it."""

    words: str = ""
    question: str = ""
    answer: str = ""
    round: str = ""


class LabeledItem(TypedDict):
    """An item and pass that the rater has labeled. last: time of the last label."""

    item: int
    pass_number: int
    last: datetime


@dataclass(frozen=True, slots=True)
class OwnLabels:
    """The rater's labels of one item and pass. assignment: None for imported labels."""

    item: Item
    excerpt: str
    round: Round | None
    pass_number: int
    answers: Sequence[tuple[Question, Answer]]
    at: datetime
    assignment: int | None
    can_change: bool

    @property
    def note(self) -> str:
        return next((answer.note for _, answer in self.answers if answer.note), "")


class _Visible(Func):
    """The values of the fields that raters see, one per line."""

    template = (
        "(SELECT string_agg(part ->> 'value', chr(10)) FROM (VALUES (%(expressions)s)) AS given (content, hidden), "
        "jsonb_array_elements(given.content) AS part WHERE coalesce(part ->> 'name', '') <> ALL (given.hidden))"
    )
    output_field = TextField()


def own_labels(rater: Rater, wanted: OwnLabelSearch) -> "QuerySet[Any, Any]":
    """Return each item that the rater has labeled, with the latest pass (in the round, if one is wanted), latest first.

    Nothing depends on what is still to be labeled: it would tell the rater which items come again.
    """
    own = Label.objects.filter(rater=rater.pk)
    if wanted.round:
        own = own.filter(round__key=wanted.round)
    later = own.filter(item=OuterRef("item"), pass_number__gt=OuterRef("pass_number"))
    found = own.filter(~Exists(later))
    if wanted.question:
        found = found.filter(question__key=wanted.question)
    if wanted.answer:
        found = found.filter(_answer_filter(rater.project, wanted.answer))
    if wanted.words:
        found = found.filter(item__in=_items(rater.project, wanted.words))
    rows = found.order_by().values("item", "pass_number").annotate(last=Max("labelled_at"))
    return rows.order_by("-last", "-item", "pass_number")


def _items(project: Project, words: str) -> "QuerySet[Item]":
    hidden = Cast(Value(project.fields_hidden, ArrayField(TextField())), ArrayField(TextField()))
    items = Item.objects.filter(project=project).annotate(shown=_Visible(F("content"), hidden))
    return items.filter(Q(key__icontains=words) | Q(shown__icontains=words))


def _answer_filter(project: Project, words: str) -> Q:
    """Filter for answers with the words in a category's name or key, a text, or “cannot tell”, or an equal number."""
    named = Q(key__icontains=words) | Q(name__icontains=words)
    categories = list(Category.objects.filter(named, question__project=project).values_list("pk", flat=True))
    matches = Q(category__in=categories) | Q(category_set__overlap=categories) | Q(text__icontains=words)
    if (number := number_of(words)) is not None:
        matches |= Q(number=number)
    if words.strip().casefold() in ABSTENTION:
        matches |= Q(is_abstention=True)
    return matches


def own_labels_page(rater: Rater, rows: Sequence[LabeledItem]) -> list[OwnLabels]:
    """Return one page of labels, each with all its answers, using a fixed number of queries."""
    items = [row["item"] for row in rows]
    questions = {question.pk: question for question in questions_of(rater.project_id)}
    labels: dict[tuple[int, int], list[Label]] = {}
    own = Label.objects.filter(rater=rater.pk, item__in=items).select_related("item", "round")
    for label in own:
        labels.setdefault((label.item_id, label.pass_number), []).append(label)
    assignments = Assignment.objects.filter(rater=rater.pk, item__in=items, round__isnull=False)
    assignments = assignments.exclude(round__state=Round.State.DRAFT).select_related("round__project", "item")
    known = {(each.item_id, each.pass_number): each for each in assignments}
    return [
        _own_labels(rater, labels[key], known.get(key), questions)
        for key in ((row["item"], row["pass_number"]) for row in rows)
    ]


def _own_labels(
    rater: Rater, labels: Sequence[Label], assignment: Assignment | None, questions: dict[int, Question]
) -> OwnLabels:
    first = labels[0]
    by_question = {label.question_id: label for label in labels}
    return OwnLabels(
        item=first.item,
        excerpt=excerpt_of(_by_weight(first.item.content, rater.project)),
        round=first.round,
        pass_number=first.pass_number,
        answers=[
            (question, answer_of(by_question[pk], questions))
            for pk, question in questions.items()
            if pk in by_question
        ],
        at=max(label.labelled_at for label in labels),
        assignment=None if assignment is None else assignment.pk,
        can_change=assignment is not None and not is_closed(assignment),
    )


def _by_weight(content: Sequence[ContentPart], project: Project) -> list[ContentPart]:
    """Sort fields by how well raters recognize the item by them: the main field, then the longest text."""

    def weight(part: ContentPart) -> tuple[bool, bool, int]:
        is_text = part.get("kind") in {Item.Field.TEXT, Item.Field.MARKDOWN}
        is_main = bool(project.main_field) and part.get("name") == project.main_field
        return not is_main, not is_text, -len(str(part.get("value") or ""))

    return sorted(visible_content(content, project), key=weight)


def questions_and_rounds(rater: Rater) -> tuple[list[str], list[str]]:
    """Return the keys of questions and rounds by which own labels can be filtered."""
    questions = [question.key for question in questions_of(rater.project_id)]
    labeled = Label.objects.filter(rater=rater.pk, round=OuterRef("pk"))
    rounds = Round.objects.filter(Exists(labeled), project=rater.project_id)
    return questions, list(rounds.values_list("key", flat=True))
