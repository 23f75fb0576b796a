"""How a coefficient looks on a page: the colour step of a value, and a confidence interval in brackets."""

from core.templatetags.shown import figure, percent

STRONG_BELOW = -0.2
N_STEPS = 10


def step(kappa: float) -> str:
    """The colour step of a value, as a class: two below chance, ten from chance to perfect."""
    if kappa < 0:
        return "below-2" if kappa < STRONG_BELOW else "below-1"
    return f"step-{min(int(kappa * N_STEPS), N_STEPS - 1)}"


def shown_interval(low: float | None, high: float | None, digits: int = 2) -> str:
    """[0.27, 0.34]; "" where there is no interval."""
    if low is None or high is None:
        return ""
    return f"[{figure(low, digits)}, {figure(high, digits)}]"


def shown_shares(low: float | None, high: float | None, digits: int = 0) -> str:
    """[27%, 34%]; "" where there is no interval."""
    if low is None or high is None:
        return ""
    return f"[{percent(low, digits)}, {percent(high, digits)}]"
