"""Checks for single values of a project file: numbers, texts, and moments."""

import math
import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any

from django.utils import timezone

from core.refusals import RefusedWithCode
from core.tables.cells import InvalidCell, check_characters
from core.web.strict import refuse_text
from projects.models import (
    MAX_VALUE,
)
from raters.labeling.saving_records import MAX_SECONDS

Check = Callable[[Any], None]
# The maximum clock difference allowed between two servers.
AHEAD = timedelta(minutes=10)
_DIGEST = re.compile(r"[0-9a-f]{64}")


class BadValue(Exception):
    """A value that no input would accept; the message says what is wrong and what is valid."""


def yes_no(value: Any) -> None:
    if value is not True and value is not False:
        raise BadValue("must be true or false")


def choice(known: frozenset[Any]) -> Check:
    def check(value: Any) -> None:
        if not isinstance(value, str) or value not in known:
            raise BadValue(f"must be one of: {', '.join(sorted(known))}")

    return check


def whole(low: int, high: int) -> Check:
    def check(value: Any) -> None:
        if type(value) is not int or not low <= value <= high:
            raise BadValue(f"must be a whole number from {low} to {high}")

    return check


def number(value: Any) -> None:
    # An integer is also accepted: JSON written by PostgreSQL has no decimal point in 3.
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= MAX_VALUE:
        raise BadValue(f"must be a number from -{MAX_VALUE:g} to {MAX_VALUE:g}")


def seconds(value: Any) -> None:
    number(value)
    if not 0 <= value <= MAX_SECONDS:
        raise BadValue(f"must be a number of seconds from 0 to {MAX_SECONDS:g}")


def probability(value: Any) -> None:
    number(value)
    if not 0 <= value <= 1:
        raise BadValue("must be a number from 0 to 1")


def any_moment(value: Any) -> None:
    try:
        is_whole = isinstance(value, str) and (time := datetime.fromisoformat(value)).tzinfo is not None
    except ValueError:
        is_whole = False
    if not is_whole:
        raise BadValue("must be a time with its offset, such as 2026-11-20T14:02:00+00:00")
    try:
        # PostgreSQL allows years before year 1, but no page could read them.
        time.astimezone(timezone.get_current_timezone()).astimezone(UTC)
    except OverflowError:
        raise BadValue("is outside the supported range of dates") from None


def moment(value: Any) -> None:
    any_moment(value)
    if datetime.fromisoformat(value) > datetime.now(UTC) + AHEAD:
        raise BadValue("is in the future; check the clock of the server that exported the project")


def day(value: Any) -> None:
    if not isinstance(value, str) or not _DAY.fullmatch(value):
        raise BadValue("must be a day such as 2026-11-30")
    try:
        date.fromisoformat(value)
    except ValueError:
        raise BadValue("must be a day such as 2026-11-30") from None


def text(most: int | None) -> Check:
    def check(value: Any) -> None:
        if not isinstance(value, str):
            raise BadValue("must be text")
        if most is not None and len(value) > most:
            raise BadValue(f"must have at most {most:,} characters, got {len(value):,}")
        if not value.isprintable():
            try:
                refuse_text(value)
            except RefusedWithCode as refusal:
                raise BadValue(f"must be text: {refusal}") from None

    return check


def line(most: int | None, *, may_be_empty: bool = False) -> Check:
    """Check a key or a name. Label imports accept tabs and line breaks in them, so they are allowed here."""
    is_text = text(most)

    def check(value: Any) -> None:
        is_text(value)
        if not may_be_empty and not value.strip():
            raise BadValue("must not be empty")
        if not value.isprintable():
            try:
                check_characters(value)
            except InvalidCell as bad:
                raise BadValue(f"must not contain {bad.rule}") from None

    return check


def digest(value: Any) -> None:
    if not isinstance(value, str) or not _DIGEST.fullmatch(value):
        raise BadValue("must be a SHA-256 digest of 64 hexadecimal digits")


def checked_entry(entry: Mapping[str, Any], checks: Mapping[str, Check]) -> None:
    for name, check in checks.items():
        try:
            check(entry[name])
        except BadValue as bad:
            raise BadValue(f"{name} {bad}") from None


def or_null(check: Check) -> Check:
    return lambda value: None if value is None else check(value)


def share(value: Any) -> None:
    number(value)
    if not (math.isfinite(value) and 0 <= value <= 1):
        raise BadValue("must be from 0 to 1")


_DAY = re.compile(r"[12]\d{3}-\d{2}-\d{2}", re.ASCII)
