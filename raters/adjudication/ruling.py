"""The rule for the final labels of each question, its estimate, and changing it."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import F

from core.field_changes import changes_of
from core.refusals import Refused
from projects.events import record
from projects.final_rules import ESTIMATED, WITH_THRESHOLD, FinalRule, offered_rules
from projects.models import Category, Event, Project, Question
from projects.refusals import ProjectClosed
from raters.adjudication.reliability import reliability_of
from raters.adjudication.rules import FinalLabelRule
from raters.changed_labels import labels_changed_since
from raters.models import FinalEstimate


class RuleRefused(Refused):
    """The rule or threshold does not fit the question."""

    code, status_code = "rule_misfit", 400

    def __init__(self, sentence: str, *, field: str) -> None:
        super().__init__(sentence)
        self.field = field


class NothingToEstimate(Refused):
    """The rule needs no estimate."""

    code, status_code = "nothing_to_estimate", 409

    def __init__(self) -> None:
        super().__init__("The rule of this question does not use the reliability of raters.")


@dataclass(frozen=True, slots=True)
class NewRule:
    kind: FinalRule
    threshold: float | None = None
    takes_references: bool = True


@dataclass(frozen=True, slots=True)
class QuestionRule:
    """A question with the rule and estimates of its final labels.

    used: the estimate in use, if the rule needs one and there is one. latest: the newest requested estimate.
    is_outdated: whether labels have changed since the estimate in use.
    """

    question: Question
    used: FinalEstimate | None = None
    latest: FinalEstimate | None = None
    is_outdated: bool = False

    @property
    def kind(self) -> FinalRule:
        return FinalRule(self.question.final_rule)

    @property
    def is_estimated(self) -> bool:
        return self.kind in ESTIMATED

    @property
    def offered(self) -> Sequence[FinalRule]:
        return offered_rules(self.question.kind, self.question.level)


class RulesByQuestion(dict[int, FinalLabelRule]):
    """Rules by question ID. digest: hash of all rules and the estimates they use."""

    digest: str = ""


def rules_of(project: Project) -> RulesByQuestion:
    questions = list(project.questions.compared())
    used = _used(questions)
    rules = RulesByQuestion(
        (
            each.pk,
            FinalLabelRule(
                FinalRule(each.final_rule),
                each.final_threshold,
                each.final_takes_references,
                reliability_of(used[each.pk].result or {}) if each.pk in used else None,
            ),
        )
        for each in questions
    )
    parts = [
        (
            each.pk,
            each.final_rule,
            each.final_threshold,
            each.final_takes_references,
            each.pk in used and used[each.pk].pk,
        )
        for each in questions
    ]
    rules.digest = hashlib.sha256(repr(parts).encode()).hexdigest()[:32]
    return rules


def rows_of(project: Project) -> list[QuestionRule]:
    """Return the rule of each question, for display."""
    questions = list(project.questions.compared())
    used, latest = _used(questions), _newest(questions)
    return [
        QuestionRule(
            each,
            used.get(each.pk),
            latest.get(each.pk),
            is_outdated=each.pk in used and labels_changed_since(used[each.pk].head, [each.pk]),
        )
        for each in questions
    ]


def row_of(question: Question) -> QuestionRule:
    return next(row for row in rows_of(question.project) if row.question == question)


@transaction.atomic
def change_rule(question: Question, new: NewRule, *, by: Any) -> Question:
    """Change the rule, and queue an estimate if it needs one. Raises ProjectClosed, RuleRefused, QueueFull."""
    question = _locked(question)
    _check(question, new)
    fields = {
        "final_rule": new.kind,
        "final_threshold": new.threshold,
        "final_takes_references": new.takes_references,
    }
    changed = changes_of(question, fields)
    if not changed:
        return question
    for name in changed:
        setattr(question, name, fields[name])
    question.save(update_fields=list(changed))
    record(
        Event.Kind.FINAL_RULE_CHANGED, by=by, project=question.project, about=question.key, changed=changed
    )
    if new.kind in ESTIMATED and question.pk not in _newest([question]):
        _queue(question, by)
    return question


@transaction.atomic
def estimate(question: Question, *, by: Any) -> FinalEstimate:
    """Queue an estimate of rater reliability from the labels at that time, unless one is already queued.

    Raises ProjectClosed, NothingToEstimate, QueueFull.
    """
    question = _locked(question)
    if question.final_rule not in ESTIMATED:
        raise NothingToEstimate
    latest = _newest([question]).get(question.pk)
    if latest is not None and latest.state == FinalEstimate.State.QUEUED:
        return latest
    return _queue(question, by)


def _queue(question: Question, by: Any) -> FinalEstimate:
    made = FinalEstimate.objects.create(question=question, rule=question.final_rule, asked_by=by)
    made.admit(by=by)
    record(
        Event.Kind.FINAL_RULE_ESTIMATED,
        by=by,
        project=question.project,
        about=question.key,
        rule=question.final_rule,
    )
    return made


def _locked(question: Question) -> Question:
    question = Question.objects.select_for_update(no_key=True).select_related("project").get(pk=question.pk)
    if question.project.is_closed:
        raise ProjectClosed("This project is closed, so its final labels can’t be changed.")
    return question


def _check(question: Question, new: NewRule) -> None:
    if new.kind not in offered_rules(question.kind, question.level):
        kind = question.get_kind_display().lower()
        sentence = f"Final labels of a {kind} question can’t follow the rule “{new.kind.label}”."
        raise RuleRefused(sentence, field="rule")
    if new.threshold is not None and new.kind not in WITH_THRESHOLD:
        sentence = f"The rule “{new.kind.label}” has no certainty, so it can’t leave items open below one."
        raise RuleRefused(sentence, field="threshold")


def _used(questions: Iterable[Question]) -> dict[int, FinalEstimate]:
    """Return the newest finished estimate by question ID, unless one of its categories is gone or now missing."""
    found = _newest(questions, state=FinalEstimate.State.DONE)
    if not found:
        return {}
    rows = Category.objects.filter(question__in=found, treated_as_missing=False)
    known = set(rows.values_list("pk", flat=True))
    return {pk: each for pk, each in found.items() if known.issuperset((each.result or {})["categories"])}


def _newest(questions: Iterable[Question], **more: Any) -> dict[int, FinalEstimate]:
    """Return the newest estimate for the current rule, by question ID."""
    asking = [each.pk for each in questions if each.final_rule in ESTIMATED]
    if not asking:
        return {}
    rows = FinalEstimate.objects.filter(question__in=asking, rule=F("question__final_rule"), **more)
    newest = rows.order_by("question_id", "-pk").distinct("question_id")
    return {each.question_id: each for each in newest.select_related("question")}
