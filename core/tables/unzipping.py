"""Opens untrusted ZIP archives: the directory is checked before anything is unpacked."""

import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from core.tables.faults import Faults

ZIP_MARK = b"PK\x03\x04"
MAX_MEMBERS = 10_000
MAX_UNPACKED = 2 * 1024**3
# Compressed text is seldom below 2% of its size, except for sheets of equal rows. Small files are not checked.
MAX_RATIO = 500
_SMALL = 32 * 1024**2
# The directory of that many members, with names of ordinary length.
_MAX_DIRECTORY = 4 * 1024**2
_END, _END_64, _LOCATOR_64 = b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07"
_ENCRYPTED = 0x1
BAD_ZIP = (
    zipfile.BadZipFile,
    NotImplementedError,
    EOFError,
    OSError,
    ValueError,
    OverflowError,
    struct.error,
    zlib.error,
)


@contextmanager
def opened_zip(file: IO[bytes], faults: Faults) -> Iterator[zipfile.ZipFile]:
    """The archive, if its directory is sound; raises FileRefused."""
    try:
        if _directory_size(file) > _MAX_DIRECTORY:
            raise _too_many(faults)
        archive = zipfile.ZipFile(file)
    except BAD_ZIP:
        rule = "the ZIP archive is damaged or was cut off; save or pack it again"
        raise faults.refuse(0, "", "", "damaged_file", rule) from None
    with archive:
        _check(archive.infolist(), faults)
        yield archive


def _check(members: list[zipfile.ZipInfo], faults: Faults) -> None:
    if len(members) > MAX_MEMBERS:
        raise _too_many(faults)
    n_bytes = sum(member.file_size for member in members)
    n_packed = sum(member.compress_size for member in members)
    if n_bytes > MAX_UNPACKED or (n_bytes > _SMALL and n_bytes > MAX_RATIO * n_packed):
        rule = f"the archive unpacks to {n_bytes / 1e9:,.1f} GB, which is too much; split it"
        raise faults.refuse(0, "", "", "zip_too_large", rule)
    for member in members:
        if member.flag_bits & _ENCRYPTED:
            rule = "the archive is protected by a password; pack it without one"
            raise faults.refuse(0, "", member.filename, "encrypted", rule)


def _too_many(faults: Faults) -> Exception:
    rule = f"a ZIP archive can have at most {MAX_MEMBERS:,} files; split it"
    return faults.refuse(0, "", "", "too_many_files", rule)


def _directory_size(file: IO[bytes]) -> int:
    """As stated at the end of the archive, which zipfile relies on; 0 if there is no end record."""
    size = file.seek(0, 2)
    start = max(0, size - 65_557)
    file.seek(start)
    tail = file.read()
    at = tail.rfind(_END)
    if at < 0:
        return 0
    n_bytes: int = struct.unpack_from("<L", tail, at + 12)[0]
    if tail[max(0, at - 20) : at].startswith(_LOCATOR_64):
        (place,) = struct.unpack_from("<Q", tail, at - 12)
        file.seek(max(0, min(place, size)))
        record = file.read(56)
        if record.startswith(_END_64):
            n_bytes = struct.unpack_from("<Q", record, 40)[0]
    file.seek(0)
    return n_bytes
