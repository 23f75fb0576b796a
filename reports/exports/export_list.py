"""The list of all exports of a report: their names, their uses, and the functions that create them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from django.db.models import Sum

from reports.exports.csv_tables import csv_archive
from reports.exports.json_document import everything
from reports.exports.label_exports import labels_long, labels_wide
from reports.exports.markup import bibliography, html_table, latex_table
from reports.exports.pdf import pdf_report
from reports.exports.recal import recal_archive
from reports.exports.recomputing import python_script, r_script
from reports.exports.word import word_document
from reports.exports.workbook import workbook
from reports.models import Report
from reports.results.paper import text_of
from reports.results.prose import Style

CSV, JSON, ZIP = "text/csv; charset=utf-8", "application/json", "application/zip"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


@dataclass(frozen=True, slots=True)
class Counts:
    """The size of a report, to estimate the size of a file before it is created."""

    labels: int
    pairs: int
    cells: int
    raters: int


@dataclass(frozen=True, slots=True)
class ExportFile:
    """name: in the URL. what: its use, in a sentence. about: its approximate size in bytes."""

    name: str
    title: str
    what: str
    content_type: str
    pieces: Callable[[Report], Iterator[bytes]]
    about: Callable[[Counts], int]

    def file_name(self, report: Report) -> str:
        return f"{report.project.slug}-report-{report.pk}-{self.name}"


RESULTS = (
    ExportFile(
        "tables.zip",
        "All tables (CSV)",
        "For your own analysis: all statistics at full precision, one file per table, with a description of every "
        "column.",
        ZIP,
        csv_archive,
        lambda n: 12_000 + 160 * n.pairs + 4 * n.cells + 20 * n.raters,
    ),
    ExportFile(
        "tables.xlsx",
        "All tables (Excel)",
        "The same tables, one sheet each, up to 100,000 rows per sheet. Contains no formulas.",
        XLSX,
        workbook,
        lambda n: 24_000 + 220 * min(n.pairs, 20_000) + 30 * n.raters,
    ),
    ExportFile(
        "results.json",
        "Full results (JSON)",
        "For programs: scope, options, codebook, all statistics, and the confusion matrix of every pair.",
        JSON,
        everything,
        lambda n: 20_000 + 400 * n.pairs + 3 * n.cells + 300 * n.raters,
    ),
)
LABELS = (
    ExportFile(
        "labels-long.csv",
        "Labels, long format",
        "One label per row, exactly as used in this report. The scripts below read this file.",
        CSV,
        labels_long,
        lambda n: 200 + 95 * n.labels,
    ),
    ExportFile(
        "labels-wide.csv",
        "Labels, wide format",
        "One item per row and one column per rater, as most statistics software expects.",
        CSV,
        labels_wide,
        lambda n: 200 + 12 * n.labels,
    ),
    ExportFile(
        "recal.zip",
        "Labels for ReCal",
        "For the online calculator ReCal: integer codes, one column per rater, no header; a README lists what is "
        "excluded.",
        ZIP,
        recal_archive,
        lambda n: 400 + n.labels,
    ),
)
TEXT, HTML, TEX = "text/plain; charset=utf-8", "text/html; charset=utf-8", "application/x-tex; charset=utf-8"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def whole(make: Callable[[Report], str | bytes]) -> Callable[[Report], Iterator[bytes]]:
    """Wrap a function that creates a small file at once, to yield it as one piece."""

    def pieces(report: Report) -> Iterator[bytes]:
        content = make(report)
        yield content if isinstance(content, bytes) else content.encode()

    return pieces


PAPER = (
    ExportFile(
        "report.pdf",
        "Report (PDF)",
        "To print or send: results and method in plain language, tables, and forest plots.",
        "application/pdf",
        whole(pdf_report),
        lambda n: 50_000,
    ),
    ExportFile(
        "methods-apa.txt",
        "Method and results (APA style)",
        "Text for a paper with the values of this report, in APA style, with references.",
        TEXT,
        whole(partial(text_of, style=Style.APA)),
        lambda n: 2_500,
    ),
    ExportFile(
        "methods-plain.txt",
        "Method and results (plain language)",
        "The same for readers without a statistics background.",
        TEXT,
        whole(partial(text_of, style=Style.PLAIN)),
        lambda n: 2_500,
    ),
    ExportFile(
        "report.docx",
        "Method, results, and table (Word)",
        "APA-style text and the table of coefficients, ready to edit.",
        DOCX,
        whole(word_document),
        lambda n: 38_000,
    ),
    ExportFile(
        "table.tex", "Table (LaTeX)", "The table of coefficients; uses booktabs.", TEX, whole(latex_table),
        lambda n: 1_500,
    ),
    ExportFile(
        "table.html", "Table (HTML)", "The coefficients for a web page.", HTML, whole(html_table), lambda n: 2_000
    ),
    ExportFile(
        "sources.bib", "References (BibTeX)", "Publications of the statistics used.", "application/x-bibtex",
        whole(bibliography), lambda n: 2_500,
    ),
)  # fmt: skip
SCRIPTS = (
    ExportFile(
        "recompute.py",
        "Python script",
        "Recomputes the main statistics from the labels with scikit-learn, statsmodels, and krippendorff.",
        "text/x-python; charset=utf-8",
        python_script,
        lambda n: 11_000,
    ),
    ExportFile(
        "recompute.R",
        "R script",
        "Recomputes them in base R, and compares with irrCAC and vcd if installed.",
        TEXT,
        r_script,
        lambda n: 10_500,
    ),
)
GROUPS: dict[str, tuple[ExportFile, ...]] = {
    "For a paper": PAPER,
    "Results": RESULTS,
    "Labels": LABELS,
    "Reproduce": SCRIPTS,
}
FILES = {file.name: file for group in GROUPS.values() for file in group}


def counts_of(report: Report) -> Counts:
    """Count without reading the pairs or labels themselves."""
    found = report.questions.aggregate(
        labels=Sum("n_labels", default=0),
        abstentions=Sum("n_abstentions", default=0),
        raters=Sum("n_raters", default=0),
    )
    sizes = [
        (agreement.n_pairs, len(agreement.categories) ** 2)
        for agreement in report.questions.only("report", "n_pairs", "categories")
    ]
    return Counts(
        labels=found["labels"] + found["abstentions"],
        pairs=sum(n for n, _ in sizes),
        cells=sum(n * cells for n, cells in sizes),
        raters=found["raters"],
    )
