"""One question of a report: what is read for it, its scale, and whether it can be computed at all."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NotRequired, TypedDict, cast

from reports.agreement.sample import Scale
from reports.agreement.weights import NUMERIC_LEVELS, Level, Weights
from reports.analysis.measure import MeasureJson, weights_for
from reports.analysis.options import Matrix, Options

# Limit on the cells of all confusion matrices that a report stores for one question.
MAX_CELLS = 200_000_000


class Kind(StrEnum):
    """The type of an answer: one category, any number of categories, or a number."""

    SINGLE = "single"
    MULTIPLE = "multiple"
    NUMBER = "number"


class QuestionNotComputable(Exception):
    """A question that cannot be computed as declared; the only argument is the reason, as stored in results."""


class CategoryJson(TypedDict):
    id: int
    key: str
    name: str
    value: float | None


class MissingValuesJson(TypedDict):
    """The answers that a question declares as missing: categories, excluded from its other ones, and numbers."""

    categories: list[CategoryJson]
    values: list[float]


class ConditionJson(TypedDict):
    """The question that another one depends on, and its categories that lead to it, by ID; words: as displayed."""

    question: int
    categories: list[int]
    words: str


class QuestionJson(TypedDict):
    """A question as read by a report. kind: one of `Kind`; level: one of `Level`. missing: if any answer is.

    asked_if: if it is asked only of some items.

    measure: absent in reports of release 0.3.0 and earlier.
    """

    id: int
    key: str
    kind: str
    level: str
    categories: list[CategoryJson]
    missing: NotRequired[MissingValuesJson]
    measure: NotRequired[MeasureJson]
    asked_if: NotRequired[ConditionJson]


class RoundJson(TypedDict):
    id: int
    key: str


class FilterJson(TypedDict):
    """What a report is limited to: IDs, None for all. words: the same as displayed.

    since, until: microseconds since 1970, None for no limit; labels made exactly at `until` are left out.
    """

    raters: list[int] | None
    items: list[int] | None
    words: str
    since: NotRequired[int | None]
    until: NotRequired[int | None]


class CodebookJson(TypedDict):
    """The declared questions and rounds, frozen in a report. rounds: None for all. only: if it is limited."""

    questions: list[QuestionJson]
    rounds: list[RoundJson] | None
    only: NotRequired[FilterJson]


class LabelerJson(TypedDict):
    """A rater of a question as read by a report."""

    id: int
    key: str
    kind: str
    n_labels: int


@dataclass(frozen=True, slots=True)
class QuestionScope:
    """One question of a report's codebook, with the report's rounds and options.

    lead: the round that the figures are about if rounds are not pooled; None for all rounds.
    only: the raters, items, and period that it is limited to.
    """

    question: QuestionJson
    round_ids: list[int] | None
    options: Options
    lead: int | None = None
    only: FilterJson | None = None

    @property
    def only_since(self) -> int | None:
        return self.only.get("since") if self.only else None

    @property
    def only_until(self) -> int | None:
        return self.only.get("until") if self.only else None

    @property
    def is_of_some_time(self) -> bool:
        return self.only_since is not None or self.only_until is not None

    @property
    def counted_rounds(self) -> list[int] | None:
        """The rounds that the figures are about, None for all labels."""
        return self.round_ids if self.lead is None else [self.lead]

    @property
    def of_all_rounds(self) -> "QuestionScope":
        return replace(self, lead=None)

    @property
    def category_ids(self) -> list[int]:
        return [category["id"] for category in self.question["categories"]]

    @property
    def missing(self) -> MissingValuesJson:
        """The declared answers that are treated as missing."""
        return self.question.get("missing", MissingValuesJson(categories=[], values=[]))

    @property
    def kind(self) -> str:
        """One of `Kind`."""
        return self.question["kind"]

    @property
    def level(self) -> Level:
        return Level(self.question["level"])

    @property
    def values(self) -> list[float] | None:
        """The declared values if the level has distances between them; None if only ranks count."""
        if self.level not in NUMERIC_LEVELS:
            return None
        # A missing value makes the question unfit: see `unfit_values`.
        return cast(list[float], [category["value"] for category in self.question["categories"]])

    @property
    def matrix(self) -> Matrix | None:
        return self.options.matrices.get(self.question["key"])

    @property
    def weights(self) -> Weights:
        """The requested weights, of the whole report or of this question."""
        if not self.options.weights_by_question:
            return self.options.weights
        return Weights(self.measure["weights"])

    @property
    def is_weighted(self) -> bool:
        return self.weights is not Weights.UNWEIGHTED

    @property
    def measure(self) -> MeasureJson:
        """The measure that the lead chose for the question, as read by the report."""
        nothing = MeasureJson(coefficient="", weights=str(self.options.weights), criterion=None)
        return self.question.get("measure", nothing)

    @property
    def scale(self) -> Scale:
        """The scale with the weights of the question."""
        return self.scale_with(self.weights)

    def scale_with(self, weights: Weights) -> Scale:
        return Scale(
            # A file without labels has no known categories, and its figures have no items.
            n_categories=max(1, len(self.category_ids)),
            level=self.level,
            values=None if self.values is None else tuple(self.values),
            weights=weights,
            custom=self.matrix.similarity if weights is Weights.CUSTOM and self.matrix else None,
        )

    def fitting_weights(self) -> list[Weights]:
        """The weightings that fit the scale of the question, and those of the report."""
        fitting = {*weights_for(self.kind, self.level), Weights.CUSTOM, self.weights}
        return [weights for weights in Weights if weights in fitting and not self.misfit(weights)]

    def misfit(self, weights: Weights) -> str:
        """Return the reason, as stored in results, why the weights do not fit the categories; "" if they do."""
        keys = tuple(category["key"] for category in self.question["categories"])
        if weights is Weights.CUSTOM and (self.matrix is None or self.matrix.categories != keys):
            return "matrix_misfit"
        if weights is Weights.RATIO and min(self.values or [0]) < 0:
            return "negative_values"
        return ""


def unfit_values(level: Level, values: Sequence[float | None] | None) -> str:
    """Return the reason, as stored in results, why the values do not form a scale of the level; "" if they do."""
    if values is None:
        return ""
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return "values_missing"
    if len(set(known)) < len(known):
        return "equal_values"
    return "negative_values" if level is Level.RATIO and min(known) < 0 else ""


def scopes_of(codebook: CodebookJson, options: Options) -> list[QuestionScope]:
    rounds = codebook["rounds"]
    round_ids = None if rounds is None else [round_["id"] for round_ in rounds]
    only = codebook.get("only")
    return [QuestionScope(question, round_ids, options, only=only) for question in codebook["questions"]]
