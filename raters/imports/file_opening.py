"""Open a file of labels, or the files in an archive."""

from collections.abc import Iterator
from contextlib import contextmanager

from core.tables.archives import is_zip, members
from core.tables.encoding import Source, head
from core.tables.faults import Faults, FileRefused
from core.tables.formats import SHEETS, format_of
from raters.reading.formats.inception_documents import PACKED_DOCUMENT
from raters.reading.records import Files, InputFile


@contextmanager
def opened_files(name: str, source: Source, faults: Faults) -> Iterator[Files]:
    """Yield the file or, if it is an archive other than a workbook, the files in it."""
    if is_zip(head(source)) and not _is_workbook(source):
        with members(source, faults, packed=PACKED_DOCUMENT) as found:
            yield [InputFile(member, of_member) for member, of_member in found]
    else:
        yield [InputFile(name, source)]


def _is_workbook(source: Source) -> bool:
    try:
        return format_of(source, Faults()) in SHEETS
    except FileRefused:
        return False
