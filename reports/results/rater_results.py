"""The figures of one rater beside the others as a page reads them: why there are none, and how they are written."""

from dataclasses import dataclass
from datetime import datetime

from reports.agreement.results import Reason
from reports.analysis.drift import NO_SECONDS, ONE_MOMENT
from reports.analysis.leaning import NOT_OF_KIND
from reports.analysis.reasons import words_of
from reports.analysis.results import Figure, Json, Pace, SignificanceTest, read_json
from reports.results.pair_statistics import PairFigures
from reports.results.statistic_rows import measured_row

HIDDEN = "hidden"
NO_REFERENCE = "no_reference"
IS_REFERENCE = "is_reference"
NO_REPEATS = "no_repeats"
NOT_COMPUTED = "not_computed"
NOT_COUNTED = "not_counted"
WHY = {
    HIDDEN: "Not shown, because it uses labels of rounds that have not been revealed.",
    NO_REFERENCE: "This project has no default reference.",
    IS_REFERENCE: "This rater is the reference.",
    NO_REPEATS: "No item was labeled twice. Plan blind repeats in a round to measure intra-rater "
    "reliability.",
    NOT_OF_KIND: "Available for single-choice questions only.",
    NOT_COMPUTED: "This report has no estimate.",
    NOT_COUNTED: "Not available, because this rater is excluded from overall coefficients.",
    ONE_MOMENT: "All labels have the same timestamp, as after an import, so their order is unknown.",
    NO_SECONDS: "No labeling times were recorded. Imported labels have none.",
    str(Reason.NO_OVERLAP): "No shared items.",
}
SIGNIFICANT = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedLabels(PairFigures):
    """Two labels to each of n items. counts: of single choice, their confusion matrix. n_same: items with the same one.

    n_items, n_alone, n_tied: beside the consensus, all items of the rater, those that nobody else labeled, and those
    without a consensus.
    """

    n: int
    counts: tuple[tuple[int, ...], ...] | None = None
    reason: str
    n_same: int = 0
    n_items: int = 0
    n_alone: int = 0
    n_tied: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WithReference(ComparedLabels):
    reference: str | None
    reference_id: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoryLeaning(Figure):
    """The share of a category less that of the others, on the same items; see `bias_of`."""

    category: str
    share: float | None
    everybody: float | None
    own: float | None
    others: float | None
    p_value: float | None

    @property
    def is_beyond_chance(self) -> bool:
        return self.value is not None and self.p_value is not None and self.p_value < SIGNIFICANT


@dataclass(frozen=True, slots=True, kw_only=True)
class Leanings:
    """categories: None of numbers."""

    categories: tuple[CategoryLeaning, ...] | None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerFigure(Figure):
    """The pair of the rater and another; see `peers_of`."""

    rater: str
    rater_id: int | None
    kind: str
    observed: float | None
    figures: Json | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftWindow:
    """n: items on which the others have a consensus; n_same: with the same label. seconds: the median for a label."""

    start: datetime
    end: datetime
    n: int
    n_same: int
    figure: Figure
    kappa: Figure | None
    seconds: float | None

    @classmethod
    def of_json(cls, found: Json) -> "DriftWindow":
        kappa = found["kappa"]
        return cls(
            start=found["from"],
            end=found["to"],
            n=found["n"],
            n_same=found["n_same"],
            figure=read_json(Figure, found),
            kappa=kappa and read_json(Figure, kappa),
            seconds=found["seconds"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """What `reports.analysis.drift.drift_of` finds. least: labels that a window needs."""

    measure: str
    least: int
    windows: tuple[DriftWindow, ...]
    trend: SignificanceTest | None
    reason: str

    @classmethod
    def of_json(cls, found: Json) -> "Drift":
        return cls(
            measure=found["measure"],
            least=found["least"],
            windows=tuple(map(DriftWindow.of_json, found["windows"])),
            trend=found["trend"] and read_json(SignificanceTest, found["trend"]),
            reason=found["reason"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimatedErrors:
    share_right: float | None
    prevalence: tuple[float | None, ...] | None
    confusion: tuple[tuple[float | None, ...], ...] | None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterFigures:
    """What `rater_figures` finds, as a page reads it. drift: as JSON of `Drift`."""

    n_labels: int
    n_abstentions: int
    peers: tuple[PeerFigure, ...]
    consensus: ComparedLabels
    reference: WithReference
    bias: Leanings
    drift: Json
    pace: Pace
    repeats: ComparedLabels
    dawid_skene: EstimatedErrors


def why(reason: str) -> str:
    return WHY.get(reason) or (words_of(reason).long if reason else "")


def value_shown(name: str, found: Figure) -> tuple[str, str]:
    """A figure and its interval, or the reason why there is none, as they are written."""
    row = measured_row(name, found)
    return row.value, row.interval or words_of(found.reason).short
