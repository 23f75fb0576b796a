"""One item with all its questions: labels, final labels, and saving or undoing all decisions at once."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, TypedDict

from django.db import transaction

from core.refusals import Refused
from core.tolerance import are_within
from projects.codebook.conditions import in_words
from projects.items.content import RenderedField, fields_of
from projects.models import Item, Project, Question
from raters.adjudication import deciding
from raters.adjudication.cases import (
    Case,
    DecisionChoice,
    ItemTextAnswers,
    Opinion,
    case_of,
    names_of,
    text_answers_of,
)
from raters.adjudication.conditional_questions import ConditionState, QuestionCondition, links_of
from raters.adjudication.deciding import CurrentDecision, NewDecision
from raters.adjudication.finals import FinalAnswer, final_of
from raters.adjudication.proposing import VOTERS, Vote, names_of_categories, value_of, votes_of, words_of
from raters.adjudication.rule_conditions import state_of, states_of
from raters.adjudication.rules import FinalLabelRule, Origin
from raters.adjudication.ruling import rules_of
from raters.adjudication.votes import CANNOT_TELL, Voter
from raters.labeling.answers import Answer, StoredAnswer, answer_of
from raters.missing_codes import declared_by
from raters.models import Label, Rater
from raters.passes import CurrentLabels
from raters.voters import Voters, voters_among

# Shortcuts that adopt all answers of one rater; other letters have other uses.
RATER_KEYS = "abcde"


class LabelsChanged(Refused):
    """A rater has changed a label of the item since the client saw it."""

    code = "stale_labels"

    def __init__(self) -> None:
        super().__init__(
            "The labels of this item have changed since you opened it. Nothing was saved. Review them again."
        )


@dataclass(frozen=True, slots=True)
class DecisionEffect:
    """A possible decision, and the number of raters with a label who would agree with it."""

    choice: DecisionChoice
    n_agree: int


@dataclass(frozen=True)
class ItemQuestion:
    """before: the final label without a decision. words: the same in words. rule: the rule of the question.

    links: its conditions. condition: the nearest of them, in words.
    """

    case: Case
    before: FinalAnswer
    words: str
    rule: FinalLabelRule
    state: ConditionState = ConditionState.ASKED
    links: Sequence[QuestionCondition] = ()
    condition: str = ""

    @property
    def question(self) -> Question:
        return self.case.question

    @property
    def is_disputed(self) -> bool:
        if self.rule.asks_below:
            return self.before.origin is Origin.NONE and self.before.n_raters > 0
        return len(self.case.given) > 1 and self.before.origin is not Origin.UNANIMOUS

    @property
    def is_asked(self) -> bool:
        return self.state is ConditionState.ASKED

    @property
    def links_json(self) -> str:
        """Earlier questions with the categories that ask this one, as JSON for the script."""
        return json.dumps([(link.parent, link.categories) for link in self.links])

    @property
    def final_categories(self) -> str | None:
        """IDs of the current final categories for the script; None if nothing is final."""
        label = self.case.current_decision.label
        value = self.before.value if label is None else value_of(label)
        if value is None:
            return None
        chosen = [value.category] if value.category is not None else value.category_set or ()
        return " ".join(map(str, chosen))

    @cached_property
    def effects(self) -> list[DecisionEffect]:
        return [DecisionEffect(choice, _n_agree(self, choice)) for choice in self.case.given]


@dataclass(frozen=True)
class ItemDisputes:
    """names: names of everyone with labels, by ID. raters: names of people and models, in order. digest: of the labels.

    texts: answers to text questions, which are not adjudicated.
    """

    project: Project
    item: Item
    questions: list[ItemQuestion]
    names: dict[int, str]
    raters: list[str]
    digest: str
    voters: Voters
    texts: list[ItemTextAnswers] = field(default_factory=list)

    @property
    def fields(self) -> list[RenderedField]:
        return fields_of(self.item)

    @property
    def n_decided(self) -> int:
        return sum(each.case.current_decision.label is not None for each in self.questions)

    @property
    def accepting(self) -> list[tuple[str, str]]:
        """Raters with the shortcuts that adopt all their answers."""
        return [(name, RATER_KEYS[n : n + 1]) for n, name in enumerate(self.raters)]

    def answers_of(self, rater: str) -> dict[int, str]:
        """Return choices that adopt this rater's first answers, by question, without "cannot tell"."""
        return {
            each.question.pk: opinion.choice
            for each in self.questions
            for opinion in each.case.opinions
            if opinion.name == rater and opinion.counts and not opinion.is_abstention
        }


@dataclass(frozen=True, slots=True)
class SubmittedDecision:
    """seen: the revision of the decision that the client saw."""

    question: Question
    decision: NewDecision
    seen: int


class UndoableDecision(TypedDict):
    """A saved decision: its revision, and the answer before it (None if there was none)."""

    question: int
    revision: int
    before: StoredAnswer | None
    for_guidelines: bool


def item_disputes(item: Item) -> ItemDisputes:
    """Return the item with all questions that have labels. The item's project must be loaded."""
    project = item.project
    labels = list(Label.objects.filter(item=item).select_related("rater").order_by("pk"))
    given = [label for label in labels if label.rater.kind != Rater.Kind.CONSENSUS]
    names = names_of(project, item, {label.rater_id: label.rater for label in given}.values())
    asked = {label.question_id for label in labels}
    codebook = list(project.questions.prefetch_related("categories"))
    questions = [question for question in codebook if question.pk in asked and question.is_compared]
    categories = names_of_categories(project)
    current, rules = CurrentLabels.of(project, [item.pk]).among(given), rules_of(project)
    links = links_of(codebook)
    states = states_of(project, [(item.pk, question.pk) for question in questions], links)
    found = [
        replace(
            _question_of(case_of(item, question, names or None), current, categories, rules[question.pk]),
            state=states[item.pk, question.pk],
            links=[link for link in links if link.question == question.pk],
            condition=in_words(question, codebook),
        )
        for question in questions
    ]
    voters = {label.rater_id: label.rater for label in given if label.rater.kind not in VOTERS}
    raters = sorted((names[pk] for pk in voters), key=_place)
    texts = text_answers_of(item, names) if asked - {question.pk for question in questions} else []
    return ItemDisputes(
        project, item, found, names, raters, _digest(given), voters_among(voters.values()), texts
    )


def digest_of(item: Item) -> str:
    rows = Label.objects.filter(item=item).exclude(rater__kind=Rater.Kind.CONSENSUS)
    return _digest(list(rows.order_by("pk")))


@transaction.atomic
def save_all(
    item: Item, sent: Sequence[SubmittedDecision], *, digest: str, by: Any
) -> list[UndoableDecision]:
    """Save all decisions or none. Decisions on questions ruled out by earlier ones would not count and are skipped.

    digest: of the labels that the client saw. Raises ProjectClosed, LabelsChanged, DecisionChanged, AnswersRefused.
    """
    deciding.locked(item)
    if digest != digest_of(item):
        raise LabelsChanged
    done: list[UndoableDecision] = []
    for each in sorted(sent, key=lambda one: (one.question.position, one.question.pk)):
        if each.question.asked_if_question and state_of(item, each.question) is ConditionState.NOT_ASKED:
            continue
        before = deciding.current_decision(item, each.question)
        now = deciding.decide(item, each.question, each.decision, seen=each.seen, by=by)
        if now.revision != before.revision:
            done.append(_undoable(before, now))
    return done


@transaction.atomic
def undo_all(item: Item, done: Sequence[UndoableDecision], *, by: Any) -> None:
    """Restore the previous decisions. Raises ProjectClosed, or DecisionChanged if a decision has changed since."""
    questions = item.project.questions.prefetch_related("categories").in_bulk(
        [each["question"] for each in done]
    )
    for each in done:
        question = questions[each["question"]]
        if each["before"] is None:
            deciding.withdraw(item, question, seen=each["revision"], by=by, source="page, undo")
            continue
        answer = Answer.of_json(each["before"])
        deciding.decide(
            item,
            question,
            NewDecision(answer, answer.reason, answer.note, each["for_guidelines"], source="page, undo"),
            seen=each["revision"],
            by=by,
        )


def _undoable(before: CurrentDecision, now: CurrentDecision) -> UndoableDecision:
    answer = None
    if before.label is not None:
        answer = asdict(answer_of(before.label, {before.question.pk: before.question}))
    return {
        "question": before.question.pk,
        "revision": now.revision,
        "before": answer,  # type: ignore[typeddict-item]
        "for_guidelines": before.is_for_guidelines,
    }


def _question_of(
    case: Case, current: Sequence[Label], categories: dict[int, str], rule: FinalLabelRule
) -> ItemQuestion:
    declared = declared_by([case.question])
    first: dict[int, Label] = {}
    for label in sorted(current, key=lambda each: each.pass_number):
        if label.question_id == case.question.pk and not declared.holds(label):
            first.setdefault(label.rater_id, label)
    votes = [
        Vote(
            label.rater_id,
            VOTERS.get(Rater.Kind(label.rater.kind), Voter.RATER),
            CANNOT_TELL if label.is_abstention else value_of(label),
        )
        for label in first.values()
    ]
    before = final_of(votes_of(votes), tolerance=case.question.tolerance or 0.0, rule=rule)
    words = "" if before.value is None else words_of(before.value, categories)
    return ItemQuestion(case, before, words, rule)


def _n_agree(item_question: ItemQuestion, choice: DecisionChoice) -> int:
    """Return the number of raters whose first label is the choice, or a number within the tolerance of it."""
    tolerance = item_question.question.tolerance or 0.0
    opinions = [each for each in item_question.case.opinions if not each.is_reference and each.counts]
    return sum(_says(each, choice, tolerance) for each in opinions)


def _says(opinion: Opinion, choice: DecisionChoice, tolerance: float) -> bool:
    if opinion.choice == choice.value:
        return True
    numbers = [
        each.removeprefix("number-") for each in (opinion.choice, choice.value) if each.startswith("number-")
    ]
    return len(numbers) == 2 and are_within(float(numbers[0]), float(numbers[1]), tolerance)


def _place(name: str) -> tuple[int, str]:
    return len(name), name


def _digest(labels: Sequence[Label]) -> str:
    seen = sorted((label.pk, label.revision) for label in labels)
    return hashlib.sha256(repr(seen).encode()).hexdigest()[:16]
