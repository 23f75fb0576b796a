"""Results as the examples print them."""

from typing import Any

from reports.agreement.results import REASONS, Coefficient, Estimate, Interval, PairKappa, SignificanceTests


def value(found: float | None) -> str:
    return "none" if found is None or found != found else f"{found:.4f}"


def estimate(found: Coefficient | Estimate | PairKappa) -> str:
    """value  SE x  95% CI [low, high], and whether a limit was truncated; or why there is none."""
    shown = getattr(found, "kappa", None) if isinstance(found, PairKappa) else found.value
    told = _with(value(shown), found.se, found.ci_low, found.ci_high, str(found.reason))
    return f"{told}  truncated" if found.is_clipped else told


def interval(found: Interval) -> str:
    return _with("", found.se, found.low, found.high, str(found.reason)).strip()


def _with(start: str, se: float | None, low: float | None, high: float | None, reason: str) -> str:
    error = "" if se is None else f"  SE {se:.4f}"
    limits = "" if low is None else f"  95% CI [{low:.4f}, {high:.4f}]"
    return start + error + limits + (f"  ({reason})" if reason else "")


def significance(found: SignificanceTests, name: str = "chi-squared", place: int = 0) -> str:
    """statistic, degrees of freedom, p, of one of a stack, the first unless told."""
    reason = REASONS[found.reason[place]]
    if reason:
        return f"none  ({reason})"
    df = "" if found.df[place] != found.df[place] else f", df {found.df[place]:.0f}"
    return f"{name} {found.statistic[place]:.4f}{df}, {p(found.p_value[place])}"


def difference(found: Any) -> str:
    name = "z" if found.df is None else f"t ({found.df} df)"
    return (
        f"{found.value:.4f}  SE {found.se:.4f}  95% CI [{found.ci_low:.4f}, {found.ci_high:.4f}]"
        f"  {name} {found.statistic:.4f}, {p(found.p_value)}"
    )


def p(found: float) -> str:
    return "p < 0.0001" if found < 0.0001 else f"p {found:.4f}"
