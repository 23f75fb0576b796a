"""Read values of fields and cells with type checks; a wrong type is reported as a fault with its position."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from core.shapes import Json
from core.tables.faults import Faults
from core.tables.jsonlines import NumberLiteral
from raters.reading.formats.json_records import text_of
from raters.reading.records import FormatChoice


def list_in(record: Json, key: str, line: int, faults: Faults) -> list[Any]:
    found = record.get(key)
    if found is None:
        return []
    if isinstance(found, list):
        return found
    faults.add(line, key, text_of(found), "wrong_type", "must be a list, such as […]")
    return []


def objects_in(record: Json, key: str, line: int, faults: Faults) -> list[Json]:
    found = list_in(record, key, line, faults)
    for part in found:
        if not isinstance(part, dict):
            faults.add(line, key, text_of(part), "wrong_type", "must be a list of objects, such as [{…}]")
    return [part for part in found if isinstance(part, dict)]


def object_in(record: Json, key: str, line: int, faults: Faults) -> Json:
    found = record.get(key)
    if found is None:
        return {}
    if isinstance(found, dict):
        return found
    faults.add(line, key, text_of(found), "wrong_type", "must be an object, such as {…}")
    return {}


def texts_in(value: object) -> list[str]:
    """Return a list of texts, also for a single text."""
    if value is None:
        return []
    return [text_of(part) for part in value] if isinstance(value, list) else [text_of(value)]


def is_json_number(value: object) -> bool:
    return isinstance(value, NumberLiteral)


def is_list_of(value: object, *keys: str) -> bool:
    """Return whether this is a list of objects that all have these keys."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(part, dict) and all(key in part for key in keys) for part in value)
    )


def parted(record: Json, without: Iterable[str] = ()) -> tuple[dict[str, str], dict[str, str]]:
    """Split a record into texts, which raters see, and numbers and the like, which they do not."""
    left = set(without)
    content: dict[str, str] = {}
    attributes: dict[str, str] = {}
    for key, value in record.items():
        if key in left or value is None:
            continue
        shown = (isinstance(value, str) and not is_json_number(value)) or isinstance(value, (list, dict))
        (content if shown else attributes)[key] = text_of(value)
    return content, attributes


def flat(record: Json) -> dict[str, str]:
    return {key: text_of(value) for key, value in record.items() if value is not None}


def item_choice(default: tuple[str, str], fields: Iterable[str]) -> FormatChoice:
    """Return the choice of the item key: the program's ID, or one of the fields."""
    options = [default, *((f"data.{field}", f"The field “{field}”") for field in dict.fromkeys(fields))]
    return FormatChoice("item", "What identifies an item", options)


def key_first(choice: FormatChoice, *, is_missing: bool) -> FormatChoice:
    """Move Interrater's own key field to the first place if the program's own ID is missing."""
    own = next((option for option in choice.options if option[0].rstrip("_") == "data.item"), None)
    if own is None or not is_missing:
        return choice
    others = [option for option in choice.options[1:] if option != own]
    return FormatChoice(choice.key, choice.title, [own, *others])


def item_of(chosen: str, default: object, fields: Json, line: int, faults: Faults) -> str:
    """Return the item's key; "" and a fault if the record has none."""
    name = chosen.removeprefix("data.") if chosen.startswith("data.") else ""
    key = text_of(fields.get(name) if name else default)
    if not key:
        rule = "the record has no such field to identify its item by; choose another"
        faults.add(line, name or "id", "", "no_item", rule)
    return key


def first_option(
    choices: Sequence[FormatChoice], chosen: Mapping[str, str], key: str, default: str = ""
) -> str:
    """Return the chosen option, or else the first one."""
    options = next(([value for value, _ in choice.options] for choice in choices if choice.key == key), [])
    wanted = chosen.get(key, "")
    return wanted if wanted in options else (options or [default])[0]


def scalar_text(value: Any) -> str | None:
    """Return a text or number as written; None for anything else."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int):
        # Also converts `NumberLiteral` to a plain str.
        return str(value)
    return None


def from_epoch(seconds: Any, *, per_second: int = 1) -> str:
    """Convert seconds since 1970 to ISO 8601; "" if invalid."""
    try:
        at = datetime.fromtimestamp(float(seconds) / per_second, UTC)
    except (TypeError, ValueError, OverflowError, OSError):
        return ""
    return at.isoformat(timespec="seconds").replace("+00:00", "Z")


def seconds_of(written: Any, *, per_second: int = 1) -> str:
    """Return seconds as a number in text; "" if there is no plausible one."""
    try:
        spent = float(scalar_text(written) or "") / per_second
    except ValueError:
        return ""
    return f"{spent:.3f}".rstrip("0").rstrip(".") if 0 < spent < 10**9 else ""


_TIME = re.compile(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?: ?(Z|UTC|[+-]\d\d:?\d\d))?")


def iso_time(text: str, line: int, column: str, faults: Faults, *, zone: str = "") -> str:
    """Convert a time to ISO 8601. zone: for times without one. An invalid time is a fault."""
    if not text:
        return ""
    found = _TIME.fullmatch(text.strip())
    if found is None:
        faults.add(line, column, text, "bad_time", "must be a time such as 2026-03-02 10:00:00")
        return ""
    return f"{found[1]}T{found[2]}{'Z' if found[3] == 'UTC' else found[3] or zone}"


def is_true(value: Any) -> bool:
    return value is True or (isinstance(value, str) and value.strip().lower() in ("true", "1"))


def is_false(value: Any) -> bool:
    return value is False or (isinstance(value, str) and value.strip().lower() in ("false", "0"))


def n_times(counts: Counter[str], name: str, n: int) -> None:
    """Add n to a count, unless it is 0."""
    if n:
        counts[name] += n
