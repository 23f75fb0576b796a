"""The list of everything that can be taken away of a report: what each file is called, is for, and how it is made."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from django.db.models import Sum

from reports.exports.csv_tables import csv_archive
from reports.exports.everything import everything
from reports.exports.labels import labels_long, labels_wide
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
    """How much there is of a report; enough to say how large a file will be, before it is made."""

    labels: int
    pairs: int
    cells: int
    raters: int


@dataclass(frozen=True, slots=True)
class ExportFile:
    """name: as it stands in the address. what: what it is for, in a sentence. about: its size in bytes, roughly."""

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
        "All tables, CSV",
        "For your own analysis: every figure with all its digits, a file for each table, and what each column is.",
        ZIP,
        csv_archive,
        lambda n: 12_000 + 160 * n.pairs + 4 * n.cells + 20 * n.raters,
    ),
    ExportFile(
        "tables.xlsx",
        "All tables, Excel",
        "The same tables, a sheet for each, of up to 100,000 rows. No cell is a formula.",
        XLSX,
        workbook,
        lambda n: 24_000 + 220 * min(n.pairs, 20_000) + 30 * n.raters,
    ),
    ExportFile(
        "results.json",
        "Everything, JSON",
        "For programs: scope, options, codebook, every figure and the table of counts of every pair.",
        JSON,
        everything,
        lambda n: 20_000 + 400 * n.pairs + 3 * n.cells + 300 * n.raters,
    ),
)
LABELS = (
    ExportFile(
        "labels-long.csv",
        "Labels, one in each row",
        "The labels that the report was computed from, as they stood then. The scripts below read it.",
        CSV,
        labels_long,
        lambda n: 200 + 95 * n.labels,
    ),
    ExportFile(
        "labels-wide.csv",
        "Labels, one item in each row",
        "The same with a column for each rater, as most statistics programs want it.",
        CSV,
        labels_wide,
        lambda n: 200 + 12 * n.labels,
    ),
    ExportFile(
        "recal.zip",
        "Labels for ReCal",
        "For the online calculator ReCal: whole numbers, a column for each rater, no header; it says what is left out.",
        ZIP,
        recal_archive,
        lambda n: 400 + n.labels,
    ),
)
TEXT, HTML, TEX = "text/plain; charset=utf-8", "text/html; charset=utf-8", "application/x-tex; charset=utf-8"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def whole(make: Callable[[Report], str | bytes]) -> Callable[[Report], Iterator[bytes]]:
    """A small file, made at once, as one piece."""

    def pieces(report: Report) -> Iterator[bytes]:
        content = make(report)
        yield content if isinstance(content, bytes) else content.encode()

    return pieces


PAPER = (
    ExportFile(
        "report.pdf",
        "The report, PDF",
        "To print and to send: results and method in plain words, tables, and the intervals drawn.",
        "application/pdf",
        whole(pdf_report),
        lambda n: 50_000,
    ),
    ExportFile(
        "methods-apa.txt",
        "Method and results, APA",
        "Sentences for a paper with the real figures, in the style of the APA, and what to cite.",
        TEXT,
        whole(partial(text_of, style=Style.APA)),
        lambda n: 2_500,
    ),
    ExportFile(
        "methods-plain.txt",
        "Method and results, plain words",
        "The same for people who do not read statistics every day.",
        TEXT,
        whole(partial(text_of, style=Style.PLAIN)),
        lambda n: 2_500,
    ),
    ExportFile(
        "report.docx",
        "Method, results and table, Word",
        "The sentences and the table of coefficients, to be edited.",
        DOCX,
        whole(word_document),
        lambda n: 38_000,
    ),
    ExportFile(
        "table.tex", "Table, LaTeX", "The table of coefficients with booktabs.", TEX, whole(latex_table),
        lambda n: 1_500,
    ),
    ExportFile(
        "table.html", "Table, HTML", "The same for a web page.", HTML, whole(html_table), lambda n: 2_000
    ),
    ExportFile(
        "sources.bib", "Sources, BibTeX", "Where the statistics were published.", "application/x-bibtex",
        whole(bibliography), lambda n: 2_500,
    ),
)  # fmt: skip
SCRIPTS = (
    ExportFile(
        "recompute.py",
        "Script in Python",
        "Computes the main figures again from the labels, with scikit-learn, statsmodels and krippendorff.",
        "text/x-python; charset=utf-8",
        python_script,
        lambda n: 11_000,
    ),
    ExportFile(
        "recompute.R",
        "Script in R",
        "The same in R alone; where irrCAC and vcd are installed, their figures stand beside.",
        TEXT,
        r_script,
        lambda n: 10_500,
    ),
)
GROUPS: dict[str, tuple[ExportFile, ...]] = {
    "For a paper": PAPER,
    "Results": RESULTS,
    "Labels": LABELS,
    "To compute it again": SCRIPTS,
}
FILES = {file.name: file for group in GROUPS.values() for file in group}


def counts_of(report: Report) -> Counts:
    """Without looking at pairs or labels themselves."""
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
