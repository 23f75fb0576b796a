"""The analysis of a filtered part of a report's labels, as a report on only these labels would compute it."""

from dataclasses import replace
from typing import Any

import numpy as np
from django.conf import settings

from core.refusals import Refused
from projects.models import Question
from raters.lettered import letters_in_force
from raters.models import Rater
from reports.analysis.analyze import STORED, analyze
from reports.analysis.catalog import StatisticFamily
from reports.analysis.kinds import kind_of
from reports.analysis.label_arrays import QuestionLabels, Raters
from reports.analysis.pair_blocks import each
from reports.analysis.question import LabelerJson, QuestionScope
from reports.analysis.results import SCHEMA, PairResult, columns_of
from reports.models import PairAgreement, QuestionAgreement, Report
from reports.sources.filtered import FilteredLabels, LabelCriteria, read_filtered
from reports.sources.labelers import labelers
from reports.store.agreements import scope_of
from reports.store.stored_result import StoredResult

# The most that a page can read, analyze, and show at once; anything larger needs a report.
MAX_READ, MAX_LABELS, MAX_RATERS = 6_000_000, 1_000_000, 200
# The consensus, and how each rater compares with the others, take half of the time; no filtered page shows them.
SHOWN = STORED - {StatisticFamily.CONSENSUS}


class TooManyLabels(Refused):
    """Too many labels for a page to analyze at once."""

    status_code = 413


def filtered_result(agreement: QuestionAgreement, keep: LabelCriteria) -> StoredResult | None:
    """Return the result on the labels that are kept, or None if there are none. Raises TooManyLabels."""
    if agreement.n_labels > MAX_READ:
        raise TooManyLabels(f"More than {MAX_READ:,} labels are too many to filter on a page.")
    found = read_filtered(agreement, keep)
    if not len(found.labels):
        return None
    scope = replace(scope_of(agreement), lead=None)
    labels = _labels(scope, found)
    if labels.n_labels > MAX_LABELS or len(labels.rater_ids) > MAX_RATERS:
        raise TooManyLabels(
            f"The filter leaves {labels.n_labels:,} labels by {len(labels.rater_ids):,} raters, too many for a page."
        )
    return _analyzed(agreement, scope, labels, found)


def _labels(scope: QuestionScope, found: FilteredLabels) -> QuestionLabels[Any]:
    part = kind_of(scope).part(found.labels)
    return QuestionLabels(
        sample=part.sample,
        item_ids=part.item_ids.astype(np.int64),
        rater_ids=np.unique(found.labels.raters),
        n_abstentions=len(found.abstained),
        digest="",
    )


def _analyzed(
    agreement: QuestionAgreement,
    scope: QuestionScope,
    labels: QuestionLabels[Any],
    found: FilteredLabels,
) -> StoredResult:
    raters = _raters(agreement, labels)
    by_id = {rater["id"]: rater for rater in raters}
    columns = [by_id[pk] for pk in labels.rater_ids.tolist()]
    kinds = scope.options.kinds_counted(rater["kind"] for rater in raters)
    counted = [place for place, rater in enumerate(columns) if rater["kind"] in kinds]
    n_abstentions = int(np.isin(found.abstained, labels.rater_ids[counted]).sum())
    pairs: list[PairResult] = []
    result = analyze(
        labels,
        scope,
        Raters([rater["key"] for rater in columns], counted, n_abstentions),
        families=SHOWN,
        keep=each(pairs.append),
    )
    report = agreement.report
    unsaved = Report(
        project=report.project,
        scope=report.scope,
        options=report.options,
        codebook=report.codebook,
        state=Report.State.DONE,
        code_version=settings.VERSION,
    )
    row = QuestionAgreement(
        report=unsaved,
        question=Question.objects.get(pk=agreement.question_id),
        categories=agreement.categories,
        raters=raters,
        coefficients=result.coefficients_to_json(),
        statistics=result.statistics_to_json(),
        n_items=len(labels.item_ids),
        n_raters=len(raters),
        n_labels=labels.n_labels,
        n_abstentions=labels.n_abstentions,
        n_pairs=result.n_pairs,
        digest="",
        schema=SCHEMA,
    )
    people = {pk: Rater(pk=pk, key=rater["key"], kind=rater["kind"]) for pk, rater in by_id.items()}
    ids = labels.rater_ids.tolist()
    rows = [_pair(row, people[ids[pair.rater_a]], people[ids[pair.rater_b]], pair) for pair in pairs]
    return replace(StoredResult.of(row), unstored=rows)


def _raters(agreement: QuestionAgreement, labels: QuestionLabels[Any]) -> list[LabelerJson]:
    """Return the raters as of the report; those with labels only in other rounds, as they are now."""
    known = {rater["id"]: rater for rater in agreement.raters}
    found = labelers(labels.rater_ids, labels.sample.labels_per_rater)
    raters = [
        LabelerJson(id=each["id"], key=then["key"], kind=then["kind"], n_labels=each["n_labels"])
        for each in found
        for then in (known.get(each["id"], each),)
    ]
    # With letters in force, the order must not reveal that of the names.
    return sorted(raters, key=lambda each: each["id"]) if letters_in_force() else raters


def _pair(row: QuestionAgreement, first: Rater, second: Rater, pair: PairResult) -> PairAgreement:
    return PairAgreement(agreement=row, rater_a=first, rater_b=second, **columns_of(pair))
