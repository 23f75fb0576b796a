"""manage.py agreement: a file in, figures out, no database."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

ROOT = Path(__file__).resolve().parents[3]

CATS_AND_DOGS = "item,rater,label\n" + "".join(
    f"{cell}{n},A,{a}\n{cell}{n},B,{b}\n"
    for cell, a, b, times in (
        ("cc", "Cats", "Cats", 22),
        ("cd", "Cats", "Dogs", 9),
        ("dc", "Dogs", "Cats", 7),
        ("dd", "Dogs", "Dogs", 13),
    )
    for n in range(times)
)


@pytest.fixture
def questions(run_agreement: Any) -> Any:
    def questions(content: str | bytes, *arguments: str) -> list[dict[str, Any]]:
        return json.loads(run_agreement(content, "--json", *arguments))["questions"]

    return questions


def test_the_text_begins_with_a_verdict_by_the_primary_coefficient(run_agreement):
    text = run_agreement(CATS_AND_DOGS)

    assert "Agreement is below the criterion: Cohen's kappa = 0.353, 95% CI [0.079, 0.580]." in text
    assert "Criterion 0.60: not met." in text
    assert "Light" not in text


def test_cats_and_dogs(questions):
    [question] = questions(CATS_AND_DOGS)
    [pair] = question["pairs"]

    assert question["categories"] == ["Cats", "Dogs"]
    assert (question["n_items"], question["n_raters"], question["n_labels"]) == (51, 2, 102)
    assert (pair["rater_a"], pair["rater_b"], pair["n"]) == ("A", "B", 51)
    assert pair["counts"] == [[22, 9], [7, 13]]
    # Cross Validated prints .37, from rounded proportions; SE: R vcd, statsmodels. The interval, of 49 labels of one
    # category: scipy's chisquare for pi .352381, .077862 to .579387, and 1 - kappa = 1.001585 (1 - pi).
    assert pair["kappa"] == pytest.approx(0.353407, abs=6e-7)
    assert pair["se"] == pytest.approx(0.132276, abs=6e-7)
    assert (pair["ci_low"], pair["ci_high"]) == pytest.approx((0.079047, 0.580054), abs=6e-7)
    assert pair["kappa_max"] == pytest.approx(0.919176, abs=6e-7)
    assert pair["reason"] is None
    assert set(question["coefficients"]) >= {
        "percent_agreement",
        "fleiss_kappa",
        "krippendorff_alpha",
        "gwet_ac1",
        "brennan_prediger",
        "mean_pairwise_kappa",
    }
    assert question["coefficients"]["mean_pairwise_kappa"]["value"] == pair["kappa"]
    for coefficient in question["coefficients"].values():
        assert set(coefficient) >= {"value", "se", "ci_low", "ci_high", "reason", "n_items", "left_out"}
        assert coefficient["reason"] is None


def test_what_has_several_conventions_is_given_by_each(questions):
    [question] = questions(CATS_AND_DOGS, "--statistics", "everything")
    tests = question["pairs"][0]["statistics"]["tests"]

    # 9 and 7 items of disagreement; scipy, binomtest.
    assert tests["mcnemar_exact"]["p_value"] == pytest.approx(0.8036194, abs=1e-7)
    assert tests["mcnemar_chi_squared"]["statistic"] == pytest.approx(4 / 16, abs=1e-12)
    assert tests["mcnemar_corrected"]["statistic"] == pytest.approx(1 / 16, abs=1e-12)
    assert len(question["statistics"]["category_tests"]["fleiss_zero"]) == 2


def test_percent_agreement_by_its_three_conventions(questions):
    rows = ["1,A,x", "1,B,x", "2,A,x", "2,B,y", "2,C,y", "3,A,y", "3,B,y", "3,C,y", "3,D,x"]
    [question] = questions("item,rater,label\n" + "\n".join(rows))
    found = question["coefficients"]

    # Of 1, 3 and 6 pairs of labels 1, 1 and 3 agree.
    assert found["percent_agreement"]["value"] == pytest.approx((1 + 1 / 3 + 1 / 2) / 3, abs=1e-12)
    assert found["percent_agreement_by_labels"]["value"] == pytest.approx((2 + 1 + 2) / 9, abs=1e-12)
    assert found["percent_agreement_by_pairs"]["value"] == pytest.approx(5 / 10, abs=1e-12)


def test_ranks_and_weights_have_their_other_figures(questions):
    rows = ["1,A,1", "1,B,1", "2,A,2", "2,B,1", "3,A,3", "3,B,3", "4,A,2", "4,B,3"]
    arguments = ("--level", "ordinal", "--weights", "linear", "--categories", "1,2,3")
    [question] = questions("item,rater,label\n" + "\n".join(rows), *arguments)
    found = question["coefficients"]

    assert found["kendall_w_uncorrected"]["value"] < found["kendall_w"]["value"]
    assert found["krippendorff_alpha_weighted"]["method"] == "linear"
    # 2 of 8 label pairs differ, by half the scale; n = 3, 2, 3 labels.
    expected = 2 * (3 * 2 * 0.5 + 3 * 3 + 2 * 3 * 0.5)
    assert found["krippendorff_alpha_weighted"]["value"] == pytest.approx(1 - 7 * 2 / expected, abs=1e-12)


def test_figures_are_not_rounded(questions):
    [question] = questions(CATS_AND_DOGS)

    # po 35/51, pe (31*29 + 20*22)/51^2; kappa exactly 443/1251 shortened.
    assert question["pairs"][0]["kappa"] == pytest.approx((35 * 51 - 1339) / (51 * 51 - 1339), abs=1e-16)


def test_rows_in_any_order_give_the_same_figures(run_agreement):
    header, *rows = CATS_AND_DOGS.splitlines()

    assert run_agreement("\n".join([header, *reversed(rows)]), "--json") == run_agreement(
        CATS_AND_DOGS, "--json"
    )


def test_declared_categories_order_the_table(questions):
    [question] = questions(CATS_AND_DOGS, "--categories", "Dogs,Birds,Cats")

    assert question["categories"] == ["Dogs", "Birds", "Cats"]
    assert question["pairs"][0]["counts"] == [[13, 0, 7], [0, 0, 0], [9, 0, 22]]


def test_categories_that_are_numbers_are_sorted_as_numbers(questions):
    [question] = questions("item,rater,label\n1,a,10\n1,b,9\n2,a,2\n2,b,10\n")

    assert question["categories"] == ["2", "9", "10"]


def test_raters_are_sorted_as_people_count(questions):
    [question] = questions("item,rater,label\n1,r10,x\n1,r9,y\n2,r9,y\n")

    assert (question["pairs"][0]["rater_a"], question["pairs"][0]["rater_b"]) == ("r9", "r10")


SEVERAL = (
    "item,rater,question,label,remark\n1,a,tone,x,!\n1,b,tone,x,\n1,a,topic,y,\n1,b,topic,,\n2,a,tone,z,\n"
)


def test_each_question_by_itself(questions):
    tone, topic = questions(SEVERAL)

    assert (tone["question"], tone["categories"], tone["n_labels"]) == ("tone", ["x", "z"], 3)
    # An empty label is none: b did not label this question.
    assert (topic["question"], topic["n_raters"], topic["n_labels"], topic["pairs"]) == ("topic", 1, 1, [])
    kappa = topic["coefficients"]["fleiss_kappa"]
    figures = [kappa[name] for name in ("value", "se", "ci_low", "ci_high")]
    assert (figures, kappa["reason"]) == ([None] * 4, "no_overlap")
    # Fleiss' kappa uses the category of a single label, so that it counts as used.
    assert (kappa["n_labels"], kappa["left_out"]["n_labels"]) == (1, 0)


def test_one_question_only(questions):
    [topic] = questions(SEVERAL, "--question", "topic")

    assert topic["question"] == "topic"


def test_a_column_for_each_rater(questions):
    wide = "item,note,ann,bob\n1,?,x,x\n2,,y,x\n3,,,y\n"
    long = "item,rater,label\n1,ann,x\n1,bob,x\n2,ann,y\n2,bob,x\n3,bob,y\n"

    assert questions(wide, "--wide", "--ignore", "note") == questions(long)


@pytest.mark.parametrize(
    "content",
    [
        CATS_AND_DOGS.replace(",", ";"),
        CATS_AND_DOGS.replace(",", "\t"),
        "\ufeff" + CATS_AND_DOGS,
        CATS_AND_DOGS.replace("\n", "\r\n"),
        CATS_AND_DOGS.encode("utf-16"),
    ],
)
def test_separators_and_encodings_are_found(questions, content):
    assert questions(content) == questions(CATS_AND_DOGS)


def test_pairs_that_share_nothing_are_listed_with_the_reason(questions):
    [question] = questions("item,rater,label\n1,a,x\n1,b,x\n2,b,y\n2,c,y\n")

    pairs = {(pair["rater_a"], pair["rater_b"]): pair for pair in question["pairs"]}
    assert list(pairs) == [("a", "b"), ("a", "c"), ("b", "c")]
    nobody = pairs["a", "c"]
    assert (nobody["n"], nobody["counts"]) == (0, [[0, 0], [0, 0]])
    assert (nobody["observed"], nobody["kappa"], nobody["reason"]) == (None, None, "no_overlap")
    assert (pairs["a", "b"]["kappa"], pairs["a", "b"]["reason"]) == (None, "no_variation")
    assert question["coefficients"]["mean_pairwise_kappa"]["reason"] == "no_variation"


def test_with_very_many_pairs_those_without_shared_items_are_left_out(questions, monkeypatch):
    monkeypatch.setattr("reports.command.agreement.MAX_PAIRS", 2)

    [question] = questions("item,rater,label\n1,a,x\n1,b,x\n2,b,y\n2,c,y\n")

    assert [(pair["rater_a"], pair["rater_b"]) for pair in question["pairs"]] == [("a", "b"), ("b", "c")]


LOW_TO_HIGH = "item,rater,label\n1,a,low\n1,b,mid\n2,a,mid\n2,b,high\n3,a,high\n3,b,high\n4,a,low\n4,b,low\n"


def test_weights_follow_the_declared_order(questions):
    [question] = questions(
        LOW_TO_HIGH, "--weights", "linear", "--categories", "low,mid,high", "--level", "ordinal"
    )

    # Distances 1, 1, 0, 0 over 4 items; by chance (2·(1·1 + 2·2) + 1·(1 + 2) + 1·(2 + 1)) / 16 = 1.
    [pair] = question["pairs"]
    assert pair["counts"] == [[1, 1, 0], [0, 0, 1], [0, 0, 1]]
    assert pair["kappa"] == pytest.approx(0.5, abs=1e-15)


def test_ordered_categories_get_the_weights_of_a_report_by_default(questions):
    ordered = ("--categories", "low,mid,high", "--level", "ordinal")

    [default], [quadratic], [plain] = (
        questions(LOW_TO_HIGH, *ordered, *weights)
        for weights in ((), ("--weights", "quadratic"), ("--weights", "unweighted"))
    )

    assert default == quadratic
    assert default["pairs"][0]["kappa"] != plain["pairs"][0]["kappa"]


def test_weights_without_an_order_are_refused(run_agreement):
    with pytest.raises(CommandError, match="require the order of the categories"):
        run_agreement(LOW_TO_HIGH, "--weights", "quadratic")
    with pytest.raises(CommandError, match="require the order of the categories"):
        run_agreement(LOW_TO_HIGH, "--level", "ordinal")


def test_the_interval_level_needs_numbers(run_agreement, questions):
    with pytest.raises(CommandError, match="requires numeric categories, got 'low'"):
        run_agreement(LOW_TO_HIGH, "--level", "interval", "--categories", "low,mid,high")

    numbers = LOW_TO_HIGH.replace("low", "1").replace("mid", "2").replace("high", "5")
    [by_value], [by_rank] = (
        questions(numbers, "--level", "interval"),
        questions(numbers, "--level", "ordinal"),
    )
    alphas = [each["coefficients"]["krippendorff_alpha"]["value"] for each in (by_value, by_rank)]
    assert alphas[0] != pytest.approx(alphas[1], abs=1e-3)


@pytest.mark.parametrize(
    ("content", "arguments", "message"),
    [
        ("", [], "empty"),
        ("item,rater\n1,a\n", [], "line 1: no column holds the labels of a rater"),
        ("item\n1\n", ["--wide"], "no column left for raters"),
        ("item,rater,label\n1,A,x\n", ["--wide"], "remove --wide"),
        ("item,rater,label\n1,a,x\n1,a,y\n", [], "line 3, column label: .* a already labeled 1 in line 2"),
        (
            "item,rater,label\n1,a,x\n1,b,z\n",
            ["--categories", "x,y"],
            'line 3, column label: "z" – not one of',
        ),
        ("item,rater,label\n1,,x\n", [], "line 2, column rater: can’t be empty"),
        ("item,rater,label\n1,a,x\n1,b,x,y\n", [], "line 3: .*the row has 4 cells; the header has 3"),
        ("item,rater,label\n", [], "the file has a header but no rows"),
        ("item,rater,label\n1,a,x\n", ["--question", "tone"], "the file has no such question"),
        ("item,rater,label\n1,a,x\n", ["--categories", "x,x"], "distinct names"),
    ],
)
def test_faults_are_named_with_line_and_column(run_agreement, content, arguments, message):
    with pytest.raises(CommandError, match=message):
        run_agreement(content, *arguments)


def test_every_fault_is_listed(run_agreement):
    with pytest.raises(CommandError) as refused:
        run_agreement("item,rater,label\n1,a,z\n2,,x\n3,a,w\n", "--categories", "x,y")

    text = str(refused.value)
    assert text.startswith("The file has 3 problems:")
    assert [line in text for line in ("line 2", "line 3", "line 4")] == [True] * 3


def test_spaces_at_the_edges_say_nothing(questions):
    spaced = CATS_AND_DOGS.replace(",Cats", ", Cats ")

    assert questions(spaced, "--trim") == questions(spaced) == questions(CATS_AND_DOGS)


def test_a_missing_file_is_named():
    with pytest.raises(CommandError, match=r"There is no file nowhere\.csv"):
        call_command("agreement", "nowhere.csv")


def test_text_shows_every_figure(run_agreement):
    text = run_agreement(CATS_AND_DOGS)

    assert "51 items, 2 raters, 102 labels" in text
    assert "0.353" in text
    assert "[0.079, 0.580]" in text
    assert "Krippendorff's alpha" in text
    assert "set their order with --categories" in text


def test_text_says_why_a_value_is_missing(run_agreement):
    text = run_agreement("item,rater,label\n1,a,x\n1,b,x\n2,b,y\n2,c,y\n")

    assert "no shared items" in text
    assert "all labels are the same" in text


def test_it_needs_no_database_no_server_and_no_settings(tmp_path):
    environment = {"PATH": os.environ["PATH"], "DATABASE_URL": "postgres://nobody@127.0.0.1:1/none"}

    done = subprocess.run(
        [sys.executable, "-W", "error", "manage.py", "agreement", "-", "--json"],
        input=CATS_AND_DOGS.encode(),
        cwd=ROOT,
        env=environment,
        capture_output=True,
        check=True,
    )

    assert json.loads(done.stdout)["questions"][0]["pairs"][0]["counts"] == [[22, 9], [7, 13]]
    assert done.stderr == b""


def test_two_categories_of_the_same_number_are_refused_on_an_interval_scale(run_agreement):
    with pytest.raises(CommandError, match="two categories have the same number"):
        run_agreement("item,rater,label\ni,A,1\ni,B,01\n", "--level", "interval")
