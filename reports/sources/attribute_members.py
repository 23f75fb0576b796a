"""The attributes of items and raters as stored with a report: the members of each value."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from raters.lettered import letters_in_force
from reports.models import AttributeGroup, Report
from reports.sources.packing import packed, unpacked
from reports.sources.shared_snapshots import Snapshot

Unit = AttributeGroup.Unit
# An attribute with more values identifies items rather than grouping them.
MAX_VALUES = 50
# If there are more, those that most items or raters have are kept.
MAX_ATTRIBUTES = 200
TABLES = {Unit.ITEM: "projects_item", Unit.RATER: "raters_rater"}
# An attribute with too many values gets a single row without members.
GROUPS = """
WITH attribute_values AS MATERIALIZED (
    SELECT described.id, attribute.key AS name, attribute.value #>> '{{}}' AS value
    FROM {table} described, jsonb_each(described.attributes) attribute
    WHERE described.project_id = %(project)s AND described.attributes <> '{{}}'
), attributes AS (
    SELECT name, count(DISTINCT value) AS n_values FROM attribute_values
    GROUP BY name ORDER BY count(*) DESC, name LIMIT %(most_attributes)s
)
SELECT name, value, n_values, string_agg(int8send(id), NULL ORDER BY id)
FROM attribute_values JOIN attributes USING (name) WHERE n_values <= %(most_values)s
GROUP BY name, value, n_values
UNION ALL
SELECT name, NULL, n_values, NULL FROM attributes WHERE n_values > %(most_values)s
"""


@dataclass(frozen=True, slots=True)
class AttributeSummary:
    """n_values: the number of different values among the items or raters."""

    unit: str
    name: str
    n_values: int

    @property
    def key(self) -> str:
        """The name of the attribute in URLs."""
        return f"{self.unit}:{self.name}"

    @property
    def has_too_many(self) -> bool:
        return self.n_values > MAX_VALUES


@dataclass(frozen=True, slots=True, eq=False)
class ValueGroup:
    """The IDs of the items, or of the raters, with this value, in ascending order."""

    value: str
    ids: NDArray[np.int64]


def store_attributes(report: Report, snapshot: Snapshot) -> None:
    """Store the attributes in the snapshot, so that later changes to them do not affect the report."""
    AttributeGroup.objects.bulk_create(_groups_now(report, snapshot.connections[0].cursor()))


def are_attributes_same(report: Report) -> bool:
    """Return whether the report would store the same attributes if it were computed now."""
    with connection.cursor() as cursor:
        now = {_content(group) for group in _groups_now(report, cursor)}
    return now == {_content(group) for group in report.attribute_groups.all()}


def _content(group: AttributeGroup) -> tuple[str, str, str | None, int, bytes]:
    return group.unit, group.name, group.value, group.n_values, bytes(group.members)


def _groups_now(report: Report, cursor: Any) -> Iterator[AttributeGroup]:
    params = {
        "project": report.project_id,
        "most_attributes": MAX_ATTRIBUTES,
        "most_values": MAX_VALUES,
    }
    for unit, table in TABLES.items():
        cursor.execute(GROUPS.format(table=table), params)
        for name, value, n_values, ids in cursor.fetchall():
            yield AttributeGroup(
                report=report,
                unit=str(unit),
                name=name,
                value=value,
                n_values=n_values,
                members=_members(ids),
            )


def _members(ids: bytes | None) -> bytes:
    return packed(np.frombuffer(bytes(ids or b""), dtype=">i8").astype(np.int64))


def stored_attributes(report: Report) -> list[AttributeSummary]:
    """Return the attributes, items first, by name; with letters in force, none of raters, who could be identified."""
    found = AttributeGroup.objects.filter(report=report).order_by("unit", "name")
    if letters_in_force() is not None:
        found = found.exclude(unit=Unit.RATER)
    return [AttributeSummary(*row) for row in found.values_list("unit", "name", "n_values").distinct()]


def stored_groups(report: Report, unit: str, name: str) -> list[ValueGroup]:
    """Return the groups in the order of their values, numerically for numbers; [] if the attribute is not shown."""
    if unit == Unit.RATER and letters_in_force() is not None:
        return []
    found = AttributeGroup.objects.filter(report=report, unit=unit, name=name, value__isnull=False)
    groups = [ValueGroup(str(each.value), unpacked(bytes(each.members))) for each in found]
    return sorted(groups, key=lambda group: in_order(group.value))


def in_order(value: str) -> tuple[bool, float, str]:
    number = _number(value)
    return (number is None, 0.0 if number is None else number, value.casefold())


def _number(value: str) -> float | None:
    try:
        found = float(value)
    except ValueError:
        return None
    return found if np.isfinite(found) else None


def ids_of(groups: Sequence[ValueGroup]) -> NDArray[Any]:
    """Return the IDs of all groups."""
    return np.concatenate([np.empty(0, dtype=np.int64), *(group.ids for group in groups)])
