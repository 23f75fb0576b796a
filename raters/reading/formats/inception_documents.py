"""INCEpTION: one user's version of one document, in any format."""

import re
from collections.abc import Iterator

from core.tables.faults import Faults
from core.tables.seekable_files import as_file
from core.tables.sources import bytes_of
from core.tables.unzipping import BAD_ZIP, MAX_UNPACKED, ZIP_MARK, opened_zip
from raters.reading.formats.inception_answers import ORIGINAL, DocumentAnswers
from raters.reading.formats.inception_cas import count_tsv, read_cas, read_structures
from raters.reading.formats.inception_projects import ExportedProject
from raters.reading.formats.inception_xmi import Types, is_type_system, is_xmi, types_in, xmi_as_cas
from raters.reading.formats.json_records import json_head
from raters.reading.formats.opening import (
    extension,
    first_bytes,
    first_characters,
    parts_of,
    read_text,
    stem,
)
from raters.reading.records import (
    InputFile,
    ItemRecord,
    LeftOut,
)

TSV_MARK = "#FORMAT=WebAnno TSV 3"
# A document may be in its own archive with its type system; limits of its files and their total bytes.
PACKED_DOCUMENT = re.compile(r"(^|/)(annotation|curation)/[^/]+/[^/]+\.zip$", re.IGNORECASE)
_MAX_MEMBERS, _MAX_UNPACKED = 50, 64 * 1024 * 1024


def read_document(
    file: InputFile,
    project: ExportedProject,
    found: DocumentAnswers,
    left_out: LeftOut,
    faults: Faults,
    types: Types,
) -> Iterator[ItemRecord]:
    """Read one user's version of a document: annotation/<document>/<user>.<extension>. types: for XMI."""
    parts = parts_of(file)
    if project.is_whole and not {"annotation", "curation"} & set(parts[:-2]):
        # Sources, logs, and binary copies of the same annotations.
        return
    if stem(file) == ORIGINAL:
        return
    if first_characters(file, 40).startswith(TSV_MARK):
        count_tsv(read_text(file, faults), left_out)
    elif first_bytes(file.source, 4) == ZIP_MARK:
        yield from _read_packed(file, project, found, left_out, faults)
    elif json_head(file, "%FEATURE_STRUCTURES") or json_head(file, "%TYPES"):
        yield from read_cas(file, project, found, left_out, faults)
    elif extension(file) == "xmi" or is_xmi(file):
        yield from read_structures(xmi_as_cas(file, types, faults), file, project, found, left_out, faults)
    elif is_type_system(file):
        return
    elif project.is_whole:
        left_out["documents in other formats"] += 1


def _read_packed(
    file: InputFile, project: ExportedProject, found: DocumentAnswers, left_out: LeftOut, faults: Faults
) -> Iterator[ItemRecord]:
    """Read a document that is zipped with its type system."""
    with as_file(file.source) as packed, opened_zip(packed, faults) as archive:
        members = archive.infolist()
        n_bytes = sum(member.file_size for member in members)
        project.n_unpacked += n_bytes
        if len(members) > _MAX_MEMBERS or n_bytes > _MAX_UNPACKED:
            rule = f"a packed document can have {_MAX_MEMBERS} files and {_MAX_UNPACKED:,} bytes at most"
            raise faults.refuse(0, "", "", "zip_too_large", rule)
        if project.n_unpacked > MAX_UNPACKED:
            rule = f"the packed documents unpack to more than {MAX_UNPACKED:,} bytes; export fewer of them"
            raise faults.refuse(0, "", "", "zip_too_large", rule)
        opened = []
        for member in members:
            kind = member.filename.rpartition(".")[2].lower()
            if kind == "zip":
                rule = "there is an archive in the packed document; export the project again"
                raise faults.refuse(0, "", member.filename, "nested_archive", rule)
            if kind not in ("xmi", "xml", "json", "tsv"):
                continue
            try:
                content = archive.read(member)
            except (*BAD_ZIP, RuntimeError):
                rule = "the packed document is damaged; export the project again"
                raise faults.refuse(0, "", member.filename, "damaged_file", rule) from None
            opened.append(InputFile(f"{file.name.rpartition('.')[0]}.{kind}", bytes_of(content)))
    types = types_in(opened, faults)
    for each in opened:
        yield from read_document(each, project, found, left_out, faults, types)
