"""manage.py agreement --leave-out: the figures of all raters are as if the rater were gone; the pairs are all there."""

import pytest
from django.core.management import CommandError

from tests.reports.files.gwet import GWET, SCALE

NUMBERS = "item,rater,label\n" + "".join(
    f"i{item},r{rater},{(item * 7 + rater * item) % 5 + rater}\n"
    for item in range(8)
    for rater in range(1, 5)
)


def without_r4(content: str) -> str:
    return "".join(line for line in content.splitlines(keepends=True) if ",r4," not in line)


@pytest.mark.parametrize(
    ("content", "arguments"),
    [
        (GWET, [*SCALE, "--weights", "linear", "--statistics", "categories,tests,consensus,raters"]),
        (NUMBERS, ["--kind", "number", "--statistics", "raters"]),
        (NUMBERS, ["--kind", "multiple", "--categories", "1,2,3,4,5,6,7,8"]),
    ],
    ids=["single", "number", "multiple"],
)
def test_figures_of_all_are_those_of_a_file_without_the_rater(question, content, arguments):
    found = question(content, *arguments, "--leave-out", "r4")
    gone = question(without_r4(content), *arguments)

    assert found["coefficients"] == gone["coefficients"]
    # Both are about everyone who labeled: what each rater chose, and what is looked for in pairs.
    everyone = {"distributions": 0, "findings": 0}
    assert found.get("statistics", {}) | everyone == gone.get("statistics", {}) | everyone
    assert [each for each in found.get("raters", []) if each["rater"] != "r4"] == gone.get("raters", [])
    assert (len(found["pairs"]), len(gone["pairs"])) == (6, 3)
    assert found["counted"] == {"n_raters": 3, "left_out": ["r4"]}
    assert "counted" not in gone


def test_it_is_reported_and_files_are_compared_without_the_rater(run_agreement, question, file):
    other, gone = file("other.csv", NUMBERS), file("gone.csv", without_r4(NUMBERS))

    shown = run_agreement(GWET, *SCALE, "--leave-out", "r4")
    with_pairs = question(NUMBERS, "--kind", "number", "--leave-out", "r4", "--compare-file", other)
    by_hand = question(without_r4(NUMBERS), "--kind", "number", "--compare-file", gone)

    assert "Overall coefficients are based on 3 raters, excluding r4." in shown
    assert with_pairs["differences"] == by_hand["differences"]


def test_one_rater_with_an_excluded_one_has_the_pair(question):
    two = "item,rater,label\n" + "".join(f"i{n},a,{n % 2}\ni{n},gold,{n % 3 % 2}\n" for n in range(12))

    found = question(two, "--leave-out", "gold", "--statistics", "everything", "--reference", "gold")

    assert {each["reason"] for each in found["coefficients"].values()} == {"too_few_counted"}
    assert found["pairs"][0]["kappa"] is not None
    assert found["statistics"]["reference"]["raters"][0]["rater"] == "a"


def test_who_is_not_in_the_file_cannot_be_left_out(run_agreement):
    with pytest.raises(CommandError, match="--leave-out: there is no rater 'gold'"):
        run_agreement(GWET, *SCALE, "--leave-out", "gold")
