"""Colors of categories that everyone can distinguish, the same on light and dark backgrounds and on paper."""

from dataclasses import dataclass

# Okabe & Ito 2008, without black.
NAMED = ("#56b4e9", "#e69f00", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7")
OTHER = "#9a9a9a"
# Cividis (Nunez, Anderton & Renslow 2018, PLOS ONE 13(7), e0199239) at equal steps: dark blue to yellow.
ORDERED = (
    "#00224e", "#123570", "#3b496c", "#575d6d", "#707173", "#8a8678", "#a59c74", "#c3b369", "#e1cc55", "#fee838",
)  # fmt: skip
DARKEST = 0.14
DARK_INK, LIGHT_INK = "#000000", "#ffffff"


@dataclass(frozen=True, slots=True)
class Color:
    """ink: a color readable on top of it."""

    fill: str
    ink: str

    @property
    def is_dark(self) -> bool:
        return self.ink == LIGHT_INK


def named_colors(n: int) -> list[Color]:
    """Return colors for unordered categories, up to the number that can be distinguished."""
    return [Color(fill, ink_on(fill)) for fill in NAMED[:n]]


def ordered_colors(n: int) -> list[Color]:
    """Return colors from dark to light for a scale; the darkest is visible on dark backgrounds, too."""
    places = [0.5] if n == 1 else [DARKEST + (1 - DARKEST) * step / (n - 1) for step in range(n)]
    fills = [_between(place) for place in places]
    return [Color(fill, ink_on(fill)) for fill in fills]


def other_color() -> Color:
    return Color(OTHER, ink_on(OTHER))


def ink_on(fill: str) -> str:
    """Return the ink with the higher WCAG 2 contrast."""
    light = luminance(fill)
    return DARK_INK if (light + 0.05) ** 2 > 0.05 * 1.05 else LIGHT_INK


def contrast(a: str, b: str) -> float:
    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(color: str) -> float:
    red, green, blue = (_linear(part / 255) for part in _parts(color))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4


def _parts(color: str) -> tuple[int, int, int]:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def _between(place: float) -> str:
    """Return the ordered color at a position from 0 to 1."""
    step = place * (len(ORDERED) - 1)
    first = min(int(step), len(ORDERED) - 2)
    share = step - first
    mixed = (
        round(a + (b - a) * share)
        for a, b in zip(_parts(ORDERED[first]), _parts(ORDERED[first + 1]), strict=True)
    )
    return "#" + "".join(f"{part:02x}" for part in mixed)
