"""manage.py agreement on files of numbers and of sets."""

import json

import pytest
from django.core.management import CommandError

from tests.reports.agreement.numbers.published import PEFR, SHROUT_FLEISS
from tests.reports.agreement.sets.samples import NINE_ITEMS

NUMBERS = "item,rater,label\n" + "".join(
    f"{item},J{rater},{number:g}\n"
    for item, row in enumerate(SHROUT_FLEISS)
    for rater, number in enumerate(row)
)
SETS = "item,rater,label\n" + "".join(
    f"{item},{rater},{'|'.join(chosen) or '{}'}\n"
    for item, row in enumerate(NINE_ITEMS)
    for rater, chosen in zip("xy", row, strict=True)
)


def test_the_numbers_of_shrout_and_fleiss(question):
    """Shrout & Fleiss 1979, table 4."""
    found = question(NUMBERS, "--kind", "number")

    names = ["icc_1_1", "icc_a_1", "icc_c_1", "icc_1_k", "icc_a_k", "icc_c_k"]
    values = [round(found["coefficients"][name]["value"], 2) for name in names]
    assert values == [0.17, 0.29, 0.71, 0.44, 0.62, 0.91]
    assert found["coefficients"]["icc_1_1"]["reason"] is None
    assert found["coefficients"]["krippendorff_alpha"]["method"] == "interval"
    assert (found["kind"], found["n_items"], found["n_raters"], len(found["pairs"])) == ("number", 6, 4, 6)
    assert found["statistics"]["tests"]["kendall_w_zero"]["df"] == 5


@pytest.mark.parametrize("kind", ["number", "multiple"])
def test_data_used_and_excluded_come_with_each_figure(question, kind):
    rows = ["1,A,1", "1,B,2", "1,C,2", "2,A,3", "2,B,3", "3,A,5", "4,C,1"]
    found = question("item,rater,label\n" + "\n".join(rows), "--kind", kind)

    left_out = {"n_items": 2, "n_raters": 0, "n_labels": 2}
    figures = next(
        pair["figures"] for pair in found["pairs"] if (pair["rater_a"], pair["rater_b"]) == ("A", "C")
    )
    of_pair = [row for each in figures.values() for row in (each if isinstance(each, list) else [each])]
    assert of_pair
    for each in of_pair:
        assert (each["n_items"], each["n_raters"], each["n_labels"]) == (1, 2, 2)
        assert each["left_out"] == {"n_items": 3, "n_raters": 0, "n_labels": 3}
    if kind == "multiple":
        kappa, chosen = (
            found["statistics"]["categories"][name][0] for name in ("percent_agreement", "share_chosen")
        )
        assert (kappa["n_items"], kappa["n_labels"], kappa["left_out"]) == (2, 5, left_out)
        assert (chosen["n_items"], chosen["n_labels"], chosen["left_out"]["n_items"]) == (4, 7, 0)
    else:
        test = found["statistics"]["tests"]["kendall_w_zero"]
        assert (test["n_items"], test["n_labels"]) == (1, 3)
        assert test["left_out"] == {"n_items": 3, "n_raters": 0, "n_labels": 4}


def test_a_wide_file_of_numbers(question):
    """Bland & Altman 1986: bias -2.1 l/min."""
    rows = "".join(f"{item},{a:g},{b:g}\n" for item, (a, b) in enumerate(PEFR))

    [pair] = question("item,wright,z_mini\n" + rows, "--kind", "number", "--wide")["pairs"]

    assert round(pair["figures"]["bland_altman_bias"]["value"], 1) == -2.1
    assert (pair["rater_a"], pair["rater_b"], pair["n"]) == ("wright", "z_mini", 17)


def test_the_level_of_numbers_can_be_set(question):
    found = question(NUMBERS, "--kind", "number", "--level", "ratio")["coefficients"]

    assert found["krippendorff_alpha"]["method"] == "ratio"
    assert found["krippendorff_alpha_interval"]["method"] == "interval"


def test_the_same_number_may_be_written_in_many_ways(question):
    content = "item,rater,label\n1,a,1\n1,b,1.0\n2,a,1e1\n2,b,+10\n3,a,-0\n3,b,0\n"

    found = question(content, "--kind", "number")["coefficients"]

    assert found["icc_a_1"]["value"] == 1


def test_sets_of_the_nine_items(question):
    """Python: krippendorff.alpha with the MASI distance of Passonneau 2006."""
    found = question(SETS, "--kind", "multiple")

    assert found["coefficients"]["krippendorff_alpha"]["value"] == pytest.approx(0.2730806608357629)
    assert found["categories"] == ["A", "B", "C"]
    kappas = [each["value"] for each in found["pairs"][0]["figures"]["cohen_kappa"]]
    assert kappas == pytest.approx([0, 2 / 11, 10 / 13])


def test_declared_categories_that_no_set_holds_are_there(question):
    found = question(SETS, "--kind", "multiple", "--categories", "C,A,B,D")

    assert found["categories"] == ["C", "A", "B", "D"]
    assert found["statistics"]["categories"]["fleiss_kappa"][3]["reason"] == "no_variation"


def test_people_get_columns(run_agreement):
    numbers, sets = run_agreement(NUMBERS, "--kind", "number"), run_agreement(SETS, "--kind", "multiple")

    assert "0.290 – [0.019, 0.761] 6 24" in " ".join(numbers.split())
    assert "Kendall's W = 0     17.741   5  0.003  chi-squared, ties corrected" in numbers
    assert "J0  J1  6              0.107  [-0.056, 0.265]" in numbers
    assert "x y 9 0.457 0.537 0.333 0.000 0.182 0.769" in " ".join(sets.split())
    assert "Sets of categories: A, B, C (found in the file; set their order with --categories)" in sets


@pytest.mark.parametrize(
    ("content", "arguments", "sentence"),
    [
        ("item,rater,label\n1,a,ten\n", ("number",), "line 2"),
        ("item,rater,label\n1,a,1e999\n", ("number",), "out of range"),
        ("item,rater,label\n1,a,A|A\n", ("multiple",), "duplicate category"),
        (
            "item,rater,label\n1,a,A|X\n",
            ("multiple", "--categories", "A,B"),
            "X is not one of the categories",
        ),
        ("item,rater,label\n1,a,1\n1,a,2\n", ("number",), "already"),
        (
            "item,rater,label\n1,a,1\n",
            ("number", "--weights", "linear"),
            "Weights apply to single categories",
        ),
        (
            "item,rater,label\n1,a,1\n",
            ("number", "--reference", "a"),
            "--reference applies to single categories",
        ),
        ("item,rater,label\n1,a,1\n", ("number", "--categories", "1,2"), "Numbers have no categories"),
        ("item,rater,label\n1,a,A\n", ("multiple", "--level", "ordinal"), "Sets of categories have no level"),
        ("item,rater,label\n1,a,1\n", ("number", "--compare-pairs", "a,b,a,c"), "no rater 'b' to compare"),
    ],
)
def test_faults_are_named(run_agreement, content, arguments, sentence):
    with pytest.raises(CommandError, match=sentence):
        run_agreement(content, "--kind", *arguments)


@pytest.mark.parametrize("kind", ["number", "multiple"])
@pytest.mark.parametrize("content", ["item,rater,label\n1,a,\n", "item,rater,label\n1,a,1\n2,b,1\n"])
def test_files_with_nothing_to_compare(run_agreement, question, kind, content):
    assert question(content, "--kind", kind)["pairs"] == []
    assert "Pairs of raters: 0 with shared items" in run_agreement(content, "--kind", kind)


@pytest.mark.parametrize("interval", ["analytic", "percentile"])
def test_groups_of_raters_of_numbers_are_compared_by_alpha(question, interval):
    """Numbers are categories on the interval level too, for which the difference is known."""
    arguments = ("--compare-groups", "J0,J1", "J1,J2", "--interval", interval)

    found = question(NUMBERS, "--kind", "number", *arguments)["differences"]["groups"]["differences"]
    as_categories = question(NUMBERS, "--level", "interval", *arguments)["differences"]["groups"][
        "differences"
    ]

    ours, theirs = found["krippendorff_alpha"], as_categories["krippendorff_alpha"]
    assert found.keys() == {"krippendorff_alpha", "kendall_w", "kendall_w_uncorrected", "lin_concordance"}
    w, of_categories = found["kendall_w"], as_categories["kendall_w"]
    assert (w["first"], w["second"], w["n_shared"]) == pytest.approx(
        (of_categories["first"], of_categories["second"], 6)
    )
    for name in ("value", "first", "second", "n_first", "n_second", "n_shared", "reason"):
        assert ours[name] == pytest.approx(theirs[name])
    if interval == "analytic":
        for name in ("se", "ci_low", "ci_high", "statistic", "p_value"):
            assert ours[name] == pytest.approx(theirs[name])
    # Other draws of the same six items.
    assert ours["se"] == pytest.approx(theirs["se"], rel=0.1)
    assert ours["method"] == theirs["method"]


def test_two_files_of_sets_are_compared_item_by_item(question, tmp_path):
    other = tmp_path / "other.csv"
    other.write_text(SETS.replace("A|B", "B"), encoding="utf-8")

    found = question(SETS, "--kind", "multiple", "--compare-file", str(other))["differences"]["files"]

    for name in ("krippendorff_alpha", "krippendorff_alpha_jaccard", "mean_masi"):
        values = [
            question(content, "--kind", "multiple")["coefficients"][name]["value"]
            for content in (SETS, other.read_text(encoding="utf-8"))
        ]
        difference = found["differences"][name]
        assert difference["value"] == pytest.approx(values[0] - values[1])
        assert (difference["n_shared"], difference["method"]) == (9, "t over items, paired where shared")
        assert difference["ci_low"] < difference["value"] < difference["ci_high"]


def test_pairs_without_shared_items_have_no_difference(question):
    content = "item,rater,label\n1,a,1\n1,b,2\n2,a,3\n2,b,3\n3,c,1\n4,d,1\n"

    found = question(content, "--kind", "number", "--compare-pairs", "a,b,c,d")["differences"]["pairs"]

    difference = found["differences"]["krippendorff_alpha"]
    assert (found["first"], found["second"]) == ("a x b", "c x d")
    assert (difference["value"], difference["reason"]) == (None, "no_overlap")


def test_people_read_differences_and_words(run_agreement):
    text = run_agreement(
        NUMBERS, "--kind", "number", "--compare-groups", "J0,J1", "J2,J3", "--scale", "koo_li"
    )

    assert "J0, J1 - J2, J3" in text
    assert "Interpretation: Koo & Li 2016; interprets the CI" in text
    assert "poor to excellent" in text


def test_groups_of_which_draws_share_nothing_are_compared_all_the_same(question):
    """Of two items of the first group and three of the second, some draws have none of the first."""
    content = "item,rater,label\n" + "".join(
        f"{item},{rater},{label}\n"
        for item, raters, label in (
            (1, "ab", "A"),
            (2, "ab", "B"),
            (2, "cd", "B"),
            (3, "cd", "A"),
            (4, "cd", "A|B"),
        )
        for rater in raters
    )
    arguments = ("--kind", "multiple", "--compare-groups", "a,b", "c,d", "--interval", "percentile")

    found = question(content, *arguments)["differences"]["groups"]["differences"]["percent_agreement"]

    assert (found["value"], found["n_shared"], found["reason"]) == (0, 1, "degenerate_se")


def test_pairs_of_two_files_of_numbers_are_compared(run_agreement, tmp_path):
    before = tmp_path / "before.csv"
    before.write_text(NUMBERS.replace("0,J0,9\n", "0,J0,2\n"), encoding="utf-8")

    [found] = json.loads(
        run_agreement(
            NUMBERS, "--kind", "number", "--json", "--statistics", "pairs", "--compare-file", str(before)
        )
    )["questions"]
    files = found["differences"]["files"]

    assert (files["pairs"]["figure"], files["pairs"]["n_pairs"]) == ("lin_concordance", 6)
    # Only J0 is another: the pairs without J0 are alike in both.
    moved = {
        (each["rater_a"], each["rater_b"]) for each in files["pairs"]["pairs"] if each["difference"]["value"]
    }
    assert moved == {("J0", "J1"), ("J0", "J2"), ("J0", "J3")}
    assert files["differences"]["kendall_w"]["n_shared"] == 6


def test_two_pairs_of_numbers_are_compared_by_concordance(run_agreement):
    [found] = json.loads(
        run_agreement(NUMBERS, "--kind", "number", "--json", "--compare-pairs", "J0,J1,J0,J2")
    )["questions"]
    pairs = {(each["rater_a"], each["rater_b"]): each["figures"] for each in found["pairs"]}

    difference = found["differences"]["pairs"]["differences"]["lin_concordance"]

    values = [pairs["J0", other]["lin_concordance"]["value"] for other in ("J1", "J2")]
    assert [difference["first"], difference["second"]] == pytest.approx(values)
    assert difference["value"] == pytest.approx(values[0] - values[1])
    assert (difference["n_shared"], difference["df"]) == (6, 5)
