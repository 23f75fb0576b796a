"""The script in R, executed where there is R; it needs no package, and says which it would compare with."""

import shutil
import subprocess

import pytest

from projects.models import Question
from tests.finished import finished_report
from tests.labeling import labeled_project
from tests.reports.exports.test_tables import tables_in, taken
from tests.reports.looking import led_by

pytestmark = pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed")

OF_SINGLE = {"percent_agreement", "fleiss_kappa", "gwet_ac1", "brennan_prediger", "conger_kappa"}


def run_script(tmp_path, client, report):
    (tmp_path / "recompute.R").write_bytes(taken(client, report, "recompute.R"))
    (tmp_path / "labels-long.csv").write_bytes(taken(client, report, "labels-long.csv"))
    tables = tables_in(taken(client, report, "tables.zip"))
    (tmp_path / "coefficients.csv").write_bytes(tables["coefficients.csv"])
    return subprocess.run(
        ["Rscript", "recompute.R", "labels-long.csv", "coefficients.csv"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )


def compared(done):
    """The statistics whose value of the report stands beside the one that was computed again."""
    rows = [line.split() for line in done.stdout.splitlines()]
    names = [row[0] for row in rows if len(row) > 2 and row[-1].replace(".", "").strip("-").isdigit()]
    return set(names) - {"largest"}


@pytest.mark.parametrize("level", ["nominal", "ordinal"])
def test_it_agrees(tmp_path, client, lead, level):
    project = led_by(lead, labeled_project("Script", n_items=60, n_raters=4))
    Question.objects.filter(project=project).update(level=level)
    # Who is left out of the figures of all raters is so here too.
    project.raters.filter(key="rater-003").update(kind="reference")

    done = run_script(tmp_path, client, finished_report(project, lead))

    assert done.returncode == 0, done.stdout + done.stderr
    assert compared(done) == {*OF_SINGLE, "krippendorff_alpha", "mean_pairwise_kappa"}


def test_it_agrees_with_weights(tmp_path, client, lead):
    project = led_by(lead, labeled_project("Script", n_items=30, n_raters=3, seed=4))
    Question.objects.filter(project=project).update(level="ordinal")

    done = run_script(tmp_path, client, finished_report(project, lead, weights="quadratic"))

    assert done.returncode == 0, done.stdout + done.stderr
    assert compared(done) >= {
        "fleiss_kappa_weighted",
        "gwet_ac2",
        "conger_kappa_weighted",
        "mean_pairwise_kappa",
    }


def test_it_agrees_on_numbers_and_odd_names(tmp_path, client, lead, mixed):
    done = run_script(tmp_path, client, finished_report(mixed, lead))

    assert done.returncode == 0, done.stdout + done.stderr
    assert compared(done) >= {"icc_a_1", "icc_c_1", "krippendorff_alpha", "gwet_ac1"}
