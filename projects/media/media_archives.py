"""The files of an uploaded ZIP archive, each read up to its size limit."""

import stat
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from typing import BinaryIO

from projects.media.refusals import MediaRefused

MAX_MEMBERS = 5_000
# Space for this many entries with names of any length; a longer directory is not even read.
_MAX_LIST = 8 * 1024 * 1024
_BLOCK = 256 * 1024
_IS_UTF8, _IS_ENCRYPTED = 0x800, 0x1
_UNPACKED = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
_LITTER = {"Thumbs.db", "desktop.ini"}
# Offsets in the archive's end record.
_SIZE_OF_LIST = 5


def is_archive(file: BinaryIO) -> bool:
    file.seek(0)
    return file.read(4) in {b"PK\x03\x04", b"PK\x05\x06"}


def members_of(file: BinaryIO) -> list[zipfile.ZipInfo]:
    """The files of an archive, without folders and system files; raises MediaRefused."""
    try:
        # Checked before ZipFile is used: it loads the whole directory into memory, even millions of entries.
        end = zipfile._EndRecData(file)  # type: ignore[attr-defined]
        if end and end[_SIZE_OF_LIST] > _MAX_LIST:
            raise _too_many()
        with zipfile.ZipFile(file) as archive:
            found = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise MediaRefused("broken", "The archive is damaged or incomplete.") from error
    members = [member for member in found if not member.is_dir() and not _is_litter(name_of(member))]
    if len(members) > MAX_MEMBERS:
        raise _too_many()
    return members


def _too_many() -> MediaRefused:
    sentence = f"An archive can contain at most {MAX_MEMBERS:,} files. Split it into several."
    return MediaRefused("too_many_files", sentence, status_code=413)


def _is_litter(name: str) -> bool:
    """System files that macOS and Windows add."""
    parts = name.split("/")
    return parts[0] == "__MACOSX" or parts[-1] in _LITTER or parts[-1].startswith(".")


def name_of(member: zipfile.ZipInfo) -> str:
    """The intended name: macOS writes UTF-8 without the flag."""
    # ZipFile replaces Windows separators with /, and ends the name at a NUL.
    if member.flag_bits & _IS_UTF8:
        return member.filename
    try:
        return member.filename.encode("cp437").decode("utf-8")
    except (UnicodeEncodeError, UnicodeDecodeError):
        return member.filename


def unpacked(archive: zipfile.ZipFile, member: zipfile.ZipInfo, *, most: int) -> BinaryIO:
    """The member as a temporary file; its declared size is not trusted. Raises MediaRefused."""
    if member.flag_bits & _IS_ENCRYPTED:
        raise MediaRefused("encrypted", "Password-protected. Upload the archive without a password.")
    if stat.S_ISLNK(member.external_attr >> 16):
        raise MediaRefused("link", "Not a file, but a link to one.")
    if member.compress_type not in _UNPACKED:
        raise MediaRefused("packed", "Unsupported compression method. Create a standard ZIP archive.")
    file = tempfile.TemporaryFile()  # noqa: SIM115  Closed by the caller, or below.
    try:
        for block in _blocks(archive, member, most=most):
            file.write(block)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError) as error:
        file.close()
        raise MediaRefused("broken", "Damaged in the archive.") from error
    except BaseException:
        file.close()
        raise
    return file


def _blocks(archive: zipfile.ZipFile, member: zipfile.ZipInfo, *, most: int) -> Iterator[bytes]:
    n_bytes = 0
    with archive.open(member) as stream:
        while block := stream.read(_BLOCK):
            n_bytes += len(block)
            if n_bytes > most:
                raise MediaRefused("too_large", "The upload is too large when uncompressed.", status_code=413)
            yield block
