"""manage.py agreement reads counts: a confusion matrix, and labels by item and category."""

import json

import pytest
from django.core.management import CommandError

from tests.reports.files.test_agreement import CATS_AND_DOGS

MATRIX = "A \\ B,Cats,Dogs\nCats,22,9\nDogs,7,13\n"
# Fleiss' kappa on Wikipedia: ten items, fourteen raters, .210.
FLEISS = """item,1,2,3,4,5
1,0,0,0,0,14
2,0,2,6,4,2
3,0,0,3,5,6
4,0,3,9,2,0
5,2,2,8,1,1
6,7,7,0,0,0
7,3,2,6,3,0
8,2,5,3,2,2
9,6,5,2,1,0
10,0,2,2,3,7
"""
NEED_RATERS = {"conger_kappa", "light_kappa", "mean_pairwise_kappa"}


def labels_of(table: str) -> str:
    """The labels that a table of counts by item stands for, by raters who chose in the order of the categories."""
    head, *rows = (line.split(",") for line in table.splitlines())
    found = ["item,rater,label"]
    for item, *counts in rows:
        labels = [name for name, n in zip(head[1:], counts, strict=True) for _ in range(int(n))]
        found += [f"{item},r{place},{label}" for place, label in enumerate(labels)]
    return "\n".join(found) + "\n"


def test_a_confusion_matrix_is_recognized(question):
    found, labels = question(MATRIX), question(CATS_AND_DOGS)

    assert found.pop("counts") == "pair"
    assert found == labels


def test_everything_of_a_pair_is_there(question):
    families = ("--statistics", "all,pairs,categories,tests,reference", "--reference", "B")

    found, labels = question(MATRIX, *families), question(CATS_AND_DOGS, *families)

    assert found["pairs"] == labels["pairs"]
    assert found["statistics"] == labels["statistics"]


def test_rows_in_another_order_sums_and_an_unnamed_corner(question):
    moved = ",Cats,Dogs,Total\nDogs,7,13,20\nCats,22,9,31\nTotal,29,22,51\n"

    found = question(moved)

    assert found["categories"] == ["Cats", "Dogs"]
    [pair] = found["pairs"]
    assert (pair["rater_a"], pair["rater_b"]) == ("rows", "columns")
    assert pair["counts"] == [[22, 9], [7, 13]]


def test_the_order_of_the_matrix_is_that_of_the_scale(question):
    # Landis & Koch 1977, Winnipeg; quadratic weights: .524576, R vcd.
    table = ",certain,probable,possible,doubtful\n"
    counts = ((38, 5, 0, 1), (33, 11, 3, 0), (10, 14, 5, 6), (3, 7, 3, 10))
    names = ("certain", "probable", "possible", "doubtful")
    table += "".join(f"{name},{','.join(map(str, row))}\n" for name, row in zip(names, counts, strict=True))

    [pair] = question(table, "--weights", "quadratic")["pairs"]

    assert pair["kappa"] == pytest.approx(0.524576, abs=6e-7)


def test_a_matrix_without_heads_when_asked_for(question):
    [pair] = question("22,9\n7,13\n", "--counts", "pair", "--header-line", "0")["pairs"]

    assert pair["kappa"] == pytest.approx(0.353407, abs=6e-7)


def test_what_could_be_labels_is_read_as_labels(question):
    assert question(MATRIX, "--counts", "none")["n_raters"] == 2
    assert question("item,A,B\n1,1,2\n2,2,2\n3,1,1\n")["n_items"] == 3
    # Items with the names of their raters, and names as labels.
    assert question("item,ann,ben\nann,yes,no\nben,no,no\n")["n_items"] == 2


def test_fleiss_kappa_of_counts_by_item(question):
    found, labels = question(FLEISS, "--counts", "items"), question(labels_of(FLEISS))

    # Published: .210; statsmodels fleiss_kappa: 0.20993070442195522.
    assert found["coefficients"]["fleiss_kappa"]["value"] == pytest.approx(0.20993070442195522, abs=1e-12)
    assert (found["n_items"], found["n_raters"], found["n_labels"]) == (10, None, 140)
    for name, figure in found["coefficients"].items():
        if name not in NEED_RATERS:
            assert figure == labels["coefficients"][name]


def test_figures_that_need_raters_say_so(run_agreement, question):
    found = question(FLEISS, "--counts", "items", "--statistics", "everything", "--level", "ordinal")
    tests, consensus = found["statistics"]["tests"], found["statistics"]["consensus"]

    undefined = {name for name, each in found["coefficients"].items() if each["value"] is None}
    of_order = {"kendall_w", "kendall_w_uncorrected", "conger_kappa_weighted", "light_kappa_weighted"}
    assert undefined == NEED_RATERS | of_order
    assert {found["coefficients"][name]["reason"] for name in undefined} == {"raters_unknown"}
    assert tests["kendall_w_zero"]["reason"] == "raters_unknown"
    assert tests["fleiss_zero"]["reason"] is None
    assert consensus["dawid_skene"] == {"reason": "raters_unknown"}
    assert consensus["majority_vote"]["n_decided"] == 9
    assert found["pairs"] == []
    text = run_agreement(FLEISS, "--counts", "items")
    assert "Not available from counts: pairs of raters" in text
    assert "10 items, up to 14 labels each, 140 labels" in text


def test_counts_that_are_read_as_labels_are_pointed_out(run_agreement):
    assert "--counts items" in run_agreement(FLEISS)
    assert "--counts" not in run_agreement(CATS_AND_DOGS)


@pytest.mark.parametrize(
    "arguments",
    [
        ("--reference", "label 1"),
        ("--leave-out", "label 1"),
        ("--compare-pairs", "label 1,label 2,label 3,label 4"),
        ("--compare-groups", "label 1,label 2", "label 3,label 4"),
    ],
)
def test_what_needs_raters_is_refused(run_agreement, arguments):
    with pytest.raises(CommandError, match="needs to know who gave which label"):
        run_agreement(FLEISS, "--counts", "items", *arguments)


@pytest.mark.parametrize(("content", "arguments"), [(MATRIX, ()), (FLEISS, ("--counts", "items"))])
def test_a_round_of_counts_is_refused(run_agreement, content, arguments):
    with pytest.raises(CommandError, match="has no rounds"):
        run_agreement(content, "--round", "pilot", *arguments)


@pytest.mark.parametrize(
    ("content", "form", "rule"),
    [
        (",a,b\na,1,2\nc,3,4\n", "pair", "must name the same two categories"),
        (",a,b\na,1,x\nb,3,4\n", "pair", "counts must be whole numbers"),
        (",a,b\na,1,-2\nb,3,4\n", "pair", "counts must be whole numbers"),
        (",a,b\na,0,0\nb,0,0\n", "pair", "all counts are 0"),
        ("item,a,b\n1,2,1.5\n", "items", "counts must be whole numbers"),
        ("item,a\n1,2\n", "items", "two or more categories"),
        ("item,a,b\n1,2,1\n1,2,1\n", "items", "each item once"),
        ("a,b,c\n1,2,0\n0,1,2\n2,0,1\n", "items", "each item once"),
        ("item,a,b\n1,200,1\n", "items", "at most 200 labels"),
    ],
)
def test_other_tables_are_refused(run_agreement, content, form, rule):
    with pytest.raises(CommandError, match=rule):
        run_agreement(content, "--counts", form)


def test_two_matrices_are_independent(run_agreement, file):
    other = file("other.csv", ",yes,no\nyes,80,10\nno,5,5\n")
    text = run_agreement(",yes,no\nyes,40,9\nno,6,45\n", "--json", "--compare-file", other)

    [found] = json.loads(text)["questions"]
    difference = found["differences"]["files"]["differences"]["light_kappa"]

    # Feinstein & Cicchetti 1990; (.699519 - .318182) with n - 1 in both variances.
    assert (difference["n_shared"], difference["first"]) == (0, pytest.approx(0.699519, abs=6e-7))
    assert difference["value"] == pytest.approx(0.381337, abs=1e-6)


def test_differences_of_counts_by_item_are_those_that_need_no_raters(run_agreement, file):
    other = file("other.csv", FLEISS.replace("6,7,7,0,0,0", "6,12,2,0,0,0"))
    text = run_agreement(FLEISS, "--json", "--counts", "items", "--compare-file", other)

    [found] = json.loads(text)["questions"]
    differences = found["differences"]["files"]["differences"]

    assert differences["fleiss_kappa"]["n_shared"] == 10
    assert differences["conger_kappa"]["reason"] == "raters_unknown"
    assert differences["conger_kappa"]["value"] is None
