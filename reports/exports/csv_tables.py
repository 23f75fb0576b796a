"""All tables of a report as CSV files in one ZIP archive, with a README that describes every column."""

from collections.abc import Iterator

from core.tables.safe_cells import csv_lines
from core.tables.zipped import ZipMember, in_blocks, zip_pieces
from reports.exports.result_tables import ResultTable, tables_of
from reports.models import Report

README = """{title}
{line}

{report} of {project}, computed with Interrater {version}.
Label digest: {digest}

One CSV file per table: UTF-8, comma-separated, with a header row. Numbers use a decimal point and have full precision.
Text that a spreadsheet could read as a formula (starting with = + - @, a tab, a line break, or a full-width variant of
these), or that starts with an apostrophe, is prefixed with an extra apostrophe. Remove it to restore the text.
Undefined values are empty; the column "reason" says why.

{tables}
"""


def csv_archive(report: Report) -> Iterator[bytes]:
    tables = tables_of(report)
    return zip_pieces(_members(report, tables))


def _members(report: Report, tables: list[ResultTable]) -> Iterator[ZipMember]:
    yield ZipMember("README.txt", [readme(report, tables).encode()])
    for table in tables:
        yield ZipMember(f"{table.name}.csv", in_blocks(_lines(table)))


def _lines(table: ResultTable) -> Iterator[str]:
    yield from csv_lines([[column.name for column in table.columns]])
    yield from csv_lines(table.rows())


def readme(report: Report, tables: list[ResultTable]) -> str:
    words = report.words
    title = f"Interrater agreement: {report.project_name}"
    return README.format(
        title=title,
        line="=" * len(title),
        report=words[:1].upper() + words[1:],
        project=report.project_name,
        version=report.code_version,
        digest=report.digest,
        tables="\n\n".join(map(_described, tables)),
    )


def _described(table: ResultTable) -> str:
    columns = "\n".join(f"  {column.name}: {column.what}" for column in table.columns)
    return f"{table.name}.csv – {table.what}\n{columns}"
