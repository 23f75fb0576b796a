"""Requests of the calculator to the computing process, and the responses; both are JSON."""

from typing import NotRequired, TypedDict

from reports.analysis.options import OptionsJson
from reports.analysis.question import LabelerRead, QuestionRead
from reports.analysis.results import Json


class Asked(TypedDict):
    """name, options: of the file, whose bytes follow. sent: the form of the preview, if submitted. question: its key;
    "" for the first that can be analyzed. analysis: the options of the analysis; None for a preview only.
    """

    name: str
    options: Json
    sent: dict[str, str] | None
    question: str
    analysis: OptionsJson | None


class PairRow(TypedDict):
    """A pair as in `PairResult`, with rater IDs."""

    rater_a: int
    rater_b: int
    n: int
    counts: list[int]
    figures: Json | None
    observed: float | None
    expected: float | None
    kappa: float | None
    se: float | None
    ci_low: float | None
    ci_high: float | None
    kappa_max: float | None
    reason: str


class ResultRow(TypedDict):
    """The result of a question as a report stores it."""

    question: QuestionRead
    raters: list[LabelerRead]
    n_items: int
    n_labels: int
    n_abstentions: int
    n_pairs: int
    coefficients: Json
    statistics: Json
    pairs: list[PairRow]
    reason: str


class QuestionChoice(TypedDict):
    key: str
    kind: str
    n_raters: int
    n_labels: int


class Answer(TypedDict):
    """preview, options: of the file as it was read. wrong: the error in the form. refusal: why there is no result.
    result: if requested and the file has no errors.
    """

    preview: Json
    options: Json
    faults: list[dict[str, object]]
    n_faults: int
    questions: list[QuestionChoice]
    wrong: str
    refusal: str
    result: NotRequired[ResultRow]
