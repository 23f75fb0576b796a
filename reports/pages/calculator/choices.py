"""The choices on the page of a result: question, weights, confidence level, and words for agreement."""

from collections.abc import Mapping
from dataclasses import dataclass

from projects.models import Project
from projects.thresholds import ReadingScaleChoice
from reports.agreement.weights import Weights
from reports.analysis.measure import fitting_weights
from reports.analysis.options import Options, checked_options
from reports.pages.calculator.exchange import QuestionChoice
from reports.results.kinds import result_kind
from reports.results.wording import WEIGHTS
from reports.store.stored_result import StoredResult

Chosen = tuple[str, str, bool]

# What the buttons ask for: a page, or a file of its figures.
PAGE, FILE = RESULTS = ("calculate", "download")
CONFIDENCES = {"90": 0.9, "95": 0.95, "99": 0.99}
SCALES = {value: title for value, title in ReadingScaleChoice.choices if value != ReadingScaleChoice.OWN}
_DEFAULT_SCALE = str(Project().reading_scale)


@dataclass(frozen=True, slots=True)
class ResultChoices:
    """round: the only one to calculate; "" for all. weights: "" for those that fit the scale of the question. pair:
    whose confusion matrix to show in addition, as rater IDs. result: the page or the file.
    """

    round: str = ""
    question: str = ""
    weights: str = ""
    confidence: str = "95"
    scale: str = _DEFAULT_SCALE
    pair: str = ""
    result: str = PAGE

    @classmethod
    def sent(cls, data: Mapping[str, str]) -> "ResultChoices":
        """Return the choices in the form; invalid ones take their defaults."""
        weights, confidence, scale = (data.get(name, "") for name in ("weights", "confidence", "scale"))
        return cls(
            round=data.get("only_round", ""),
            question=data.get("question", ""),
            weights=weights if weights in _WEIGHTS else "",
            confidence=confidence if confidence in CONFIDENCES else "95",
            scale=scale if scale in SCALES else _DEFAULT_SCALE,
            pair=data.get("pair", ""),
            result=data.get("do", PAGE),
        )

    @property
    def options(self) -> Options:
        return checked_options(weights=self.weights or None, confidence=CONFIDENCES[self.confidence])

    def rounds(self, found: list[str]) -> list[Chosen]:
        """Return the choices among the rounds of the file; none if it has only one."""
        if len(found) < 2 and not self.round:
            return []
        return [("", "All rounds", not self.round), *((each, each, each == self.round) for each in found)]

    def questions(self, found: list[QuestionChoice], chosen: str) -> list[Chosen]:
        return [(each["key"], each["key"], each["key"] == chosen) for each in found]

    def weightings(self, result: StoredResult) -> list[Chosen]:
        """Return the weightings that fit the categories, and the chosen one; none if the question has no categories."""
        if not result_kind(result.scope.kind).has_counts:
            return []
        default = fitting_weights(result.scope.kind, result.scope.level)
        return [
            ("", f"{WEIGHTS[each]} (default)", each == result.scope.weights)
            if each == default
            else (str(each), WEIGHTS[each], each == result.scope.weights)
            for each in result.scope.fitting_weights()
            if each in _WEIGHTS
        ]

    def confidences(self) -> list[Chosen]:
        return [(value, f"{value}%", value == self.confidence) for value in CONFIDENCES]

    def scales(self) -> list[Chosen]:
        return [(value, title, value == self.scale) for value, title in SCALES.items()]


# Custom matrices are for reports only.
_WEIGHTS = [each for each in Weights if each is not Weights.CUSTOM]
