"""The kinds of files that are imported, by what an import says of itself."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from projects.codebook.imports import FileOfQuestions
from projects.imports.options import ReadOptions
from projects.imports.protocol import ImportFile, Loading, OpenFile, ReadingOptions
from projects.items.imports import FileOfItems
from raters.imports.label_file import FileOfLabels
from raters.imports.options import LabelOptions
from raters.imports.uploads import stored
from raters.models import LabelImport

Kind = LabelImport.Kind


@dataclass(frozen=True, slots=True)
class FileKind:
    """is_queued: they may be so long that a worker loads them."""

    open: OpenFile
    options_of: Callable[[dict[str, Any]], ReadingOptions]
    is_queued: bool = False


KINDS: dict[str, FileKind] = {
    Kind.LABELS: FileKind(FileOfLabels, LabelOptions.from_json, is_queued=True),
    Kind.ITEMS: FileKind(FileOfItems, ReadOptions.from_json),
    Kind.QUESTIONS: FileKind(FileOfQuestions, ReadOptions.from_json),
}


def opened(
    run: LabelImport, options: ReadingOptions | None = None, *, how: Loading | None = None
) -> ImportFile:
    """The file that an import holds, read as these options say, or as it was read before."""
    kind = KINDS[run.kind]
    how = how or Loading(by=run.asked_by, origin=run.origin)
    return kind.open(run.project, stored(run), options or kind.options_of(run.options), how)
