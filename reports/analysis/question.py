"""One question of a report: what is read for it, on which scale, and whether it can be computed at all."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NotRequired, TypedDict, cast

from reports.agreement.sample import Scale
from reports.agreement.weights import NUMERIC_LEVELS, Level, Weights
from reports.analysis.measure import MeasureRead, weights_for
from reports.analysis.options import Matrix, Options

# Cells of all tables of counts together: the most that a report stores for one question.
MAX_CELLS = 200_000_000


class Kind(StrEnum):
    """What an answer is: one category, any number of categories, or a number."""

    SINGLE = "single"
    MULTIPLE = "multiple"
    NUMBER = "number"


class QuestionUnfit(Exception):
    """A question that cannot be computed as it is declared; its one argument is the reason, as results have it."""


class CategoryRead(TypedDict):
    id: int
    key: str
    name: str
    value: float | None


class MissingRead(TypedDict):
    """What a question declares as missing: categories, which are not among its others, and numbers."""

    categories: list[CategoryRead]
    values: list[float]


class ConditionRead(TypedDict):
    """The question that another one hangs on, and the categories of it that lead to it, by ids; words: as shown."""

    question: int
    categories: list[int]
    words: str


class QuestionRead(TypedDict):
    """A question as a report has read it. kind: one of `Kind`; level: one of `Level`. missing: if anything is.

    asked_if: if it is asked only of some.

    measure: not in reports of release 0.3.0 and before.
    """

    id: int
    key: str
    kind: str
    level: str
    categories: list[CategoryRead]
    missing: NotRequired[MissingRead]
    measure: NotRequired[MeasureRead]
    asked_if: NotRequired[ConditionRead]


class RoundRead(TypedDict):
    id: int
    key: str


class OnlyRead(TypedDict):
    """What a report is limited to: ids, None for all. words: the same as it is shown.

    since, until: microseconds since 1970; labels made at the latter are left out, and without one, none for its sake.
    """

    raters: list[int] | None
    items: list[int] | None
    words: str
    since: NotRequired[int | None]
    until: NotRequired[int | None]


class CodebookRead(TypedDict):
    """The declared questions and rounds of a report, frozen into it; rounds: None for all. only: if it is limited."""

    questions: list[QuestionRead]
    rounds: list[RoundRead] | None
    only: NotRequired[OnlyRead]


class LabelerRead(TypedDict):
    """A rater of a question as a report knew them."""

    id: int
    key: str
    kind: str
    n_labels: int


@dataclass(frozen=True, slots=True)
class Scope:
    """One question of a report's codebook, with the rounds that the report is about and its options.

    lead: the one of these rounds that the figures are about, where rounds are not pooled; None for all of them.
    only: the raters, items, and time that it is limited to.
    """

    question: QuestionRead
    round_ids: list[int] | None
    options: Options
    lead: int | None = None
    only: OnlyRead | None = None

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
    def of_all_rounds(self) -> "Scope":
        return replace(self, lead=None)

    @property
    def category_ids(self) -> list[int]:
        return [category["id"] for category in self.question["categories"]]

    @property
    def missing(self) -> MissingRead:
        """Of the declared answers those that are treated as missing."""
        return self.question.get("missing", MissingRead(categories=[], values=[]))

    @property
    def kind(self) -> str:
        """One of `Kind`."""
        return self.question["kind"]

    @property
    def level(self) -> Level:
        return Level(self.question["level"])

    @property
    def values(self) -> list[float] | None:
        """The declared values, where the level has distances between them; else ranks count."""
        if self.level not in NUMERIC_LEVELS:
            return None
        # A missing one makes the question unfit: see `unfit_values`.
        return cast(list[float], [category["value"] for category in self.question["categories"]])

    @property
    def matrix(self) -> Matrix | None:
        return self.options.matrices.get(self.question["key"])

    @property
    def weights(self) -> Weights:
        """Those that were asked for, of the whole report or of this question."""
        if not self.options.weights_by_question:
            return self.options.weights
        return Weights(self.measure["weights"])

    @property
    def is_weighted(self) -> bool:
        return self.weights is not Weights.UNWEIGHTED

    @property
    def measure(self) -> MeasureRead:
        """What the lead chose to judge the question by, as the report read it."""
        nothing = MeasureRead(coefficient="", weights=str(self.options.weights), criterion=None)
        return self.question.get("measure", nothing)

    @property
    def scale(self) -> Scale:
        """The scale with the weights of the question."""
        return self.scale_with(self.weights)

    def scale_with(self, weights: Weights) -> Scale:
        return Scale(
            # Of a file without labels no category is known, and its figures have no items.
            n_categories=max(1, len(self.category_ids)),
            level=self.level,
            values=None if self.values is None else tuple(self.values),
            weights=weights,
            custom=self.matrix.similarity if weights is Weights.CUSTOM and self.matrix else None,
        )

    def fitting_weights(self) -> list[Weights]:
        """The weightings that go with the scale of the question, and those that the report has."""
        fitting = {*weights_for(self.kind, self.level), Weights.CUSTOM, self.weights}
        return [weights for weights in Weights if weights in fitting and not self.misfit(weights)]

    def misfit(self, weights: Weights) -> str:
        """Why the categories cannot be compared by these weights, as results have it; "" if they can."""
        keys = tuple(category["key"] for category in self.question["categories"])
        if weights is Weights.CUSTOM and (self.matrix is None or self.matrix.categories != keys):
            return "matrix_misfit"
        if weights is Weights.RATIO and min(self.values or [0]) < 0:
            return "negative_values"
        return ""


def unfit_values(level: Level, values: Sequence[float | None] | None) -> str:
    """Why the values do not make a scale of the level, as results have it; "" if they do."""
    if values is None:
        return ""
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return "values_missing"
    if len(set(known)) < len(known):
        return "equal_values"
    return "negative_values" if level is Level.RATIO and min(known) < 0 else ""


def scopes_of(codebook: CodebookRead, options: Options) -> list[Scope]:
    rounds = codebook["rounds"]
    round_ids = None if rounds is None else [round_["id"] for round_ in rounds]
    only = codebook.get("only")
    return [Scope(question, round_ids, options, only=only) for question in codebook["questions"]]
