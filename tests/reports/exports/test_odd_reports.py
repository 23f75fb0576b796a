"""Every page and every file of reports with nothing in them, with little, with gaps, and with many raters."""

import io
import re

import openpyxl
import pytest
from django.urls import reverse

from reports.exports.export_list import FILES
from tests import cast
from tests.finished import finished_report
from tests.labeling import add_labels, labeled_project, new_question
from tests.reports.exports.readers import words_in
from tests.reports.exports.test_python_script import run_script
from tests.reports.exports.test_tables import taken
from tests.reports.looking import led_by
from tests.reports.numbers_and_sets import add_numbers, add_sets
from tests.sizes import size, some

# As many as are promised, and as many as every run can bear.
N_RATERS = size(200, 25)


def no_labels(project):
    new_question(project)
    new_question(project, key="score", categories=(), kind="number", level="interval")
    new_question(project, key="topics", categories="AB", kind="multiple")


def no_categories(project):
    new_question(project, categories=())


def one_rater(project):
    add_labels(new_question(project), [(f"i{n}", "A", ["yes", "no"][n % 2]) for n in range(5)])
    score = new_question(project, key="score", categories=(), kind="number", level="interval")
    add_numbers(score, [[1], [2.5]])
    topics = new_question(project, key="topics", categories="AB", kind="multiple")
    add_sets(topics, [[{"A"}], [{"A", "B"}]])


def undefined_pairs(project):
    """A and B share no item, A and C say one thing, B and C share one item."""
    rows = [(f"a{n}", rater, "yes") for n in range(4) for rater in "AC"]
    rows += [("b0", "B", "yes"), ("b0", "C", "no"), ("b1", "B", "no")]
    add_labels(new_question(project), rows)
    score = new_question(project, key="score", categories=(), kind="number", level="ratio")
    add_numbers(score, [[1, 1], [1, 1], [None, 2]])
    topics = new_question(project, key="topics", categories="AB", kind="multiple")
    add_sets(topics, [[set(), set()], [set(), None]])


WORLDS = {world.__name__: world for world in (no_labels, no_categories, one_rater, undefined_pairs)}


@pytest.fixture(params=WORLDS)
def odd_report(request, lead):
    project = led_by(lead, cast.new_project("Odd", unique=True))
    WORLDS[request.param](project)
    return finished_report(project, lead)


@pytest.fixture
def of_many(lead):
    project = led_by(lead, labeled_project("Many", n_items=20, n_raters=N_RATERS))
    return finished_report(project, lead)


def read_all(client, report, *, but=""):
    return {name: words_in(name, taken(client, report, name)) for name in FILES if name != but}


# What a program says of nothing, in place of a reason.
UNSAID = re.compile(r"\b(None|nan|NaN|inf|Infinity)\b")


def test_every_file_opens(client, odd_report):
    read = read_all(client, odd_report)

    told = {name: words for name, words in read.items() if name not in {"results.json", "recompute.py"}}
    assert {name: UNSAID.findall(words) for name, words in told.items() if UNSAID.search(words)} == {}
    assert read["methods-plain.txt"].count("Results") == 1


def test_every_page_is_there(client, odd_report):
    for name in ("report_exports", "provenance", "agreement"):
        args = [odd_report.project.slug] if name == "agreement" else [odd_report.project.slug, odd_report.pk]
        assert client.get(reverse(name, args=args)).status_code == 200
    assert (
        client.post(reverse("verify", args=[odd_report.project.slug, odd_report.pk]))
        .context["verified"]
        .is_same
    )
    for agreement in odd_report.questions.all():
        args = [odd_report.project.slug, odd_report.pk, agreement.question_id]
        page = client.get(reverse("report_question", args=args))
        assert page.status_code == 200
        assert UNSAID.findall(page.content.decode()) == []


@pytest.mark.parametrize(
    "world", some([one_rater, undefined_pairs], every=2), ids=lambda world: world.__name__
)
def test_the_python_script_agrees_on_what_is_defined(tmp_path, client, lead, world):
    project = led_by(lead, cast.new_project("Odd", unique=True))
    world(project)

    done = run_script(tmp_path, client, finished_report(project, lead))

    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""


@pytest.mark.timeout(900)
def test_every_file_of_many_raters_opens(client, of_many):
    read = read_all(client, of_many, but="tables.xlsx")

    for name in ("tables.zip", "labels-long.csv", "labels-wide.csv", "results.json", "recal.zip"):
        assert f"rater-{N_RATERS - 1:03}" in read[name], name
    n_pairs = N_RATERS * (N_RATERS - 1) // 2
    assert of_many.questions.get().n_pairs == n_pairs
    if n_pairs > 40:
        assert f"the 40 lowest of {n_pairs:,}" in " ".join(read["report.pdf"].split())
    assert_workbook(taken(client, of_many, "tables.xlsx"), n_pairs)


def assert_workbook(content, n_pairs):
    """Its pairs are all there; to read its half a million other rows would take a minute."""
    book = openpyxl.load_workbook(io.BytesIO(content), read_only=True)
    rows = list(book["pairs"].iter_rows(min_row=2, values_only=True))
    assert len(rows) == n_pairs
    assert {row[2] for row in rows} == {f"rater-{number:03}" for number in range(1, N_RATERS)}
