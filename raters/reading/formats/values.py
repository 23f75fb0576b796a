"""Values of a record: taken if they are of the type they should be, and a fault with its place if not."""

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Any

from core.keys import MAX_KEY
from core.tables.faults import Faults
from raters.reading.formats.streams import Json, Number, text_of
from raters.reading.records import MULTIPLE, SINGLE, Choice, InputFile, Value

# Each rater is asked each question, so that questions without end would be labels without end.
MAX_QUESTIONS = 500


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
    """A list of texts, or one text alone."""
    if value is None:
        return []
    return [text_of(part) for part in value] if isinstance(value, list) else [text_of(value)]


def is_number(value: object) -> bool:
    return isinstance(value, Number)


def is_list_of(value: object, *keys: str) -> bool:
    """Whether this is a list of objects that all have these keys."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(part, dict) and all(key in part for key in keys) for part in value)
    )


def is_free_text(keys: Iterable[str]) -> bool:
    """Whether this is longer than the name of any category."""
    return any(len(key) > MAX_KEY for key in keys)


def choice_of(keys: list[str], kind: str) -> Value:
    """The chosen categories of a set; of a single question the one that was chosen, if one was."""
    if kind == MULTIPLE:
        return tuple(dict.fromkeys(keys))
    return keys[0] if keys else None


def kind_by(n_chosen: int) -> str:
    """Single or multiple, by the greatest number of categories that somebody chose."""
    return MULTIPLE if n_chosen > 1 else SINGLE


def parted(record: Json, without: Iterable[str] = ()) -> tuple[dict[str, str], dict[str, str]]:
    """The texts of a record, which raters are shown, and its numbers and the like, which they are not."""
    left = set(without)
    content: dict[str, str] = {}
    attributes: dict[str, str] = {}
    for key, value in record.items():
        if key in left or value is None:
            continue
        shown = (isinstance(value, str) and not is_number(value)) or isinstance(value, (list, dict))
        (content if shown else attributes)[key] = text_of(value)
    return content, attributes


def flat(record: Json) -> dict[str, str]:
    return {key: text_of(value) for key, value in record.items() if value is not None}


def at_of(seconds: object) -> str:
    """Seconds since 1970 as ISO 8601; "" where they are no moment."""
    try:
        return datetime.fromtimestamp(float(text_of(seconds)), UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return ""


def stem(file: InputFile) -> str:
    return PurePosixPath(file.name.replace("\\", "/")).stem or file.name


def ending(file: InputFile) -> str:
    return PurePosixPath(file.name.replace("\\", "/")).suffix.lower()


def item_choice(default: tuple[str, str], fields: Iterable[str]) -> Choice:
    """What identifies an item: the program's name for it, or one of its fields."""
    options = [default, *((f"data.{field}", f"The field “{field}”") for field in dict.fromkeys(fields))]
    return Choice("item", "What identifies an item", options)


def key_first(choice: Choice, *, is_missing: bool) -> Choice:
    """With Interrater's own name for the key as the first option, where the program's own identifier is missing."""
    own = next((option for option in choice.options if option[0].rstrip("_") == "data.item"), None)
    if own is None or not is_missing:
        return choice
    others = [option for option in choice.options[1:] if option != own]
    return Choice(choice.key, choice.title, [own, *others])


def item_of(chosen: str, default: object, fields: Json, line: int, faults: Faults) -> str:
    """The item's key; "" with a fault where the record has none."""
    name = chosen.removeprefix("data.") if chosen.startswith("data.") else ""
    key = text_of(fields.get(name) if name else default)
    if not key:
        rule = "the record has no such field to identify its item by; choose another"
        faults.add(line, name or "id", "", "no_item", rule)
    return key
