"""Stored results with letters in place of their raters, applied when they are loaded from the database."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from raters.accounts.erasing import renamed
from raters.lettered import Letters
from reports.analysis.question import FilterJson
from reports.analysis.results import Json, ReportDifferences

# Findings about two raters in no particular order.
OF_EQUALS = frozenset({"below", "margins"})


def lettered_report(fields: Mapping[str, Any], letters: Letters) -> Json:
    """Replace names in the options, which may name the reference, and in the words that describe its limits."""
    found: Json = {
        name: fields[name] | {"only": _limits(fields[name]["only"], letters)}
        for name in ("scope", "codebook")
        if "only" in fields.get(name, {})
    }
    return found | ({"options": renamed(fields["options"], letters.names)} if "options" in fields else {})


def _limits(only: FilterJson, letters: Letters) -> FilterJson:
    raters = None if only["raters"] is None else sorted(map(letters.visible_id, only["raters"]))
    numbers = {"rater": only["raters"], "item": only["items"]}
    words = [
        f"{len(ids):,} chosen {unit}{'' if len(ids) == 1 else 's'}" for unit, ids in numbers.items() if ids
    ]
    return FilterJson(raters=raters, items=only["items"], words=" and ".join(words) or "some of the labels")


def lettered_results(fields: Mapping[str, Any], letters: Letters) -> Json:
    """Put raters in the order of their letters, and letters wherever figures name them."""
    found: Json = {}
    if "raters" in fields:
        raters = [
            each | {"id": letters.visible_id(each["id"]), "key": letters.visible_key(each["key"])}
            for each in fields["raters"]
        ]
        found["raters"] = sorted(raters, key=lambda each: each["id"])
    if "statistics" in fields:
        found["statistics"] = _in_order(renamed(fields["statistics"], letters.names), letters)
    return found


def lettered_pairs(found: ReportDifferences, letters: Letters | None) -> ReportDifferences:
    """Put letters in a comparison of two reports, which identifies raters by ID; unchanged without letters."""
    if letters is None:
        return found
    pairs = []
    for each in found.pairs:
        a, b = sorted((letters.visible_id(each.rater_a), letters.visible_id(each.rater_b)))
        pairs.append(replace(each, rater_a=a, rater_b=b))
    return replace(found, pairs=tuple(pairs))


def _in_order(value: Any, letters: Letters) -> Any:
    """Reorder JSON so that it does not reveal the order in which raters joined."""
    if isinstance(value, dict):
        ordered = {key: _in_order(each, letters) for key, each in value.items()}
        if isinstance(value.get("distributions"), dict):
            ordered["distributions"] = dict(
                sorted(ordered["distributions"].items(), key=lambda each: letters.place_of(each[0]))
            )
        if value.get("kind") in OF_EQUALS and isinstance(value.get("raters"), list):
            ordered["raters"] = sorted(value["raters"], key=lambda each: letters.place_of(each))
        return ordered
    if isinstance(value, list):
        found = [_in_order(each, letters) for each in value]
        if found and all(isinstance(each, dict) and isinstance(each.get("rater"), str) for each in found):
            return sorted(found, key=lambda each: letters.place_of(each["rater"]))
        return found
    return value
