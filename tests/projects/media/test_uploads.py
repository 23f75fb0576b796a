"""Uploads of several files and of archives: each taken or refused by itself, and none larger than it may be."""

import io
import stat
import struct
import zipfile

import pytest

from projects.events import events_of
from projects.media import media_archives
from projects.media.media_uploads import Upload, UploadOutcome
from projects.models import Project
from tests.pictures import SVG, archive, png, wav


def upload(project: Project, *files: tuple[str, bytes], **more) -> UploadOutcome:
    return Upload(project, by=None, **more).take_all((name, io.BytesIO(content)) for name, content in files)


def names(project: Project) -> list[str]:
    return list(project.media.values_list("name", flat=True))


def refusals(outcome: UploadOutcome) -> dict[str, str]:
    return {refused.name: refused.code for refused in outcome.refused}


def test_each_file_is_taken_or_refused_by_itself(project, lead):
    files = [("1.png", png()), ("drawing.svg", SVG), ("2.wav", wav())]

    outcome = Upload(project, by=lead).take_all((name, io.BytesIO(content)) for name, content in files)

    assert (outcome.added, refusals(outcome)) == (["1.png", "2.wav"], {"drawing.svg": "type"})
    assert (outcome.status_code, names(project)) == (201, ["1.png", "2.wav"])
    event = events_of(project).get()
    assert (event.user_id, event.about, event.detail) == (lead.pk, "1.png", {"added": 2, "replaced": 0})


def test_where_all_is_refused_the_status_is_that_of_the_first(project):
    outcome = upload(project, ("", png()), ("a.svg", SVG))

    assert (outcome.is_nothing, outcome.status_code) == (True, 400)
    assert not events_of(project).exists()


def test_an_upload_into_a_folder_and_again_with_other_content(project):
    upload(project, ("1.png", png()), folder="photos/")

    again = upload(project, ("1.png", png()), ("1.png", png(9, 9)), folder="photos")
    replaced = upload(project, ("1.png", png(9, 9)), folder="photos", replace=True)

    assert (again.unchanged, refusals(again)) == (["photos/1.png"], {"1.png": "name_taken"})
    assert (replaced.replaced, names(project)) == (["photos/1.png"], ["photos/1.png"])


def test_a_closed_project_takes_no_files(project):
    Project.objects.update(state=Project.State.CLOSED)
    project.refresh_from_db()

    with pytest.raises(Exception, match="The project is closed"):
        upload(project, ("1.png", png()))


def test_an_archive_brings_its_folders_and_not_its_litter(project):
    content = archive(
        {
            "photos/1.png": png(),
            "photos/": b"",
            "photos/.DS_Store": b"x",
            "__MACOSX/photos/._1.png": b"x",
            "photos/Thumbs.db": b"x",
            "notes.txt": b"hello",
        }
    )

    outcome = upload(project, ("all.zip", content), folder="pilot")

    assert (outcome.added, refusals(outcome)) == (["pilot/photos/1.png"], {"pilot/notes.txt": "type"})


def test_an_archive_is_known_by_its_content_not_by_its_name(project):
    assert upload(project, ("1.png", archive({"2.png": png()}))).added == ["2.png"]
    assert refusals(upload(project, ("1.zip", b"PK\x03\x04broken"))) == {"1.zip": "broken"}
    assert refusals(upload(project, ("1.zip", archive({"2.png": png()})[:60]))) == {"1.zip": "broken"}


@pytest.mark.parametrize("name", ["../1.png", "/etc/1.png", "a/../../1.png", "a\\..\\1.png"])
def test_a_name_in_an_archive_leads_nowhere(project, name):
    outcome = upload(project, ("all.zip", archive({name: png(), "2.png": png()})))

    assert (names(project), list(refusals(outcome).values())) == (["2.png"], ["bad_name"])


def test_a_name_of_macos_is_read_as_it_was_meant(project):
    # Written as UTF-8 without the mark that says so.
    content = archive({"xx.png": png()}).replace(b"xx.png", "ü.png".encode())

    assert upload(project, ("all.zip", content)).added == ["ü.png"]


def test_a_bomb_is_not_unpacked(project, settings):
    settings.MEDIA_MAX_BYTES = 100_000
    bomb = archive({"0.png": png(), "1.wav": b"\0" * 50_000_000, "2.png": png(), "3.png": png()})
    assert len(bomb) < settings.MEDIA_MAX_BYTES

    outcome = upload(project, ("bomb.zip", bomb))

    assert outcome.added == ["0.png"]
    assert refusals(outcome) == {"1.wav": "too_large", "2 more in the archive": "too_large"}


def test_what_an_archive_says_of_sizes_is_not_believed(project, settings):
    settings.MEDIA_MAX_BYTES = 100_000
    content = archive({"1.wav": wav(30)})
    true = struct.pack("<I", len(wav(30)))
    assert content.count(true) == 2

    outcome = upload(project, ("lie.zip", content.replace(true, struct.pack("<I", 10))))

    assert not outcome.added
    assert set(refusals(outcome).values()) <= {"too_large", "broken"}


def test_several_large_members_are_too_large_together(project, settings):
    settings.MEDIA_MAX_BYTES = len(wav()) * 2 + 10

    outcome = upload(project, ("all.zip", archive({f"{n}.wav": wav() for n in range(3)})))

    assert (outcome.added, refusals(outcome)) == (["0.wav", "1.wav"], {"2.wav": "too_large"})


def test_an_archive_of_too_many_files_is_refused_unread(project, monkeypatch):
    monkeypatch.setattr(media_archives, "MAX_MEMBERS", 2)

    outcome = upload(project, ("all.zip", archive({f"{n}.png": png() for n in range(3)})))

    assert (outcome.added, refusals(outcome), outcome.status_code) == ([], {"all.zip": "too_many_files"}, 413)


def test_a_list_of_millions_is_not_even_read(project, monkeypatch):
    content = bytearray(archive({"1.png": png()}))
    end = content.rfind(b"PK\x05\x06")
    content[end + 12 : end + 16] = struct.pack("<I", 200_000_000)
    monkeypatch.setattr(zipfile, "ZipFile", None)

    assert refusals(upload(project, ("all.zip", bytes(content)))) == {"all.zip": "too_many_files"}


def test_locked_linked_and_oddly_packed_members_are_refused(project):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        made.writestr("locked.png", png())
        link = zipfile.ZipInfo("link.png")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        made.writestr(link, "/etc/passwd")
        made.writestr("odd.png", png(), zipfile.ZIP_BZIP2)
    content = bytearray(file.getvalue())
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        # The first member says that it takes a password.
        content[content.find(mark) + offset] |= 1

    outcome = upload(project, ("all.zip", bytes(content)))

    assert refusals(outcome) == {"locked.png": "encrypted", "link.png": "link", "odd.png": "packed"}


def test_a_member_that_is_broken_is_refused_and_the_others_taken(project):
    content = bytearray(archive({"1.png": png(), "2.png": png()}, packing=zipfile.ZIP_STORED))
    content[content.find(b"IDAT") + 5] ^= 0xFF

    outcome = upload(project, ("all.zip", bytes(content)))

    assert (outcome.added, refusals(outcome)) == (["2.png"], {"1.png": "broken"})


def test_an_archive_in_an_archive_is_refused(project):
    inner = archive({"1.png": png()})

    assert refusals(upload(project, ("all.zip", archive({"inner.zip": inner})))) == {"inner.zip": "type"}


def test_a_full_project_takes_no_more(project, settings):
    settings.MEDIA_MAX_PROJECT_BYTES = len(png()) + 5

    outcome = upload(project, ("1.png", png()), ("2.png", png(2, 2)))

    assert (outcome.added, refusals(outcome)) == (["1.png"], {"2.png": "project_full"})
    assert outcome.refused[0].status_code == 413
