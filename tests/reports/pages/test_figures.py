"""How figures are put into words, colors and drawings; nothing here touches the database."""

import re

import numpy as np
import pytest

from core.templatetags.shown import duration, figure, percent
from reports.pages.question.pair_matrix import shown_raters
from reports.pictures.forest import NARROW, WIDE, forest_of, pair_name
from reports.results.confusion import TableCategory, count_table, direction_of, indices_of
from reports.results.question_pairs import Pair
from reports.results.wording import shown_interval, step
from reports.store.agreements import ReportRater
from tests.reports.drawn import marks, place, words

# Dentists 1 and 3 of Espeland & Handelman 1989: carious, sound.
DENTISTS = np.array([[216, 113], [280, 3250]])
TWO = [TableCategory("carious", ""), TableCategory("sound", "")]


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.2, "0.20"), (-0.123, "−0.12"), (-0.001, "0.00"), (1, "1.00"), (None, "–"), (0.995, "0.99")],
)
def test_a_figure_has_two_digits_and_a_true_minus(value, text):
    assert figure(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.785, "78%"), (1.0, "100%"), (0.999, "> 99%"), (0.0, "0%"), (0.001, "< 1%"), (None, "–")],
)
def test_a_share_is_never_rounded_to_all_or_nothing(value, text):
    assert percent(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.04, "0.04 s"),
        (3.21, "3.2 s"),
        (12.4, "12 s"),
        (59.9, "1 min 0 s"),
        (125, "2 min 5 s"),
        (7300, "2 h 1 min"),
        (90_000, "1 day"),
        (None, "–"),
    ],
)
def test_a_duration_has_the_unit_that_fits(seconds, text):
    shown = duration(seconds)

    assert shown.replace("\u00a0", " ") == text
    assert not re.search(r"\d [a-z]", shown), "a line could break between a number and its unit"


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [(0.274, 0.336, "[0.27, 0.34]"), (-0.2, 0.1, "[−0.20, 0.10]"), (None, 0.1, "")],
)
def test_an_interval_is_in_brackets(low, high, text):
    assert shown_interval(low, high) == text


@pytest.mark.parametrize(
    ("kappa", "kind"),
    [
        (-1, "below-2"),
        (-0.2, "below-1"),
        (-0.01, "below-1"),
        (0, "step-0"),
        (0.0999, "step-0"),
        (0.47, "step-4"),
        (0.9, "step-9"),
        (1.0, "step-9"),
    ],
)
def test_the_color_step_of_a_kappa(kappa, kind):
    assert step(kappa) == kind


def test_the_indices_of_two_raters_who_seldom_see_caries():
    indices = indices_of(DENTISTS)

    assert indices.brennan_prediger == pytest.approx(2 * 3466 / 3859 - 1)
    assert indices.prevalence == pytest.approx((216 - 3250) / 3859)
    assert indices.bias == pytest.approx((113 - 280) / 3859)


def test_kappa_is_what_byrt_bishop_and_carlin_make_of_the_indices():
    """Byrt, Bishop & Carlin 1993: kappa = (PABAK - PI^2 + BI^2) / (1 - PI^2 + BI^2), on table 1b."""
    indices = indices_of(np.array([[80, 10], [5, 5]]))
    pabak, prevalence, bias = indices.brennan_prediger, indices.prevalence, indices.bias

    kappa = (pabak - prevalence**2 + bias**2) / (1 - prevalence**2 + bias**2)

    assert kappa == pytest.approx(0.318182, abs=5e-7)


def test_more_categories_have_no_prevalence_and_no_bias():
    indices = indices_of(np.diag([3, 3, 4]))

    assert (indices.brennan_prediger, indices.prevalence, indices.bias) == (1.0, None, None)


def test_an_empty_table_has_no_indices():
    assert indices_of(np.zeros((2, 2), dtype=int)).brennan_prediger is None


def test_the_table_of_counts_has_all_totals_and_an_address_for_each():
    table = count_table(DENTISTS, TWO, show="total")

    assert [[cell.count for cell in row.cells] for row in table.rows] == [[216, 113], [280, 3250]]
    assert [row.total.count for row in table.rows] == [329, 3530]
    assert [cell.count for cell in table.totals] == [496, 3363]
    assert table.grand.count == 3859
    assert table.rows[0].cells[1].address == "items/?row=carious&column=sound"
    assert table.rows[1].cells[1].share == "84.2%"


@pytest.mark.parametrize(
    ("show", "share"), [("row", "34.3%"), ("column", "3.4%"), ("total", "2.9%"), ("count", "")]
)
def test_the_share_of_a_count_is_of_what_was_asked(show, share):
    assert count_table(DENTISTS, TWO, show=show).rows[0].cells[1].share == share


def test_agreement_and_disagreement_look_different():
    kinds = [[cell.kind for cell in row.cells] for row in count_table(DENTISTS, TWO, show="count").rows]

    assert kinds == [["step-0", "off-2"], ["off-3", "step-8"]]


def test_an_empty_cell_has_no_color_and_an_odd_key_is_quoted():
    table = count_table(
        np.array([[0, 0], [0, 5]]), [TableCategory("a&b", ""), TableCategory("c d", "")], show="row"
    )

    assert table.rows[0].cells[0].kind == "zero"
    assert table.rows[0].cells[0].share == ""
    assert table.rows[0].cells[1].address == "items/?row=a%26b&column=c+d"


def categories(n):
    return [TableCategory(f"c{number}", "") for number in range(n)]


def test_twenty_categories_are_shown_whole():
    table = count_table(np.zeros((20, 20), dtype=int), categories(20), show="total")

    assert (len(table.categories), table.n_left_out) == (20, 0)


def test_of_a_long_list_the_categories_in_use_are_shown():
    counts = np.zeros((200, 200), dtype=int)
    counts[7, 7], counts[7, 150], counts[3, 3] = 5, 2, 1

    table = count_table(counts, categories(200), show="total")

    assert [category.key for category in table.categories] == ["c3", "c7", "c150"]
    assert [row.total.count for row in table.rows] == [1, 7, 0]
    assert (table.grand.count, table.n_left_out) == (8, 197)


def test_of_many_categories_in_use_the_most_used_are_shown_with_totals_over_all():
    counts = np.diag(np.arange(1, 101))
    counts[99, 0] = 3

    table = count_table(counts, categories(100), show="count")

    assert [category.key for category in table.categories] == [f"c{n}" for n in range(60, 100)]
    assert table.rows[-1].total.count == 103
    assert table.grand.count == counts.sum()


def test_the_direction_of_two_raters():
    sentence = direction_of(DENTISTS, TWO, "dentist-1", "dentist-3")

    assert sentence == "dentist-1 uses “carious” less often (329 vs. 496 of 3,859 items) than dentist-3."


def test_a_difference_within_chance_is_no_direction():
    """25 against 30 of 50: b = 10, c = 5, and the exact p is 2 P(X ≤ 5), X ~ Bin(15, 1/2), = 2 × 4944 / 2^15."""
    sentence = direction_of(np.array([[15, 10], [5, 20]]), TWO, "A", "B")

    assert "do not differ significantly" in sentence
    assert "p = 0.302" in sentence


def test_categories_beyond_chance_are_reported():
    """A says c0 for every c1 of B; c2 and c3 differ by one item."""
    table = np.array([[10, 40, 0, 0], [0, 10, 0, 0], [0, 0, 20, 1], [0, 0, 0, 20]])

    sentence = direction_of(table, categories(4), "A", "B")

    assert "“c0” more often (50 vs. 10 of 101 items)" in sentence
    assert "“c1” less often (10 vs. 50 of 101 items)" in sentence
    assert "c2" not in sentence


def test_equal_margins_have_no_direction():
    assert (
        direction_of(np.array([[1, 2], [2, 1]]), TWO, "A", "B") == "A and B use every category equally often."
    )


def pair(kappa, low=None, high=None):
    return Pair(1, 2, 10, 0.5, kappa, None, low, high, "")


def test_the_axis_reaches_below_the_lowest_limit():
    forest = forest_of([pair(0.5, -0.3, 0.9), pair(None)], {1: "A", 2: "B"}, shape=WIDE, description="")

    ticks = ["−0.4", "−0.2", "0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]
    assert words(forest) == [*ticks, "A × B", "0.50"]
    [interval], [dot] = marks(forest, "intervals"), marks(forest, "dots")
    # From -0.4 to 1 in 480 pixels.
    assert place(interval)[0] == pytest.approx(480 * 0.1 / 1.4)
    assert float(interval.get("x2")) == pytest.approx(480 * 1.2 / 1.4)
    assert place(dot)[0] == pytest.approx(480 * 0.9 / 1.4)


def test_a_drawing_stays_inside_its_axis():
    forest = forest_of([pair(-1.5, -2.0, 1.0)], {1: "A" * 80, 2: "B"}, shape=NARROW, description="")

    [interval] = marks(forest, "intervals")
    assert (place(interval)[0], float(interval.get("x2"))) == (0, NARROW.axis)
    assert place(marks(forest, "dots")[0])[0] == 0
    assert NARROW.max_name in map(len, words(forest))


def test_a_pair_leads_to_its_page_from_its_whole_row():
    forest = forest_of(
        [pair(0.5)], {1: "A", 2: "B"}, shape=WIDE, description="of all pairs", query="?coefficient=x&y=1"
    )

    assert '<a tabindex="-1" href="1/2/?coefficient=x&amp;y=1">' in forest.inline
    assert "<title>A × B: 0.50</title>" in forest.inline
    assert 'role="group" aria-label="of all pairs"' in forest.inline


def test_long_names_of_a_pair_are_distinguished_by_their_ends():
    names = [pair_name("a-dentist-1", f"a-dentist-{n}", 19) for n in range(2, 5)]

    assert names == ["a-de…t-1 × a-de…t-2", "a-de…t-1 × a-de…t-3", "a-de…t-1 × a-de…t-4"]
    assert pair_name("me", "a-dentist-1", 16) == "me × a-dentist-1"
    assert pair_name("a-dentist-1", "me", 15) == "a-den…st-1 × me"


def test_there_is_no_drawing_of_nothing():
    assert forest_of([pair(None)], {1: "A", 2: "B"}, shape=WIDE, description="") is None


def raters(n):
    return [ReportRater(number, f"rater-{number:03}", "human", number) for number in range(n)]


def test_two_hundred_raters_are_shown_whole():
    assert len(shown_raters(raters(200))) == 200


def test_of_more_raters_those_with_most_labels_are_shown_by_name():
    shown = shown_raters(raters(201))

    assert [rater.id for rater in shown] == list(range(161, 201))
