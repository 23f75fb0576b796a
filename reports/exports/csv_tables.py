"""All tables of a report as CSV files in one ZIP archive, with a page that says what every column is."""

from collections.abc import Iterator

from core.tables.safe_cells import csv_lines
from core.tables.zipped import ZipMember, in_blocks, zip_pieces
from reports.exports.tables import Table, tables_of
from reports.models import Report

README = """{title}
{line}

Report {report} of {project}, computed by Interrater {version}.
Digest of its labels: {digest}

One CSV file for each table: UTF-8, commas, a header, one line for each row. Numbers have a point and all their digits.
A text that a spreadsheet could take for a formula (it begins with = + - @, a tab, a line break, or one of their wide
forms), or that begins with an apostrophe, has one apostrophe more in front: take it away to have the text again.
A figure that is undefined is empty, and its reason says why.

{tables}
"""


def csv_archive(report: Report) -> Iterator[bytes]:
    tables = tables_of(report)
    return zip_pieces(_members(report, tables))


def _members(report: Report, tables: list[Table]) -> Iterator[ZipMember]:
    yield ZipMember("README.txt", [readme(report, tables).encode()])
    for table in tables:
        yield ZipMember(f"{table.name}.csv", in_blocks(_lines(table)))


def _lines(table: Table) -> Iterator[str]:
    yield from csv_lines([[column.name for column in table.columns]])
    yield from csv_lines(table.rows())


def readme(report: Report, tables: list[Table]) -> str:
    title = f"Agreement of {report.project.name}"
    return README.format(
        title=title,
        line="=" * len(title),
        report=report.pk,
        project=report.project.name,
        version=report.code_version,
        digest=report.digest,
        tables="\n\n".join(map(_described, tables)),
    )


def _described(table: Table) -> str:
    columns = "\n".join(f"  {column.name}: {column.what}" for column in table.columns)
    return f"{table.name}.csv – {table.what}\n{columns}"
