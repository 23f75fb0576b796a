"""Models for reports on agreement and their results."""

from reports.models.links import ReportLink
from reports.models.on_demand import OnDemandFigures
from reports.models.reports import MAX_REPORT_NAME, Report, ReportShard
from reports.models.results import AttributeGroup, FindingNote, LabelBlock, PairAgreement, QuestionAgreement

__all__ = [
    "MAX_REPORT_NAME",
    "AttributeGroup",
    "FindingNote",
    "LabelBlock",
    "OnDemandFigures",
    "PairAgreement",
    "QuestionAgreement",
    "Report",
    "ReportLink",
    "ReportShard",
]
