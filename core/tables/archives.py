"""The files in an uploaded ZIP archive."""

import re
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from core.tables.encoding import Source
from core.tables.faults import Faults
from core.tables.seekable_files import as_file
from core.tables.sources import BLOCK
from core.tables.unzipping import BAD_ZIP, ZIP_MARK, opened_zip

# Files that file managers add to archives by themselves, and notes to readers.
_NOT_OURS = re.compile(
    r"(^|/)(__MACOSX/|\.DS_Store$|Thumbs\.db$|desktop\.ini$|\._|(?i:read[ _-]?me|licen[cs]e)(\.(txt|md|rst))?$)"
)
_OUTSIDE = re.compile(r"^[/\\]|^[A-Za-z]:|(^|[/\\])\.\.([/\\]|$)")
_ARCHIVES = (".zip", ".7z", ".rar", ".tar", ".gz", ".tgz", ".bz2", ".xz")
# Workbooks are ZIP archives, too.
_WORKBOOKS = (".xlsx", ".xlsm", ".ods")

Member = tuple[str, Source]


def is_zip(start: bytes) -> bool:
    return start.startswith(ZIP_MARK)


@contextmanager
def members(
    source: Source, faults: Faults, *, packed: re.Pattern[str] | None = None
) -> Iterator[Sequence[Member]]:
    """Name and source of each file in the archive, in its order; readable until the end of the block.

    packed: the names of files that may be archives themselves, for which their reader is responsible.
    """
    with as_file(source) as file, opened_zip(file, faults) as archive:
        infos = [
            info for info in archive.infolist() if not info.is_dir() and not _NOT_OURS.search(info.filename)
        ]
        if not infos:
            raise faults.refuse(0, "", "", "empty_file", "the ZIP archive has no files")
        found = []
        for info in infos:
            may_be_packed = packed is not None and packed.search(info.filename) is not None
            _check(info, faults, may_be_packed=may_be_packed)
            found.append((info.filename, _source_of(archive, info, faults, may_be_packed=may_be_packed)))
        yield found


def _check(info: zipfile.ZipInfo, faults: Faults, *, may_be_packed: bool) -> None:
    name = info.filename
    if _OUTSIDE.search(info.orig_filename) or "\0" in info.orig_filename:
        rule = "the path leads out of the archive; pack the archive again"
        raise faults.refuse(0, "", name, "bad_name", rule)
    if name.lower().endswith(_ARCHIVES) and not may_be_packed:
        rule = "this is an archive inside the archive; unpack it first"
        raise faults.refuse(0, "", name, "nested_archive", rule)


def _source_of(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, faults: Faults, *, may_be_packed: bool
) -> Source:
    may_be_packed = may_be_packed or info.filename.lower().endswith(_WORKBOOKS)

    def blocks() -> Iterator[bytes]:
        try:
            with archive.open(info) as file:
                is_first = True
                while block := file.read(BLOCK):
                    if is_first and is_zip(block) and not may_be_packed:
                        rule = "this is an archive inside the archive; unpack it first"
                        raise faults.refuse(0, "", info.filename, "nested_archive", rule)
                    yield block
                    is_first = False
        except BAD_ZIP:
            rule = "this file is damaged and can’t be unpacked; pack the archive again"
            raise faults.refuse(0, "", info.filename, "damaged_file", rule) from None

    return blocks
