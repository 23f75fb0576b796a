"""Reads variables of the environment; an invalid one gives one error with its name, its value, and what is expected."""

import math
import os
from collections.abc import Sequence
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from django.core.exceptions import ImproperlyConfigured

POSTGRES = {"postgres", "postgresql", "pgsql"}
LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")


def given(name: str, default: str = "") -> str:
    """Return the value without space around it; the default if it is not set or empty."""
    return os.environ.get(name, "").strip() or default


def whole(name: str, default: int, *, low: int = 1, high: int | None = None) -> int:
    """Return a whole number from `low` to `high`."""
    expected = f"a whole number {_range(low, high)}"
    text = given(name, str(default))
    try:
        number = int(text) if text.isascii() and "_" not in text else None
    except ValueError:
        number = None
    if number is None or number < low or (high is not None and number > high):
        raise _wrong(name, text, expected)
    return number


def seconds(name: str, default: float) -> float:
    """Return a number above 0."""
    text = given(name, f"{default:g}")
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise _wrong(name, text, "a number of seconds above 0")
    return number


def flag(name: str, *, default: bool) -> bool:
    value = given(name, "1" if default else "0").lower()
    if value not in {"0", "1", "false", "true", "no", "yes"}:
        raise _wrong(name, value, "0 or 1")
    return value in {"1", "true", "yes"}


def one_of(name: str, choices: Sequence[str], default: str) -> str:
    """Return one of the choices, in whatever case it was written."""
    text = given(name, default)
    for choice in choices:
        if choice.lower() == text.lower():
            return choice
    raise _wrong(name, text, f"{', '.join(choices[:-1])}, or {choices[-1]}")


def words(name: str, default: str) -> list[str]:
    return [word.strip() for word in os.environ.get(name, default).split(",") if word.strip()]


def log_level() -> str:
    return one_of("LOG_LEVEL", LOG_LEVELS, "INFO")


def time_zone() -> str:
    name = given("TIME_ZONE", "UTC")
    try:
        ZoneInfo(name)
    except (OSError, ValueError, KeyError):
        raise _wrong("TIME_ZONE", name, "the name of a time zone, such as Europe/Berlin") from None
    return name


def database_url(name: str, default: str = "") -> str:
    """Return the URL of a PostgreSQL database. The error does not contain it, since it may contain a password."""
    url = given(name, default)
    if not url:
        return ""
    try:
        parts = urlsplit(url)
        is_valid = parts.scheme in POSTGRES and parts.path.strip("/") != "" and parts.port != 0
    except ValueError:
        is_valid = False
    if not is_valid:
        start = url.partition(":")[0] if "://" in url else ""
        shown = f"{start}://…" if start.isalnum() and len(start) < 20 else "something else"
        raise ImproperlyConfigured(
            f"{name} must have the form postgres://user:password@host:5432/name, got {shown}."
        )
    return url


def _range(low: int, high: int | None) -> str:
    return f"of at least {low}" if high is None else f"from {low} to {high}"


def _wrong(name: str, value: str, expected: str) -> ImproperlyConfigured:
    return ImproperlyConfigured(f"{name} must be {expected}, got {value!r}.")
