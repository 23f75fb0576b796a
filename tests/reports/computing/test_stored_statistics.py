"""What a report stores: published values, what bears on them, and what verifying says of a change."""

import pytest
from django.urls import reverse

from reports.models import Report
from reports.store.verification import verify
from tests import cast
from tests.finished import finished_report
from tests.labeling import add_labels, labeled_project, new_question
from tests.reports.computing.asking import stored
from tests.reports.looking import text_of


def test_categories_and_tests_have_their_published_values(lead, fleiss):
    agreement = stored(fleiss, lead)

    kappas = [row["value"] for row in agreement.statistics["categories"]["fleiss_kappa"]]
    specific = [row["value"] for row in agreement.statistics["categories"]["specific_agreement"]]
    test = agreement.statistics["tests"]["fleiss_zero"]
    # R irr, DKPro; the null standard error is .024374 where Gwet's for the interval is .054199.
    assert kappas == pytest.approx([0.244755, 0.244755, 0.520000, 0.471127, 0.566118], abs=5e-7)
    assert specific == pytest.approx([0.353846, 0.353846, 0.600000, 0.632727, 0.669767], abs=5e-7)
    assert test["statistic"] == pytest.approx(0.430245 / 0.024374, abs=1e-3)
    # R irr, kappam.fleiss with detail: 30 items of 6 labels have the null error sqrt(2 / (30 * 6 * 5)).
    of_each = agreement.statistics["category_tests"]["fleiss_zero"]
    assert [each["statistic"] for each in of_each] == pytest.approx(
        [5.192, 5.192, 11.031, 9.994, 12.009], abs=5e-4
    )
    assert all(each["p_value"] < 1e-6 for each in of_each)
    assert agreement.coefficients["fleiss_kappa"]["se"] == pytest.approx(0.054199, abs=5e-7)


def test_data_used_and_excluded_come_with_each_value(lead):
    project = cast.new_project("Left out", unique=True)
    rows = [("i1", "A", "yes"), ("i1", "B", "yes"), ("i2", "A", "no"), ("i2", "B", "yes"), ("i3", "C", "no")]
    add_labels(new_question(project), rows)

    coefficients = stored(project, lead).coefficients

    alpha, mean = coefficients["krippendorff_alpha"], coefficients["mean_pairwise_kappa"]
    for found in (alpha, mean):
        assert (found["n_items"], found["n_raters"], found["n_labels"]) == (2, 2, 4)
        assert found["left_out"] == {"n_items": 1, "n_raters": 1, "n_labels": 1}
    assert coefficients["fleiss_kappa"]["n_labels"] == 5


@pytest.mark.parametrize("interval", ["percentile", "bca", "jackknife"])
def test_another_interval_leaves_the_value_and_verifies(lead, interval):
    project = labeled_project("intervals")
    plain, other = stored(project, lead), stored(project, lead, interval=interval, weights="linear")

    for name in ("fleiss_kappa", "krippendorff_alpha", "gwet_ac1", "conger_kappa"):
        before, after = plain.coefficients[name], other.coefficients[name]
        assert after["value"] == before["value"]
        assert (after["ci_low"], after["ci_high"]) != (before["ci_low"], before["ci_high"])
        assert interval in after["interval_method"]
        assert (after["n_replicates"] > 0, after["n_undefined_replicates"]) == (True, 0)
    assert interval in other.coefficients["gwet_ac2"]["interval_method"]
    assert interval in other.statistics["categories"]["fleiss_kappa"][0]["interval_method"]
    assert verify(Report.objects.get(pk=other.report_id)) == []


def test_the_seed_makes_the_bootstrap(lead):
    project = labeled_project("seeds")
    first, second = (
        stored(project, lead, interval="percentile", seed=seed).coefficients["fleiss_kappa"]
        for seed in (1, 2)
    )

    assert first["ci_low"] != second["ci_low"]


def test_an_interval_that_would_take_too_long_says_so(lead, monkeypatch):
    project = labeled_project("long")
    monkeypatch.setattr("reports.analysis.overall.MAX_DRAWS", 500_000)

    found = stored(project, lead, interval="percentile").coefficients

    # Conger's kappa looks at every rater's labels in each replicate, Fleiss' at how they split.
    fleiss, conger = found["fleiss_kappa"], found["conger_kappa"]
    assert (fleiss["reason"], fleiss["interval_method"]) == ("", "percentile bootstrap")
    assert conger["value"] is not None
    assert (conger["se"], conger["ci_low"], conger["reason"]) == (None, None, "too_large")


def test_less_confidence_is_a_shorter_interval_for_pairs_too(lead, cats):
    wide, narrow = stored(cats, lead), stored(cats, lead, confidence=0.8)

    for name in ("fleiss_kappa", "krippendorff_alpha"):
        assert narrow.coefficients[name]["ci_low"] > wide.coefficients[name]["ci_low"]
    # Of goodness of fit, with chi-squared 1.642374.
    assert narrow.pairs.get().ci_low == pytest.approx(0.175552, abs=2e-6)


def test_verify_notices_a_changed_statistic(lead):
    report = finished_report(labeled_project("tampered"), lead)
    agreement = report.questions.get()
    agreement.statistics["categories"]["fleiss_kappa"][0]["value"] += 1e-6
    agreement.statistics["consensus"]["majority_vote"]["n_tied"] += 1
    agreement.save(update_fields=["statistics"])

    assert verify(report) == [
        "answer: the statistics of family categories differ",
        "answer: the statistics of family consensus differ",
    ]


def test_smoothing_bears_on_the_consensus_and_is_named(client, lead, rounds):
    plain, smoothed = finished_report(rounds, lead), finished_report(rounds, lead, smoothing=1)
    address = reverse("report_raters", args=[rounds.slug, smoothed.pk, smoothed.questions.get().question_id])

    shown = text_of(client.get(address))

    estimates = [each.questions.get().statistics["consensus"]["dawid_skene"] for each in (plain, smoothed)]
    assert [each["smoothing"] for each in estimates] == [0, 1]
    assert 0 in rates_of(estimates[0])
    assert min(rates_of(estimates[1])) > 0
    assert "; 1 added to each count" in shown
    assert verify(smoothed) == []


def rates_of(estimate) -> list[float]:
    return [rate for rater in estimate["raters"] for row in rater["confusion"] for rate in row]
