"""Raters' stated confidence compared with how often they were right, and agreement among confident labels."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from reports.agreement.calibration import CalibrationBins, calibration, steps_of
from reports.agreement.results import FloatArray, number
from reports.analysis.kinds import kind_of
from reports.analysis.label_arrays import AnswerColumns, LabelColumns, Series, is_same
from reports.analysis.options import IntervalMethod
from reports.analysis.part_figures import figure_of_part
from reports.analysis.question import Kind, LabelerJson, QuestionScope
from reports.analysis.results import (
    CalibrationFigures,
    Confidences,
    ConfidenceStep,
    ConfidentAgreement,
    RaterCalibration,
)
from reports.analysis.results.confidence import CONSENSUS, NOT_OF_KIND, NOTHING_KNOWN, REFERENCE

SHARE = "percent_agreement"


@dataclass(frozen=True, slots=True, eq=False)
class StatedLabels:
    """(L,) the labels of a question, one for each item and rater; confidences: NaN where none was stated."""

    labels: LabelColumns
    confidences: FloatArray

    @property
    def is_stated(self) -> NDArray[np.bool_]:
        return ~np.isnan(self.confidences)

    def at(self, rows: NDArray[np.bool_]) -> "StatedLabels":
        return StatedLabels(self.labels.of(rows), self.confidences[rows])


@dataclass(frozen=True, slots=True, eq=False)
class _StatedLabels:
    """(n,) one rater's labels with a stated confidence: the confidence, whether comparable, and whether right."""

    rater: LabelerJson
    n_labels: int
    confidences: FloatArray
    is_known: NDArray[np.bool_]
    is_right: NDArray[np.bool_]


def confidences_of(
    scope: QuestionScope,
    stated: StatedLabels,
    raters: Sequence[LabelerJson],
    counted: Sequence[int],
    *,
    reference: LabelerJson | None,
    coefficient: str,
) -> Confidences:
    """raters: everyone who labeled; counted: the IDs of the raters whose labels the coefficients are based on.

    A label is right if it matches the reference or, without a reference, the label that most others gave the item.
    """
    # Numbers are not right or wrong: they differ by degree.
    compared = [] if scope.kind == Kind.NUMBER else list(_compared(scope, stated, raters, reference))
    steps = steps_of(np.concatenate([each.confidences for each in compared] or [np.empty(0)]))
    starts = np.cumsum([0, *(len(each.confidences) for each in compared)])
    parts = [replace(steps, of=steps.of[start:stop]) for start, stop in pairwise(starts.tolist())]
    nothing = NOT_OF_KIND if scope.kind == Kind.NUMBER else NOTHING_KNOWN
    return Confidences(
        against=CONSENSUS if reference is None else REFERENCE,
        reference=None if reference is None else reference["key"],
        n_stated=int(np.count_nonzero(stated.is_stated)),
        overall=_figures(scope, compared, parts, nothing),
        raters=tuple(
            RaterCalibration(
                rater=each.rater["key"],
                rater_id=each.rater["id"],
                kind=each.rater["kind"],
                n_labels=each.n_labels,
                n_stated=len(each.confidences),
                figures=_figures(scope, [each], [part], nothing),
            )
            for each, part in zip(compared, parts, strict=True)
        ),
        coefficient=coefficient,
        agreement=tuple(_agreement(scope, stated, counted, coefficient)),
    )


def _compared(
    scope: QuestionScope, stated: StatedLabels, raters: Sequence[LabelerJson], reference: LabelerJson | None
) -> Iterator[_StatedLabels]:
    """Yield each rater with a stated confidence, except the reference."""
    labels, is_stated = stated.labels, stated.is_stated
    right = None if reference is None else labels.of(labels.raters == reference["id"])
    for rater in raters:
        is_own = labels.raters == rater["id"]
        if rater == reference or not np.any(is_own & is_stated):
            continue
        own = labels.of(is_own & is_stated)
        others = labels.of(~is_own) if right is None else right
        is_known, is_right = compare(scope, own, others, is_vote=right is None)
        confidences = stated.confidences[is_own & is_stated]
        yield _StatedLabels(rater, int(np.count_nonzero(is_own)), confidences, is_known, is_right)


def compare(
    scope: QuestionScope, own: LabelColumns, others: LabelColumns, *, is_vote: bool
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return (n,) whether each label can be compared with something, and whether it is the same.

    is_vote: compare with the label that most others gave; otherwise with their single label of the item.
    """
    kind, n = kind_of(scope), len(own)
    # The rater has one label per item, in the order of items.
    places = np.searchsorted(own.items, others.items)
    is_shared = places < n
    is_shared[is_shared] = own.items[places[is_shared]] == others.items[is_shared]
    others, places = others.of(is_shared), places[is_shared]
    mine = kind.series(answers_of(scope, own))
    if is_vote:
        consensus, is_known, _ = kind.consensus_of_others(places, answers_of(scope, others), n_items=n)
        return is_known, is_known & is_same(mine, consensus)
    is_known, is_right = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
    is_known[places] = True
    theirs: Series = kind.series(answers_of(scope, others))
    is_right[places] = is_same(mine.at(places), theirs)
    return is_known, is_right


def answers_of(scope: QuestionScope, labels: LabelColumns) -> AnswerColumns:
    members = np.zeros((0, len(scope.category_ids)), bool) if labels.members is None else labels.members
    return AnswerColumns(labels.items, labels.raters, labels.values, members)


def _figures(
    scope: QuestionScope, compared: Sequence[_StatedLabels], parts: Sequence[CalibrationBins], nothing: str
) -> CalibrationFigures:
    """Return the calibration of these raters' labels, pooled."""
    n_unknown = sum(int(np.count_nonzero(~each.is_known)) for each in compared)
    nothing_found = CalibrationFigures(n=0, n_unknown=n_unknown, reason=nothing)
    if not compared:
        return nothing_found
    probabilities = np.concatenate([each.confidences[each.is_known] for each in compared])
    is_right = np.concatenate([each.is_right[each.is_known] for each in compared])
    of = np.concatenate([part.of[each.is_known] for each, part in zip(compared, parts, strict=True)])
    steps = replace(parts[0], of=of)
    found = calibration(probabilities, is_right, steps, confidence=scope.options.confidence)
    if found is None:
        return nothing_found
    columns = (steps.low, steps.high, found.n, found.n_right)
    floats = (found.stated, found.share, found.low, found.high)
    shown = zip(*(column.tolist() for column in columns), *floats, strict=True)
    mean, share = float(probabilities.mean()), float(np.mean(is_right))
    return CalibrationFigures(
        n=len(probabilities),
        n_unknown=n_unknown,
        stated=mean,
        share=share,
        overconfidence=mean - share,
        error=found.error,
        brier=found.brier,
        reliability=found.reliability,
        resolution=found.resolution,
        uncertainty=found.uncertainty,
        within=found.within,
        steps=tuple(
            ConfidenceStep(
                low=low,
                high=high,
                n=n,
                n_right=n_right,
                stated=number(stated),
                share=number(share),
                ci_low=number(ci_low),
                ci_high=number(ci_high),
            )
            for low, high, n, n_right, stated, share, ci_low, ci_high in shown
        ),
    )


def _agreement(
    scope: QuestionScope, stated: StatedLabels, counted: Sequence[int], coefficient: str
) -> Iterator[ConfidentAgreement]:
    """Yield agreement among labels with any confidence, then among those from each step up."""
    counts = np.isin(stated.labels.raters, np.array(counted, dtype=np.int64)) & stated.is_stated
    chosen = stated.at(counts)
    if not len(chosen.labels):
        return
    # Resampling at each step is not worth its time for a selection of labels.
    kind = kind_of(replace(scope, options=replace(scope.options, interval=IntervalMethod.ANALYTIC)))
    steps = steps_of(chosen.confidences)
    for place, low in enumerate(steps.low.tolist()):
        part = kind.part(chosen.labels.of(steps.of >= place))
        yield ConfidentAgreement(
            at_least=low,
            n_items=part.size.n_items,
            n_labels=int(np.count_nonzero(steps.of >= place)),
            share=float(np.mean(steps.of >= place)),
            percent_agreement=kind.figure(SHARE, part) if SHARE in kind.names else None,
            coefficient=figure_of_part(kind, coefficient, part),
        )
