"""manage.py agreement with all families of statistics, of pairs, categories and the consensus; no database."""

from typing import Any

import pytest

from tests.reports.files.gwet import GWET
from tests.reports.files.test_agreement import CATS_AND_DOGS


@pytest.mark.parametrize("kind", ["single", "number", "multiple"])
def test_everything_of_a_file_without_labels_is_undefined(run_agreement, question, kind):
    content, everything = "item,rater,label\n1,A,\n2,B,\n", ["--statistics", "everything", "--kind", kind]

    found = question(content, *everything)
    printed = run_agreement(content, *everything)

    assert "0 items, 0 raters, 0 labels" in printed
    assert {each["reason"] for each in found["coefficients"].values()} == {"no_items"}
    assert (found["categories"], found["pairs"]) == ([], [])
    tests = found["statistics"].get("tests", {})
    assert {each["reason"] for each in tests.values()} <= {"no_items"}
    assert not any(found["statistics"].get("category_tests", {}).values())
    assert not any(found["statistics"].get("categories", {}).values())


def test_everything_of_a_pair(question):
    """Published values of the table [22 9; 7 13] as R irrCAC, vcd and statsmodels give them."""
    [pair] = question(CATS_AND_DOGS, "--statistics", "pairs")["pairs"]

    values = pair["statistics"]["values"]
    expected = {
        "scott_pi": 0.352381, "gwet_ac1": 0.391499, "brennan_prediger": 0.372549, "krippendorff_alpha": 0.358730,
        "cohen_kappa": 0.353407, "kappa_max": 0.919176, "pabak": 0.372549,
    }  # fmt: skip
    assert {name: values[name]["value"] for name in expected} == pytest.approx(expected, abs=6e-7)
    assert values["gwet_ac1"]["se"] == pytest.approx(0.131591, abs=6e-7)
    assert values["cohen_kappa"]["reason"] is None
    assert pair["statistics"]["tests"]["kappa_zero"]["statistic"] == pytest.approx(
        0.353407 / 0.139570, abs=1e-5
    )
    assert [found["reference"] for found in pair["statistics"]["reference"]] == ["A", "B"]


def test_data_used_and_excluded_come_with_categories_and_tests(question):
    rows = ["1,A,x", "1,B,x", "1,C,y", "2,A,y", "2,B,x", "2,C,y", "3,A,y", "3,B,y", "4,C,x"]
    found = question("item,rater,label\n" + "\n".join(rows), "--statistics", "everything")

    kinds, tests = found["statistics"]["categories"], found["statistics"]["tests"]
    pairs = {(pair["rater_a"], pair["rater_b"]): pair["statistics"] for pair in found["pairs"]}
    assert basis(kinds["specific_agreement"][0]) == (3, 3, 8, 1, 0, 1)
    assert basis(kinds["fleiss_kappa"][1]) == (4, 3, 9, 0, 0, 0)
    assert basis(tests["fleiss_zero"]) == (3, 3, 8, 1, 0, 1)
    assert basis(found["statistics"]["category_tests"]["fleiss_zero"][1]) == (3, 3, 8, 1, 0, 1)
    assert basis(tests["cochran_q"]) == (2, 3, 6, 2, 0, 3)
    for of_pair in (pairs["A", "C"], *pairs["A", "C"]["reference"]):
        assert basis(next(iter(of_pair["categories"].values()))[0]) == (2, 2, 4, 2, 0, 2)
    assert basis(pairs["A", "C"]["tests"]["mcnemar"]) == (2, 2, 4, 2, 0, 2)


def basis(found: dict[str, Any]) -> tuple[int, ...]:
    """Items, raters and labels used, and those left out."""
    names = ("n_items", "n_raters", "n_labels")
    return tuple(some[name] for some in (found, found["left_out"]) for name in names)


def test_families_are_there_when_asked_for(question):
    plain, all_of_it = question(GWET), question(GWET, "--statistics", "everything", "--reference", "r4")

    assert "statistics" not in plain
    assert "statistics" not in plain["pairs"][0]
    assert set(all_of_it["statistics"]) == {
        "categories",
        "confusions",
        "distributions",
        "findings",
        "standings",
        "tests",
        "category_tests",
        "consensus",
        "reference",
        "checks",
    }
    assert all_of_it["statistics"]["reference"]["reference"] == "r4"
    assert [found["rater"] for found in all_of_it["statistics"]["reference"]["raters"]] == ["r1", "r2", "r3"]
    assert set(question(GWET, "--statistics", "tests")["statistics"]) == {"tests", "category_tests"}


def test_people_see_the_categories_against_the_reference(run_agreement):
    text = run_agreement(CATS_AND_DOGS, "--reference", "B")

    # 22 of the 29 that B calls cats, Wilson's interval.
    assert "A vs. B, by category" in text
    assert "Cats  Recall                     0.759  [0.579, 0.878]  29" in text


def test_programs_get_the_consensus_of_each_item(question):
    content = "item,rater,label\n" + "".join(
        f"{item},r{rater},{label}\n"
        for item, labels in zip("abcd", ("xxx", "xxy", "yyy", "xy"), strict=True)
        for rater, label in enumerate(labels)
    )

    found = question(content, "--statistics", "consensus")["statistics"]["consensus"]

    assert [each["item"] for each in found["labels"]] == list("abcd")
    assert [each["majority"] for each in found["labels"]] == ["x", "x", "y", None]
    assert [each["n_labels"] for each in found["labels"]] == [3, 3, 3, 2]
    assert [each["estimate"] for each in found["labels"]][:3] == ["x", "x", "y"]
    assert all(0.5 <= each["probability"] <= 1 for each in found["labels"])
    items = [sum(each["estimate"] == name for each in found["labels"]) for name in "xy"]
    assert found["dawid_skene"]["items"] == items


def test_smoothing_of_the_consensus_is_named(question, run_agreement):
    content = "item,rater,label\na,r0,x\na,r1,x\na,r2,y\nb,r0,y\nb,r1,y\n"

    found = question(content, "--statistics", "consensus", "--smoothing", "1")["statistics"]["consensus"]
    text = run_agreement(content, "--statistics", "consensus", "--smoothing", "1")

    rates = [rate for each in found["dawid_skene"]["raters"] for row in each["confusion"] for rate in row]
    assert found["dawid_skene"]["smoothing"] == 1
    assert 0 < min(rates) <= max(rates) < 1
    assert ", 1 added to each count, log-likelihood" in text


def test_items_with_one_label_each_have_no_estimate(question):
    found = question("item,rater,label\na,r1,x\nb,r2,y\n", "--statistics", "consensus")["statistics"][
        "consensus"
    ]

    assert [each["majority"] for each in found["labels"]] == ["x", "y"]
    assert {(each["estimate"], each["probability"]) for each in found["labels"]} == {(None, None)}


def test_categories_come_with_what_is_confused_and_who_uses_them(question, run_agreement):
    found = question(CATS_AND_DOGS, "--statistics", "categories")["statistics"]
    text = run_agreement(CATS_AND_DOGS, "--statistics", "categories")

    # [22 9; 7 13]: 16 of 51 items.
    assert found["confusions"]["most"] == [{"a": 0, "b": 1, "n_pairs": 16, "n_items": 16}]
    assert found["distributions"] == {"A": [31, 20], "B": [29, 22]}
    assert "Confused: 16 of 51 label pairs disagree" in text
    assert "  A    31    20" in text
