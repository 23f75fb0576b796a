"""How the labeling page lays out the fields of an item: short ones in a strip, the others at full width."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from django.db import connection

from projects.field_names import MAX_FIELDS
from projects.items.content import ContentPart, RenderedField
from projects.models import Project

# The longest text that still reads as one entry of a strip.
MAX_SHORT = 60
# Field names are read from this many items: items of one import have the same fields.
ITEMS_SAMPLED = 500


class LayoutSettings(Protocol):
    """A lead's settings for the layout, stored with the project: names of fields."""

    main_field: str
    fields_hidden: list[str]
    fields_side_by_side: list[str]


@dataclass(frozen=True, slots=True)
class FieldRow:
    """Fields in one row: one at full width, or several side by side."""

    fields: Sequence[RenderedField]

    @property
    def is_side_by_side(self) -> bool:
        return len(self.fields) > 1


@dataclass(frozen=True, slots=True)
class ItemLayout:
    """strip: short fields, above the others. main: the name of the main field, which is in one of the blocks."""

    strip: Sequence[RenderedField]
    blocks: Sequence[FieldRow]
    main: str

    @property
    def has_image(self) -> bool:
        return any(field.kind == "image" for field in self._fields)

    @property
    def has_player(self) -> bool:
        return any(field.kind in {"audio", "video"} for field in self._fields)

    @property
    def files(self) -> list[RenderedField]:
        """The fields whose file is there, in the order in which they are shown."""
        return [field for field in self._fields if field.media is not None]

    @property
    def _fields(self) -> Iterator[RenderedField]:
        return (field for block in self.blocks for field in block.fields)

    @property
    def is_roomy(self) -> bool:
        """Whether the item gets more of a wide window than the questions."""
        return self.has_image or any(block.is_side_by_side for block in self.blocks)


def laid_out(fields: Sequence[RenderedField], wanted: LayoutSettings) -> ItemLayout:
    """The fields that raters see, in their original order within the strip and below it."""
    seen = [field for field in fields if field.name not in wanted.fields_hidden]
    main = _main(seen, wanted.main_field)
    together = [field for field in seen if field.name in wanted.fields_side_by_side]
    strip, blocks = [], []
    for field in seen:
        if field in together:
            if field is together[0]:
                blocks.append(FieldRow(together))
        elif field is not main and _is_short(field):
            strip.append(field)
        else:
            blocks.append(FieldRow([field]))
    return ItemLayout(strip, blocks, main.name if main else "")


def _main(fields: Sequence[RenderedField], name: str) -> RenderedField | None:
    """The field named by the lead, else the first one with a file, else the longest text."""
    named = [field for field in fields if field.name == name] if name else []
    files = [field for field in fields if field.media is not None]
    return next(iter([*named, *files]), max(fields, key=lambda field: len(field.text), default=None))


def _is_short(field: RenderedField) -> bool:
    if field.media is not None or field.missing or field.html is not None:
        return False
    return bool(field.link) or (len(field.text) <= MAX_SHORT and "\n" not in field.text.strip())


def visible_content(content: Sequence[ContentPart], wanted: LayoutSettings) -> list[ContentPart]:
    """Content without the fields that the lead hides."""
    return [part for part in content if part.get("name", "") not in wanted.fields_hidden]


_NAMES = """
SELECT part ->> 'name'
FROM (
    SELECT content FROM projects_item WHERE project_id = %s AND withdrawn_at IS NULL ORDER BY id LIMIT %s
) items, jsonb_array_elements(content) WITH ORDINALITY AS parts (part, place)
WHERE part ->> 'name' <> ''
GROUP BY 1 ORDER BY min(place), 1 LIMIT %s
"""


def field_names(project_id: int) -> list[str]:
    """The names of the fields that the items of a project have."""
    with connection.cursor() as cursor:
        cursor.execute(_NAMES, [project_id, ITEMS_SAMPLED, MAX_FIELDS])
        return [name for (name,) in cursor.fetchall()]


def sentence_on_unknown_fields(project: Project, known: Sequence[str]) -> str:
    """Return which fields are in the layout although no item has them; "" if none is. known: as in `field_names`."""
    wanted = dict.fromkeys([project.main_field, *project.fields_hidden, *project.fields_side_by_side])
    missing = [name for name in wanted if name and name not in known and not _is_field(project, name)]
    if not missing:
        return ""
    named = ", ".join(f"“{name}”" for name in missing)
    hidden = [f"“{name}”" for name in missing if name in project.fields_hidden]
    so = f" Raters still see everything that {' and '.join(hidden)} should hide." if hidden else ""
    return f"No item has the field{'s' if len(missing) > 1 else ''} {named}.{so} Items have these: {', '.join(known)}."


def _is_field(project: Project, name: str) -> bool:
    # `field_names` looks at some items only.
    return project.items.filter(withdrawn_at=None, content__contains=[{"name": name}]).exists()
