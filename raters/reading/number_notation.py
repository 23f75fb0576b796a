"""Numbers as people and programs write them, such as 1300, 1,300, 1.100,5, or 1’300.50."""

import re
from collections.abc import Iterable
from math import inf, isfinite

from core.tables.encoding import AUTO

POINT, COMMA = ".", ","
# The code of the fault that the decimal mark of a file has to be chosen.
UNCLEAR = "unclear_number"
_PLAIN = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_WITH_POINT = re.compile(r"[+-]?\d*\.\d+([eE][+-]?\d+)?", re.ASCII)
_WITH_COMMA = re.compile(r"[+-]?\d*,\d+", re.ASCII)
# 1,300 or 1.300: what is 1300 to some is 1.3 to others.
_ONE_GROUP = re.compile(r"[+-]?[1-9]\d{0,2}[.,]\d{3}", re.ASCII)
# 1,234.5 or 1.234,5 or 1.234.567: the first mark can only separate thousands.
_GROUPS = re.compile(r"[+-]?[1-9]\d{0,2}((,\d{3})+\.\d*|(\.\d{3})+,\d*|(,\d{3}){2,}|(\.\d{3}){2,})", re.ASCII)
# 1 234,5 or 1’234.5, with a space of any width or an apostrophe.
_SPACED = re.compile(
    r"[+-]?[1-9]\d{0,2}(?P<mark>[ \u00a0\u2009\u202f'’])\d{3}((?P=mark)\d{3})*([.,]\d+)?", re.ASCII
)


def number_of(written: str, *, decimal: str = POINT) -> float | None:
    """Return the number, or None. decimal: the decimal mark; nothing separates thousands."""
    text = written.replace(COMMA, POINT) if decimal == COMMA and POINT not in written else written
    number = float(text) if _PLAIN.fullmatch(text) else inf
    return number if isfinite(number) else None


def local_number(written: str, *, decimal: str = AUTO) -> float | None:
    """Return the number in any notation, or None if it is none, or not clear.

    decimal: the decimal mark, which only matters for numbers such as 1,300 and 1.300. AUTO: unknown, so that 1,300 is
    not clear, while 1.300 is 1.3, as programs write it.
    """
    text = written.replace("−", "-")
    if spaced := _SPACED.fullmatch(text):
        return number_of(text.replace(spaced["mark"], "").replace(COMMA, POINT))
    if _ONE_GROUP.fullmatch(text):
        if decimal == AUTO:
            return number_of(text)
        return number_of(text.replace(POINT if decimal == COMMA else COMMA, "").replace(COMMA, POINT))
    if _GROUPS.fullmatch(text):
        thousands = COMMA if decimal_mark_of(text) == POINT else POINT
        text = text.replace(thousands, "")
    return number_of(text.replace(COMMA, POINT) if _WITH_COMMA.fullmatch(text) else text)


def is_unclear(written: str, *, decimal: str) -> bool:
    """Return whether this is a number whose decimal mark has to be known, and is not."""
    return decimal == AUTO and COMMA in written and is_one_group(written)


def is_one_group(written: str) -> bool:
    """Return whether this number is a thousand times as large with another decimal mark."""
    return bool(_ONE_GROUP.fullmatch(written.replace("−", "-")))


def is_number(written: str) -> bool:
    """Return whether this is a number in some notation."""
    return local_number(written, decimal=POINT) is not None


def separates_thousands(written: str) -> bool:
    """Return whether a mark in this number seems to separate thousands, as in 1,300 or 1 300."""
    text = written.replace("−", "-")
    is_group = COMMA in text and _ONE_GROUP.fullmatch(text)
    return bool(is_group or _GROUPS.fullmatch(text) or _SPACED.fullmatch(text))


def decimal_mark_of(written: str) -> str:
    """Return the decimal mark that this number alone shows that it has; "" if it shows none."""
    text = written.replace("−", "-")
    if _ONE_GROUP.fullmatch(text):
        return ""
    if _GROUPS.fullmatch(text):
        first = min(text.find(mark) for mark in (POINT, COMMA) if mark in text)
        return POINT if text[first] == COMMA else COMMA
    if _SPACED.fullmatch(text):
        return next((mark for mark in (POINT, COMMA) if mark in text), "")
    if _WITH_COMMA.fullmatch(text):
        return COMMA
    return POINT if _WITH_POINT.fullmatch(text) else ""


def decimal_mark(values: Iterable[str]) -> str:
    """Return the decimal mark of these values; AUTO if they show none, or both."""
    found = {mark for value in values if (mark := decimal_mark_of(value))}
    return found.pop() if len(found) == 1 else AUTO


def unclear_in(values: Iterable[str]) -> str:
    """Return the first of these values that is a thousand times as large with another decimal mark; "" if none is.

    Points before three digits are decimal points, as programs write them. But 1.300 and 900 together look like
    thousands, since a program writes 1.3.
    """
    texts = list(values)
    if decimal_mark(texts) != AUTO:
        return ""
    groups = [text for text in texts if is_one_group(text)]
    if commas := [text for text in groups if COMMA in text]:
        return commas[0]
    has_both = any(decimal_mark_of(text) for text in texts)
    has_whole = any(text.isdecimal() for text in texts)
    is_grouped = has_both or (has_whole and any(text.endswith("0") for text in groups))
    return groups[0] if groups and is_grouped else ""


def as_read(number: float) -> str:
    """Return the number in plain notation."""
    return f"{number:.0f}" if number == round(number) and abs(number) < 1e15 else repr(number)


def is_too_large(written: str) -> bool:
    """Return whether this is a number too large for a float, such as 1e999."""
    return bool(_PLAIN.fullmatch(written)) and not isfinite(float(written))


def number_rule(written: str, greatest: float) -> str:
    """Return why this number can't be a label."""
    if local_number(written, decimal=POINT) is not None or is_too_large(written):
        return f"number out of range; must be from -{greatest:g} to {greatest:g}"
    return "not a number such as 12, -0.5, or 1e3; choose what it means"


def unclear_rule(written: str) -> str:
    """Return why the decimal mark has to be chosen."""
    as_point, as_comma = (as_read(local_number(written, decimal=mark) or 0.0) for mark in (POINT, COMMA))
    return f"{as_point} with a decimal point, {as_comma} with a decimal comma; choose the decimal mark"
