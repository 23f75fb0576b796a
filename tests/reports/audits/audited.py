"""An audit of invented labels whose truth is known, for tests."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from projects.models import Item, Membership, Project, Question
from raters.actions import rater_of
from raters.adjudication import deciding
from raters.adjudication.deciding import NewDecision
from raters.audits.drawing import draw_audit
from raters.labeling.answers import Answer
from raters.labeling.saving import save_answers
from raters.labeling.saving_records import SubmittedAnswers
from raters.models import Assignment, Audit, Rater, User
from raters.rounds.states import open_round
from reports.plans.audit import AuditPlan
from reports.plans.audit_draw import DrawRequest, draw_of
from reports.plans.audit_draw_form import DrawAuditForm
from tests import cast
from tests.labeling import add_labels, new_question

TRUE = "good"


@dataclass(frozen=True, slots=True)
class Delivery:
    """labels of two vendors' raters; those of ben are wrong on every fourth item, the others' never."""

    project: Project
    question: Question
    lead: User
    auditors: list[User]


def delivery(n_items: int = 40, *, n_auditors: int = 2) -> Delivery:
    project = cast.new_project("Delivery", unique=True)
    question = new_question(project, key="tone", categories=("good", "bad"))
    rows = [
        (f"item-{n:03}", rater, "bad" if rater == "ben" and n % 4 == 0 else TRUE)
        for n in range(n_items)
        for rater in ("ann", "ben")
    ]
    add_labels(question, rows)
    for name, vendor in (("ann", "Acme"), ("ben", "Bolt")):
        Rater.objects.filter(project=project, key=name).update(attributes={"vendor": vendor})
    for item in Item.objects.filter(project=project):
        item.attributes = {"site": "Bern" if item.key < "item-010" else "Chur"}
        item.content = [{"name": "text", "kind": "text", "value": f"Text of {item.key}"}]
        item.save()
    lead = cast.member(project, Membership.Role.LEAD, username="lena", unique=True)
    auditors = [
        cast.member(project, Membership.Role.RATER, username="otto", unique=True) for _ in range(n_auditors)
    ]
    return Delivery(project, question, lead, auditors)


def form_of(made: Delivery, **fields: Any) -> DrawAuditForm:
    """A valid form for an estimate from 20 labels, unless fields say otherwise."""
    given = {
        "name": "The audit",
        "question": made.question.key,
        "aim": "estimate",
        "share": "0.1",
        "margin": "0.05",
        "confidence": "0.95",
        "sampling": "single",
        "acceptable": "0.02",
        "rejectable": "0.2",
        "producer": "0.05",
        "consumer": "0.1",
        "unit": "label",
        "stratify_by": "",
        "allocation": "proportional",
        "n": "20",
        "seed": "1",
        "double_share": "0",
        "auditors": [user.pk for user in made.auditors],
        **fields,
    }
    return DrawAuditForm(
        {name: value for name, value in given.items() if value is not None}, project=made.project
    )


def drawn(made: Delivery, **fields: Any) -> Audit:
    form = form_of(made, **fields)
    assert form.is_valid(), form.errors
    draw = draw_of(form.asked)
    return draw_audit(draw.population, draw.units, form.design(draw), by=made.lead)


def opened(made: Delivery, **fields: Any) -> Audit:
    audit = drawn(made, **fields)
    open_round(audit.project.rounds.get(), by=made.lead)
    return audit


def label(
    audit: Audit, chosen: Callable[[Item, Rater], str] | str = TRUE, *, most: int | None = None
) -> None:
    """Let the auditors label their items in order, as many as `most`, with the category that `said` names."""
    pending = Assignment.objects.filter(
        item__project=audit.project, state="pending", round__state="open"
    ).select_related("rater__user", "item", "rater__project")
    for each in list(pending.order_by("position", "rater"))[:most]:
        word = chosen if isinstance(chosen, str) else chosen(each.item, each.rater)
        answer = Answer(is_abstention=True) if word == "?" else Answer(category=word)
        save_answers(
            each.rater,
            each.pk,
            SubmittedAnswers(answers={audit.question.key: answer}, revisions={}),
            key=uuid4(),
            by=each.rater.user,
        )


def decide(item: Item, question: Question, word: str, *, by: User) -> None:
    reason = question.project.adjudication_reasons[0]
    deciding.decide(item, question, NewDecision(Answer(category=word), reason=reason), seen=0, by=by)


def plan(**more: Any) -> AuditPlan:
    return AuditPlan(**{"aim": "estimate", "share": 0.1, "margin": 0.05, **more})


def request_of(made: Delivery, **more: Any) -> DrawRequest:
    given: dict[str, Any] = {
        "question": made.question,
        "wanted": {"rounds": None, "raters": None},
        "unit": "label",
        "stratify_by": "",
        "allocation": "proportional",
        "rates": {},
        "n": 20,
        "plan": plan(),
    }
    return DrawRequest(**{**given, **more})


def auditor_of(audit: Audit, user: User) -> Rater:
    return rater_of(audit.project, user)


def keys(items: Sequence[Item]) -> list[str]:
    return sorted(item.key for item in items)
