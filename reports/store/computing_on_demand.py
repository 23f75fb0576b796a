"""What a worker computes for pages of a finished report: comparisons, time, subgroups, effects, models."""

from core.refusals import Refused
from core.runs.lease import Lease, RunFailed, RunLost
from reports.analysis.results import (
    LabelChangeEffect,
    ModelsAgainstPeople,
    OverTime,
    ReportDifferences,
    SideDifferences,
    Subgroups,
    to_json,
)
from reports.analysis.steps import ReportStep
from reports.models import OnDemandFigures, QuestionAgreement
from reports.store.effect import EffectRequest, effect
from reports.store.models_against_people import ModelComparisonRequest, against_people
from reports.store.over_time import OverTimeOptions, over_time
from reports.store.sides import compared
from reports.store.subgroups import SubgroupsRequest, by_subgroup
from reports.store.two_reports import two_reports

AGREEMENTS = QuestionAgreement.objects.select_related("report__project", "question")


def compute_figures(lease: Lease[OnDemandFigures]) -> None:
    """Compute the leased figures and save them as done; raise RunFailed with the reason if they are refused."""
    figures = lease.run
    try:
        result = computed(figures, AGREEMENTS.get(pk=figures.agreement_id), lease.report_progress)
    except Refused as refused:
        raise RunFailed(str(refused)) from None
    if not figures.finish(result=to_json(result)):
        raise RunLost


def computed(
    figures: OnDemandFigures, agreement: QuestionAgreement, report_step: ReportStep
) -> ReportDifferences | OverTime | SideDifferences | Subgroups | LabelChangeEffect | ModelsAgainstPeople:
    match OnDemandFigures.What(figures.what):
        case OnDemandFigures.What.TWO_REPORTS:
            return two_reports(AGREEMENTS.get(pk=str(figures.before_id)), agreement, report_step)
        case OnDemandFigures.What.OVER_TIME:
            return over_time(agreement, OverTimeOptions.of_json(figures.asked), report_step)
        case OnDemandFigures.What.SIDES:
            return compared(agreement, figures.asked["first"], figures.asked["second"], report_step)
        case OnDemandFigures.What.MODELS:
            raise ValueError("models are compared with people by the report itself")
        case OnDemandFigures.What.SUBGROUPS:
            return by_subgroup(agreement, SubgroupsRequest(**figures.asked), report_step)
        case OnDemandFigures.What.EFFECT:
            return effect(agreement, EffectRequest(**figures.asked), report_step)
        case OnDemandFigures.What.AGAINST:
            return against_people(agreement, ModelComparisonRequest(**figures.asked), report_step)
