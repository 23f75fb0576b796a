"""What stands above every page of a question."""

from typing import Any

from reports.analysis.reasons import UNFIT
from reports.results import wording
from reports.results.addresses import question_address
from reports.sources.items import n_items_replaced
from reports.store import requests as actions
from reports.store.stored_result import StoredResult


def question_head(result: StoredResult) -> dict[str, Any]:
    others = result.report.questions.select_related("question").only("report", "question__key")
    return {
        "project": result.report.project,
        "report": result.report,
        "agreement": result.row,
        "counted": result.counted,
        "others": others.order_by("question__position", "question_id"),
        "reason": wording.long_reason(result.reason) if result.reason else "",
        "is_unfit": result.reason in UNFIT,
        # Where the pictures of the question are saved from.
        "pictures": f"{question_address(result.row)}pictures/",
        "has_changed": not actions.still_holds(result.report),
        "n_replaced": n_items_replaced(result.report),
    }
