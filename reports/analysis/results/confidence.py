"""Raters' stated confidence in their labels, and how often the labels were right."""

from dataclasses import dataclass

from reports.agreement.results import Reason
from reports.analysis.results.figures import Figure

# Reasons why there is no calibration.
NOT_OF_KIND, NOTHING_KNOWN = "not_of_kind", "nothing_known"
# What labels are compared with.
REFERENCE, CONSENSUS = "reference", "consensus"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceStep:
    """Labels with the same confidence, or with confidences above low up to high.

    stated: their mean confidence. share: the share that is right, with Wilson's interval; None without labels.
    """

    low: float
    high: float
    n: int
    stated: float | None
    n_right: int
    share: float | None
    ci_low: float | None
    ci_high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationFigures:
    """The calibration of one rater, or of all together.

    n: labels with a confidence that could be compared; n_unknown: those that could not. overconfidence: mean confidence
    minus share of right labels. error: the expected calibration error. brier = reliability - resolution + uncertainty +
    within. reason: why there are no figures.
    """

    n: int
    n_unknown: int
    stated: float | None = None
    share: float | None = None
    overconfidence: float | None = None
    error: float | None = None
    brier: float | None = None
    reliability: float | None = None
    resolution: float | None = None
    uncertainty: float | None = None
    within: float | None = None
    steps: tuple[ConfidenceStep, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterCalibration:
    """n_labels: all labels of the rater; n_stated: those with a confidence."""

    rater: str
    rater_id: int
    kind: str
    n_labels: int
    n_stated: int
    figures: CalibrationFigures


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidentAgreement:
    """Agreement among labels with at least this confidence. share: the share of labels with a confidence that remain.

    percent_agreement: None for numbers.
    """

    at_least: float
    n_items: int
    n_labels: int
    share: float
    percent_agreement: Figure | None
    coefficient: Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class Confidences:
    """against: what labels are compared with. reference: the key of the rater taken as correct, if any.

    agreement: from any confidence upwards, by the named coefficient; for the raters who count.
    """

    against: str
    reference: str | None
    n_stated: int
    overall: CalibrationFigures
    raters: tuple[RaterCalibration, ...]
    coefficient: str
    agreement: tuple[ConfidentAgreement, ...]
    reason: Reason = Reason.NONE
