"""What the calculator asks of the process that computes, and what that answers; both are JSON."""

from typing import NotRequired, TypedDict

from reports.analysis.options import OptionsJson
from reports.analysis.question import LabelerRead, QuestionRead
from reports.analysis.results import Json


class Asked(TypedDict):
    """name, options: of the file, whose bytes follow. sent: what the form of the preview changes, if it was sent.

    question: its key, "" for the first that can be analyzed. analysis: the options of the analysis, None for a preview
    alone.
    """

    name: str
    options: Json
    sent: dict[str, str] | None
    question: str
    analysis: OptionsJson | None


class PairRow(TypedDict):
    """A pair as `PairResult` has it; raters by their ids."""

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
    """preview, options: of the file as it was understood. wrong: what is wrong with the form. refusal: why there is no
    result. result: if it was asked for, and the file has no faults.
    """

    preview: Json
    options: Json
    faults: list[dict[str, object]]
    n_faults: int
    questions: list[QuestionChoice]
    wrong: str
    refusal: str
    result: NotRequired[ResultRow]
