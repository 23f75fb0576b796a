"""The Python script of a report recomputes its figures from the exported labels."""

import io
import runpy
import subprocess
import sys
import warnings
from contextlib import chdir, redirect_stderr, redirect_stdout
from unittest.mock import patch

import pytest

from projects.models import Question
from tests.finished import finished_report
from tests.labeling import labeled_project
from tests.reports.exports.test_tables import tables_in, taken
from tests.reports.looking import led_by

COMMAND = ["recompute.py", "labels-long.csv", "coefficients.csv"]


def put_script(folder, client, report):
    (folder / "recompute.py").write_bytes(taken(client, report, "recompute.py"))
    (folder / "labels-long.csv").write_bytes(taken(client, report, "labels-long.csv"))
    tables = tables_in(taken(client, report, "tables.zip"))
    (folder / "coefficients.csv").write_bytes(tables["coefficients.csv"])


def run_script(folder, client, report):
    """In this process, which has its packages already: to import them takes seconds."""
    put_script(folder, client, report)
    output, errors, code = io.StringIO(), io.StringIO(), 0
    with (
        chdir(folder),
        redirect_stdout(output),
        redirect_stderr(errors),
        patch.object(sys, "argv", COMMAND),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("always")
        warnings.showwarning = lambda *told: print(*told, file=errors)
        try:
            runpy.run_path("recompute.py", run_name="__main__")
        except SystemExit as end:
            code = end.code or 0
    return subprocess.CompletedProcess(COMMAND, code, output.getvalue(), errors.getvalue())


def test_the_python_script_needs_nothing_but_its_files(tmp_path, client, lead, cats):
    put_script(tmp_path, client, finished_report(cats, lead))

    done = subprocess.run(
        [sys.executable, *COMMAND], cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert compared(done) >= {"fleiss_kappa", "krippendorff_alpha"}


def compared(done):
    """The names of the statistics that were computed again."""
    return {line.rsplit(maxsplit=3)[0].split()[-1] for line in done.stdout.splitlines()[:-1]}


def test_exports_leave_the_reference_out_of_overall_figures(tmp_path, client, lead):
    project = led_by(lead, labeled_project("Gold", n_items=60, n_raters=4))
    project.raters.filter(key="rater-003").update(kind="reference")
    report = finished_report(project, lead)

    done = run_script(tmp_path, client, report)
    methods = taken(client, report, "methods-apa.txt").decode()
    tables = tables_in(taken(client, report, "tables.zip"))
    recal = tables_in(taken(client, report, "recal.zip"))["README.txt"].decode()

    assert done.returncode == 0, done.stdout + done.stderr
    assert compared(done) == {*OF_SINGLE, "mean_pairwise_kappa"}
    assert ", three human raters labeled 60 items, " in methods
    assert "Labels by the reference (“rater-003”) did not enter the coefficients." in methods
    assert "based on 3 raters, excluding the reference" in taken(client, report, "table.html").decode()
    assert b"rater-003,reference,55,0" in tables["raters.csv"]
    assert b'"3 raters, excluding the reference",60,3,' in tables["questions.csv"]
    assert "columns: rater-000, rater-001, rater-002\n" in recal


OF_SINGLE = {"percent_agreement", "fleiss_kappa", "gwet_ac1", "brennan_prediger", "krippendorff_alpha"}


@pytest.mark.parametrize("level", ["nominal", "ordinal"])
def test_the_python_script_agrees(tmp_path, client, lead, level):
    project = led_by(lead, labeled_project("Script", n_items=60, n_raters=4))
    Question.objects.filter(project=project).update(level=level)
    report = finished_report(project, lead, weights="unweighted")

    done = run_script(tmp_path, client, report)

    assert done.returncode == 0, done.stdout + done.stderr
    assert compared(done) == {*OF_SINGLE, "mean_pairwise_kappa"}


@pytest.mark.parametrize("weights", ["linear", "quadratic", "ordinal", "radical"])
def test_the_python_script_agrees_with_weights(tmp_path, client, lead, weights):
    project = led_by(lead, labeled_project("Script", n_items=30, n_raters=3, seed=4))
    Question.objects.filter(project=project).update(level="ordinal")
    report = finished_report(project, lead, weights=weights)

    done = run_script(tmp_path, client, report)

    assert done.returncode == 0, done.stdout + done.stderr
    assert compared(done) >= {"fleiss_kappa_weighted", "gwet_ac2", "mean_pairwise_kappa"}


def test_the_python_script_agrees_on_numbers_sets_and_odd_names(tmp_path, client, lead, mixed):
    report = finished_report(mixed, lead)

    done = run_script(tmp_path, client, report)

    assert done.returncode == 0, done.stdout + done.stderr
    assert compared(done) >= {"icc_a_1", "icc_c_1", "krippendorff_alpha_jaccard"}
