"""Comparison of the models in a report with its people, whichever raters count in the overall figures."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.refusals import Refused
from reports.analysis.kinds import kind_of
from reports.analysis.kinds.kind import QuestionKind
from reports.analysis.label_arrays import COLUMNS, LabelColumns, of_raters
from reports.analysis.model_prevalence import corrected_shares, model_prevalence
from reports.analysis.models_against_people import models_against_people
from reports.analysis.options import RaterKind
from reports.analysis.results import ModelPrevalence, ModelsAgainstPeople
from reports.analysis.steps import ReportStep, silent
from reports.models import AttributeGroup, QuestionAgreement
from reports.sources.attribute_members import stored_attributes, stored_groups
from reports.sources.label_columns import read_columns
from reports.sources.stored_labels import blocks_of, joined, no_rows
from reports.store.agreements import scope_of
from reports.store.human_sample import human_sample

# Limits set by a worker's memory: labels, and items × raters.
MAX_LABELS, MAX_CELLS = 1_000_000, 50_000_000
# The items that a person needs to be tested: for the t test, and for the signed-rank test with fewer than 30.
LEAST = (30, 10)
NO_MODEL = (
    "No rater in this report is a model. Import a model’s labels with the rater type Model, then compute a "
    "new report."
)


class ModelsRefused(Refused):
    """Models that cannot be compared with people."""

    status_code = 400


@dataclass(frozen=True, slots=True)
class ModelComparisonRequest:
    """least: the number of items that a person needs to be tested."""

    least: int = LEAST[0]


def ids_of(agreement: QuestionAgreement, kind: RaterKind) -> list[int]:
    return [rater["id"] for rater in agreement.raters if rater["kind"] == kind]


def refuse_models(agreement: QuestionAgreement) -> None:
    """Raise ModelsRefused if the comparison cannot be computed."""
    if agreement.reason:
        raise ModelsRefused("The report has no results for this question, so no model can be compared.")
    if not agreement.has_models:
        raise ModelsRefused(why_no_model(agreement))
    if len(ids_of(agreement, RaterKind.HUMAN)) < 2:
        raise ModelsRefused(
            "Fewer than two people labeled this question. The model and each person are compared with what "
            "the other people say about the same items, so at least two people are needed."
        )
    if agreement.n_labels > MAX_LABELS or agreement.n_items * agreement.n_raters > MAX_CELLS:
        raise ModelsRefused(
            f"A report with more than {MAX_LABELS:,} labels is too large for this page. Compute a report on some of "
            "the rounds or items."
        )


def why_no_model(agreement: QuestionAgreement) -> str:
    if agreement.lead is None:
        return NO_MODEL
    return (
        f"These figures are about round “{agreement.lead['key']}”, in which no model has labels. Import a model’s "
        "labels into this round, or compute a report that pools rounds."
    )


def against_people(
    agreement: QuestionAgreement, request: ModelComparisonRequest, report_step: ReportStep = silent
) -> ModelsAgainstPeople:
    """Compare models with people on the labels that the figures of the report use. Raises ModelsRefused."""
    refuse_models(agreement)
    report_step("Reading labels", 0)
    people, models = ids_of(agreement, RaterKind.HUMAN), ids_of(agreement, RaterKind.MODEL)
    kind, labels = kind_of(scope_of(agreement)), read_columns(agreement)
    return models_against_people(
        kind,
        labels,
        _runs(agreement, models),
        people,
        models,
        _attributes(agreement),
        least=request.least,
        prevalence=_prevalence(agreement, kind, of_raters(labels, people)),
        report_step=report_step,
    )


def _prevalence(
    agreement: QuestionAgreement, kind: QuestionKind, of_people: LabelColumns
) -> Callable[[int], ModelPrevalence]:
    """Return a function that estimates how people, or a reference, would label all items of a model.

    The model's labels in any round of the report count.
    """
    sample, every = human_sample(agreement, of_people), read_columns(agreement, all_rounds=True)
    drawn, reference = every.of(np.isin(every.items, sample.population)), _reference(agreement)

    def of_model(model: int) -> ModelPrevalence:
        by_class = None if reference is None else corrected_shares(kind, every, model, reference)
        if sample.round is None:
            return ModelPrevalence(refusal=sample.words, by_class=by_class)
        found = model_prevalence(kind, of_raters(drawn, [model]), of_people, sampled=sample.words)
        return replace(found, by_class=by_class)

    return of_model


def _reference(agreement: QuestionAgreement) -> int | None:
    """Return the reference of the report, or else the first reference rater."""
    named = {rater["key"]: rater["id"] for rater in agreement.raters}
    references = ids_of(agreement, RaterKind.REFERENCE)
    chosen: int | None = named.get(agreement.report.chosen.reference)
    return chosen if chosen is not None else next(iter(references), None)


def _runs(agreement: QuestionAgreement, models: Sequence[int]) -> LabelColumns:
    """Return all labels of the models, including later passes."""
    ids = np.array(models, dtype=np.int64)
    blocks = [
        rows.at(rows.has_value & np.isin(rows.raters, ids)) for _, rows in blocks_of(agreement, COLUMNS)
    ]
    rows = joined(blocks) if blocks else no_rows(agreement)
    return LabelColumns(**{name: getattr(rows, name) for name in COLUMNS}, members=rows.members)


def _attributes(agreement: QuestionAgreement) -> Mapping[str, Mapping[str, NDArray[np.int64]]]:
    unit = AttributeGroup.Unit.ITEM
    kept = [
        each for each in stored_attributes(agreement.report) if each.unit == unit and not each.has_too_many
    ]
    return {
        each.name: {group.value: group.ids for group in stored_groups(agreement.report, unit, each.name)}
        for each in kept
    }
