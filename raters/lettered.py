"""Letters in place of a report's raters, while someone views it who must not know who they are.

While letters are in force, nothing read through the models contains a rater's ID or key: both are replaced as they
are loaded from the database, and translated back in lookups. Anything written meanwhile would be wrong, so letters
may only be in force during requests that only read.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.functions import Greatest, Least
from numpy.typing import NDArray

from core.numbers import letters

# An ID that no rater has, for raters without a letter.
NOBODY = 0


@dataclass(frozen=True)
class Letters:
    """ids: the raters' IDs, in the order of their letters. keys: their keys, in the same order."""

    ids: tuple[int, ...]
    keys: tuple[str, ...]

    @cached_property
    def names(self) -> dict[str, str]:
        """The letter of each key."""
        return {key: letters(place) for place, key in enumerate(self.keys)}

    @cached_property
    def _places(self) -> dict[int, int]:
        return {pk: place for place, pk in enumerate(self.ids, start=1)}

    @cached_property
    def _letters(self) -> dict[str, int]:
        return {letters(place): place + 1 for place in range(len(self.ids))}

    @cached_property
    def _keys(self) -> dict[str, str]:
        return {letter: key for key, letter in self.names.items()}

    def visible_id(self, pk: int) -> int:
        return self._places.get(pk, NOBODY)

    def place_of(self, letter: str) -> int:
        return self._letters.get(letter, NOBODY)

    def real_id(self, shown: int) -> int:
        return self.ids[shown - 1] if 1 <= shown <= len(self.ids) else NOBODY

    def visible_key(self, key: str) -> str:
        return self.names.get(key, "?")

    def real_key(self, letter: str) -> str:
        return self._keys.get(letter, "")

    def visible_ids(self, ids: NDArray[Any]) -> NDArray[Any]:
        """Return the shown IDs for an array that has few distinct IDs."""
        different, places = np.unique(ids, return_inverse=True)
        shown = np.array([self.visible_id(pk) for pk in different.tolist()], dtype=np.int64)
        return shown[places].reshape(ids.shape)


_IN_FORCE: ContextVar[Letters | None] = ContextVar("letters", default=None)


def letters_in_force() -> Letters | None:
    return _IN_FORCE.get()


@contextmanager
def lettered(chosen: Letters | None) -> Iterator[None]:
    """Put the letters in force; with None, names are shown."""
    token = _IN_FORCE.set(chosen)
    try:
        yield
    finally:
        _IN_FORCE.reset(token)


def visible_ids(ids: NDArray[Any]) -> NDArray[Any]:
    in_force = letters_in_force()
    return ids if in_force is None else in_force.visible_ids(ids)


def real_ids(ids: list[int]) -> list[int]:
    """Translate shown IDs back to real ones, for SQL that does not go through the models."""
    in_force = letters_in_force()
    return ids if in_force is None else [in_force.real_id(pk) for pk in ids]


def order_of_pairs() -> list[Any]:
    """Return the order of rater pairs: by ID, or by letter, as ID order reveals the order in which raters joined."""
    in_force = letters_in_force()
    if in_force is None:
        return ["rater_a_id", "rater_b_id"]
    all_ids = models.Value(list(in_force.ids), output_field=ArrayField(models.BigIntegerField()))
    places = [
        models.Func(all_ids, models.F(column), function="array_position", output_field=models.IntegerField())
        for column in ("rater_a_id", "rater_b_id")
    ]
    return [Least(*places), Greatest(*places)]


class RaterIdField(models.BigAutoField):
    """A rater's ID; while letters are in force, the place of their letter."""

    def deconstruct(self) -> Any:
        name, _, args, kwargs = super().deconstruct()
        return name, "django.db.models.BigAutoField", args, kwargs

    def get_db_converters(self, connection: BaseDatabaseWrapper) -> list[Any]:
        converters, in_force = super().get_db_converters(connection), letters_in_force()
        return converters if in_force is None else [*converters, _converter(in_force.visible_id)]

    def get_db_prep_value(self, value: Any, connection: BaseDatabaseWrapper, prepared: bool = False) -> Any:
        found, in_force = super().get_db_prep_value(value, connection, prepared), letters_in_force()
        return found if in_force is None or not isinstance(found, int) else in_force.real_id(found)


class RaterKeyField(models.CharField):
    """A rater's key; while letters are in force, their letter."""

    def deconstruct(self) -> Any:
        name, _, args, kwargs = super().deconstruct()
        return name, "django.db.models.CharField", args, kwargs

    def get_db_converters(self, connection: BaseDatabaseWrapper) -> list[Any]:
        converters, in_force = super().get_db_converters(connection), letters_in_force()
        return converters if in_force is None else [*converters, _converter(in_force.visible_key)]

    def get_db_prep_value(self, value: Any, connection: BaseDatabaseWrapper, prepared: bool = False) -> Any:
        found, in_force = super().get_db_prep_value(value, connection, prepared), letters_in_force()
        return found if in_force is None or not isinstance(found, str) else in_force.real_key(found)


def _converter(shown: Any) -> Any:
    def convert(value: Any, expression: Any, connection: Any) -> Any:
        return None if value is None else shown(value)

    return convert
