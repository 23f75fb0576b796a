"""All export formats for labels."""

from raters.writing.argilla import ARGILLA
from raters.writing.doccano import DOCCANO
from raters.writing.label_studio import CONFIG, TASKS
from raters.writing.prodigy import PRODIGY
from raters.writing.recal import RECAL
from raters.writing.spss import SPSS
from raters.writing.tables import CSV_TABLE, LINES, WIDE_TABLE
from raters.writing.target import Target
from raters.writing.workbook import EXCEL

TARGETS: tuple[Target, ...] = (
    CSV_TABLE,
    WIDE_TABLE,
    EXCEL,
    LINES,
    SPSS,
    TASKS,
    CONFIG,
    DOCCANO,
    PRODIGY,
    ARGILLA,
    RECAL,
)
BY_KEY = {target.key: target for target in TARGETS}
