"""What a file of items says of media that nobody has sent yet."""

import io

import pytest
from django.core.management import call_command

from core.tables.faults import FileRefused
from projects.items.item_columns import ItemOptions
from projects.media.media_files import store_media
from raters.imports import actions
from raters.models import LabelImport
from tests.cast import signed_in
from tests.files import load_items
from tests.pictures import png

pytestmark = pytest.mark.usefixtures("media_folder")

ITEMS = b"item,image:photo,note\na,1.png,x.png\nb,2.png,\nc,./1.png,\nd,https://example.org/3.png,\ne,,\n"


def draft(project, lead, content: bytes = ITEMS) -> LabelImport:
    return actions.upload(project, "items.csv", iter([content]), ItemOptions(), by=lead, kind="items")


def test_the_preview_warns_of_files_that_are_missing(project, lead):
    store_media(project, "1.png", io.BytesIO(png()), by=lead)

    text = signed_in(lead).get(draft(project, lead).get_absolute_url()).content.decode()

    assert "1 media file used by these items is missing." in text
    assert "<li><bdi>2.png</bdi></li>" in text
    assert "/confirm/" in text


def test_the_preview_says_nothing_where_nothing_is_missing(project, lead):
    for name in ("1.png", "2.png"):
        store_media(project, name, io.BytesIO(png()), by=lead)

    assert draft(project, lead).preview["missing"] is None
    assert draft(project, lead, b"item,note\na,1.png\n").preview["missing"] is None


def test_a_column_describes_the_file_of_another(project, lead):
    content = b"item,image:photo,alt:photo,photo\na,1.png,A tooth,text\nb,2.png,,text\n"

    load_items(project, content)

    first, second = project.items.order_by("key")
    assert first.content == [
        {"name": "photo", "kind": "image", "value": "1.png", "alt": "A tooth"},
        {"name": "photo", "kind": "text", "value": "text"},
    ]
    assert "alt" not in second.content[0]


def test_a_description_of_nothing_is_a_fault(project):
    with pytest.raises(FileRefused, match="such as image:photo"):
        load_items(project, b"item,alt:photo\na,A tooth\n")


def test_the_command_tells_too(project, tmp_path, capsys):
    path = tmp_path / "items.csv"
    path.write_bytes(ITEMS)

    call_command("import_items", project.slug, path)

    assert "2 media files used by these items not found: 1.png, 2.png" in capsys.readouterr().err
    assert project.items.count() == 5
