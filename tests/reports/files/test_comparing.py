"""manage.py agreement that compares pairs, files and groups of raters; no database."""

import pytest

from tests.reports.files.gwet import GWET
from tests.reports.files.test_agreement import CATS_AND_DOGS


def test_two_pairs_are_compared(question):
    found = question(GWET, "--compare-pairs", "r1,r2,r1,r3")

    kappas = {(pair["rater_a"], pair["rater_b"]): pair["kappa"] for pair in found["pairs"]}
    difference = found["differences"]["pairs"]["differences"]["cohen_kappa"]
    assert difference["value"] == pytest.approx(kappas["r1", "r2"] - kappas["r1", "r3"], abs=1e-12)
    assert difference["n_shared"] == 8


def test_two_files_are_compared_item_by_item(question, file):
    first, second = CATS_AND_DOGS, CATS_AND_DOGS.replace("cd1,B,Dogs", "cd1,B,Cats")

    found = question(first, "--compare-file", file("second.csv", second))["differences"]["files"][
        "differences"
    ]

    assert found["percent_agreement"]["value"] == pytest.approx(-1 / 51, abs=1e-12)
    assert found["percent_agreement"]["n_shared"] == 51
    # Paired: 50 differences of 0 and one of -1, whose mean has the error 1 / 51.
    assert found["percent_agreement"]["se"] == pytest.approx(1 / 51, abs=1e-12)


def test_two_groups_of_raters_are_compared_on_the_same_items(question):
    found = question(GWET, "--compare-groups", "r1,r2,r3", "r3,r4")["differences"]["groups"]

    of_file = [
        question(
            "".join(line for line in GWET.splitlines(keepends=True) if line.split(",")[1] in ("rater", *some))
        )
        for some in (("r1", "r2", "r3"), ("r3", "r4"))
    ]
    assert (found["first"], found["second"]) == ("r1, r2, r3", "r3, r4")
    for name in ("fleiss_kappa", "krippendorff_alpha", "gwet_ac1"):
        values = [each["coefficients"][name]["value"] for each in of_file]
        difference = found["differences"][name]
        assert [difference["first"], difference["second"]] == pytest.approx(values)
        assert difference["value"] == pytest.approx(values[0] - values[1])
        assert 0 < difference["p_value"] <= 1
    assert found["differences"]["krippendorff_alpha"]["n_shared"] > 5
