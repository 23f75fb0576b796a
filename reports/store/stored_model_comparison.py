"""Comparison of models with the people who count: computed with the report, and read by its pages."""

from dataclasses import replace

from django.conf import settings
from django.db.models.functions import Now

from raters.lettered import letters_in_force
from reports.agreement.progress_callbacks import ReportProgress
from reports.analysis.kinds import kind_of
from reports.analysis.models_versus_people import compare_models_with_people
from reports.analysis.options import PEOPLE, RaterKind
from reports.analysis.results import ModelsVersusPeople, read_json, to_json
from reports.models import OnDemandFigures, QuestionAgreement
from reports.sources.label_columns import read_columns
from reports.store.agreements import scope_of
from reports.store.included_raters import counted_in, kinds_in

# The means of pairs are computed about a hundred times, at up to a tenth of a second each.
MAX_LABELS = 1_000_000


def compares_models(agreement: QuestionAgreement) -> bool:
    """Return whether only people count and there is a model to compare with them."""
    return kinds_in(agreement) == PEOPLE and any(
        rater["kind"] == RaterKind.MODEL for rater in agreement.raters
    )


def store_model_comparison(agreement: QuestionAgreement, report_progress: ReportProgress) -> None:
    if not compares_models(agreement) or agreement.n_labels > MAX_LABELS:
        return
    kind, counted = kind_of(scope_of(agreement)), counted_in(agreement)
    models = [rater["id"] for rater in agreement.raters if rater["kind"] == RaterKind.MODEL]
    found = compare_models_with_people(
        kind,
        read_columns(agreement),
        counted.ids,
        models,
        confidence=agreement.report.chosen.confidence,
        report_progress=report_progress,
    )
    OnDemandFigures.objects.create(
        agreement=agreement,
        what=OnDemandFigures.What.MODELS,
        code_version=settings.VERSION,
        result=to_json(ModelsVersusPeople(pair_figure=kind.pair_figure, models=found)),
        state=OnDemandFigures.State.DONE,
        share_done=1,
        asked_by=agreement.report.asked_by,
        started_at=Now(),
        finished_at=Now(),
    )


def stored_model_comparison(agreement: QuestionAgreement) -> ModelsVersusPeople | None:
    """Return the stored comparison; None if there is none, or an earlier version computed the report."""
    done = OnDemandFigures.objects.filter(agreement=agreement, what=OnDemandFigures.What.MODELS).first()
    if done is None:
        return None
    found, in_force = read_json(ModelsVersusPeople, done.result or {}), letters_in_force()
    if in_force is None:
        return found
    models = [replace(each, rater=in_force.visible_id(each.rater)) for each in found.models]
    return replace(found, models=tuple(sorted(models, key=lambda each: each.rater)))
