"""Questions of numbers and of sets over the API."""

import pytest

from tests.finished import finished_report
from tests.reports.agreement.numbers.published import PEFR, SHROUT_FLEISS
from tests.reports.agreement.sets.samples import NINE_ITEMS
from tests.reports.numbers_and_sets import add_numbers, add_sets


def address(report, tail: str = "") -> str:
    return f"/api/v1/projects/{report.project.slug}/reports/{report.pk}/{tail}"


@pytest.fixture
def peak_flow(lead, numbers):
    add_numbers(numbers, PEFR.tolist())
    return finished_report(numbers.project, lead)


def test_a_report_has_the_coefficients_of_numbers(client, lead, numbers):
    add_numbers(numbers, SHROUT_FLEISS.tolist())

    [found] = client.get(address(finished_report(numbers.project, lead))).json()["results"]

    assert found["coefficients"]["icc_a_1"]["value"] == pytest.approx(0.289763779527559)
    assert found["coefficients"]["icc_a_1"]["reason"] is None
    assert found["categories"] == []


def test_a_pair_of_numbers_has_figures_in_place_of_counts(client, peak_flow):
    [pair] = client.get(address(peak_flow, "questions/score/pairs/")).json()["results"]
    one = client.get(address(peak_flow, f"questions/score/pairs/{pair['rater_b_id']}/{pair['rater_a_id']}/"))

    assert (pair["n"], pair["counts"], pair["kappa"]) == (17, [], None)
    assert pair["figures"]["bland_altman_upper"]["value"] == pytest.approx(73.8620074934469)
    assert pair["figures"]["lin_concordance"]["reason"] is None
    assert [pair["figures"]["mean_a"][name] for name in ("n_items", "n_raters", "n_labels")] == [17, 2, 34]
    assert pair["figures"]["mean_a"]["left_out"] == {"n_items": 0, "n_raters": 0, "n_labels": 0}
    assert one.json()["figures"] == pair["figures"]


def test_the_matrix_of_numbers_has_a_table_for_each_figure(client, peak_flow):
    matrix = client.get(address(peak_flow, "questions/score/matrix/")).json()

    figures = matrix["figures"]
    assert (matrix["kappa"], matrix["n"]) == (None, [[0, 17], [17, 0]])
    assert figures["lin_concordance"][0][1] == figures["lin_concordance"][1][0] == pytest.approx(0.94274243)
    assert figures["bland_altman_bias"][0][1] == -figures["bland_altman_bias"][1][0]
    assert figures["bland_altman_bias"][0][1] == pytest.approx(-2.11764705882353)


def test_sets_have_kappa_of_each_category(client, lead, sets):
    add_sets(sets, NINE_ITEMS)
    report = finished_report(sets.project, lead)

    [pair] = client.get(address(report, "questions/topics/pairs/")).json()["results"]
    matrix = client.get(address(report, "questions/topics/matrix/")).json()

    assert pair["categories"] == ["A", "B", "C"]
    assert [round(each["value"], 4) for each in pair["figures"]["cohen_kappa"]] == [0.0, 0.1818, 0.7692]
    assert set(matrix["figures"]) == {"masi", "jaccard", "identical_sets"}


def test_raters_who_share_nothing_are_null_with_a_reason(client, lead, numbers):
    add_numbers(numbers, [[1, 2, None], [2, 3, None], [None, None, 1]])

    matrix = client.get(address(finished_report(numbers.project, lead), "questions/score/matrix/")).json()

    assert matrix["figures"]["lin_concordance"][0][2] is None
    assert matrix["reasons"][0] == [None, "too_few_items", "no_overlap"]


def test_weights_are_not_for_numbers(client, peak_flow):
    assert client.get(address(peak_flow, "questions/score/matrix/?weights=linear")).status_code == 400


def test_groups_and_pairs_of_raters_of_numbers_are_compared(client, lead, numbers):
    add_numbers(numbers, SHROUT_FLEISS.tolist())
    report = finished_report(numbers.project, lead)
    a, b, c, d = (rater["id"] for rater in report.questions.get().raters)

    groups = client.get(
        address(report, f"questions/score/comparison/?first=raters:{a}:{b}&second=raters:{c}:{d}")
    ).json()
    pairs = client.get(
        address(report, f"questions/score/comparison/?first=pair:{a}:{b}&second=pair:{c}:{d}")
    ).json()

    difference = groups["differences"]["krippendorff_alpha"]
    assert difference == pairs["differences"]["krippendorff_alpha"]
    assert difference["value"] == pytest.approx(difference["first"] - difference["second"])
    assert (difference["n_shared"], difference["reason"]) == (6, None)


def test_all_sets_less_those_of_two_raters(client, lead, sets):
    add_sets(sets, NINE_ITEMS)
    report = finished_report(sets.project, lead)
    a, b = (rater["id"] for rater in report.questions.get().raters)

    found = client.get(
        address(report, f"questions/topics/comparison/?first=all&second=raters:{b}:{a}")
    ).json()

    assert found["differences"]["krippendorff_alpha"]["first"] == pytest.approx(0.273081, abs=1e-6)
    assert {each["value"] for each in found["differences"].values()} == {0}
