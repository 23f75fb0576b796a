"""The stored statistics on the pages and in the API."""

import json

import pytest
from django.urls import reverse

from tests import cast
from tests.finished import finished_report
from tests.labeling import add_labels, from_table, new_question
from tests.reports.computing.asking import api_address
from tests.reports.looking import led_by, pair_page, question_page, text_of


def test_data_used_and_excluded_come_with_categories_and_tests_in_the_api(client, lead, rounds):
    report = finished_report(rounds, lead)

    found = client.get(api_address(rounds, report, "statistics/")).json()["statistics"]
    [pair, *_] = found["reference"]["raters"]

    rows = [*found["tests"].values(), found["categories"]["fleiss_kappa"][0], pair["categories"]["f1"][0]]
    for row in rows:
        assert row["n_items"] > 0
        assert set(row["left_out"]) == {"n_items", "n_raters", "n_labels"}


def test_each_category_is_tested_on_the_page_and_in_the_api(client, lead, fleiss):
    report = finished_report(fleiss, lead)
    agreement = report.questions.get()

    page = text_of(question_page(client, report))
    address = api_address(fleiss, report, "statistics/")
    [first, *_] = client.get(address).json()["statistics"]["category_tests"]["fleiss_zero"]

    assert "Fleiss’ κ = 0, each category vs. the rest" in page
    assert first["statistic"] == agreement.statistics["category_tests"]["fleiss_zero"][0]["statistic"]
    assert first["reason"] is None


def test_the_question_page_has_every_statistic_with_its_data(client, lead, fleiss):
    shown = text_of(question_page(client, finished_report(fleiss, lead)))

    assert "Fleiss’ κ unweighted 0.430 [0.319, 0.541] t-based, items as units 0.0542 30 6 180 none" in shown
    assert "Conger’s κ" in shown
    assert "schizophrenia 0.520" in shown
    assert "Fleiss’ κ = 0" in shown
    assert (
        "moderate; CI: fair to moderate; very likely at least fair (&gt; 99%)"
        " – Landis &amp; Koch 1977" in shown
    )
    assert "How many items would a similar study need?" in shown


@pytest.mark.parametrize(
    ("scale", "word"), [("fleiss", "“fair to good”"), ("krippendorff", ""), ("none", "")]
)
def test_a_coefficient_is_read_on_the_projects_scale_alone(client, lead, own_cats, scale, word):
    """kappa .353 is poor to Fleiss; Krippendorff's scale was not made for it."""
    own_cats.reading_scale = scale
    own_cats.save(update_fields=["reading_scale"])
    report = finished_report(own_cats, lead)

    for page in (question_page(client, report), pair_page(client, report)):
        shown = text_of(page)
        assert "Landis" not in shown
        assert ("Fleiss 1981" in shown) == bool(word)


def test_the_pair_page_has_every_statistic_of_the_two(client, lead, cats):
    shown = text_of(pair_page(client, finished_report(cats, lead)))

    # Values and errors as computed by irrCAC (R).
    for row in (
        "Scott’s π unweighted 0.352",
        "Gwet’s AC1 unweighted 0.391",
        "Krippendorff’s α nominal 0.359",
    ):
        assert row in shown
    assert "0.1316" in shown
    assert "PABAK 0.373" in shown
    # z = .353407 / .139570, the null error.
    assert "standard error under the null hypothesis = 0.1396 2.532" in shown
    assert "McNemar’s test exact below 25 disagreements, else chi-squared 0.250 – 0.804" in shown


def test_either_of_a_pair_can_be_taken_as_right(client, lead, cats):
    report = finished_report(cats, lead)

    neither, b = text_of(pair_page(client, report)), text_of(pair_page(client, report, reference="b"))

    assert "Choose one of the two raters as the reference" in neither
    # 22 of B's 29 cats and 13 of B's 22 dogs.
    assert (
        "Accuracy of A, with B as the reference: 68.6%. Given the marginal totals, 51.5% is expected by chance"
        in b
    )
    assert "cat 75.9%" in b
    assert "dog 59.1%" in b


def test_the_raters_page_compares_with_the_declared_or_the_chosen_one(client, lead, rounds):
    report = finished_report(rounds, lead)
    address = reverse("report_raters", args=[rounds.slug, report.pk, report.questions.get().question_id])

    declared = client.get(address)
    chosen = client.get(address, {"reference": "rater-001"})

    assert "Raters compared with rater-004" in text_of(declared)
    assert "Raters compared with rater-001" in text_of(chosen)


def test_tests_of_each_category_take_no_room_where_none_has_one(client, lead, own_cats, rounds):
    complete, gaps = (
        text_of(question_page(client, finished_report(each, lead))) for each in (own_cats, rounds)
    )

    assert "Fleiss’ κ = 0, each category vs. the rest" in complete
    assert "Fleiss’ κ = 0, each category vs. the rest" not in gaps
    assert "items have different numbers of labels" in gaps


def test_an_interval_cut_at_a_bound_says_so(client, lead):
    project = led_by(lead, cast.new_project("Cut", unique=True))
    add_labels(new_question(project, categories=["yes", "no"]), from_table([[60, 1], [0, 60]], ["yes", "no"]))
    report = finished_report(project, lead)
    pair = report.questions.get().pairs.get()

    shown = text_of(pair_page(client, report))
    found = client.get(
        f"/api/v1/projects/{project.slug}/reports/{report.pk}/questions/answer/pairs/{pair.rater_a_id}/{pair.rater_b_id}/"
    ).json()

    # kappa .983 with SE .016
    assert "95% CI [0.951, 1.000] truncated at 1" in shown
    assert "With fewer than 50 items" in shown
    assert (found["ci_high"], found["is_clipped"]) == (1, True)
    assert found["statistics"]["values"]["gwet_ac1"]["is_clipped"]
    assert not found["statistics"]["values"]["percent_agreement"]["is_clipped"]


def test_the_api_gives_every_family(client, lead, rounds):
    report = finished_report(rounds, lead, reference="rater-002")

    found = client.get(api_address(rounds, report, "statistics/")).json()
    other = client.get(api_address(rounds, report, "statistics/?reference=rater-000")).json()
    bad = client.get(api_address(rounds, report, "statistics/?reference=nobody"))

    families = {"categories", "tests", "category_tests", "consensus", "reference"}
    assert set(found["statistics"]) == families | {
        "checks",
        "confusions",
        "distributions",
        "findings",
        "standings",
    }
    assert found["statistics"]["reference"]["reference"] == "rater-002"
    assert len(found["statistics"]["reference"]["raters"]) == 4
    assert other["statistics"]["reference"]["reference"] == "rater-000"
    assert found["coefficients"]["fleiss_kappa"]["reason"] is None
    assert '""' not in json.dumps({name: each["reason"] for name, each in found["coefficients"].items()})
    assert bad.status_code == 400


def test_the_api_puts_words_to_coefficients_on_the_scale_of_the_project_or_another(client, lead, cats):
    """[22 9; 7 13], kappa .353 with SE .132."""
    report = finished_report(cats, lead)
    rater_a, rater_b = (rater["id"] for rater in report.questions.get().raters)

    own = client.get(api_address(cats, report, "statistics/")).json()["readings"]
    alpha = client.get(api_address(cats, report, "statistics/?scale=krippendorff")).json()["readings"]
    pair = client.get(api_address(cats, report, f"pairs/{rater_a}/{rater_b}/?scale=altman")).json()[
        "readings"
    ]
    unknown = client.get(api_address(cats, report, "statistics/?scale=mine"))

    assert own["fleiss_kappa"]["source"] == "Landis & Koch 1977, Biometrics 33, 159"
    assert (own["fleiss_kappa"]["word"], own["fleiss_kappa"]["judged_word"]) == ("fair", "fair")
    assert "gwet_ac1" not in own
    assert {name: reading["judged_word"] for name, reading in alpha.items()} == {
        "krippendorff_alpha": "discard"
    }
    assert {pair[name]["word"] for name in ("cohen_kappa", "scott_pi")} == {"fair"}
    assert pair["cohen_kappa"]["probabilistic"]["word"] == "poor"
    assert (unknown.status_code, "scale must be one of" in unknown.json()["detail"]) == (400, True)


def test_a_project_without_words_has_none_in_the_api(client, lead, own_cats):
    own_cats.reading_scale = "none"
    own_cats.save(update_fields=["reading_scale"])
    report = finished_report(own_cats, lead)

    assert client.get(api_address(own_cats, report, "statistics/")).json()["readings"] == {}
