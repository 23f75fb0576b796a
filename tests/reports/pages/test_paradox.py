"""The page of a pair: why coefficients differ, the table against chance, and the pair beside others."""

import re

import numpy as np
import pytest

from reports.results.confusion import TableCategory, count_table
from tests import cast
from tests.finished import finished_report
from tests.labeling import add_labels, from_table, labeled_project, new_question
from tests.reports.looking import led_by, pair_page, question_page, text_of

TWO = [TableCategory("cat", ""), TableCategory("dog", "")]


def of_table(lead, counts):
    project = led_by(lead, cast.new_project("Paradox", unique=True))
    add_labels(new_question(project, categories=("cat", "dog")), from_table(counts, ["cat", "dog"]))
    return finished_report(project, lead)


def test_a_common_category_is_named_as_the_reason(client, lead):
    """po 0.89; kappa's chance 0.8281, AC1's 0.1720, one half for Brennan and Prediger."""
    shown = text_of(pair_page(client, of_table(lead, [[170, 12], [10, 8]])))

    assert (
        "90% of the labels are “cat”, so two raters guessing with these marginals would agree on 83% of the items"
        in shown
    )
    assert "κ counts all of that as chance agreement, AC1 17%, and Brennan–Prediger 50%." in shown
    assert "The same observed agreement of 89% therefore gives κ = 0.36 and AC1 = 0.87." in shown
    assert re.search(r"Cohen’s κ 0\.360 \[[^]]+\] 82\.8%", shown)
    assert re.search(r"Krippendorff’s α [^ ]+ \[[^]]+\] 82\.\d%", shown)


def test_coefficients_that_agree_are_reported_as_such(client, lead):
    shown = text_of(pair_page(client, of_table(lead, [[40, 6], [5, 49]])))

    assert "κ and AC1 agree here" in shown


def test_unequal_totals_explain_kappa_above_pi_and_its_ceiling(client, lead):
    shown = text_of(pair_page(client, of_table(lead, [[30, 30], [0, 40]])))

    assert (
        "κ is higher than π (0.44 vs. 0.39) because the two raters use the categories with different" in shown
    )
    assert "Given these marginal totals, κ cannot exceed 0.44." in shown


def test_the_curve_has_the_pairs_place_and_a_table(client, lead):
    page = pair_page(client, of_table(lead, [[170, 12], [10, 8]]))
    html = page.content.decode()

    assert '<svg class="picture curve"' in html
    assert "here_marks" in html
    assert "If “cat” were rarer or more common" in text_of(page)
    assert "By share of cat" in text_of(page)


def test_an_undefined_pair_has_a_page(client, lead):
    page = pair_page(client, of_table(lead, [[12, 0], [0, 0]]))

    assert page.status_code == 200
    assert "Some coefficients are undefined, so they cannot be compared." in text_of(page)


@pytest.mark.parametrize(
    ("show", "shares"),
    [("expected", [["17.6", "13.4"], ["11.4", "8.6"]]), ("residual", [["+4.4", "−4.4"], ["−4.4", "+4.4"]])],
)
def test_the_table_against_chance(show, shares):
    """[22 9; 7 13] of 51 with totals 31, 20 and 29, 22: 31 x 29 / 51 = 17.6,, and so on."""
    table = count_table(np.array([[22, 9], [7, 13]]), TWO, show=show)

    assert [[cell.share for cell in row.cells] for row in table.rows] == shares
    assert table.totals[0].share == ""


def test_residuals_beyond_chance_are_colored(client, lead):
    html = pair_page(client, of_table(lead, [[22, 9], [7, 13]]), show="residual").content.decode()
    weak = pair_page(client, of_table(lead, [[6, 5], [5, 6]]), show="residual").content.decode()

    assert (html.count('<td class="step-4">'), html.count('<td class="below-1">')) == (2, 2)
    assert weak.count('<td class="zero">') == 4


def test_other_pairs_of_the_two_are_listed(client, lead):
    report = finished_report(led_by(lead, labeled_project("beside")), lead)

    plain, asked = pair_page(client, report), pair_page(client, report, differences="show")

    assert text_of(plain).count("κ − κ of this pair") == 0
    assert "Compare κ with these pairs" in text_of(plain)
    assert "κ − κ of this pair" in text_of(asked)
    assert len(re.findall(r'href="\.\./\.\./\d+/\d+/items/"', asked.content.decode())) == 4


def test_a_difference_is_that_of_the_page_of_comparisons(client, lead):
    report = finished_report(led_by(lead, labeled_project("beside")), lead)
    agreement = report.questions.get()
    first = agreement.pairs.first()
    shown = text_of(pair_page(client, report, differences="show"))
    name, own = re.search(
        r"(rater-\d+ × rater-\d+) [−\d.]+ \[[^]]+\] \d+ ([−\d.]+) ",
        shown[shown.index("κ − κ of this pair") :],
    ).groups()
    keys = dict(agreement.report.project.raters.values_list("key", "pk"))
    c, d = sorted(keys[key] for key in name.split(" × "))

    compared = client.get(
        f"{report.get_absolute_url()}{agreement.question_id}/compare/",
        {"first": f"pair:{first.rater_a_id}:{first.rater_b_id}", "second": f"pair:{c}:{d}"},
    )

    assert own in text_of(compared)


def test_with_too_many_labels_no_differences_are_offered(client, lead, monkeypatch):
    monkeypatch.setattr("reports.store.pair_neighbors.MAX_LABELS", 10)
    report = finished_report(led_by(lead, labeled_project("beside")), lead)

    shown = text_of(pair_page(client, report, differences="show"))

    assert "Other pairs with these raters" in shown
    assert "κ − κ of this pair" not in shown
    assert "Compare κ with these pairs" not in shown


def test_a_limit_that_was_cut_is_marked_in_the_table_and_in_the_matrix(client, lead):
    report = of_table(lead, [[60, 1], [0, 60]])

    pair, question = pair_page(client, report), question_page(client, report)

    # 0.983 and 1.96 errors of about 0.016.
    assert re.search(r"Cohen’s κ 0\.983 \[0\.951, 1\.000\] truncated at 1 \d\d\.\d%", text_of(pair))
    assert '<abbr title="truncated at 1">†</abbr></small></a>' in question.content.decode()
    assert "† truncated : the CI is limited" in text_of(question)
    assert re.search(r"A × B 0\.98 \[0\.95, 1\.00\] truncated at 1", text_of(question))


def test_no_mark_without_a_cut(client, lead):
    report = of_table(lead, [[40, 6], [5, 49]])

    assert "truncated at" not in text_of(pair_page(client, report)) + text_of(question_page(client, report))
