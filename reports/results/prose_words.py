"""Numbers, names, and lists formatted for the sentences of a paper."""

from collections.abc import Sequence

from reports.results.marked import unmarked

# APA spells out whole numbers below 10, except in statistics and with units.
SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def number(value: float, digits: int) -> str:
    text = f"{value:.{digits}f}"
    # A value that rounds to zero has no sign.
    return (text.lstrip("-") if float(text) == 0 else text).replace("-", "−")


def apa_number(value: float, digits: int = 2) -> str:
    """Format a number without a zero before the decimal point, for values that cannot exceed 1."""
    text = number(value, digits)
    return text.replace("0.", ".", 1) if abs(value) < 1 and text.lstrip("−").startswith("0.") else text


def in_words(n: int) -> str:
    return SMALL[n] if 0 <= n < len(SMALL) else f"{n:,}"


def things(n: int, one: str, many: str = "") -> str:
    return f"{in_words(n)} {one if n == 1 else many or one + 's'}"


def listed(words: Sequence[str]) -> str:
    """Return a; a and b; a, b, and c."""
    if len(words) <= 2:
        return " and ".join(words)
    return f"{', '.join(words[:-1])}, and {words[-1]}"


def quoted(key: str) -> str:
    # A name may contain line breaks and double spaces.
    return f"“{' '.join(unmarked(key).split())}”"


def named(keys: Sequence[str], most: int = 5) -> str:
    """Return “a”, “b”, and “c”; with more than `most` keys: “a”, “b”, and seven others."""
    shown = [quoted(key) for key in keys[:most]]
    n_more = len(keys) - most
    return listed([*shown, things(n_more, "other")] if n_more > 0 else shown)


def capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]
