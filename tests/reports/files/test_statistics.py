"""manage.py agreement with weights, intervals, families of statistics and comparisons; no database."""

from typing import Any

import pytest
from django.core.management import CommandError, call_command

from reports.command.tables import WIDTH
from tests.reports.files.test_agreement import CATS_AND_DOGS

# Gwet 2014, table of four raters: a line for each rater, a character for each item.
GWET_LINES = ["123321412...", "1233224125..", ".33323422513", "12332441251."]
GWET = "item,rater,label\n" + "".join(
    f"i{item:02},r{rater},{label}\n"
    for rater, line in enumerate(GWET_LINES, 1)
    for item, label in enumerate(line)
    if label != "."
)
SCALE = ["--categories", "1,2,3,4,5", "--level", "ordinal"]


@pytest.mark.parametrize(
    ("weights", "value"),
    [
        ("linear", 0.858739),
        ("quadratic", 0.914001),
        ("ordinal", 0.898940),
        ("radical", 0.819812),
        ("ratio", 0.857368),
        ("circular", 0.830195),
        ("bipolar", 0.900373),
    ],
)
def test_every_weighting_has_its_reference_value(question, weights, value):
    """AC2 on Gwet's four raters: R irrCAC, Python irrCAC."""
    found = question(GWET, *SCALE, "--weights", weights)

    assert found["coefficients"]["gwet_ac2"]["value"] == pytest.approx(value, abs=6e-7)
    assert found["coefficients"]["gwet_ac2"]["method"] == weights


# Linear weights of three categories, in other orders and forms.
NAMED = ",high,low,mid\nhigh,1,0,0.5\nlow,0,1,0.5\nmid,0.5,0.5,1\n"
BARE = "1,0.5,0\n0.5,1,0.5\n0,0.5,1\n"
AS_JSON = '{"label": [[1, 0.5, 0], [0.5, 1, 0.5], [0, 0.5, 1]]}'
LOW_TO_HIGH = "item,rater,label\n1,a,low\n1,b,mid\n2,a,mid\n2,b,high\n3,a,high\n3,b,high\n4,a,low\n4,b,low\n"


@pytest.mark.parametrize(("name", "content"), [("n.csv", NAMED), ("b.csv", BARE), ("w.json", AS_JSON)])
def test_weights_come_from_a_file(question, file, name, content):
    linear = question(LOW_TO_HIGH, "--categories", "low,mid,high", "--weights", "linear")
    own = question(LOW_TO_HIGH, "--categories", "low,mid,high", "--weights-file", file(name, content))

    assert own["pairs"] == linear["pairs"]
    assert own["coefficients"]["gwet_ac2"]["value"] == linear["coefficients"]["gwet_ac2"]["value"]
    assert own["coefficients"]["gwet_ac2"]["method"] == "custom"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "The weights file is empty"),
        ("1,0\n0,1\n", "label: weights must be 3 rows of 3, got 2 rows of 2"),
        ("1,0,0\n0,1,x\n0,0,1\n", "rows of numbers from 0 to 1"),
        ("1,0.5,0\n0.4,1,0\n0,0,1\n", "symmetric"),
        (
            ",a,b,c\na,1,0,0\nb,0,1,0\nc,0,0,1\n",
            "the weights are for a, b, c, but the categories are low, mid, high",
        ),
        (",low,mid,high\nmid,1,0,0\nlow,0,1,0\nhigh,0,0,1\n", "in the same order"),
        ('{"label": [[1, 0}', "not valid JSON, line 1"),
        ('{"other": [[1]]}', "custom weights require a matrix"),
        (",low,mid,high\nlow,1,0\nmid,0,1,0\nhigh,0,0,1\n", "a row has a different number of weights"),
        ('{"label": ["100", "010", "001"]}', "rows of numbers from 0 to 1"),
        ("[" * 100_000, "rows of numbers from 0 to 1"),
        (f"[[1{'0' * 400}]]", "rows of numbers from 0 to 1"),
        (f"[[1{'0' * 5000}]]", "rows of numbers from 0 to 1"),
        (f'"{"1" * 200_000}"', "rows of numbers from 0 to 1"),
    ],
    ids=str.__len__,
)
def test_a_file_that_is_no_weighting_is_refused(run, file, content, sentence):
    with pytest.raises(CommandError, match=sentence):
        run(LOW_TO_HIGH, "--categories", "low,mid,high", "--weights-file", file("weights", content))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--weights", "custom"], "custom weights require a matrix. Pass it with --weights-file"),
        (["--weights", "linear", "--weights-file", "x"], "--weights-file requires --weights custom"),
        (["--weights-file", "nowhere"], "nowhere cannot be read"),
        (["--statistics", "pairs,all,more"], "--statistics must be any of all, pairs"),
        (["--statistics", "reference"], "--statistics reference requires --reference"),
        (["--reference", "Z"], "there is no rater 'Z'"),
        (["--replicates", "5", "--interval", "bca"], "replicates must be from 1,000"),
        (["--confidence", "95"], "confidence must be from 0.8 to 0.999"),
        (["--compare-pairs", "A,B"], "--compare-pairs requires four raters"),
        (["--compare-pairs", "A,B,A,Z"], "there is no rater 'Z' to compare"),
        (["--compare-groups", "A,B", "B"], "--compare-groups requires two groups of at least two raters"),
        (["--compare-groups", "A,B", "B,Z"], "there is no rater 'Z' to compare"),
        (["--compare-file", "nowhere.csv"], "There is no file nowhere.csv"),
        (["--level", "ratio"], "--level ratio requires numeric categories"),
    ],
)
def test_a_bad_option_is_refused_with_a_sentence(run, arguments, sentence):
    with pytest.raises(CommandError, match=sentence):
        run(CATS_AND_DOGS, *arguments)


@pytest.mark.parametrize("kind", ["single", "number", "multiple"])
def test_everything_of_a_file_without_labels_is_undefined(run, question, kind):
    content, everything = "item,rater,label\n1,A,\n2,B,\n", ["--statistics", "everything", "--kind", kind]

    found = question(content, *everything)
    printed = run(content, *everything)

    assert "0 items, 0 raters, 0 labels" in printed
    assert {each["reason"] for each in found["coefficients"].values()} == {"no_items"}
    assert (found["categories"], found["pairs"]) == ([], [])
    tests = found["statistics"].get("tests", {})
    assert {each["reason"] for each in tests.values()} <= {"no_items"}
    assert not any(found["statistics"].get("category_tests", {}).values())
    assert not any(found["statistics"].get("categories", {}).values())


@pytest.mark.parametrize("interval", ["percentile", "bca", "jackknife"])
def test_intervals_by_other_methods_are_those_of_the_seed(question, interval):
    def alpha(*more: str) -> dict[str, Any]:
        found = question(GWET, *SCALE, "--interval", interval, *more)
        return found["coefficients"]["krippendorff_alpha"]

    plain = question(GWET, *SCALE)["coefficients"]["krippendorff_alpha"]
    assert alpha()["value"] == plain["value"]
    assert alpha()["ci_low"] != plain["ci_low"]
    assert alpha() == alpha()
    assert (alpha("--seed", "2") == alpha()) is (interval == "jackknife")


def test_the_jackknife_has_its_reference_error(question):
    """Krippendorff 2011, four observers, nominal: .146327 by jackknife, .145479 linearised (definitions 2.10)."""
    lines = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]
    content = "item,rater,label\n" + "".join(
        f"i{item:02},r{rater},{label}\n"
        for rater, line in enumerate(lines)
        for item, label in enumerate(line)
        if label != "."
    )

    errors = [
        question(content, "--interval", method)["coefficients"]["krippendorff_alpha"]["se"]
        for method in ("jackknife", "analytic")
    ]

    assert errors == pytest.approx([0.146327, 0.145479], abs=6e-7)


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


def test_what_is_used_and_left_out_stands_beside_categories_and_tests(question):
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
        "tests",
        "category_tests",
        "consensus",
        "reference",
        "checks",
    }
    assert all_of_it["statistics"]["reference"]["reference"] == "r4"
    assert [found["rater"] for found in all_of_it["statistics"]["reference"]["raters"]] == ["r1", "r2", "r3"]
    assert set(question(GWET, "--statistics", "tests")["statistics"]) == {"tests", "category_tests"}


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


def test_text_stays_within_its_width(run):
    arguments = [*SCALE, "--weights", "linear", "--interval", "percentile", "--replicates", "1000"]
    more = [
        "--statistics",
        "everything",
        "--reference",
        "r4",
        "--compare-pairs",
        "r1,r2,r1,r3",
        "--scale",
        "cicchetti",
    ]

    lines = run(GWET, *arguments, *more).splitlines()

    assert max(map(len, lines)) <= WIDTH
    for heading in ("By category", "Tests of all raters", "Consensus", "Reference: r4", "r1 x r2 - r1 x r3"):
        assert any(line.startswith(heading) for line in lines)


def test_help_tells_all_in_groups(capsys):
    with pytest.raises(SystemExit):
        call_command("agreement", "--help")

    text = capsys.readouterr().out
    for group in ("input", "statistics", "confidence intervals of overall coefficients", "output"):
        assert f"{group}" in text
    for option in (
        "--weights-file",
        "--compare-pairs",
        "--compare-file",
        "--statistics",
        "--reference",
        "--seed",
    ):
        assert option in text


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


def test_words_of_a_scale_stand_beside_the_coefficients_it_was_made_for(run, question):
    """Gwet 2014: AC1 .77544 is no kappa, so that the scale of Landis & Koch says nothing of it."""
    found = question(GWET, "--scale", "landis_koch")

    kappa = found["readings"]["fleiss_kappa"]
    assert (kappa["word"], kappa["probabilistic"]["word"]) == ("substantial", "moderate")
    assert kappa["source"] == "Landis & Koch 1977, Biometrics 33, 159"
    assert not found["readings"].keys() & {"gwet_ac1", "krippendorff_alpha", "percent_agreement"}
    assert {pair["reading"]["word"] for pair in found["pairs"]} <= {
        "moderate",
        "substantial",
        "almost perfect",
    }
    assert "readings" not in question(GWET)
    assert "reading" not in question(GWET)["pairs"][0]
    text = run(GWET, "--scale", "landis_koch")
    assert "Interpretation: Landis & Koch 1977" in text
    assert "0.761  substantial  moderate to almost perfect" in text
    assert text.count("at least moderate") >= 2


def test_weighted_kappas_are_not_read_on_a_scale_for_plain_ones(question):
    found = question(GWET, *SCALE, "--weights", "linear", "--scale", "landis_koch")

    assert {"fleiss_kappa", "light_kappa"} <= found["readings"].keys()
    assert not found["readings"].keys() & {"fleiss_kappa_weighted", "mean_pairwise_kappa"}
    assert {pair["reading"] is None for pair in found["pairs"]} == {True}


def test_a_scale_for_other_coefficients_says_so(run):
    text = run(GWET, "--scale", "koo_li")

    assert "The scale applies to none of these coefficients." in text


def test_people_see_the_categories_against_the_reference(run):
    text = run(CATS_AND_DOGS, "--reference", "B")

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


def test_smoothing_of_the_consensus_is_named(question, run):
    content = "item,rater,label\na,r0,x\na,r1,x\na,r2,y\nb,r0,y\nb,r1,y\n"

    found = question(content, "--statistics", "consensus", "--smoothing", "1")["statistics"]["consensus"]
    text = run(content, "--statistics", "consensus", "--smoothing", "1")

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


def test_thresholds_of_ones_own_are_read_for_what_they_are_for(question, run):
    own = ["--thresholds", "ac", "fair=.4, good=.6"]

    found, text = question(GWET, *SCALE, *own)["readings"], run(GWET, *SCALE, *own)

    # AC1 .7754 with SE .1429: 95% certain of fair alone.
    assert {name: each["word"] for name, each in found.items()} == {"gwet_ac1": "good"}
    assert found["gwet_ac1"]["probabilistic"]["word"] == "fair"
    assert "Interpretation: your own thresholds" in text


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (["--thresholds", "kap", "fair=.4"], "--thresholds must be for one of kappa, weighted_kappa"),
        (["--thresholds", "kappa", "fair"], "names with numbers, such as fair=.4,good=.75, got 'fair'"),
        (["--thresholds", "kappa", "fair=.5,good=.3"], "each threshold must be above the one before it"),
        (
            ["--thresholds", "kappa", "fair=.5", "--scale", "altman"],
            "Use either --scale or --thresholds, not both",
        ),
        (["--smoothing", "1"], "--smoothing requires --statistics consensus or everything"),
        (["--smoothing", "-1", "--statistics", "consensus"], "smoothing must be from 0 to 100"),
    ],
)
def test_what_thresholds_and_smoothing_cannot_be_is_said(run, given, sentence):
    with pytest.raises(CommandError, match=sentence):
        run(GWET, *SCALE, *given)


def test_categories_come_with_what_is_confused_and_who_uses_them(question, run):
    found = question(CATS_AND_DOGS, "--statistics", "categories")["statistics"]
    text = run(CATS_AND_DOGS, "--statistics", "categories")

    # [22 9; 7 13]: 16 of 51 items.
    assert found["confusions"]["most"] == [{"a": 0, "b": 1, "n_pairs": 16, "n_items": 16}]
    assert found["distributions"] == {"A": [31, 20], "B": [29, 22]}
    assert "Confused: 16 of 51 label pairs disagree" in text
    assert "  A    31    20" in text
