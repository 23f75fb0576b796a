"""How many more items would decide: a report asks the planner, and hands its own figures to the planning page."""

from urllib.parse import parse_qs

import numpy as np
import pytest

from reports.agreement.planning import extrapolation
from reports.agreement.planning.criterion_decision import CriterionOutcome
from reports.pages.statistic_tables import plan_query
from reports.plans.form import PlanForm
from reports.results.primary import primary_of
from reports.store.stored_result import StoredResult
from tests.finished import finished_report
from tests.reports.numbers_and_sets import add_numbers, add_sets


def result_of(question, lead):
    return StoredResult.of(finished_report(question.project, lead).questions.get())


def judged_by(question, criterion):
    question.criterion = criterion
    question.save(update_fields=["criterion"])
    return question


def scores(*, noise, shift=0.0):
    random = np.random.default_rng(14)
    return random.normal(size=(40, 1)) * 2 + random.normal(size=(40, 4)) * noise + np.array([0, 0, 0, shift])


def test_numbers_by_the_f_interval_of_more_items(numbers, lead):
    add_numbers(numbers, scores(noise=1.0, shift=0.2).tolist())
    before = result_of(numbers, lead).figure("icc_a_1")
    criterion = round((before.value + 2 * before.ci_low) / 3, 3)
    result = result_of(judged_by(numbers, criterion), lead)

    primary = primary_of(result)

    limits = extrapolation.of_agreement(
        before.value, consistency=result.figure("icc_c_1").value, n_raters=4, n_items=40, confidence=0.95
    )
    assert (primary.name, primary.decision.outcome) == ("icc_a_1", CriterionOutcome.UNDECIDED)
    n = 40 + primary.decision.n_more
    assert limits(n)[0] >= criterion > limits(n - 1)[0]


def test_the_verdict_says_when_raters_are_missing(numbers, lead):
    add_numbers(judged_by(numbers, 0.55), scores(noise=1.0, shift=2.5).tolist())

    primary = primary_of(result_of(numbers, lead))

    assert primary.decision.outcome is CriterionOutcome.UNDECIDED
    assert primary.decision.needs_raters
    assert primary.as_json()["n_more_items"] is None
    assert "More items alone" in primary.words("95")


def test_no_number_of_items_makes_up_for_raters_where_labels_are_missing(numbers, lead):
    rows = scores(noise=1.0, shift=0.2).tolist()
    for place, row in enumerate(rows):
        if place % 3 == 0:
            row[place % 4] = None
    add_numbers(numbers, rows)
    before = primary_of(result_of(numbers, lead)).figure

    primary = primary_of(result_of(judged_by(numbers, round((before.value + before.ci_low) / 2, 3)), lead))

    assert (primary.name, primary.decision.outcome) == ("icc_a_1_reml", CriterionOutcome.UNDECIDED)
    assert primary.as_json()["n_more_items"] is None
    assert primary.words("95").endswith("includes it.")


def test_sets_by_their_own_variance(sets, lead):
    random = np.random.default_rng(3)
    truth = [random.choice(["A", "B", "C", "AB"]) for _ in range(60)]
    rows = [[t if random.random() < 0.85 else random.choice(["A", "B", "BC"]) for _ in "123"] for t in truth]
    add_sets(sets, rows)
    result = result_of(sets, lead)

    primary = primary_of(result)

    found, n_more = primary.figure, primary.decision.n_more
    limits = extrapolation.over_items(found.value, se=found.se, n_items=60, confidence=0.95)
    assert primary.decision.outcome is CriterionOutcome.UNDECIDED
    assert limits(60 + n_more)[0] >= 0.667 > limits(59 + n_more)[0]
    assert (limits(60)[0], limits(60)[1]) == pytest.approx((found.ci_low, found.ci_high))


def test_the_planning_page_begins_with_the_figures_of_numbers(numbers, lead):
    add_numbers(numbers, scores(noise=1.0, shift=1.0).tolist())
    result = result_of(numbers, lead)

    asked = {name: values[0] for name, values in parse_qs(plan_query(result)).items()}

    share = 1 - result.figure("icc_a_1").value / result.figure("icc_c_1").value
    assert (asked["statistic"], asked["raters"]) == ("icc_agreement", "4")
    assert float(asked["value"]) == pytest.approx(result.figure("icc_a_1").value, abs=0.005)
    assert float(asked["rater_share"]) == pytest.approx(share, rel=0.05)
    assert PlanForm(asked | {"half_width": "0.3"}).answer()
