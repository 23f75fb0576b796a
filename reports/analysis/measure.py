"""The measure of a question: a coefficient, its weights, and the value that it has to reach."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict

from reports.agreement.interpretation.families import Family, family_of
from reports.agreement.weights import Level, Weights

# Stored where nobody has chosen a coefficient.
FITTING = ""
COHEN = "cohen_kappa"
ALPHA = "krippendorff_alpha"
# At least this share of the items must have a label from every rater, or a two-way ICC would leave out too many.
CROSSED = 0.9
BY_REML = {"icc_a_1": "icc_a_1_reml", "icc_c_1": "icc_c_1_reml"}
# Starting points, not requirements: Krippendorff (2004) for tentative conclusions, Koo & Li (2016) for a good ICC, and
# the lower end of what Landis & Koch (1977) call substantial.
CRITERIA = {Family.ALPHA: 0.667, Family.ICC: 0.75}
OTHER_CRITERION, SHARE_CRITERION = 0.6, 0.8

_KAPPAS = ("fleiss_kappa", COHEN, "conger_kappa", "light_kappa", "gwet_ac1", "brennan_prediger")
_SINGLE = (ALPHA, *_KAPPAS, "percent_agreement")
_SETS = (ALPHA, "krippendorff_alpha_jaccard")
_NUMBERS = ("icc_a_1", "icc_c_1", "icc_1_1", ALPHA)
# Ranks have no distances, so their variance is meaningless.
_RANKS = (ALPHA, "kendall_w")
_BY_RANKS = (
    Weights.UNWEIGHTED,
    Weights.LINEAR,
    Weights.QUADRATIC,
    Weights.ORDINAL,
    Weights.RADICAL,
    Weights.BIPOLAR,
)
_BY_VALUES = (
    Weights.UNWEIGHTED,
    Weights.LINEAR,
    Weights.QUADRATIC,
    Weights.RADICAL,
    Weights.CIRCULAR,
    Weights.BIPOLAR,
)
_WEIGHTS: Mapping[Level, tuple[Weights, ...]] = {
    Level.NOMINAL: (Weights.UNWEIGHTED,),
    Level.ORDINAL: _BY_RANKS,
    Level.INTERVAL: _BY_VALUES,
    Level.RATIO: (*_BY_VALUES, Weights.RATIO),
}


class MeasureJson(TypedDict):
    """A measure as read by a report. coefficient: FITTING unless the lead chose one; criterion: None likewise."""

    coefficient: str
    weights: str
    criterion: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingDesign:
    """The number of raters who count, and the share of items with two or more labels that all of them labeled.

    has_components: whether variance components of items and raters can be estimated by REML.
    """

    n_raters: int
    crossed: float = 1.0
    has_components: bool = False

    @property
    def is_incomplete(self) -> bool:
        return self.crossed < CROSSED


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """coefficient: its name without weights. criterion: what the interval is compared with."""

    coefficient: str
    weights: Weights
    criterion: float


def coefficients_for(kind: str, level: str) -> Sequence[str]:
    """Return the coefficients available for a question of this kind and scale, regardless of design."""
    if kind == "multiple":
        return _SETS
    if kind == "number":
        return _RANKS if level in (Level.NOMINAL, Level.ORDINAL) else _NUMBERS
    return _SINGLE


def weights_for(kind: str, level: str) -> Sequence[Weights]:
    """Return the weightings that fit the scale; custom weights fit any scale, and come with their matrix."""
    return _WEIGHTS[Level(level)] if kind == "single" else (Weights.UNWEIGHTED,)


def fitting_weights(kind: str, level: str) -> Weights:
    """Return quadratic weights for ordered categories: with them, kappa is close to an intraclass correlation."""
    offered = weights_for(kind, level)
    return Weights.QUADRATIC if Weights.QUADRATIC in offered else Weights.UNWEIGHTED


def default_measure(kind: str, level: str) -> MeasureJson:
    """Return the measure of a question for which nobody has chosen one."""
    return MeasureJson(coefficient=FITTING, weights=str(fitting_weights(kind, level)), criterion=None)


def fitting_coefficient(kind: str, level: str, design: RatingDesign) -> str:
    """Return the default coefficient for a scale and a design."""
    offered = coefficients_for(kind, level)
    if kind == "single" and level == Level.NOMINAL:
        return COHEN if design.n_raters == 2 else "fleiss_kappa"
    if "icc_a_1" not in offered:
        return ALPHA
    if not design.is_incomplete:
        return "icc_a_1"
    return BY_REML["icc_a_1"] if design.has_components else "icc_1_1"


def form_for(coefficient: str, design: RatingDesign) -> str:
    """Return the name of the coefficient in a design: in an incomplete design, a two-way ICC is estimated by REML."""
    is_by_reml = design.is_incomplete and design.has_components and coefficient in BY_REML
    return BY_REML[coefficient] if is_by_reml else coefficient


def measure_for(kind: str, level: str, design: RatingDesign, chosen: MeasureJson) -> Measure:
    """Return the lead's choices where they suit the scale and the design, with defaults for the rest."""
    name = chosen["coefficient"]
    is_for_two = name == COHEN and design.n_raters != 2
    if name not in coefficients_for(kind, level) or is_for_two:
        name = fitting_coefficient(kind, level, design)
    criterion = chosen["criterion"]
    return Measure(
        coefficient=form_for(name, design),
        weights=Weights(chosen["weights"]),
        criterion=usual_criterion(name) if criterion is None else criterion,
    )


def usual_criterion(coefficient: str) -> float:
    """Return the default criterion of a coefficient."""
    if coefficient == "percent_agreement":
        return SHARE_CRITERION
    family = family_of(coefficient)
    return OTHER_CRITERION if family is None else CRITERIA.get(family, OTHER_CRITERION)
