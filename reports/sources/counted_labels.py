"""Conversion of counts to the labels they represent, so that they can be analyzed like any labels."""

import numpy as np

from core.tables.encoding import AUTO
from core.tables.faults import Faults, FileRefused
from core.tables.formats import SPSS, STATA, format_of
from core.tables.table import TableChoices, open_any
from raters.imports.file_interpretation import DEFAULT_QUESTION, TABLE, FileInterpretation
from raters.imports.label_options import LabelOptions
from raters.reading.formats import FORMATS
from raters.reading.records import Files
from reports.agreement.results import IntArray
from reports.sources.count_file import CountForm, CountTable, looks_like_pair, read_counts

# Figures that distinguish raters compute all of their pairs.
MAX_ON_ITEM = 200
TITLES = {
    CountForm.PAIR: "counts of items, a confusion matrix of two raters",
    CountForm.ITEMS: "counts of labels, a column for each category",
}


def form_of(files: Files, options: LabelOptions) -> CountForm | None:
    """Return PAIR if the file can only be a confusion matrix; None if the options describe its columns, too."""
    is_described = options.columns or options.layout != AUTO or options.format != AUTO or options.rater
    if is_described or len(files) != 1 or any(each.recognizes(files) for each in FORMATS):
        return None
    source = files[0].source
    try:
        if format_of(source, Faults()) in (SPSS, STATA):
            return None
        table = open_any(source, Faults(), choices=_choices(options), max_rows=MAX_ON_ITEM * MAX_ON_ITEM)
        return CountForm.PAIR if looks_like_pair(table) else None
    except FileRefused:
        # Errors are reported when the file is read.
        return None


def counts_of(files: Files, form: CountForm, options: LabelOptions, faults: Faults) -> CountTable:
    """Read the counts of a file. Raises FileRefused."""
    if len(files) != 1:
        raise faults.refuse(0, "", "", "several_files", "a table of counts must be a single file")
    found = read_counts(form, files[0].source, _choices(options), faults, max_rows=1_000_000)
    if found is None:
        raise FileRefused(faults)
    most = int(found.counts.sum(axis=1).max(initial=0))
    if form is CountForm.ITEMS and most > MAX_ON_ITEM:
        rule = f"an item can have at most {MAX_ON_ITEM} labels in a table of counts, got {most:,}"
        raise faults.refuse(0, "", "", "too_many_labels", rule)
    if not found.counts.any():
        raise faults.refuse(0, "", "", "no_labels", "all counts are 0")
    return found


def understood_of(found: CountTable, options: LabelOptions) -> FileInterpretation:
    table = found.table
    return FileInterpretation(
        options=LabelOptions(format=TABLE, decimal=options.decimal if options.decimal != AUTO else "."),
        title=TITLES[found.form],
        encoding=table.encoding,
        separator=table.separator,
        sheet=table.sheet,
        sheets=list(table.sheets),
        header_line=table.header_line,
        columns=table.columns,
    )


def labels_of(found: CountTable) -> tuple[list[str], list[str], IntArray, IntArray, IntArray]:
    """Return items, raters, and, for each label, its item, its rater, and its category, each (L,).

    A pair gets one item for each count. Counts of items get as many raters as the most labels of an item; which rater
    gave which label is arbitrary.
    """
    counts = found.counts
    if found.form is CountForm.PAIR:
        cells = np.repeat(np.arange(counts.size), counts.ravel())
        n = len(cells)
        items = [str(place) for place in range(1, n + 1)]
        rows = np.repeat(np.arange(n), 2)
        categories = np.stack([cells // counts.shape[1], cells % counts.shape[1]], axis=1).ravel()
        return items, found.rows, rows, np.tile(np.arange(2), n), categories
    on_item = counts.sum(axis=1)
    rows = np.repeat(np.arange(len(counts)), on_item)
    starts = np.repeat(np.cumsum(on_item) - on_item, on_item)
    categories = np.repeat(np.tile(np.arange(counts.shape[1]), len(counts)), counts.ravel())
    raters = [f"label {place}" for place in range(1, int(on_item.max(initial=0)) + 1)]
    return found.rows, raters, rows, np.arange(len(rows)) - starts, categories


QUESTION = DEFAULT_QUESTION


def _choices(options: LabelOptions) -> TableChoices:
    return TableChoices(options.encoding, options.separator, options.sheet, options.header_line)
