"""Figures requested from a finished report: requested once, computed by a worker, and kept for good."""

from dataclasses import asdict
from typing import TypeVar

from django.conf import settings
from django.db import transaction

from core.refusals import Refused
from projects.access import AnyUser, Guest
from raters.lettered import letters_in_force
from reports.analysis.results import (
    Json,
    LabelChangeEffect,
    ModelsAgainstPeople,
    OverTime,
    ReportDifferences,
    SideDifferences,
    Subgroups,
    read_json,
)
from reports.lettered_results import lettered_pairs
from reports.models import OnDemandFigures, QuestionAgreement
from reports.store.effect import EffectRequest, refuse_effect
from reports.store.guest_figures import figures_for_guest
from reports.store.models_against_people import ModelComparisonRequest, ModelsRefused, refuse_models
from reports.store.over_time import OverTimeOptions, OverTimeRefused, refuse_over_time
from reports.store.sides import ComparisonRefused, sides_of
from reports.store.subgroups import SubgroupsRefused, SubgroupsRequest, refuse_subgroups
from reports.store.two_reports import refuse_incomparable

T = TypeVar("T")
What = OnDemandFigures.What


class OnDemandNotReady(Exception):
    """Figures that are pending, failed, or canceled, which are the only argument."""

    def __init__(self, figures: OnDemandFigures) -> None:
        super().__init__(figures)
        self.figures = figures


def report_differences(
    before: QuestionAgreement, after: QuestionAgreement, *, by: AnyUser
) -> ReportDifferences:
    """Return the comparison of two reports.

    Raises OnDemandNotReady, and ComparisonRefused if they cannot be compared.
    """
    refuse_incomparable(before, after)
    found = _figures(
        ReportDifferences, after, What.TWO_REPORTS, {}, by=by, before=before, refused=ComparisonRefused
    )
    return lettered_pairs(found, letters_in_force())


def agreement_over_time(agreement: QuestionAgreement, options: OverTimeOptions, *, by: AnyUser) -> OverTime:
    """Return agreement over time. Raises OnDemandNotReady, and OverTimeRefused if it cannot be computed."""
    refuse_over_time(agreement, options)
    return _figures(OverTime, agreement, What.OVER_TIME, options.as_json, by=by, refused=OverTimeRefused)


def over_time_done(agreement: QuestionAgreement, options: OverTimeOptions) -> OverTime | None:
    """Return agreement over time if it is already computed, or else None; nothing is requested."""
    done = OnDemandFigures.objects.filter(
        agreement=agreement,
        what=OnDemandFigures.What.OVER_TIME,
        asked=options.as_json,
        code_version=settings.VERSION,
        state=OnDemandFigures.State.DONE,
    ).first()
    return None if done is None else _result(OverTime, done)


def side_differences(
    agreement: QuestionAgreement, first: str, second: str, *, by: AnyUser
) -> SideDifferences:
    """Return the comparison of two sides. Raises OnDemandNotReady, and ComparisonRefused if they cannot be compared."""
    sides_of(agreement, first, second)
    asked = {"first": first, "second": second}
    return _figures(SideDifferences, agreement, What.SIDES, asked, by=by, refused=ComparisonRefused)


def subgroup_agreement(agreement: QuestionAgreement, request: SubgroupsRequest, *, by: AnyUser) -> Subgroups:
    """Return agreement by subgroup. Raises OnDemandNotReady, and SubgroupsRefused if it cannot be computed."""
    refuse_subgroups(agreement, request)
    return _figures(Subgroups, agreement, What.SUBGROUPS, asdict(request), by=by, refused=SubgroupsRefused)


def change_effect(agreement: QuestionAgreement, request: EffectRequest, *, by: AnyUser) -> LabelChangeEffect:
    """Return the effect. Raises OnDemandNotReady, and EffectRefused if it cannot be computed."""
    refuse_effect(agreement, request)
    return _result(LabelChangeEffect, ask_for(agreement, OnDemandFigures.What.EFFECT, asdict(request), by=by))


def model_comparison(
    agreement: QuestionAgreement, request: ModelComparisonRequest, *, by: AnyUser
) -> ModelsAgainstPeople:
    """Return the comparison of models with people.

    Raises OnDemandNotReady, and ModelsRefused if it cannot be computed.
    """
    refuse_models(agreement)
    return _figures(
        ModelsAgainstPeople, agreement, What.AGAINST, asdict(request), by=by, refused=ModelsRefused
    )


def _figures(
    kind: type[T],
    agreement: QuestionAgreement,
    what: OnDemandFigures.What,
    asked: Json,
    *,
    by: AnyUser,
    refused: type[Refused],
    before: QuestionAgreement | None = None,
) -> T:
    if isinstance(by, Guest):
        return read_json(kind, figures_for_guest(agreement, what, asked, before=before, refused=refused))
    return _result(kind, ask_for(agreement, what, asked, by=by, before=before))


def _result(kind: type[T], figures: OnDemandFigures) -> T:
    if figures.state != OnDemandFigures.State.DONE:
        raise OnDemandNotReady(figures)
    return read_json(kind, figures.result or {})


@transaction.atomic
def ask_for(
    agreement: QuestionAgreement,
    what: OnDemandFigures.What,
    asked: Json,
    *,
    by: AnyUser,
    before: QuestionAgreement | None = None,
) -> OnDemandFigures:
    """Return the figures, done or pending; repeated requests are computed only once. Raises QueueFull."""
    found, is_new = OnDemandFigures.objects.get_or_create(
        agreement=agreement,
        what=what,
        before=before,
        asked=asked,
        code_version=settings.VERSION,
        defaults={"asked_by_id": by.pk},
    )
    if is_new:
        found.admit(by=by)
    return found
