"""Published examples: all of them right, and that a wrong one would be seen."""

import math

import numpy as np
import pytest

from reports.published.checking import CheckVerdict, verify
from reports.published.examples import examples
from reports.published.printed_figures import FIGURES, PublishedFigure
from reports.published.statistics import STATISTICS
from reports.published.text import shown_difference


@pytest.fixture(scope="module")
def found():
    return verify()


def figure(printed, computed, note=""):
    return PublishedFigure(
        example="cohen1960_ex2", title="κ", printed=printed, compute=lambda: computed, note=note
    )


def test_every_figure_is_the_printed_one_but_for_three(found):
    wrong = [
        f"{each.printed.example} {each.printed.title}: {each.printed.printed}, computed {each.computed}"
        for each in found.figures
        if each.verdict is not CheckVerdict.EQUAL
    ]

    assert wrong == [
        "gwet_four_raters Standard error of AC1: 0.14295, computed 0.1247368001192856",
        "cats_dogs_2 Cohen’s κ: 0.37, computed 0.3534072900158479",
        "credit_balanced κ max: 0.853, computed 0.8387096774193549",
    ]
    assert (found.n_equal, found.n_explained, found.n_wrong) == (len(FIGURES) - 3, 3, 0)
    assert found.is_fine


def test_every_example_is_used_and_every_figure_has_an_example(found):
    assert {each.example for each in FIGURES} == set(examples())
    assert [group.name for group in found.groups] == list(examples())


def test_every_function_that_computes_a_figure_is_used():
    assert {each.compute.func.__name__ for each in FIGURES} == set(STATISTICS)


def test_a_difference_that_is_0_in_all_digits_shown_has_no_sign():
    checked = (
        verify((figure("0.399969", 0.399969 - 3e-9),)).figures + verify((figure("0.49", 0.4949),)).figures
    )

    assert [shown_difference(each) for each in checked] == ["0", "+0.004900"]


@pytest.mark.parametrize(
    ("printed", "computed", "verdict"),
    [
        ("0.49", 0.4949, CheckVerdict.EQUAL),
        ("0.49", 0.485, CheckVerdict.EQUAL),
        ("0.49", 0.4951, CheckVerdict.DIFFERENT),
        ("0.490", 0.4949, CheckVerdict.DIFFERENT),
        ("-2.1", -2.1176, CheckVerdict.EQUAL),
        ("119", 119, CheckVerdict.EQUAL),
        ("119", 120, CheckVerdict.DIFFERENT),
        ("0.49", None, CheckVerdict.UNDEFINED),
        ("0.49", math.nan, CheckVerdict.UNDEFINED),
    ],
)
def test_a_difference_beyond_rounding_is_seen(printed, computed, verdict):
    found = verify((figure(printed, computed),))

    assert [each.verdict for each in found.figures] == [verdict]
    assert found.is_fine is (verdict is CheckVerdict.EQUAL)
    assert found.n_wrong == (0 if found.is_fine else 1)


def test_a_note_explains_a_difference_and_not_a_missing_value():
    explained, missing = verify((figure("0.37", 0.353, "Because."), figure("0.37", None, "Because."))).figures

    assert (explained.verdict, missing.verdict) == (CheckVerdict.EXPLAINED, CheckVerdict.UNDEFINED)


def test_the_arithmetic_of_the_notes():
    pets, credit = (np.array(examples()[name].table) for name in ("cats_dogs_2", "credit_balanced"))

    assert (np.trace(pets), pets.sum(), pets.sum(axis=1) @ pets.sum(axis=0)) == (35, 51, 1339)
    assert (35 * 51 - 1339, 51**2 - 1339) == (446, 1262)
    assert np.minimum(credit.sum(axis=1), credit.sum(axis=0)).sum() == 290
    assert credit.sum(axis=1) @ credit.sum(axis=0) / 300**2 == pytest.approx(0.793333, abs=5e-7)
