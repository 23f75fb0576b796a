"""The files in LibreOffice, where it is installed: no cell becomes a formula (P16)."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from core.tables.safe_cells import BEGINS_FORMULA, csv_lines
from tests.finished import finished_report
from tests.reports.exports.test_tables import tables_in, taken

SOFFICE = shutil.which("soffice")
pytestmark = pytest.mark.skipif(SOFFICE is None, reason="LibreOffice is not installed")
# Commas, quotes, UTF-8, from the first line; formulas are run where they are found.
AS_CSV = "--infilter=CSV:44,34,76,1,,0,false,true,false,false,false,-1,true"
TEXTS = [start + end for start in sorted(BEGINS_FORMULA) for end in ("1+1", "SUM(A1)", 'HYPERLINK("x")', "")]


def formulas_in(path: Path, *options: str) -> list[str]:
    """The formulas that LibreOffice finds in a file."""
    profile = f"-env:UserInstallation={(path.parent / 'profile').as_uri()}"
    command = [str(SOFFICE), profile, "--headless", "--norestore", *options, "--convert-to", "fods"]
    subprocess.run([*command, "--outdir", str(path.parent), str(path)], check=True, capture_output=True)
    sheets = path.with_suffix(".fods").read_text(encoding="utf-8")
    assert "<table:table-cell" in sheets
    return re.findall(r'table:formula="([^"]*)"', sheets)


def test_a_formula_that_is_not_made_safe_is_found(tmp_path):
    path = tmp_path / "bare.csv"
    path.write_text("=1+1,2\n")

    assert formulas_in(path, AS_CSV) == ["of:=1+1"]


def test_no_text_of_a_csv_becomes_a_formula(tmp_path):
    path = tmp_path / "safe.csv"
    path.write_text("".join(csv_lines([text, "end"] for text in TEXTS)), encoding="utf-8", newline="")

    assert formulas_in(path, AS_CSV) == []


def test_no_cell_of_a_report_becomes_a_formula(tmp_path, client, lead, mixed):
    report = finished_report(mixed, lead)
    files = {
        "pairs.csv": tables_in(taken(client, report, "tables.zip"))["pairs.csv"],
        **{
            name: taken(client, report, name)
            for name in ("tables.xlsx", "labels-long.csv", "labels-wide.csv")
        },
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)

    found = [formulas_in(tmp_path / name, *([AS_CSV] * name.endswith(".csv"))) for name in files]

    assert found == [[], [], [], []]
