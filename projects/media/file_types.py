"""Detects the type of a file from its first bytes, not from its name or its Content-Type."""

from projects.media.refusals import MediaRefused

HEAD = 4096
# Types that every current browser shows natively and that can't contain scripts.
TAKEN = "PNG, JPEG, GIF, WebP, AVIF; MP3, WAV, Ogg, M4A, FLAC; MP4, WebM"

_BEGINNINGS = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
    b"fLaC": "audio/flac",
    b"ID3": "audio/mpeg",
}
_RIFF = {b"WEBP": "image/webp", b"WAVE": "audio/wav"}
_MP4 = {
    b"avif": "image/avif",
    b"avis": "image/avif",
    b"M4A ": "audio/mp4",
    b"M4B ": "audio/mp4",
    b"isom": "video/mp4",
    b"iso2": "video/mp4",
    b"iso4": "video/mp4",
    b"iso5": "video/mp4",
    b"iso6": "video/mp4",
    b"mp41": "video/mp4",
    b"mp42": "video/mp4",
    b"avc1": "video/mp4",
    b"dash": "video/mp4",
    b"M4V ": "video/mp4",
    b"MSNV": "video/mp4",
}
_OTHERS = {
    b"%PDF": "PDF is not supported. Save its pages as PNG.",
    b"II*\0": "TIFF is not supported by browsers. Save it as PNG.",
    b"MM\0*": "TIFF is not supported by browsers. Save it as PNG.",
    b"BM": "BMP is not supported. Save it as PNG.",
    b"PK\x03\x04": "Nested archives and documents are not supported. Upload the files they contain.",
}
_HEIC = {b"heic", b"heix", b"mif1", b"msf1"}


def type_of(head: bytes) -> str:
    """The media type of a file with this beginning; raises MediaRefused for types that are not listed."""
    for beginning, found in _BEGINNINGS.items():
        if head.startswith(beginning):
            return found
    found = _in_container(head)
    if found:
        return found
    raise MediaRefused("type", f"{_reason(head)} Supported types: {TAKEN}.")


def _in_container(head: bytes) -> str:
    if head[:4] == b"RIFF":
        return _RIFF.get(head[8:12], "")
    if head[4:8] == b"ftyp":
        return _MP4.get(head[8:12], "")
    if head[:4] == b"OggS" and b"theora" not in head:
        return "audio/ogg"
    if head[:4] == b"\x1a\x45\xdf\xa3" and b"webm" in head[:64]:
        return "video/webm"
    return "audio/mpeg" if _is_mp3_frame(head) else ""


def _is_mp3_frame(head: bytes) -> bool:
    """An MP3 without a tag begins with the header of its first frame: sync, version, layer III, rates that exist."""
    if len(head) < 4 or head[0] != 0xFF or head[1] & 0xE0 != 0xE0:
        return False
    version, layer = head[1] >> 3 & 3, head[1] >> 1 & 3
    bitrate, rate = head[2] >> 4, head[2] >> 2 & 3
    return version != 1 and layer == 1 and bitrate not in {0, 15} and rate != 3


def _reason(head: bytes) -> str:
    for beginning, sentence in _OTHERS.items():
        if head.startswith(beginning):
            return sentence
    if head[4:8] == b"ftyp":
        return _reason_of_mp4(head[8:12])
    if head[:4] == b"\x1a\x45\xdf\xa3":
        return "Matroska video is not supported by browsers. Save it as MP4 or WebM."
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if text.startswith(b"<svg") or (
        text.startswith((b"<?xml", b"<!--", b"<!doctype svg")) and b"<svg" in text
    ):
        return "SVG is not supported because it can contain scripts. Save it as PNG."
    return "Unsupported file type (detected from its content)."


def _reason_of_mp4(brand: bytes) -> str:
    if brand in _HEIC:
        return "HEIC is not supported by most browsers. Save it as JPEG."
    if brand == b"qt  ":
        return "QuickTime video is not supported by most browsers. Save it as MP4."
    return "This MP4 variant may not be supported by browsers. Save it as a standard MP4."


def fits(kind_of_field: str, media_type: str) -> bool:
    """Whether a field of an item can show a file; a video container may contain only audio."""
    group = media_type.partition("/")[0]
    return group == kind_of_field or (kind_of_field == "audio" and group == "video")
