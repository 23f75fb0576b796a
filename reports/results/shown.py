"""How a coefficient looks on a page: the colour step of a value, and an interval in words."""

from core.templatetags.shown import figure

STRONG_BELOW = -0.2
N_STEPS = 10


def step(kappa: float) -> str:
    """The colour step of a value, as a class: two below chance, ten from chance to perfect."""
    if kappa < 0:
        return "below-2" if kappa < STRONG_BELOW else "below-1"
    return f"step-{min(int(kappa * N_STEPS), N_STEPS - 1)}"


def shown_interval(low: float | None, high: float | None, digits: int = 2) -> str:
    """0.27–0.34; with negative limits, “to” keeps dash and minus apart."""
    if low is None or high is None:
        return ""
    join = " to " if low < 0 or high < 0 else "–"
    return figure(low, digits) + join + figure(high, digits)
