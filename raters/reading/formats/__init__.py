"""File formats of other programs, one module per program."""

from raters.reading.formats.annotators import ANNOTATORS
from raters.reading.formats.argilla import ARGILLA
from raters.reading.formats.brat import BRAT
from raters.reading.formats.cvat import CVAT
from raters.reading.formats.doccano import DOCCANO
from raters.reading.formats.final_labels import FINAL_LABELS
from raters.reading.formats.inception import INCEPTION
from raters.reading.formats.label_studio import LABEL_STUDIO
from raters.reading.formats.label_studio_rows import LABEL_STUDIO_ROWS
from raters.reading.formats.mturk import MTURK
from raters.reading.formats.odk import ODK
from raters.reading.formats.potato import POTATO
from raters.reading.formats.prodigy import PRODIGY
from raters.reading.formats.qualtrics import QUALTRICS
from raters.reading.formats.rayyan import RAYYAN
from raters.reading.formats.refi_qda import REFI_QDA
from raters.reading.formats.scale import SCALE
from raters.reading.formats.superannotate import SUPERANNOTATE
from raters.reading.formats.toloka import TOLOKA
from raters.reading.records import Format

FORMATS: tuple[Format, ...] = (
    FINAL_LABELS,
    LABEL_STUDIO,
    LABEL_STUDIO_ROWS,
    DOCCANO,
    PRODIGY,
    ARGILLA,
    BRAT,
    CVAT,
    INCEPTION,
    MTURK,
    ODK,
    POTATO,
    QUALTRICS,
    RAYYAN,
    REFI_QDA,
    SCALE,
    SUPERANNOTATE,
    TOLOKA,
    ANNOTATORS,
)
