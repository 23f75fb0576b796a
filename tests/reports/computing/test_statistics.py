"""Every statistic of a report: stored, shown on the pages, given by the API, verified from the history."""

import json

import pytest
from django.urls import reverse

from projects.models import Round
from raters.models import Label, Rater
from reports.models import Report
from reports.store.verification import verify
from tests import cast
from tests.finished import finished_report
from tests.labeling import add_labels, from_table, labeled_project, new_question
from tests.reports.agreement.published import FLEISS_1971_COUNTS
from tests.reports.looking import led_by, pair_page, question_page, text_of

DIAGNOSES = ["depression", "personality", "schizophrenia", "neurosis", "other"]


@pytest.fixture
def fleiss(lead):
    """Fleiss 1971: 30 patients, 6 diagnoses each, which rater is unknown."""
    project = led_by(lead, cast.new_project("Diagnoses", unique=True))
    rows = []
    for patient, counts in enumerate(FLEISS_1971_COUNTS):
        said = [name for name, count in zip(DIAGNOSES, counts, strict=True) for _ in range(count)]
        rows += [(f"p{patient:02}", f"r{place}", name) for place, name in enumerate(said)]
    add_labels(new_question(project, categories=DIAGNOSES), rows)
    return project


@pytest.fixture
def rounds(lead):
    """Two rounds of 20 and 20 items, five raters, the last of them declared as the reference."""
    project = led_by(lead, labeled_project("Rounds", n_raters=5))
    Rater.objects.filter(project=project, key="rater-004").update(kind="reference")
    for key, name in (("pilot", "__lt"), ("main", "__gte")):
        round_ = Round.objects.create(project=project, key=key)
        labels = Label.objects.filter(question__project=project, **{f"item__key{name}": "item-00020"})
        labels.update(round=round_)
    return project


def stored(project, lead, **options):
    return finished_report(project, lead, **options).questions.get()


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


def test_data_used_and_left_out_stand_beside_each_value(lead):
    project = cast.new_project("Left out", unique=True)
    rows = [("i1", "A", "yes"), ("i1", "B", "yes"), ("i2", "A", "no"), ("i2", "B", "yes"), ("i3", "C", "no")]
    add_labels(new_question(project), rows)

    coefficients = stored(project, lead).coefficients

    alpha, mean = coefficients["krippendorff_alpha"], coefficients["mean_pairwise_kappa"]
    for found in (alpha, mean):
        assert (found["n_items"], found["n_raters"], found["n_labels"]) == (2, 2, 4)
        assert found["left_out"] == {"n_items": 1, "n_raters": 1, "n_labels": 1}
    assert coefficients["fleiss_kappa"]["n_labels"] == 5


def test_data_used_and_left_out_stand_beside_categories_and_tests_in_the_api(client, lead, rounds):
    report = finished_report(rounds, lead)

    found = client.get(api_address(rounds, report, "statistics/")).json()["statistics"]
    [pair, *_] = found["reference"]["raters"]

    rows = [*found["tests"].values(), found["categories"]["fleiss_kappa"][0], pair["categories"]["f1"][0]]
    for row in rows:
        assert row["n_items"] > 0
        assert set(row["left_out"]) == {"n_items", "n_raters", "n_labels"}


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


def test_the_pages_say_how_the_figures_were_asked_for(client, lead, own_cats):
    report = finished_report(
        own_cats, lead, weights="radical", interval="bca", seed=5, confidence=0.9, reference="B"
    )
    said = "CIs: BCa bootstrap, 2,000 replicates, seed 5 · 90% confidence level · reference: B"

    for page in (question_page(client, report), pair_page(client, report)):
        assert said in text_of(page)
        assert "90% CI" in text_of(page)
        assert "95% CI" not in text_of(page)


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
    assert narrow.pairs.get().ci_low == pytest.approx(0.353407 - 1.281552 * 0.132276, abs=2e-6)


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


def test_tests_of_each_category_take_no_room_where_none_has_one(client, lead, own_cats, rounds):
    complete, gaps = (
        text_of(question_page(client, finished_report(each, lead))) for each in (own_cats, rounds)
    )

    assert "Fleiss’ κ = 0, each category vs. the rest" in complete
    assert "Fleiss’ κ = 0, each category vs. the rest" not in gaps
    assert "items have different numbers of labels" in gaps


def test_an_interval_cut_at_a_bound_says_so(client, lead):
    project = led_by(lead, cast.new_project("Cut", unique=True))
    add_labels(new_question(project, categories=["yes", "no"]), from_table([[4, 1], [0, 5]], ["yes", "no"]))
    report = finished_report(project, lead)
    pair = report.questions.get().pairs.get()

    shown = text_of(pair_page(client, report))
    found = client.get(
        f"/api/v1/projects/{project.slug}/reports/{report.pk}/questions/answer/pairs/{pair.rater_a_id}/{pair.rater_b_id}/"
    ).json()

    # kappa .8 with SE .186
    assert "95% CI [0.436, 1.000] truncated at 1" in shown
    assert "With fewer than 50 items" in shown
    assert (found["ci_high"], found["is_clipped"]) == (1, True)
    assert found["statistics"]["values"]["gwet_ac1"]["is_clipped"]
    assert not found["statistics"]["values"]["percent_agreement"]["is_clipped"]


def test_two_rounds_are_compared(client, lead, rounds):
    report = finished_report(rounds, lead)
    address = reverse("report_compare", args=[rounds.slug, report.pk, report.questions.get().question_id])

    page = client.get(address, {"first": "round:pilot", "second": "round:main"})
    bad = client.get(address, {"first": "round:nope", "second": "all"})

    shown = text_of(page)
    assert "round pilot (excluding the reference) − round main (excluding the reference)" in shown
    assert "20 · 20 · 0" in shown
    assert (bad.status_code, "The report has no round" in text_of(bad)) == (400, True)


def api_address(project, report, tail: str) -> str:
    return f"/api/v1/projects/{project.slug}/reports/{report.pk}/questions/answer/{tail}"


def test_the_api_gives_every_family(client, lead, rounds):
    report = finished_report(rounds, lead, reference="rater-002")

    found = client.get(api_address(rounds, report, "statistics/")).json()
    other = client.get(api_address(rounds, report, "statistics/?reference=rater-000")).json()
    bad = client.get(api_address(rounds, report, "statistics/?reference=nobody"))

    families = {"categories", "tests", "category_tests", "consensus", "reference"}
    assert set(found["statistics"]) == families | {"checks", "confusions", "distributions"}
    assert found["statistics"]["reference"]["reference"] == "rater-002"
    assert len(found["statistics"]["reference"]["raters"]) == 4
    assert other["statistics"]["reference"]["reference"] == "rater-000"
    assert found["coefficients"]["fleiss_kappa"]["reason"] is None
    assert '""' not in json.dumps({name: each["reason"] for name, each in found["coefficients"].items()})
    assert bad.status_code == 400


def test_the_api_tells_what_was_asked_for(client, lead, cats):
    matrix = [[1, 0.25], [0.25, 1]]
    body = {
        "weights": "custom", "matrices": {"answer": matrix}, "interval": "bca", "replicates": 1000, "seed": 9,
        "confidence": 0.9, "reference": "A", "smoothing": 0.5, "counted": ["human", "reference"],
    }  # fmt: skip

    response = client.post(
        f"/api/v1/projects/{cats.slug}/reports/", json.dumps(body), content_type="application/json"
    )

    assert response.status_code == 202
    assert response.json()["options"] == body


def test_the_api_compares_two_pairs_that_share_items(client, lead, rounds):
    report = finished_report(rounds, lead)
    a, b, c = (rater["id"] for rater in report.questions.get().raters[:3])

    found = client.get(
        api_address(rounds, report, f"comparison/?first=pair:{a}:{b}&second=pair:{a}:{c}")
    ).json()
    same = client.get(
        api_address(rounds, report, f"comparison/?first=pair:{a}:{b}&second=pair:{b}:{a}")
    ).json()

    difference, kappas = found["differences"]["cohen_kappa"], {}
    for pair in report.questions.get().pairs.all():
        kappas[pair.rater_a_id, pair.rater_b_id] = pair.kappa
    assert (found["first"], found["second"]) == ("rater-000 × rater-001", "rater-000 × rater-002")
    assert difference["value"] == pytest.approx(kappas[a, b] - kappas[a, c], abs=1e-12)
    assert difference["n_shared"] > 20
    assert 0 < difference["p_value"] <= 1
    assert same["differences"]["cohen_kappa"]["value"] == pytest.approx(0, abs=1e-15)


def test_reports_before_and_after_a_change_are_compared_with_their_own_labels(client, lead, rounds):
    before = finished_report(rounds, lead)
    answer = rounds.questions.get()
    Label.objects.filter(question=answer).update(category=answer.categories.get(key="good"))
    Label.objects.filter(question=answer, item__key="item-00001").update(
        category=answer.categories.get(key="bad")
    )
    after = finished_report(rounds, lead)

    found = client.get(api_address(rounds, after, f"comparison/?first=all&second=report:{before.pk}")).json()

    agreement = found["differences"]["percent_agreement"]
    assert agreement["first"] == 1
    assert agreement["second"] == before.questions.get().coefficients["percent_agreement"]["value"]
    assert agreement["n_shared"] == 40


@pytest.mark.parametrize(
    "sides",
    ["first=all", "first=all&second=pair:1:2", "first=round:nope&second=all", "first=report:0&second=all",
     "first=pair:1:1&second=pair:1:1", "first=all&second=everything"],
)  # fmt: skip
def test_a_comparison_that_means_nothing_is_refused(client, lead, rounds, sides):
    report = finished_report(rounds, lead)

    response = client.get(api_address(rounds, report, f"comparison/?{sides}"))

    assert (response.status_code, response.json()["error"]) == (400, "refused")


def test_the_form_asks_with_every_option(client, lead, cats):
    asked = {
        "weights": "custom", "matrix": "1 0.5\n0.5, 1", "interval": "percentile", "replicates": "1500",
        "seed": "4", "confidence": "99.9", "reference": "B", "smoothing": "1",
        "counted": ["human", "model", "reference"],
    }  # fmt: skip

    response = client.post(reverse("agreement", args=[cats.slug]), asked)

    report = cats.reports.get()
    assert response.headers["Location"] == report.get_absolute_url()
    assert report.options == {
        "weights": "custom", "interval": "percentile", "confidence": 0.999, "reference": "B", "replicates": 1500,
        "seed": 4, "smoothing": 1.0, "counted": ["human", "model", "reference"],
        "matrices": {"answer": {"categories": ["cat", "dog"], "rows": [[1.0, 0.5], [0.5, 1.0]]}},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("wish", "sentence"),
    [
        ({"weights": "custom", "matrix": "1 x\nx 1"}, "Enter numbers separated by spaces or commas"),
        ({"weights": "custom", "matrix": "1 0"}, "answer: weights must be 2 rows of 2"),
        ({"weights": "custom"}, "Custom weights require a matrix for answer"),
        ({"weights": "linear", "replicates": "10"}, "greater than or equal to 1000"),
        ({"weights": "linear", "confidence": "10"}, "greater than or equal to 80"),
        ({"weights": "linear", "reference": "nobody"}, "Select a valid choice"),
        ({"weights": "linear", "interval": "wald"}, "Select a valid choice"),
    ],
)
def test_a_bad_option_of_the_form_is_refused_with_a_sentence(client, cats, wish, sentence):
    response = client.post(reverse("agreement", args=[cats.slug]), wish)

    assert (response.status_code, sentence in text_of(response)) == (400, True)
    assert not cats.reports.exists()


def test_two_groups_of_raters_are_compared_on_the_page_and_by_the_api(client, lead, rounds):
    report = finished_report(rounds, lead)
    agreement = report.questions.get()
    a, b, c = (rater["id"] for rater in agreement.raters[:3])
    page = reverse("report_compare", args=[rounds.slug, report.pk, agreement.question_id])

    found = client.get(
        api_address(rounds, report, f"comparison/?first=raters:{a}:{b}:{c}&second=raters:{a}:{b}")
    )
    shown = client.get(
        f"{page}?first_rater={a}&first_rater={b}&first_rater={c}&second_rater={a}&second_rater={b}"
    )

    differences = found.json()["differences"]
    kappa = agreement.pairs.get(rater_a=a, rater_b=b).kappa
    # Of two raters Light's kappa is Cohen's.
    assert differences["light_kappa"]["second"] == pytest.approx(kappa, abs=1e-12)
    assert (found.json()["first"], differences["fleiss_kappa"]["reason"]) == (
        "rater-000, rater-001, rater-002",
        None,
    )
    assert f"{differences['fleiss_kappa']['first']:.3f}" in text_of(shown)
    assert "rater-000, rater-001, rater-002 − rater-000, rater-001" in text_of(shown)


@pytest.mark.parametrize(
    "side", ["raters:1", "raters:", "raters:{a}", "raters:{a}:{a}", "raters:{a}:9999999"]
)
def test_a_group_that_is_none_is_refused(client, lead, rounds, side):
    report = finished_report(rounds, lead)
    a = report.questions.get().raters[0]["id"]

    answer = client.get(api_address(rounds, report, f"comparison/?first=all&second={side.format(a=a)}"))

    assert answer.status_code == 400
    assert "A group must be at least two raters of the report, given by their IDs" in answer.json()["detail"]


def test_the_page_refuses_a_group_of_one(client, lead, rounds):
    report = finished_report(rounds, lead)
    agreement = report.questions.get()
    page = reverse("report_compare", args=[rounds.slug, report.pk, agreement.question_id])

    shown = client.get(f"{page}?first_rater={agreement.raters[0]['id']}")

    assert "A group must be at least two raters" in text_of(shown)


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
