"""Headers of the pages of a question, a pair, and a rater, and captions of pictures."""

from dataclasses import dataclass

from django.db.models import QuerySet
from django.urls import reverse

from core.templatetags.shown import moment
from projects.models import Project
from reports.access import RaterAccess
from reports.analysis.reasons import UNFIT
from reports.models import PairAgreement, QuestionAgreement, Report
from reports.pages.contexts import PageSection
from reports.results import wording
from reports.results.addresses import pair_address, question_address
from reports.results.design import design_of_result
from reports.sources.replaced_items import n_items_replaced
from reports.store import requests as actions
from reports.store.agreements import ReportRater
from reports.store.included_raters import IncludedRaters
from reports.store.stored_result import StoredResult


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionHead(PageSection):
    """others: all questions of the report. pictures: the base URL of the question's pictures. design: how many raters
    labeled each item, and what is missing, in sentences. counted_reference: the reference of the report if it counts as
    one of the raters, too; "" otherwise.
    """

    project: Project
    report: Report
    agreement: QuestionAgreement
    counted: IncludedRaters
    others: QuerySet[QuestionAgreement]
    reason: str
    is_unfit: bool
    pictures: str
    has_changed: bool
    n_replaced: int
    design: list[str]
    counted_reference: str


def question_head(result: StoredResult) -> QuestionHead:
    others = result.report.questions.select_related("question").only("report", "question__key")
    return QuestionHead(
        project=result.report.project,
        report=result.report,
        agreement=result.row,
        counted=result.counted,
        others=others.order_by("question__position", "question_id"),
        reason=wording.long_reason(result.reason) if result.reason else "",
        is_unfit=result.reason in UNFIT,
        pictures=f"{question_address(result.row)}pictures/",
        has_changed=not actions.is_current(result.report),
        n_replaced=n_items_replaced(result.report),
        design=design_of_result(result).sentences,
        counted_reference=_counted_reference(result),
    )


def _counted_reference(result: StoredResult) -> str:
    chosen = result.report.chosen.reference
    # Under letters, no rater has this key.
    return next((each.key for each in result.raters if each.key == chosen and each.id in result.counted), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class PairHead(PageSection):
    project: Project
    report: Report
    agreement: QuestionAgreement
    pair: PairAgreement
    question_address: str
    pair_address: str
    pictures: str


def pair_head(pair: PairAgreement) -> PairHead:
    report = pair.agreement.report
    return PairHead(
        project=report.project,
        report=report,
        agreement=pair.agreement,
        pair=pair,
        question_address=question_address(pair.agreement),
        pair_address=pair_address(pair),
        pictures=f"{pair_address(pair)}pictures/",
    )


def owner_words(access: RaterAccess) -> str:
    return "you" if access.is_own else access.rater.key


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterHead(PageSection):
    """words: what is listed about the rater, "" on their own page."""

    project: Project
    agreement: QuestionAgreement
    report: Report
    rater: ReportRater
    is_own: bool
    who: str
    counted: IncludedRaters
    words: str = ""
    page_address: str
    has_changed: bool


def rater_head(access: RaterAccess, *, words: str = "") -> RaterHead:
    """Return the header of every page about one rater."""
    agreement = access.agreement
    return RaterHead(
        project=access.project,
        agreement=agreement,
        report=agreement.report,
        rater=access.rater,
        is_own=access.is_own,
        who=owner_words(access),
        counted=access.result.counted,
        words=words,
        page_address=rater_address(agreement, access.rater.id),
        has_changed=access.has_changed,
    )


def rater_address(agreement: QuestionAgreement, rater: int) -> str:
    return reverse(
        "report_rater",
        args=[agreement.report.project.slug, agreement.report_id, agreement.question_id, rater],
    )


def about(row: QuestionAgreement, *more: str) -> str:
    """Return a line on the source of a picture, for separate files."""
    report = row.report
    parts = (
        report.project_name,
        row.question.key,
        *more,
        f"{report.words} of {moment(report.finished_at)}",
    )
    return " · ".join(part for part in parts if part)
