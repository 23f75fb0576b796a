"""What a file is, by its content alone."""

import io

import pytest

from projects.media.file_types import HEAD, fits, type_of
from projects.media.image_sizes import MAX_PIXELS, size_of
from projects.media.names import clean_name, in_folder, name_in, spellings
from projects.media.refusals import MediaRefused
from tests.pictures import SVG, archive, image, mp4, png, wav

MP3 = b"\xff\xfb\x90\x64" + b"\0" * 60


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (png(), "image/png"),
        (image("JPEG"), "image/jpeg"),
        (image("GIF"), "image/gif"),
        (image("WEBP"), "image/webp"),
        (image("AVIF", 16, 16), "image/avif"),
        (wav(0.01), "audio/wav"),
        (MP3, "audio/mpeg"),
        (b"ID3\x04" + MP3, "audio/mpeg"),
        (b"OggS\0\2" + b"\0" * 22 + b"\1\x13OpusHead", "audio/ogg"),
        (b"fLaC" + b"\0" * 40, "audio/flac"),
        (mp4(b"M4A "), "audio/mp4"),
        (mp4(), "video/mp4"),
        (b"\x1a\x45\xdf\xa3\x9f\x42\x82\x84webm", "video/webm"),
    ],
)
def test_what_is_taken(content, found):
    assert type_of(content[:HEAD]) == found


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (SVG, "SVG is not supported because it can contain scripts"),
        (b'\xef\xbb\xbf\n<?xml version="1.0"?><!-- x --><SVG>', "SVG is not supported"),
        (b"<!-- x --><svg>", "SVG is not supported"),
        (b"<html><script>alert(1)</script>", "Unsupported file type"),
        (b"just text", "Unsupported file type"),
        (b"%PDF-1.7", "PDF is not supported"),
        (b"II*\0", "TIFF is not supported"),
        (b"BM\0\0", "BMP is not supported"),
        (archive({"a": b"b"}), "Nested archives"),
        (mp4(b"heic"), "HEIC is not supported"),
        (mp4(b"qt  "), "QuickTime video is not supported"),
        (mp4(b"3gp4"), "Save it as a standard MP4"),
        (b"\x1a\x45\xdf\xa3\xa3\x42\x82\x88matroska", "Matroska video is not supported"),
        (b"OggS\0\2" + b"\0" * 22 + b"\x80theora", "Unsupported file type"),
        (b"RIFF\0\0\0\0AVI LIST", "Unsupported file type"),
        # AAC without a container begins almost like MP3.
        (b"\xff\xf1\x50\x80", "Unsupported file type"),
        (b"\xff\xfe\0\0", "Unsupported file type"),
        (b"\xff", "Unsupported file type"),
    ],
)
def test_rejected_files_are_listed_with_reasons(content, words):
    with pytest.raises(MediaRefused, match="Supported types: PNG, JPEG") as refusal:
        type_of(content[:HEAD])

    assert words in str(refusal.value)


@pytest.mark.parametrize(
    ("field", "media_type", "answer"),
    [
        ("image", "image/png", True),
        ("image", "video/mp4", False),
        ("audio", "audio/mpeg", True),
        ("audio", "video/webm", True),
        ("video", "video/mp4", True),
        ("video", "audio/mpeg", False),
    ],
)
def test_which_field_shows_which_file(field, media_type, answer):
    assert fits(field, media_type) is answer


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP", "AVIF"])
def test_size_of_an_image(kind):
    assert size_of(io.BytesIO(image(kind, 30, 20)), f"image/{kind.lower()}") == (30, 20)


@pytest.mark.parametrize(
    ("orientation", "size"), [(1, (30, 20)), (3, (30, 20)), (6, (20, 30)), (8, (20, 30))]
)
def test_a_photo_on_its_side_is_as_high_as_it_is_seen(orientation, size):
    assert size_of(io.BytesIO(image("JPEG", 30, 20, orientation=orientation)), "image/jpeg") == size


@pytest.mark.parametrize("content", [png()[:20], b"\x89PNG\r\n\x1a\n", png()[:16] + b"\0" * 40])
def test_a_broken_image_is_refused(content):
    with pytest.raises(MediaRefused, match="damaged"):
        size_of(io.BytesIO(content), "image/png")


def test_an_image_too_large_to_be_shown_is_refused_unseen():
    # The header alone says so: 60,000 × 60,000, in a file of a hundred bytes.
    wide = (60_000).to_bytes(4, "big")
    content = bytearray(png())
    content[16:24] = wide + wide
    content[29:33] = _crc(bytes(content[12:29]))

    with pytest.raises(MediaRefused, match=f"maximum is {MAX_PIXELS:,}"):
        size_of(io.BytesIO(bytes(content)), "image/png")


def _crc(chunk: bytes) -> bytes:
    import zlib

    return zlib.crc32(chunk).to_bytes(4, "big")


@pytest.mark.parametrize(
    "name", ["1.png", "photos/1.png", "a b/ü 1.png", "Screenshot at 9.41\u202fAM.png", "...png"]
)
def test_names_that_are_kept(name):
    assert clean_name(name) == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        "x" * 201,
        "/etc/passwd",
        "../1.png",
        "photos/../../1.png",
        "photos//1.png",
        "photos/./1.png",
        "photos/",
        "photos\\1.png",
        "C:\\1.png",
        "a\0b.png",
        "a\nb.png",
        "a\x1bb.png",
        "a\u202egnp.exe",
        "a\ud800b",
        " / ",
    ],
)
def test_names_that_are_refused(name):
    with pytest.raises(MediaRefused) as refusal:
        clean_name(name)

    assert refusal.value.code == "bad_name"


def test_names_are_composed_and_found_however_they_are_written():
    decomposed = "u\u0308.png"

    assert clean_name(decomposed) == name_in(f" ./{decomposed} ") == "ü.png"
    assert set(spellings("ü.png")) == {"ü.png", decomposed, "./ü.png", f"./{decomposed}"}
    assert (in_folder(" photos/ ", "1.png"), in_folder("", "1.png")) == ("photos/1.png", "1.png")
