"""The questions, categories, rounds, and names of a report, frozen when it is computed."""

from typing import TypedDict

from django.db.models import Prefetch

from projects.codebook.conditions import in_words
from projects.models import Category, Project, Question
from reports.analysis.measure import fitting_weights
from reports.analysis.question import CategoryJson, CodebookJson, ConditionJson, QuestionJson, RoundJson
from reports.models import Report


class ReportNames(TypedDict):
    project: str
    rounds: list[RoundJson]


def codebook_of(report: Report) -> CodebookJson:
    """Return the current codebook of the report's scope, complete enough to recompute the report from it."""
    questions = report.project.questions.filter(key__in=report.scope["questions"]).prefetch_related(
        Prefetch("categories", Category.objects.order_by("position"))
    )
    found: CodebookJson = {
        "questions": [_question(question) for question in questions],
        "rounds": _rounds(report),
    }
    # The key is left out for unlimited reports, so that they compare equal to earlier ones.
    return {**found, "only": report.scope["only"]} if "only" in report.scope else found


def _question(question: Question) -> QuestionJson:
    categories = question.choices
    found: QuestionJson = {
        "id": question.pk,
        "key": question.key,
        "kind": question.kind,
        "level": question.level,
        "categories": [_category(each) for each in categories if not each.treated_as_missing],
        "measure": {
            "coefficient": question.coefficient,
            "weights": question.weights or str(fitting_weights(question.kind, question.level)),
            "criterion": question.criterion,
        },
    }
    if question.asked_if_question:
        found["asked_if"] = _condition(question)
    missing = [_category(each) for each in categories if each.treated_as_missing]
    values = question.missing_values if question.kind == Question.Kind.NUMBER else []
    # The key is left out if nothing is declared missing: reports are compared by their codebooks.
    return {**found, "missing": {"categories": missing, "values": values}} if missing or values else found


def _condition(question: Question) -> ConditionJson:
    """Return when the question is asked; the categories may include ones that are treated as missing."""
    questions = list(question.project.questions.prefetch_related("categories"))
    parent = next(each for each in questions if each.key == question.asked_if_question)
    return {
        "question": parent.pk,
        "categories": [each.pk for each in parent.choices if each.key in question.asked_if_categories],
        "words": in_words(question, questions),
    }


def _category(category: Category) -> CategoryJson:
    return {"id": category.pk, "key": category.key, "name": category.name, "value": category.value}


def is_pooled(report: Report) -> bool:
    """Return whether the figures pool all rounds of the report; reports of release 0.3.0 and earlier do not say."""
    return bool(report.scope.get("pooled", True))


def names_of(report: Report) -> ReportNames:
    """Return the current names that the report shows and that can be changed later."""
    project = Project.objects.get(pk=report.project_id)
    return {
        "project": project.name,
        "rounds": [{"id": round_.pk, "key": round_.key} for round_ in project.rounds.all()],
    }


def _rounds(report: Report) -> list[RoundJson] | None:
    if report.scope["rounds"] is None:
        return None
    rounds = report.project.rounds.filter(key__in=report.scope["rounds"])
    return [{"id": round_.pk, "key": round_.key} for round_ in rounds]
