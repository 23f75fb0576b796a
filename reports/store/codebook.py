"""The declared questions, categories and rounds of a report, frozen into it."""

from django.db.models import Prefetch

from projects.models import Category
from reports.analysis.question import CodebookRead, RoundRead
from reports.models import Report


def codebook_of(report: Report) -> CodebookRead:
    """The codebook of the report's scope as it is now, complete enough to compute the report again."""
    questions = report.project.questions.filter(key__in=report.scope["questions"]).prefetch_related(
        Prefetch("categories", Category.objects.order_by("position"))
    )
    return {
        "questions": [
            {
                "id": question.pk,
                "key": question.key,
                "kind": question.kind,
                "level": question.level,
                "categories": [
                    {"id": c.pk, "key": c.key, "name": c.name, "value": c.value}
                    for c in question.categories.all()
                ],
            }
            for question in questions
        ],
        "rounds": _rounds(report),
    }


def _rounds(report: Report) -> list[RoundRead] | None:
    if report.scope["rounds"] is None:
        return None
    rounds = report.project.rounds.filter(key__in=report.scope["rounds"])
    return [{"id": round_.pk, "key": round_.key} for round_ in rounds]
