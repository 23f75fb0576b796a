"""The drawing of a coefficient next to its criterion."""

import pytest

from reports.agreement.weights import Weights
from reports.analysis.measure import Measure
from reports.analysis.results import Figure
from reports.pages.question.criterion_axis import LEFT, RIGHT, criterion_axis
from reports.results.primary import judged
from tests.finished import finished_report
from tests.reports.looking import question_page


def drawn(value, low, high, criterion=0.6, name="fleiss_kappa"):
    found = Figure(value=value, ci_low=low, ci_high=high, n_items=100)
    measure = Measure(coefficient=name, weights=Weights.UNWEIGHTED, criterion=criterion)
    return criterion_axis(judged(name, measure, found, confidence=0.95))


def test_places_are_in_proportion_between_0_and_1():
    axis = drawn(0.25, 0.0, 0.5, criterion=0.75)

    quarter = (RIGHT - LEFT) / 4
    places = [axis.low, axis.value, axis.high, axis.criterion]
    assert places == pytest.approx([LEFT + n * quarter for n in range(4)])
    assert (axis.state, axis.zero) == ("missed", None)
    assert [end.text for end in axis.ends] == ["0.00", "1.00"]


def test_an_interval_below_0_moves_the_beginning():
    axis = drawn(0.1, -0.25, 0.5)

    assert axis.low == LEFT
    assert axis.zero == pytest.approx(LEFT + (RIGHT - LEFT) / 5, abs=0.1)
    assert [end.text for end in axis.ends] == ["−0.25", "1.00"]


@pytest.mark.parametrize(
    ("criterion", "texts"), [(1.0, ["0.00", ""]), (0.05, ["", "1.00"]), (0.5, ["0.00", "1.00"])]
)
def test_the_criterion_does_not_overlap_the_ends(criterion, texts):
    assert [end.text for end in drawn(0.5, 0.4, 0.6, criterion=criterion).ends] == texts


def test_an_interval_ends_with_the_axis():
    assert drawn(0.9, 0.7, 1.04).high == RIGHT


@pytest.mark.parametrize("figure", [(None, None, None), (0.5, None, None)])
def test_nothing_is_drawn_without_an_interval(figure):
    assert drawn(*figure) is None


def test_shares_are_in_percent():
    axis = drawn(0.9, 0.8, 0.95, criterion=0.8, name="percent_agreement")

    assert (axis.value_text, axis.criterion_text, axis.ends[0].text) == ("90%", "80%", "0%")


def test_it_is_on_the_page_unless_thresholds_count(client, lead, cats):
    report = finished_report(cats, lead)
    assert "criterion-axis" in question_page(client, report).content.decode()

    cats.reading_scale, cats.thresholds = "own", [{"from": 0.5, "name": "Fine"}]
    cats.save()
    assert "criterion-axis" not in question_page(client, report).content.decode()
