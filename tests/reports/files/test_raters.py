"""manage.py agreement --statistics raters,checks,prevalence, and what it compares beside the coefficients."""

import pytest
from django.core.management import CommandError

from tests.reports.files.test_agreement import CATS_AND_DOGS

# Forty items: ana and ben always agree, cleo says b for the last twenty too.
TRUTH = "ab" * 20
THREE = {"ana": TRUTH, "ben": TRUTH, "cleo": TRUTH[:20] + "b" * 20}


def lines(*, with_times: bool = False, **raters: str) -> str:
    """Items that do not sort as they follow one another."""
    names = [f"{'zyx'[place % 3]}{place}" for place in range(len(next(iter(raters.values()))))]
    rows = [
        f"{name},{rater},{label}" + (f",2024-05-01T10:{place:02}:00Z" if with_times else "")
        for rater, labels in raters.items()
        for place, (name, label) in enumerate(zip(names, labels, strict=True))
        if label != "."
    ]
    head = "item,rater,label" + (",time" if with_times else "")
    return "\n".join([head, *rows]) + "\n"


def test_a_rater_compared_with_the_others(question):
    ana, ben, cleo = question(lines(**THREE), "--statistics", "raters")["raters"]

    assert (ana["rater"], ana["n_labels"], ana["drift"]) == ("ana", 40, None)
    # On ten items ben and cleo disagree, so that they have no consensus.
    assert (ana["consensus"]["n_tied"], ana["consensus"]["n_same"]) == (10, 30)
    assert ana["consensus"]["values"]["percent_agreement"]["value"] == 1
    assert cleo["consensus"]["values"]["percent_agreement"]["value"] == 30 / 40
    a, b = cleo["bias"]["categories"]
    # Ten a of forty, where the others have twenty.
    assert (a["category"], a["own"], a["others"], a["value"]) == ("a", 0.25, 0.5, -0.25)
    assert (b["n"], b["share"], b["everybody"]) == (30, 0.75, 70 / 120)
    # Paired t: ten items of forty with a difference of -1, so a variance of 7.5 / 39.
    assert a["se"] == pytest.approx((7.5 / 39 / 40) ** 0.5)
    assert ben["bias"]["categories"][0]["value"] == pytest.approx(0.125)


def test_a_rater_over_time(question, run_agreement):
    *_, cleo = question(lines(with_times=True, **THREE), "--statistics", "raters")["raters"]
    output = run_agreement(lines(with_times=True, **THREE), "--statistics", "raters")

    first, last = cleo["drift"]["windows"]
    assert (first["from"], first["value"]) == ("2024-05-01T10:00:00Z", 1)
    assert (last["to"], last["value"], last["n"]) == ("2024-05-01T10:39:00Z", 0.5, 20)
    # (n - 1) r^2: wrong at 21, 23, ..., 39 of 40, so that the covariance of place and right is -9.5 x 10 / 40.
    assert cleo["drift"]["trend"]["statistic"] == pytest.approx(39 * 2.375**2 / (1599 / 12 * 0.1875))
    assert "cleo  2024-05-01 10:00  2024-05-01 10:19  20" in output
    # A pair of others disagrees on ten items, so that only thirty have a consensus.
    assert "fewer than 40 labels with a consensus" in output


def test_invalid_times_are_refused(run_agreement):
    with pytest.raises(CommandError, match=r"line 2, column time: .soon. – not a time such as"):
        run_agreement("item,rater,label,time\ni1,ana,a,soon\n", "--statistics", "raters")
    with pytest.raises(CommandError, match="missing time"):
        run_agreement("item,rater,label,time\ni1,ana,a,\n", "--statistics", "raters")
    # Who does not ask for raters may have anything in a column of this name.
    assert "1 items" in run_agreement("item,rater,label,time\ni1,ana,a,soon\n")


@pytest.mark.parametrize("kind", ["number", "multiple"])
def test_raters_of_other_kinds(question, run_agreement, kind):
    labels = {"a": "1" if kind == "number" else "x", "b": "2" if kind == "number" else "x|y"}
    content = (
        lines(with_times=True, **THREE).replace(",a,", f",{labels['a']},").replace(",b,", f",{labels['b']},")
    )
    asked = ("--kind", kind, "--statistics", "everything")

    *_, cleo = question(content, *asked)["raters"]

    assert (cleo["consensus"]["n_same"], cleo["n_labels"]) == (30, 40)
    assert [window["n_same"] for window in cleo["drift"]["windows"]] == [20, 10]
    if kind == "number":
        assert cleo["consensus"]["values"]["bland_altman_bias"]["value"] == 0.25
        assert cleo["bias"] == {"categories": None, "reason": "not_of_kind"}
    else:
        assert [each["value"] for each in cleo["bias"]["categories"]] == [0, 0.25]
    assert "Over time, by window of each rater's labels" in run_agreement(content, *asked)


def test_pairs_that_look_like_a_mistake(question, run_agreement):
    swapped = TRUTH.translate(str.maketrans("ab", "ba"))
    labels = "abbaabababbbaabaaabb" * 2
    moved = labels[-1:] + labels[:-1]

    found = question(lines(ana=TRUTH, ben=TRUTH, cleo=swapped), "--statistics", "checks")["statistics"][
        "checks"
    ]
    shifted = run_agreement(lines(ana=labels, ben=moved), "--statistics", "checks")

    assert (found["n_identical"], found["n_below"]) == (1, 2)
    assert [pair["relabelled"]["categories"] for pair in found["low"]] == [[1, 0], [1, 0]]
    # The items are taken as the file has them, not as their names sort.
    assert "With the labels of ben shifted one" in " ".join(shifted.split())
    assert "check whether a column is misaligned in the file." in " ".join(shifted.split())


def test_a_pair_at_other_prevalences(question, run_agreement):
    [pair] = question(CATS_AND_DOGS, "--statistics", "prevalence")["pairs"]
    curve = pair["at_other_prevalence"]
    output = run_agreement(CATS_AND_DOGS, "--statistics", "prevalence")

    # 31 and 29 of 51 are cats; with 16 disagreements the share lies from 8 / 51 on.
    assert (curve["category"], curve["share"]) == ("Cats", 60 / 102)
    assert (len(curve["points"]), curve["points"][0]["prevalence"]) == (99, pytest.approx(8 / 51))
    assert {point["percent_agreement"] for point in curve["points"]} == {35 / 51}
    middle = curve["points"][49]
    assert middle["prevalence"] == pytest.approx(0.5)
    # At a half kappa is about 2 po - 1; the raters' totals differ by 2 of 51.
    assert middle["cohen_kappa"] == pytest.approx(2 * 35 / 51 - 1, abs=0.002)
    assert "A x B, if Cats (now 0.588 of the labels) were rarer or more common" in output
    assert (
        question(lines(ana="aa", ben="bb"), "--statistics", "prevalence")["pairs"][0]["at_other_prevalence"]
        is None
    )


def test_files_differ_by_category_and_by_pair(question, run_agreement, tmp_path):
    before = tmp_path / "before.csv"
    before.write_text(lines(**THREE | {"ben": THREE["cleo"]}), encoding="utf-8")
    asked = ("--statistics", "categories,pairs", "--compare-file", str(before))

    files = question(lines(**THREE), *asked)["differences"]["files"]
    output = run_agreement(lines(**THREE), *asked)

    assert [each["category"] for each in files["categories"]] == ["a", "b"]
    specific = files["categories"][0]["differences"]["specific_agreement"]
    assert (specific["n_shared"], specific["value"]) == (
        40,
        pytest.approx(specific["first"] - specific["second"]),
    )
    assert files["pairs"]["n_pairs"] == 3
    # ana with cleo is the same in both; ben has changed sides.
    moves = {
        (each["rater_a"], each["rater_b"]): each["difference"]["value"] for each in files["pairs"]["pairs"]
    }
    assert moves == {("ana", "ben"): 0.5, ("ben", "cleo"): -0.5, ("ana", "cleo"): 0}
    assert "by category" in output
    assert "Cohen's kappa of the 3 pairs in both" in output
