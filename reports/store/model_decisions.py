"""Which items of a report a model may decide alone, computed on request from the labels that the report keeps."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from core.refusals import Refused
from raters.lettered import letters_in_force
from reports.analysis.confidence import StatedLabels
from reports.analysis.label_arrays import LabelColumns, of_raters
from reports.analysis.model_decisions import CalibrationLabels, RiskGuarantee, UnlabeledItems, model_decisions
from reports.analysis.options import RaterKind
from reports.analysis.question import Kind
from reports.analysis.results import ModelDecisions
from reports.analysis.results.decisions import PEOPLE
from reports.sources.label_columns import read_columns, read_stated
from reports.store.agreements import ReportRater
from reports.store.human_sample import human_sample
from reports.store.models_against_people import why_no_model
from reports.store.stored_result import StoredResult

# The most labels read for a page or a response.
MAX_LABELS = 500_000
# The largest α and δ.
MOST = 0.5
ALPHA, DELTA = 0.1, 0.05
# How calibration items were drawn if there is no record of it: as someone states.
STATED = "random"
STATED_WORDS = (
    "Interrater has no record of how the items were drawn. They are treated as a random sample of those that "
    "the model labeled, as stated."
)
REFERENCE_UNKNOWN = (
    "It isn’t recorded how the items with a reference label were chosen. A guarantee requires a random sample of the "
    "items that the model labeled."
)


class DecisionsRefused(Refused):
    """A request for a model's decisions that cannot be answered.

    faults: a sentence for each parameter that another value would help; empty if nothing can be computed.
    """

    code, status_code = "no_decisions", 400

    def __init__(self, sentence: str = "", *, faults: Mapping[str, str] | None = None) -> None:
        self.faults = dict(faults or {})
        self.errors = [
            {"field": name, "code": self.code, "detail": detail} for name, detail in self.faults.items()
        ]
        super().__init__(sentence or " ".join(self.faults.values()))


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionsRequest:
    """model: its key; "" for the one with most labels that have a confidence. against: PEOPLE, or the key of a
    reference. drawn: STATED if calibration items without a record are to be taken as drawn at random. faults: of
    parameters that are not valid, for which the defaults stand here.
    """

    model: str = ""
    alpha: float = ALPHA
    delta: float = DELTA
    against: str = PEOPLE
    drawn: str = ""
    faults: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class DecisionsResult:
    """rater: the model. is_recorded: whether it is known how the calibration items were chosen. n_people: who labeled
    them; 0 for a reference.
    """

    found: ModelDecisions
    items: UnlabeledItems
    rater: ReportRater
    is_recorded: bool
    n_people: int


def models_in(result: StoredResult) -> list[ReportRater]:
    return [rater for rater in result.raters if rater.kind == RaterKind.MODEL]


def references_in(result: StoredResult) -> list[ReportRater]:
    return [rater for rater in result.raters if rater.kind == RaterKind.REFERENCE]


def decided_by_model(result: StoredResult, request: DecisionsRequest) -> DecisionsResult:
    """Return what a model may decide. Raises DecisionsRefused."""
    _refuse(result)
    if faults := {**request.faults, **dict(_unknown_names(result, request))}:
        raise DecisionsRefused(faults=faults)
    every = read_stated(result.row, all_rounds=True)
    model = _model_of(result, every, request.model)
    calibrating, is_recorded = _calibrating(result, every.labels, request)
    own = every.at(every.labels.raters == model.id)
    found, items = model_decisions(
        result.scope, model.key, own, calibrating, RiskGuarantee(request.alpha, request.delta)
    )
    used = calibrating.labels.raters[np.isin(calibrating.labels.items, own.labels.items)]
    n_people = len(np.unique(used)) if calibrating.is_vote else 0
    return DecisionsResult(found, items, model, is_recorded, n_people)


def _refuse(result: StoredResult) -> None:
    if letters_in_force():
        raise DecisionsRefused("What a model may decide is not shown where names are hidden.")
    if result.reason:
        raise DecisionsRefused("The report has no results for this question.")
    if result.scope.kind == Kind.NUMBER:
        raise DecisionsRefused(
            "Numbers are closer or farther, not right or wrong, so no error rate can be guaranteed for them."
        )
    if result.row.n_labels > MAX_LABELS:
        raise DecisionsRefused(
            f"A report with more than {MAX_LABELS:,} labels of a question is too large for this page. Compute a report "
            "on some of the rounds or items."
        )
    if not models_in(result):
        raise DecisionsRefused(why_no_model(result.row))


def _unknown_names(result: StoredResult, request: DecisionsRequest) -> Iterator[tuple[str, str]]:
    """Yield a sentence for each of the parameters `model` and `against` that names nobody."""
    if request.model and request.model not in {model.key for model in models_in(result)}:
        yield "model", f"The report has no model “{request.model[:60]}”."
    if request.against not in {PEOPLE, *(reference.key for reference in references_in(result))}:
        yield "against", f"The report has no reference “{request.against[:60]}”."


def _model_of(result: StoredResult, every: StatedLabels, key: str) -> ReportRater:
    raters, n = np.unique(every.labels.raters[every.is_stated], return_counts=True)
    n_stated = dict(zip(raters.tolist(), n.tolist(), strict=True))
    models = models_in(result)
    named = [model for model in models if model.key == key]
    chosen = named[0] if named else max(models, key=lambda model: n_stated.get(model.id, 0))
    if n_stated.get(chosen.id):
        return chosen
    sentence = (
        f"No label of {chosen.key} has a confidence. Import the labels again with a confidence column, such as the "
        "probability that the model gives to its answer."
    )
    others = any(n_stated.get(model.id) for model in models)
    raise DecisionsRefused(sentence, faults={"model": sentence} if others else None)


def _calibrating(
    result: StoredResult, every: LabelColumns, request: DecisionsRequest
) -> tuple[CalibrationLabels, bool]:
    """Return the labels that count as right, and whether it is known how their items were chosen."""
    models = [model.id for model in models_in(result)]
    labeled = np.unique(every.items[~np.isin(every.raters, models)])
    is_stated = request.drawn == STATED
    if request.against != PEOPLE:
        reference = next(each for each in references_in(result) if each.key == request.against)
        labels = of_raters(every, [reference.id])
        words = STATED_WORDS if is_stated else REFERENCE_UNKNOWN
        return CalibrationLabels(request.against, labels, False, labeled, None, None, words, is_stated), False
    people = [rater.id for rater in result.raters if rater.kind == RaterKind.HUMAN]
    labels = of_raters(read_columns(result.row), people)
    sample = human_sample(result.row, labels)
    if sample.round is not None:
        given = np.union1d(labeled, sample.drawn)
        drawn = labels.of(np.isin(labels.items, sample.drawn))
        n_drawn = len(sample.drawn)
        return CalibrationLabels(
            PEOPLE, drawn, True, given, sample.population, n_drawn, sample.words, True
        ), True
    is_stated &= not sample.is_recorded
    words = STATED_WORDS if is_stated else sample.words.replace("An estimate for all items", "A guarantee")
    return CalibrationLabels(PEOPLE, labels, True, labeled, None, None, words, is_stated), sample.is_recorded
