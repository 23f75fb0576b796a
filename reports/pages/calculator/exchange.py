"""Requests of the calculator to the computing process, and the responses; both are JSON."""

from collections.abc import Sequence
from typing import NotRequired, TypedDict

from reports.analysis.options import OptionsJson
from reports.analysis.question import LabelerJson, QuestionJson
from reports.analysis.results import Json, PairColumns


class CalculatorRequest(TypedDict):
    """name, options, categories: of the file, whose bytes follow. sent: the form of the preview, if submitted. round:
    the only one to read; "" for all. question: its key; "" for the first that can be analyzed. analysis: the options
    of the analysis; None for a preview only.
    """

    name: str
    options: Json
    categories: Sequence[str]
    sent: dict[str, str] | None
    round: str
    question: str
    analysis: OptionsJson | None


class PairResultRow(PairColumns):
    """A pair as in `PairResult`, with rater IDs."""

    rater_a: int
    rater_b: int


class ResultRow(TypedDict):
    """The result of a question as a report stores it."""

    question: QuestionJson
    raters: list[LabelerJson]
    n_items: int
    n_labels: int
    n_abstentions: int
    n_pairs: int
    coefficients: Json
    statistics: Json
    pairs: list[PairResultRow]
    reason: str


class QuestionChoice(TypedDict):
    key: str
    kind: str
    n_raters: int
    n_labels: int


class CalculatorResponse(TypedDict):
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
