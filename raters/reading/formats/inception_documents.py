"""INCEpTION: one document as one user left it, whatever format it has."""

import io
import zipfile
import zlib
from collections.abc import Iterator

from core.tables.faults import Faults
from core.tables.sources import bytes_of
from raters.reading.formats.inception_answers import ORIGINAL, DocumentAnswers
from raters.reading.formats.inception_cas import count_tsv, read_cas
from raters.reading.formats.inception_projects import ExportedProject
from raters.reading.formats.json_records import json_head
from raters.reading.formats.opening import (
    beginning,
    extension,
    first_bytes,
    parts_of,
    stem,
    whole_text,
)
from raters.reading.records import (
    InputFile,
    ItemRecord,
    LeftOut,
)

TSV_MARK = "#FORMAT=WebAnno TSV 3"
# A document in an archive of its own beside its type system; members, and bytes of all of them.
_MAX_MEMBERS, _MAX_UNPACKED = 50, 64 * 1024 * 1024


def read_document(
    file: InputFile, project: ExportedProject, found: DocumentAnswers, left_out: LeftOut, faults: Faults
) -> Iterator[ItemRecord]:
    """One document as one user left it: annotation/<document>/<user>.<extension>."""
    parts = parts_of(file)
    if project.is_whole and not {"annotation", "curation"} & set(parts[:-2]):
        # Sources, logs, and the binary copy of the same annotations.
        return
    if stem(file) == ORIGINAL:
        return
    if beginning(file, 40).startswith(TSV_MARK):
        count_tsv(whole_text(file, faults), left_out)
    elif first_bytes(file.source, 4) == b"PK\x03\x04":
        yield from _read_packed(file, project, found, left_out, faults)
    elif json_head(file, "%FEATURE_STRUCTURES") or json_head(file, "%TYPES"):
        yield from read_cas(file, project, found, left_out, faults)
    elif extension(file) in ("xmi", "xml"):
        left_out["documents in XMI"] += 1
    elif project.is_whole:
        left_out["documents in other formats"] += 1


def _read_packed(
    file: InputFile, project: ExportedProject, found: DocumentAnswers, left_out: LeftOut, faults: Faults
) -> Iterator[ItemRecord]:
    """A document that comes zipped with its type system."""
    packed = b""
    for block in file.source():
        packed += block
        if len(packed) > _MAX_UNPACKED:
            raise faults.refuse(0, "", "", "archive", f"must have at most {_MAX_UNPACKED:,} bytes")
    try:
        with zipfile.ZipFile(io.BytesIO(packed)) as archive:
            members = archive.infolist()
            n_bytes = sum(member.file_size for member in members)
            if len(members) > _MAX_MEMBERS or n_bytes > _MAX_UNPACKED:
                rule = (
                    f"the archive in it can have {_MAX_MEMBERS} members and {_MAX_UNPACKED:,} bytes at most"
                )
                raise faults.refuse(0, "", "", "archive", rule)
            for member in members:
                kind = member.filename.rpartition(".")[2].lower()
                if kind == "xmi":
                    left_out["documents in XMI"] += 1
                elif kind in ("json", "tsv"):
                    name = f"{file.name.rpartition('.')[0]}.{kind}"
                    opened = InputFile(name, bytes_of(archive.read(member)))
                    yield from read_document(opened, project, found, left_out, faults)
    except (zipfile.BadZipFile, OSError, EOFError, RuntimeError, NotImplementedError, ValueError) as error:
        raise faults.refuse(0, "", "", "archive", f"the archive can’t be opened: {error}") from None
    except zlib.error:
        raise faults.refuse(0, "", "", "archive", "the archive is damaged; export it again") from None
