"""Which items a model may decide alone: the threshold of its confidence, and what it rests on."""

from dataclasses import dataclass

# The labels that a model's labels are compared with, unless they are those of a reference.
PEOPLE = "people"
# Reasons why there is no threshold.
NOT_RANDOM, TOO_FEW, NONE_PASSES = "not_random", "too_few", "none_passes"


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionStep:
    """The calibration items of at least this confidence. bound: the upper limit of the share wrong. coverage: their
    share of all calibration items.
    """

    confidence: float
    n_items: int
    n_wrong: int
    share_wrong: float
    bound: float
    coverage: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelDecisions:
    """What a model may decide, so that people disagree with at most a share alpha, with probability 1 - delta.

    against: PEOPLE, or the key of a reference. sampled: how the calibration items were drawn, or why they are not a
    random sample. reason: why there is no threshold; "" if there is one. n_drawn: items of the round that was drawn,
    None if there was none. n_labels, n_stated: labels of the model, and those with a confidence. n_compared: items of
    the model that people, or the reference, labeled; n_tied: of these, without a majority; n_unstated: with one, but
    without a confidence of the model. n_calibration, n_wrong: the others, and on how many the labels differ. steps: by
    confidence from the highest down; some are left out of many. n_open: items that only the model labeled; n_decided:
    those that it may decide. n_without: of the rest, those without a confidence; n_outside: those that the sample was
    not drawn from.
    """

    model: str
    against: str
    alpha: float
    delta: float
    least: int
    sampled: str
    reason: str
    n_drawn: int | None
    n_labels: int
    n_stated: int
    n_compared: int
    n_tied: int
    n_unstated: int
    n_calibration: int
    n_wrong: int
    threshold: DecisionStep | None
    steps: tuple[DecisionStep, ...]
    n_open: int
    n_decided: int
    n_for_people: int
    n_without: int
    n_outside: int
