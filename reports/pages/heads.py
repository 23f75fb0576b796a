"""What stands above the pages of a question, of a pair and of a rater, and below a picture."""

from typing import Any

from django.urls import reverse

from core.templatetags.shown import moment
from reports.access import Sight
from reports.analysis.reasons import UNFIT
from reports.models import PairAgreement, QuestionAgreement
from reports.results import wording
from reports.results.addresses import pair_address, question_address
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


def pair_head(pair: PairAgreement) -> dict[str, Any]:
    report = pair.agreement.report
    return {
        "project": report.project,
        "report": report,
        "agreement": pair.agreement,
        "pair": pair,
        "question_address": question_address(pair.agreement),
        "pair_address": pair_address(pair),
        "pictures": f"{pair_address(pair)}pictures/",
    }


def who_of(sight: Sight) -> str:
    return "you" if sight.is_own else sight.rater.key


def rater_head(sight: Sight) -> dict[str, Any]:
    """What every page about one rater begins with."""
    agreement = sight.agreement
    report = agreement.report
    return {
        "project": sight.project,
        "agreement": agreement,
        "report": report,
        "rater": sight.rater,
        "is_own": sight.is_own,
        "who": who_of(sight),
        "counted": sight.result.counted,
        "words": "",
        "page_address": rater_address(agreement, sight.rater.id),
        "has_changed": sight.has_changed,
    }


def rater_address(agreement: QuestionAgreement, rater: int) -> str:
    return reverse(
        "report_rater",
        args=[agreement.report.project.slug, agreement.report_id, agreement.question_id, rater],
    )


def about(row: QuestionAgreement, *more: str) -> str:
    """Where a picture that is a file of its own comes from, in a line."""
    report = row.report
    parts = (
        report.project.name,
        row.question.key,
        *more,
        f"report {report.pk} of {moment(report.finished_at)}",
    )
    return " · ".join(part for part in parts if part)
