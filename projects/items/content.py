"""The content of items as pages show it: text, Markdown, links, and media files by name."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypedDict

from django.utils.safestring import SafeString

from core.web.markdown import rendered
from projects.media.file_types import fits
from projects.media.names import MEDIA, address_of, is_elsewhere, name_in
from projects.models import Item, MediaFile


class ContentPart(TypedDict, total=False):
    """One field of an item, as it is stored. kind: one of `Item.Field`. alt: describes a file."""

    name: str
    kind: str
    value: str
    alt: str


@dataclass(frozen=True, slots=True)
class RenderedField:
    """One field of an item: `html` for Markdown, `link` for other hosts, `media` for our own files, else text.

    kind: image, audio or video, for a field with a file. missing: why the file is not shown.
    """

    name: str
    text: str
    html: SafeString | None = None
    link: str = ""
    link_words: str = ""
    kind: str = ""
    media: MediaFile | None = None
    address: str = ""
    alt: str = ""
    missing: str = ""


def fields_of(item: Item) -> list[RenderedField]:
    """The fields of an item, in their order."""
    return fields_in(item.content, item.project_id)


def fields_in(content: Sequence[ContentPart], project_id: int) -> list[RenderedField]:
    """The fields of some content; its files are looked up in one query."""
    names = media_names(content)
    files = MediaFile.objects.filter(project=project_id, name__in=names).select_related("project")
    found = {media.name: media for media in files} if names else {}
    return [field_shown(part, found) for part in content if is_filled(part)]


def is_filled(part: ContentPart) -> bool:
    """Tables have every column for every item; empty fields are not shown."""
    return bool(str(part.get("value") or "").strip())


def media_names(content: Sequence[ContentPart]) -> set[str]:
    """The files that the content refers to."""
    return set(_names(content))


def _names(content: Iterable[ContentPart]) -> Iterable[str]:
    for part in content:
        value = str(part.get("value", ""))
        if part.get("kind") in MEDIA and value.strip() and not is_elsewhere(value):
            yield name_in(value)


def field_shown(part: ContentPart, files: dict[str, MediaFile]) -> RenderedField:
    """Content on other hosts becomes a link: our pages fetch nothing from other hosts."""
    name, kind, value = (
        str(part.get("name", "")),
        part.get("kind", Item.Field.TEXT),
        str(part.get("value", "")),
    )
    if kind == Item.Field.MARKDOWN:
        return RenderedField(name, value, html=rendered(value))
    if kind == Item.Field.TEXT or not value.strip():
        return RenderedField(name, value)
    if is_elsewhere(value):
        words = f"Open the {Item.Field(kind).label.lower()}" if kind in MEDIA else "Open"
        return RenderedField(name, value, link=value, link_words=words)
    if kind not in MEDIA:
        return RenderedField(name, value)
    return _rendered_file(part, name, kind, name_in(value), files)


def _rendered_file(
    part: ContentPart, name: str, kind: str, file_name: str, files: dict[str, MediaFile]
) -> RenderedField:
    media = files.get(file_name)
    if media is None:
        return RenderedField(name, file_name, missing=f"{file_name} is missing.")
    if not fits(kind, media.type):
        shown = media.get_type_display()
        return RenderedField(
            name, file_name, missing=f"{file_name} can’t be shown: its type is {shown}, not {kind}."
        )
    alt = str(part.get("alt", "")).strip() or name or file_name
    return RenderedField(name, file_name, kind=kind, media=media, address=address_of(media), alt=alt)
