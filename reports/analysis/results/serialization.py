"""Convert results to JSON and back, by the names of their fields."""

import types
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from datetime import datetime
from functools import cache
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from reports.agreement.results import Reason
from reports.analysis.results.figures import Figure, Json, SignificanceTest

# Stored with each result. When a name or meaning changes, increment it and make `from_json` read old versions.
SCHEMA = 1
# In the metadata of a field: the name under which earlier releases stored it.
FORMERLY = "formerly"

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class NotComputable:
    """The reason why something could not be computed."""

    reason: Reason


def to_json(found: Any) -> Any:
    """Return results as JSON: objects keyed by field names, unless they have their own `to_json`."""
    if (own := getattr(found, "to_json", None)) is not None:
        return own()
    if isinstance(found, Mapping):
        return {name: to_json(each) for name, each in found.items()}
    if isinstance(found, tuple | list):
        return [to_json(each) for each in found]
    if is_dataclass(found):
        return {each.name: to_json(getattr(found, each.name)) for each in fields(found)}
    if isinstance(found, datetime):
        return found.isoformat()
    return str(found) if isinstance(found, Reason) else found


def read_json(kind: type[T], found: Json) -> T:
    """Read the output of `to_json`. Fields missing in earlier releases have defaults; unknown fields are ignored."""
    if kind is Figure or kind is SignificanceTest:
        return cast(T, cast(type[Figure | SignificanceTest], kind).from_json(found))
    hints, known = _hints(cast(Any, kind)), {each.name: each for each in fields(cast(Any, kind))}
    values = {}
    for name, each in known.items():
        stored = name if name in found else each.metadata.get(FORMERLY)
        if stored in found:
            values[name] = _read(hints[name], found[stored])
    for name, each in known.items():
        if name not in values and each.default is MISSING and each.default_factory is MISSING:
            raise ValueError(f"{kind.__name__} without {name}: {sorted(found)}")
    return kind(**values)


@cache
def _hints(kind: type) -> Json:
    return get_type_hints(kind)


def _read(hint: Any, found: Any) -> Any:
    if found is None:
        return None
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return _read(_union_member(arguments, found), found)
    if origin is tuple:
        return tuple(_read(arguments[0], each) for each in found)
    if origin is not None and issubclass(origin, Mapping):
        return {name: _read(arguments[1], each) for name, each in found.items()}
    if hint is NotComputable:
        return NotComputable(reason=Reason(found["reason"]))
    if is_dataclass(hint):
        return read_json(cast(Any, hint), found)
    if hint is datetime:
        return datetime.fromisoformat(found)
    return Reason(found) if hint is Reason else found


def _union_member(arguments: Sequence[Any], found: Any) -> Any:
    """Return the matching member of a union: `NotComputable` has a reason and nothing else."""
    kinds = [each for each in arguments if each is not type(None)]
    if NotComputable not in kinds:
        return kinds[0]
    is_nothing = set(found) == {"reason"}
    return next(each for each in kinds if (each is NotComputable) == is_nothing)


def for_programs(found: Any) -> Any:
    """Return the JSON for API clients: null for an empty reason."""
    if isinstance(found, list):
        return [for_programs(each) for each in found]
    if not isinstance(found, dict):
        return found
    return {name: value or None if name == "reason" else for_programs(value) for name, value in found.items()}
