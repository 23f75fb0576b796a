"""Checks for the JSON of audits in a project file, as strict as drawing one."""

import itertools
from collections.abc import Mapping
from typing import Any

from core.keys import MAX_KEY
from core.shapes import Json
from projects.attributes import MAX_ATTRIBUTE
from projects.codebook.codebook_rules import MAX_CATEGORIES
from raters.archive.contents import Model
from raters.archive.single_values import (
    BadValue,
    Check,
    any_moment,
    checked_entry,
    line,
    number,
    or_null,
    share,
    whole,
)
from raters.archive.values import attributes, keys
from raters.audits.drawing import MOST_DRAWN
from raters.audits.population import MOST_DIVISIONS, MOST_GROUPS, OF_RATER
from raters.models import Audit, AuditedLabel

MOST_LABELS = 2**53

_count = whole(0, MOST_LABELS)
_by = line(MAX_KEY + len(OF_RATER), may_be_empty=True)
_name = line(max(MAX_ATTRIBUTE, MAX_KEY), may_be_empty=True)
_STRATUM: Mapping[str, Check] = {"value": _name, "size": _count, "n_labels": _count, "drawn": _count}
_GROUP: Mapping[str, Check] = {"by": _by, "value": _name, "n_labels": _count}
_OF_ESTIMATE: Mapping[str, Check] = {"share": share, "margin": share}
_OF_DECISION: Mapping[str, Check] = dict.fromkeys(("acceptable", "rejectable", "producer", "consumer"), share)


def _entries(value: Any, checks: Mapping[str, Check], most: int) -> list[Json]:
    if not isinstance(value, list) or len(value) > most:
        raise BadValue(f"must be a list of at most {most:,}")
    for place, entry in enumerate(value, start=1):
        if not isinstance(entry, dict) or entry.keys() != checks.keys():
            raise BadValue(f"{place}: must have exactly {', '.join(checks)}")
        checked_entry(entry, checks)
    return value


def strata(value: Any) -> None:
    found = _entries(value, _STRATUM, MOST_GROUPS)
    if not found or any(each["drawn"] > each["size"] for each in found):
        raise BadValue("must have strata, with at most as many drawn as there are")
    if sum(each["drawn"] for each in found) > MOST_DRAWN:
        raise BadValue(f"must have at most {MOST_DRAWN:,} drawn in total")


def groups(value: Any) -> None:
    found = _entries(value, _GROUP, MOST_DIVISIONS * MOST_GROUPS)
    if len({each["by"] for each in found}) > MOST_DIVISIONS:
        raise BadValue(f"must be of at most {MOST_DIVISIONS} divisions")


def population(value: Any) -> None:
    if not isinstance(value, dict) or value.keys() - {"attribute", "categories"} != {"rounds", "raters"}:
        raise BadValue("must have rounds and raters, optionally attribute and categories, and nothing else")
    for name in ("rounds", "raters", "categories"):
        or_null(keys)(value.get(name))
    limit = value.get("attribute")
    if limit is not None:
        if not isinstance(limit, list) or len(limit) != 2:
            raise BadValue("must have the name and the value of an attribute")
        _by(limit[0])
        _name(limit[1])


def plan(value: Any) -> None:
    if not isinstance(value, dict) or value.get("aim") not in {"estimate", "decide"}:
        raise BadValue("must have an aim: estimate or decide")
    of_aim = _OF_ESTIMATE if value["aim"] == "estimate" else _OF_DECISION
    names = {"aim", "confidence", *of_aim} | ({"sampling", "looks"} if value["aim"] == "decide" else set())
    if value.keys() != names:
        raise BadValue(f"must have exactly {', '.join(sorted(names))}")
    checked_entry(value, {**of_aim, "confidence": number})
    if not 0.5 <= value["confidence"] <= 0.999:
        raise BadValue("must have a confidence from 0.5 to 0.999")
    if value["aim"] == "decide":
        line(20)(value["sampling"])
        _check_looks(value["looks"])


def _check_looks(value: Any) -> None:
    rule = "looks must be a list of [n, accept, reject] with a growing n, of which the last decides"
    if not isinstance(value, list) or not 0 < len(value) <= MOST_DRAWN:
        raise BadValue(rule)
    for look in value:
        if not isinstance(look, list) or len(look) != 3 or any(type(each) is not int for each in look):
            raise BadValue(rule)
        n, accept, reject = look
        if not (0 < n <= MOST_DRAWN and -1 <= accept < reject):
            raise BadValue(rule)
    if any(one[0] >= other[0] for one, other in itertools.pairwise(value)):
        raise BadValue(rule)
    if value[-1][2] != value[-1][1] + 1:
        raise BadValue(rule)


def label_value(value: Any) -> None:
    """Check a label: the key of a category, the keys of a set, or a number."""
    if isinstance(value, str):
        line(MAX_KEY)(value)
    elif isinstance(value, list):
        if len(value) > MAX_CATEGORIES:
            raise BadValue(f"must have at most {MAX_CATEGORIES:,} keys")
        keys(value)
    else:
        number(value)


# By column; other columns are checked by their types.
CHECKS: Mapping[Model, Mapping[str, Check]] = {
    Audit: {"strata": strata, "groups": groups, "population": population, "plan": plan},
    AuditedLabel: {
        "given": label_value,
        "verdict_about": or_null(label_value),
        "probability": share,
        "rater_attributes": attributes,
        "given_at": or_null(any_moment),
    },
}
