"""Media files go along with a project: the same bytes under the same names, for the same items."""

import hashlib
import io
import json
import secrets
import zipfile
from io import StringIO

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.urls import reverse

from projects.media.media_files import place_of, store_media
from projects.media.names import address_of
from projects.models import Item, Project
from raters.archive.archive import BadProjectFile
from raters.archive.project_export import project_file
from raters.archive.project_import import contents_of, import_project
from tests import cast
from tests.pictures import png, wav
from tests.raters.archive.forging import forged, with_part

pytestmark = pytest.mark.signed_in(None)

FILES = {"photos/1.png": png(30, 20), "copies/1.png": png(30, 20), "2.wav": wav()}


@pytest.fixture
def file_with_media(committed_db, settings, tmp_path) -> bytes:
    """A project whose item shows an image and a sound, as a file; its name is free again, and no media are here."""
    settings.MEDIA_ROOT = tmp_path / "here"
    project = cast.new_project("Pictures", unique=True)
    for name, sent in FILES.items():
        store_media(project, name, io.BytesIO(sent), by=None)
    shown = [
        {"name": "X-ray", "kind": "image", "value": "photos/1.png", "alt": "A tooth"},
        {"name": "Call", "kind": "audio", "value": "2.wav"},
    ]
    Item.objects.create(project=project, key="item-1", content=shown)
    content = taken(project)
    settings.MEDIA_ROOT = tmp_path / "there"
    return content


def taken(project: Project) -> bytes:
    content = b"".join(project_file(project))
    Project.objects.filter(pk=project.pk).update(slug=secrets.token_hex(8))
    return content


def test_files_arrive_to_the_byte_and_are_shown(file_with_media, client):
    lead = cast.person("boss", unique=True)
    client.force_login(lead)

    project = import_project(io.BytesIO(file_with_media), lead=lead)

    sent = {media.name: client.get(address_of(media)).getvalue() for media in project.media.all()}
    assert sent == FILES
    page = client.get(reverse("item", args=[project.slug, project.items.get().pk])).content.decode()
    assert f'src="{address_of(project.media.get(name="photos/1.png"))}" alt="A tooth"' in page
    assert "is missing" not in page
    assert taken(project) == file_with_media


def test_equal_files_go_along_once(file_with_media):
    with zipfile.ZipFile(io.BytesIO(file_with_media)) as archive:
        names = [name for name in archive.namelist() if name.startswith("media/")]

    assert len(names) == 2


def test_bytes_under_a_digest_that_is_not_theirs_are_refused(file_with_media):
    with zipfile.ZipFile(io.BytesIO(file_with_media)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(parts["manifest.json"])
    name = next(name for name in parts if name.startswith("media/"))
    forged = f"media/{'0' * 64}"
    manifest["files"][forged] = manifest["files"].pop(name)
    parts[forged] = parts.pop(name)
    parts["manifest.json"] = json.dumps(manifest).encode()
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for each, data in parts.items():
            archive.writestr(each, data)

    with pytest.raises(BadProjectFile, match="digest"):
        import_project(file, lead=cast.person("boss", unique=True))

    assert not default_storage.exists(place_of("0" * 64))


def test_a_file_whose_bytes_are_lost_does_not_keep_the_rest_back(file_with_media, client):
    lead = cast.person("boss", unique=True)
    client.force_login(lead)
    project = import_project(io.BytesIO(file_with_media), lead=lead)
    lost, kept = project.media.get(name="2.wav"), project.media.get(name="photos/1.png")
    default_storage.delete(place_of(lost.sha256))

    again = import_project(io.BytesIO(taken(project)), lead=lead)

    assert client.get(address_of(again.media.get(name=kept.name))).getvalue() == FILES[kept.name]
    assert client.get(address_of(again.media.get(name=lost.name))).status_code == 404


def test_the_commands_name_lost_files(file_with_media, tmp_path):
    lead, errors = cast.person("boss", unique=True), StringIO()
    project = import_project(io.BytesIO(file_with_media), lead=lead)
    call_command("export_project", project.slug, tmp_path / "whole.zip", stdout=StringIO(), stderr=errors)
    assert errors.getvalue() == ""
    default_storage.delete(place_of(project.media.get(name="2.wav").sha256))

    file, slug = tmp_path / "x.zip", secrets.token_hex(8)
    call_command("export_project", project.slug, file, stdout=StringIO(), stderr=errors)
    assert "2.wav" in errors.getvalue()
    errors = StringIO()
    call_command("import_project", file, lead=lead.username, slug=slug, stdout=StringIO(), stderr=errors)
    assert "2.wav" in errors.getvalue()
    assert "photos/1.png" not in errors.getvalue()


def test_the_api_names_lost_files(file_with_media, client):
    owner = cast.person("owner", unique=True, is_superuser=True)
    client.force_login(owner)
    project = import_project(io.BytesIO(file_with_media), lead=owner)
    default_storage.delete(place_of(project.media.get(name="2.wav").sha256))

    upload = SimpleUploadedFile("x.zip", taken(project))
    sent = {"file": upload, "slug": secrets.token_hex(8)}
    answered = client.post("/api/v1/project-files/", sent)

    assert answered.status_code == 201, answered.content
    assert answered.json()["missing_media"] == ["2.wav"]


@pytest.mark.parametrize(
    ("change", "column"),
    [
        ({"type": "image/jpeg"}, "type"),
        ({"n_bytes": 1}, "n_bytes"),
        ({"width": 9000}, "width"),
        ({"name": "../../x"}, "name"),
        ({"sha256": "x"}, "sha256"),
    ],
)
def test_a_row_that_does_not_fit_its_bytes_is_refused(file_with_media, change, column):
    def forge(rows):
        next(row for row in rows if row["name"].endswith(".png")).update(change)

    with pytest.raises(BadProjectFile) as refused:
        contents_of(io.BytesIO(forged(file_with_media, "mediafile.jsonl", forge)))

    assert (refused.value.problems[0].file, refused.value.problems[0].column) == ("mediafile.jsonl", column)


def test_bytes_that_no_upload_would_take_are_refused(file_with_media):
    script = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
    digest = hashlib.sha256(script).hexdigest()

    def forge(rows):
        rows[0].update(sha256=digest, n_bytes=len(script))

    changed = forged(with_part(file_with_media, f"media/{digest}", script), "mediafile.jsonl", forge)

    with pytest.raises(BadProjectFile) as refused:
        contents_of(io.BytesIO(changed))
    assert refused.value.problems[0].column == "sha256"
