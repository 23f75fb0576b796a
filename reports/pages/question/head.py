"""What stands above every page of a question."""

from typing import Any

from projects.models import Project
from reports.analysis.reasons import UNFIT
from reports.models import QuestionAgreement
from reports.results import wording
from reports.results.addresses import question_address
from reports.sources.items import n_items_replaced
from reports.store import requests as actions
from reports.store.counted import counted_in


def question_head(project: Project, agreement: QuestionAgreement) -> dict[str, Any]:
    others = agreement.report.questions.select_related("question").only("report", "question__key")
    return {
        "project": project,
        "report": agreement.report,
        "agreement": agreement,
        "counted": counted_in(agreement),
        "others": others.order_by("question__position", "question_id"),
        "reason": wording.long_reason(agreement.reason) if agreement.reason else "",
        "is_unfit": agreement.reason in UNFIT,
        "pictures": pictures_address(agreement),
        "has_changed": not actions.still_holds(agreement.report),
        "n_replaced": n_items_replaced(agreement.report),
    }


def pictures_address(agreement: QuestionAgreement) -> str:
    """Where the pictures of the question are saved from."""
    return f"{question_address(agreement)}pictures/"
