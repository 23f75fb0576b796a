"""Numbers in a unit of their own, as they are shown."""

from core.templatetags.shown import MINUS, NONE


def measured(value: float | None) -> str:
    """A number in a unit that is not known: four digits, or all before the point."""
    if value is None:
        return NONE
    size = abs(value)
    if size and not 1e-3 <= size < 1e9:
        text = f"{value:.3e}"
    else:
        text = f"{value:,.0f}" if size >= 1000 else f"{value:.4g}"
    return text.replace("-", MINUS)
