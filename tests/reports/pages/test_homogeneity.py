"""The test that all rounds are alike, on the page of rounds and in the API."""

import numpy as np
import pytest
from django.urls import reverse

from projects.models import Item
from raters.models import Label
from reports.agreement.intervals.strata import fitted_homogeneity, homogeneity
from tests import cast
from tests.finished import finished_report
from tests.labeling import new_question
from tests.reports.looking import led_by, text_of
from tests.reports.pages.test_over_time import MONDAY, add_round, found_of, page_of

# Feinstein & Cicchetti 1990.
BALANCED, PREVALENT = [[40, 9], [6, 45]], [[80, 10], [5, 5]]


@pytest.fixture
def strata_question(lead):
    return new_question(led_by(lead, cast.new_project("Strata", unique=True)))


def test_rounds_of_independent_items_are_tested_at_once(client, strata_question, lead):
    add_round(strata_question, "pilot", BALANCED, at=MONDAY)
    add_round(strata_question, "main", PREVALENT, at=MONDAY)
    report = finished_report(strata_question.project, lead)

    found = found_of(client, report, coefficient="light_kappa")
    same, fitted = found["homogeneity"], found["fitted_homogeneity"]
    shown = text_of(page_of(client, report, coefficient="light_kappa"))

    windows = [window["figure"] for window in found["windows"]]
    expected = homogeneity([each["value"] for each in windows], [each["se"] for each in windows])
    assert (same["statistic"], same["df"], same["n_strata"]) == (pytest.approx(expected.statistic), 1, 2)
    # Errors of all raters have n - 1 where those of a pair have n: .614670 and 6.348 become these.
    assert same["value"] == pytest.approx(0.614670, abs=1e-6)
    assert same["statistic"] == pytest.approx(6.348009 * 99 / 100, abs=1e-5)
    by_hand = fitted_homogeneity(np.array([BALANCED, PREVALENT]))
    assert (fitted["statistic"], fitted["p_value"]) == pytest.approx((by_hand.statistic, by_hand.p_value))
    assert "Test that the 2 rounds have the same value: χ² = 6.28, df 1, p = 0.012" in shown
    assert "By goodness of fit" in shown


def test_rounds_with_few_items_are_left_out(client, strata_question, lead):
    add_round(strata_question, "pilot", [[5, 1], [1, 3]], at=MONDAY)
    add_round(strata_question, "main", BALANCED, at=MONDAY)
    add_round(strata_question, "last", PREVALENT, at=MONDAY)

    found = found_of(client, finished_report(strata_question.project, lead), coefficient="light_kappa")

    assert (found["homogeneity"]["n_strata"], found["homogeneity"]["n_left_out"]) == (2, 1)
    assert found["fitted_homogeneity"]["n_strata"] == 3


def test_rounds_that_share_items_are_not(client, strata_question, lead):
    add_round(strata_question, "pilot", BALANCED, at=MONDAY)
    add_round(strata_question, "main", PREVALENT, at=MONDAY)
    labels = Label.objects.filter(question=strata_question)
    for moved in labels.filter(item__key__startswith="main-")[:1]:
        other = labels.filter(item__key__startswith="pilot-", rater=moved.rater).first()
        moved.pk, moved.item, moved.pass_number = None, Item.objects.get(pk=other.item_id), 2
        moved._state.adding = True
        moved.save()
    report = finished_report(strata_question.project, lead)

    found = found_of(client, report, coefficient="light_kappa")

    assert (found["homogeneity"], found["fitted_homogeneity"]) == (None, None)


def test_light_kappa_of_two_raters_is_called_cohens(client, strata_question, lead):
    add_round(strata_question, "pilot", BALANCED, at=MONDAY)
    add_round(strata_question, "main", PREVALENT, at=MONDAY)
    report = finished_report(strata_question.project, lead)

    time = text_of(page_of(client, report, coefficient="light_kappa"))
    sides = {"first": "round:pilot", "second": "round:main"}
    args = [strata_question.project.slug, report.pk, strata_question.pk]
    compared = text_of(client.get(reverse("report_compare", args=args), sides))

    assert ("Cohen’s κ" in time, "Light’s κ" in time) == (True, False)
    assert ("Cohen’s κ" in compared, "Light’s κ" in compared) == (True, False)
