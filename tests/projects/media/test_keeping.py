"""Keeping files: under which name, once, whole; and forgetting them."""

import hashlib
import io
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from projects.events import events_of
from projects.media.lost import lost_media
from projects.media.media_files import UploadResult, drop_bytes, place_of, remove, room_in, store_media
from projects.media.missing_files import missing_files
from projects.media.refusals import MediaRefused
from projects.models import Item, MediaFile
from tests import cast
from tests.pictures import image, png, wav


def kept(project, content: bytes, name: str = "1.png", **more) -> UploadResult:
    return store_media(project, name, io.BytesIO(content), by=None, **more)


def stored(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()]


def test_a_file_is_known_by_its_content(project, lead, media_folder):
    content = png(30, 20)

    assert store_media(project, "photos/1.jpg", io.BytesIO(content), by=lead) == UploadResult.ADDED

    media = project.media.get()
    assert (media.name, media.type, media.width, media.height) == ("photos/1.jpg", "image/png", 30, 20)
    assert (media.n_bytes, media.sha256) == (len(content), hashlib.sha256(content).hexdigest())
    assert (media.added_by, media.group) == (lead, "image")
    assert stored(media_folder) == [content]


def test_bytes_lie_under_their_digest_and_nobody_else_may_read_them(project, media_folder):
    kept(project, png())

    path = media_folder / place_of(project.media.get().sha256)
    assert path.stat().st_mode & 0o077 == 0
    assert media_folder.stat().st_mode & 0o077 == 0


def test_sound_has_no_size(project):
    kept(project, wav(), "1.wav")

    assert project.media.get(type="audio/wav").width is None


def test_the_same_file_again_changes_nothing(project, media_folder):
    kept(project, png())

    assert kept(project, png()) == UploadResult.UNCHANGED
    assert (MediaFile.objects.count(), len(stored(media_folder))) == (1, 1)


def test_another_file_of_the_same_name_replaces_it_only_on_request(
    project, media_folder, django_capture_on_commit_callbacks
):
    kept(project, png(1, 1))

    with pytest.raises(MediaRefused, match="different file with this name") as refusal:
        kept(project, png(2, 2))
    with django_capture_on_commit_callbacks(execute=True):
        assert kept(project, png(2, 2), replace=True) == UploadResult.REPLACED

    assert (refusal.value.code, refusal.value.status_code) == ("name_taken", 409)
    assert project.media.get().width == 2
    assert stored(media_folder) == [png(2, 2)]


def test_equal_bytes_are_stored_once_and_stay_while_anybody_has_them(
    project, lead, media_folder, django_capture_on_commit_callbacks
):
    other = cast.new_project("Other")
    kept(project, png())
    kept(other, png(), "else.png")
    assert len(stored(media_folder)) == 1

    with django_capture_on_commit_callbacks(execute=True):
        remove(project.media.get(), by=lead)
    assert len(stored(media_folder)) == 1
    with django_capture_on_commit_callbacks(execute=True):
        remove(other.media.get(), by=lead)

    assert stored(media_folder) == []
    assert [event.detail for event in events_of(project)] == [{"removed": 1}]


def test_a_copy_that_was_cut_off_is_written_again(project, media_folder):
    content = png()
    place = place_of(hashlib.sha256(content).hexdigest())
    default_storage.save(place, ContentFile(content[:10]))

    kept(project, content)

    assert stored(media_folder) == [content]


def test_a_write_that_fails_leaves_nothing(project, media_folder):
    class Cut(ContentFile):
        def chunks(self, chunk_size=None):
            yield b"some"
            raise OSError("the disk is full")

    with pytest.raises(OSError, match="full"):
        default_storage.save("ab/abc", Cut(b"something"))

    assert stored(media_folder) == []


def test_dropping_what_somebody_has_does_nothing(project, media_folder):
    kept(project, png())

    drop_bytes(project.media.get().sha256)

    assert len(stored(media_folder)) == 1


@pytest.mark.parametrize(
    ("content", "code"), [(b"", "empty"), (b"hello", "type"), (png()[:20], "broken"), (b"x" * 3000, "type")]
)
def test_what_is_not_taken_leaves_nothing(project, media_folder, content, code):
    with pytest.raises(MediaRefused) as refusal:
        kept(project, content)

    assert refusal.value.code == code
    assert (MediaFile.objects.count(), stored(media_folder)) == (0, [])


def test_a_file_above_the_limit_is_refused(project, settings):
    settings.MEDIA_MAX_BYTES = len(wav()) - 1

    with pytest.raises(MediaRefused, match="larger than 16,043 bytes") as refusal:
        kept(project, wav(), "1.wav")

    assert refusal.value.status_code == 413


def test_room_in_a_project(project, settings):
    settings.MEDIA_MAX_PROJECT_BYTES = len(png()) + 10
    kept(project, png())

    assert (room_in(project), room_in(cast.new_project("Other"))) == (10, len(png()) + 10)
    settings.MEDIA_MAX_PROJECT_BYTES = 1
    assert room_in(project) == 0


def test_files_that_items_name_and_nobody_sent(project):
    kept(project, image("JPEG"), "ü.jpg")
    parts = [
        {"name": "a", "kind": "image", "value": "./u\u0308.jpg"},
        {"name": "b", "kind": "audio", "value": "gone.mp3"},
        {"name": "c", "kind": "image", "value": " HTTPS://example.org/x.png"},
        {"name": "d", "kind": "video", "value": ""},
        {"name": "e", "kind": "text", "value": "no.png"},
    ]
    Item.objects.create(project=project, key="i", content=parts)
    Item.objects.create(project=project, key="j", content=parts)
    Item.objects.create(project=cast.new_project("Other"), key="i", content=[{**parts[1], "value": "x.mp3"}])

    found = missing_files(project)

    assert (found.n, found.names, found.n_more) == (1, ["gone.mp3"], 0)


def test_lost_files_are_found_by_listing_folders(project, monkeypatch):
    """In 00, 30 of 40 files are stored; in 01, one of two; in 02 and in 03, which do not exist, none."""
    digests = [f"{folder:02}{n:062}" for folder, n_files in enumerate([40, 2, 1, 5]) for n in range(n_files)]
    MediaFile.objects.bulk_create(
        MediaFile(project=project, name=f"{digest}.png", type="image/png", sha256=digest, n_bytes=1)
        for digest in digests
    )
    stored = {*digests[:30], digests[40]}
    for digest in stored:
        default_storage.save(place_of(digest), ContentFile(b"x"))
    looked_up: list[str] = []
    exists = default_storage.exists

    def counted(name: str) -> bool:
        looked_up.append(name)
        return exists(name)

    monkeypatch.setattr(default_storage, "exists", counted)

    lost = lost_media(project.media.all())

    assert lost == [f"{digest}.png" for digest in digests if digest not in stored]
    # Those of folders with few files.
    assert len(looked_up) == 3
