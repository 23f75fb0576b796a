"""The kinds of files that can be imported, by the kind of the import."""

from dataclasses import dataclass
from math import inf

from projects.access import AnyUser
from projects.codebook.imports import QuestionFile
from projects.imports.protocol import PREVIEWED, FileOpener, ImportContext, ImportFile, ReadingOptions
from projects.imports.read_options import ReadOptions
from projects.items.imports import ItemFile
from projects.items.item_columns import ItemOptions
from projects.models import Project
from raters.access import refuse_blind_to
from raters.imports.label_file import LabelFile
from raters.imports.label_options import LabelOptions
from raters.imports.uploads import stored
from raters.models import LabelImport

Kind = LabelImport.Kind


@dataclass(frozen=True, slots=True)
class FileKind:
    """most_at_once: of how many rows a file is loaded within a request; a worker loads a larger one."""

    open: FileOpener
    options: type[LabelOptions] | type[ReadOptions]
    most_at_once: float


KINDS: dict[str, FileKind] = {
    Kind.LABELS: FileKind(LabelFile, LabelOptions, most_at_once=0),
    Kind.ITEMS: FileKind(ItemFile, ItemOptions, most_at_once=PREVIEWED),
    Kind.QUESTIONS: FileKind(QuestionFile, ReadOptions, most_at_once=inf),
}


def refuse_while_labeling(user: AnyUser, project: Project, kind: str) -> None:
    """Raise LabelsHidden for labels, whose preview reveals other raters' answers; other kinds reveal nothing."""
    if kind == Kind.LABELS:
        refuse_blind_to(user, project, None, about="import of labels")


def opened(
    run: LabelImport, options: ReadingOptions | None = None, *, how: ImportContext | None = None
) -> ImportFile:
    """Open the file of an import with these options, or as it was read before."""
    kind = KINDS[run.kind]
    how = how or ImportContext(by=run.asked_by, origin=run.origin, name=run.file_name, n_bytes=run.n_bytes)
    return kind.open(run.project, stored(run), options or kind.options.from_json(run.options), how)
