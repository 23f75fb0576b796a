"""The archive format of a project file: its manifest, its pieces, and the messages for invalid files."""

import json
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from core.refusals import Refused
from core.tables.faults import shown
from raters.archive.contents import FORMAT, Row, kinds_in
from raters.archive.project_export import MANIFEST, PEOPLE

BLOCK = 1 << 16
# Also limits the manifest, so that a small archive cannot exhaust memory.
MAX_LINE = 64 << 20
# Enough for 100,000 media files: unlike lines of tables, it is in memory as a whole.
MAX_MANIFEST = 16 << 20
MAX_COUNT = 2**31


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem in one file of the archive; line 0 stands for the whole file."""

    file: str
    line: int
    column: str
    rule: str

    def __str__(self) -> str:
        place = self.file + (f", line {self.line:,}" if self.line else "")
        return f"{place}, {self.column}: {self.rule}" if self.column else f"{place}: {self.rule}"


class BadProjectFile(Refused):
    """A file that is not a project file, is incomplete, or has invalid contents; the message says what is wrong."""

    code, status_code = "bad_project_file", 400

    def __init__(self, sentence: str, problems: tuple[Problem, ...] = ()) -> None:
        super().__init__(sentence)
        self.problems = problems
        self.errors = [
            {
                "file": one.file,
                "line": one.line,
                "column": one.column,
                "code": "bad_value",
                "detail": one.rule,
            }
            for one in problems
        ]

    @classmethod
    def of(cls, problems: list[Problem]) -> "BadProjectFile":
        more = f" There are {len(problems) - 1} more problems." if len(problems) > 1 else ""
        return cls(
            f"{problems[0]}.{more} Nothing was imported. Export the project again, and do not edit the file.",
            tuple(problems),
        )


def opened(file: BinaryIO) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(file)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise BadProjectFile("This is not a project file, or it is incomplete.") from error


def pieces(archive: zipfile.ZipFile, name: str) -> Iterator[bytes]:
    """Yield the blocks of a media file, or the lines of any other file."""
    try:
        with archive.open(name) as file:
            if name.startswith("media/"):
                yield from iter(lambda: file.read(BLOCK), b"")
            else:
                yield from iter(lambda: file.readline(MAX_LINE), b"")
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError) as error:
        raise BadProjectFile(f"{name} is damaged. Export the project again.") from error


def manifest_of(archive: zipfile.ZipFile) -> Row:
    try:
        if archive.getinfo(MANIFEST).file_size > MAX_MANIFEST:
            raise BadProjectFile(f"The manifest is larger than {MAX_MANIFEST:,} bytes.")
        with archive.open(MANIFEST) as file:
            found = json.loads(file.read(MAX_MANIFEST))
    except (KeyError, ValueError, RecursionError, zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise BadProjectFile("This is not a project file: it has no manifest.") from error
    if not isinstance(found, dict) or not isinstance(found.get("files"), dict):
        raise BadProjectFile("This is not a project file: its manifest lists no files.")
    if found.get("program") != "interrater" or found.get("format") != FORMAT:
        raise BadProjectFile(f"This file has a different format. This version reads format {FORMAT} only.")
    names, expected = archive.namelist(), found["files"]
    if sorted(names) != sorted([*expected, MANIFEST]):
        odd = ", ".join(sorted({*names, MANIFEST} ^ {*expected, MANIFEST})) or "one is a duplicate"
        raise BadProjectFile(f"The manifest does not match the files: {odd}.")
    _check_manifest(found)
    return found


def _check_manifest(found: Row) -> None:
    """Check the names and numbers in the manifest before they are used."""
    problems: list[Problem] = []
    kinds = kinds_in(found)
    rows = {kind.file_name for kind in kinds} | {PEOPLE}
    files = found["files"]
    for name in sorted(rows - files.keys()):
        problems.append(Problem(MANIFEST, 0, "files", f"{name} is missing"))
    for name, entry in files.items():
        if name not in rows and not name.startswith("media/"):
            problems.append(Problem(MANIFEST, 0, "files", f"{shown(name)} is unknown"))
        if not isinstance(entry, dict) or entry.keys() != {"n", "sha256"} or not _is_count(entry["n"]):
            problems.append(Problem(MANIFEST, 0, "files", f"{shown(name)} must have a count and a digest"))
    gone = found.get("gone")
    if not isinstance(gone, dict) or gone.keys() != {kind.name for kind in kinds}:
        problems.append(Problem(MANIFEST, 0, "gone", "must have a count for each table"))
    elif not all(map(_is_count, gone.values())):
        problems.append(Problem(MANIFEST, 0, "gone", "must be integers from 0"))
    if found.keys() != {"format", "program", "files", "gone", "head_of_history"}:
        problems.append(
            Problem(MANIFEST, 0, "", "has entries that do not belong in a manifest of this format")
        )
    if problems:
        raise BadProjectFile.of(problems)


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value <= MAX_COUNT
