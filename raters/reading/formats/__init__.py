"""The files of other programs that have a structure of their own, a module for each program."""

from raters.reading.formats.annotators import ANNOTATORS
from raters.reading.formats.argilla import ARGILLA
from raters.reading.formats.doccano import DOCCANO
from raters.reading.formats.label_studio import LABEL_STUDIO, LABEL_STUDIO_ROWS
from raters.reading.formats.prodigy import PRODIGY
from raters.reading.records import Format

FORMATS: tuple[Format, ...] = (LABEL_STUDIO, LABEL_STUDIO_ROWS, DOCCANO, PRODIGY, ARGILLA, ANNOTATORS)
