"""Published examples as a command, a page and over the API."""

import io
import json
import re

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from reports.management.commands import verify_statistics
from reports.published.checking import verify
from reports.published.printed_figures import FIGURES, PublishedFigure
from reports.published.published_rows import groups_of


def run(*arguments):
    out = io.StringIO()
    call_command("verify_statistics", *arguments, stdout=out)
    return out.getvalue()


def test_the_command_prints_printed_computed_and_difference():
    text = run()

    assert re.search(r"Cohen's kappa +0\.492 +0\.491525 +-0\.000475 +match +the publication", text)
    assert re.search(r"Cohen's kappa +0\.37 +0\.353407 +-0\.016593 +differs, see note", text)
    assert "from rounded proportions" in text
    assert text.strip().endswith(
        f"{len(FIGURES)} figures: {len(FIGURES) - 3} match to the last published digit, "
        "3 differ for the reason given in the note, 0 differ by more than rounding."
    )


def test_the_command_for_programs():
    found = json.loads(run("--json"))

    assert (found["n_figures"], found["n_wrong"]) == (len(FIGURES), 0)
    alpha = next(example for example in found["examples"] if example["name"] == "krippendorff2011")
    assert alpha["figures"][1]["printed"] == "0.815"
    assert alpha["figures"][1]["computed"] == pytest.approx(0.815387503754881, abs=1e-12)


def test_the_command_ends_with_an_error_if_a_figure_is_wrong(monkeypatch):
    wrong = PublishedFigure(example="cohen1960_ex2", title="Cohen’s κ", printed="0.5", compute=lambda: 0.4)
    monkeypatch.setattr(verify_statistics, "verify", lambda: verify((wrong,)))

    with pytest.raises(SystemExit) as ended:
        run()

    assert ended.value.code == 1


def test_the_page_is_for_everyone_and_needs_no_database():
    response = Client().get(reverse("statistics"))

    page = response.content.decode()
    assert response.status_code == 200
    assert "Published examples, recomputed" in page
    assert page.count('scope="row"') == len(FIGURES)
    assert "0.353407" in page
    assert "Counts, row by row: 60 125 / 5 5,000" in page


def test_a_wrong_figure_is_marked_on_the_page():
    wrong = PublishedFigure(example="cohen1960_ex2", title="Cohen’s κ", printed="-0.5", compute=lambda: None)

    [group] = groups_of(verify((wrong,)))

    assert (group.figures[0].word, group.figures[0].is_fine) == ("NO VALUE", False)
    assert (group.figures[0].printed, group.figures[0].computed) == ("−0.5", "none")


def test_the_api_is_for_everyone():
    found = Client().get(reverse("api_published")).json()

    assert found["n_figures"] == len(FIGURES)
    assert found["examples"][0]["figures"][0]["verdict"] == "equal"
    assert found["examples"][0]["table"] == [[25, 13, 12], [12, 2, 16], [3, 15, 2]]
