"""Final labels joined with content fields and attributes of their items."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.db import connection

from core.refusals import RefusedWithCode
from core.shapes import Json
from projects.attributes import in_words
from projects.models import Item, Project
from raters.adjudication.exporting import FinalLabel

CONTENT, ATTRIBUTES = "content", "attributes"
SORTS = (CONTENT, ATTRIBUTES)
# Number of labels per item lookup.
BLOCK = 5_000
_NAMES = {
    CONTENT: """
        SELECT part.value ->> 'name' FROM projects_item i, jsonb_array_elements(i.content) WITH ORDINALITY part
        WHERE i.project_id = %s GROUP BY 1 ORDER BY min(part.ordinality), 1
    """,
    ATTRIBUTES: """
        SELECT name FROM projects_item i, jsonb_object_keys(i.attributes) AS name
        WHERE i.project_id = %s GROUP BY 1 ORDER BY 1
    """,
}

# Field values of one item by sort and name.
Known = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class ItemField:
    """A field of an item. sort: content or attributes."""

    sort: str
    name: str

    @property
    def column(self) -> str:
        return f"{self.sort}.{self.name}"


@dataclass(frozen=True, slots=True)
class JoinedLabel:
    """A final label with the requested fields that its item has."""

    label: FinalLabel
    fields: Sequence[ItemField]
    known: Known

    def as_json(self) -> Json:
        found: Json = {**self.label.as_json()}
        for sort in dict.fromkeys(field.sort for field in self.fields):
            values = self.known.get(sort, {})
            found[sort] = {
                field.name: values[field.name]
                for field in self.fields
                if field.sort == sort and field.name in values
            }
        return found

    def as_cells(self) -> list[Any]:
        values = (self.known.get(field.sort, {}).get(field.name, "") for field in self.fields)
        return [
            *self.label.as_cells(),
            *(in_words(value) if isinstance(value, bool) else value for value in values),
        ]


def requested_fields(project: Project, text: str) -> list[ItemField]:
    """Parse a list such as "content.text,attributes"; a sort alone means all its fields. Raises RefusedWithCode."""
    found: list[ItemField] = []
    names: dict[str, list[str]] = {}
    for part in text.split(","):
        sort, _, name = part.strip().partition(".")
        if sort not in SORTS:
            raise RefusedWithCode(
                "invalid_parameter",
                f"fields must be content, attributes, content.NAME, or attributes.NAME, got {part[:100]!r}.",
            )
        if sort not in names:
            names[sort] = _names(project, sort)
        if name and name not in names[sort]:
            raise RefusedWithCode("unknown_field", f"No item has the field {part.strip()[:100]!r}.")
        found += [ItemField(sort, each) for each in ([name] if name else names[sort])]
    return list(dict.fromkeys(found))


def joined(
    project: Project, labels: Iterable[FinalLabel], fields: Sequence[ItemField]
) -> Iterator[JoinedLabel]:
    rest = iter(labels)
    while block := list(islice(rest, BLOCK)):
        keys = {label.item for label in block}
        items = Item.objects.filter(project=project, key__in=keys)
        known = {
            key: _known(content, attributes)
            for key, content, attributes in items.values_list("key", "content", "attributes")
        }
        yield from (JoinedLabel(label, fields, known.get(label.item, {})) for label in block)


def _names(project: Project, sort: str) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(_NAMES[sort], [project.pk])
        return [name for (name,) in cursor.fetchall()]


def _known(content: Sequence[Mapping[str, Any]], attributes: Mapping[str, Any]) -> Known:
    # If several fields have the same name, the first one counts.
    return {
        CONTENT: {part["name"]: part["value"] for part in reversed(content)},
        ATTRIBUTES: attributes,
    }
