"""The order of the new categories of a scale, as suggested and as submitted on the page of a draft."""

from collections.abc import Mapping

from raters.imports.draft_fields import QuestionField
from raters.reading.number_notation import number_of
from raters.reading.values import in_order

_LONGEST_SCALE = 12


def are_numbers_only(keys: list[str]) -> bool:
    """Return whether all keys are numbers, which have a natural order."""
    return all(number_of(key) is not None for key in keys)


def skipped_numbers(keys: list[str]) -> list[int]:
    """Return the whole numbers between these keys, if all are whole numbers and only a few are left out."""
    numbers = {int(number) for key in keys if (number := number_of(key)) is not None and number.is_integer()}
    if len(numbers) < len(keys) or len(numbers) < 2 or max(numbers) - min(numbers) > _LONGEST_SCALE:
        return []
    return [number for number in range(min(numbers), max(numbers)) if number not in numbers]


def in_given_order(keys: list[str], order: tuple[str, ...]) -> list[str]:
    return [key for key in order if key in keys] + [key for key in in_order(keys) if key not in order]


def submitted_order(field: QuestionField, data: Mapping[str, str]) -> tuple[str, ...]:
    """Return the new categories in the submitted order, with one moved if its button was pressed."""
    places = [data.get(f"order-{field.place}-{at}") for at in range(len(field.order))]
    if not field.order or not all(place and place.isdecimal() for place in places):
        return ()
    numbered = sorted(zip(map(int, filter(None, places)), range(len(field.order)), field.order, strict=True))
    keys = [key for _, _, key in numbered]
    place, _, moved = data.get("move", "").partition("-")
    if place == str(field.place):
        at, _, way = moved.partition("-")
        before = keys.index(field.order[int(at)])
        keys.insert(max(before + (-1 if way == "up" else 1), 0), keys.pop(before))
    return tuple(keys)
