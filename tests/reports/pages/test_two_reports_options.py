"""Two reports with different options: whose hold for both, and what the page says of that."""

from projects.models import Category
from tests import cast
from tests.finished import finished_report
from tests.labeling import add_labels, from_table, new_question
from tests.reports.looking import led_by, text_of
from tests.reports.pages.test_two_reports import found_of, page_of


def test_the_kinds_that_count_in_the_second_hold_for_both_and_it_says_so(client, labeled_twice, lead):
    labeled_twice.raters.filter(key="rater-003").update(kind="reference")
    first = finished_report(labeled_twice, lead)
    second = finished_report(labeled_twice, lead, counted=["human", "reference"])

    shown = text_of(page_of(client, first, second))

    assert "of the second report in both: Fleiss’ κ is the same in both reports." in shown
    applied = [{"name": "Rater types", "first": "people and models", "second": "people and references"}]
    assert found_of(client, first, second)["applied"] == applied
    assert "In both reports, overall" not in shown
    assert found_of(client, first, second)["counted"]["first"] == {
        "words": "4 raters, including the reference",
        "n_raters": 4,
        "left_out": [],
    }


def test_raters_excluded_from_overall_figures_are_named_with_them(client, labeled_twice, lead):
    labeled_twice.raters.filter(key="rater-003").update(kind="reference")
    first = finished_report(labeled_twice, lead, counted=["human", "reference"])
    second = finished_report(labeled_twice, lead)

    found = found_of(client, first, second)["counted"]

    of_either = {"words": "3 raters, excluding the reference", "n_raters": 3, "left_out": ["rater-003"]}
    assert found == {"kinds": ["human", "model"], "first": of_either, "second": of_either}
    words = "In both reports, overall coefficients are based on 3 raters, excluding the reference."
    assert words in text_of(page_of(client, first, second))


def test_options_of_the_second_hold_for_both(client, labeled_twice, lead):
    first = finished_report(labeled_twice, lead)
    second = finished_report(labeled_twice, lead, weights="linear", confidence=0.9)

    found = found_of(client, first, second)

    assert found["differences"]["fleiss_kappa_weighted"]["value"] == 0
    assert [each["name"] for each in found["applied"]] == ["Weights", "CIs"]
    assert (found["pairs"], found["n_pairs"]["both"]) == ([], 6)
    assert {"name": "Weights", "first": "unweighted", "second": "linear", "differs": True} in found["facts"]
    shown = text_of(page_of(client, first, second))
    assert "90% CI" in shown
    assert "No pair of raters changed." in shown
    assert "Weighted Fleiss’ κ is the same in both reports." in shown
    assert "identical on every item" in shown


def test_other_categories_leave_facts_and_headlines(client, labeled_twice, lead):
    first = finished_report(labeled_twice, lead)
    Category.objects.create(question=labeled_twice.questions.get(), key="ugly", position=9)
    second = finished_report(labeled_twice, lead)

    page = page_of(client, first, second)

    assert page.status_code == 200
    assert "The two reports have different categories, so they cannot be compared." in text_of(page)
    assert "Categories in the second report only: ugly." in text_of(page)
    assert page.content.decode().count('<p class="criterion-status ') == 2


def test_a_category_that_one_report_does_not_use_says_so(client, lead):
    project = led_by(lead, cast.new_project("Unused", unique=True))
    question = new_question(project, categories=("yes", "no", "never"))
    add_labels(question, from_table([[20, 5], [5, 20]], ("yes", "no")))
    first = finished_report(project, lead)
    add_labels(question, [("more", "A", "never"), ("more", "B", "never")])

    found = found_of(client, first, finished_report(project, lead))

    assert found["categories"][2]["differences"]["specific_agreement"]["reason"] == "category_unused"


def test_a_figure_that_is_not_the_first_reports_own_says_what_that_is(client, lead):
    project = led_by(lead, cast.new_project("Weights twice", unique=True))
    question = new_question(project, categories=("low", "mid", "high"), level="ordinal")
    table = [[20, 5, 1], [0, 20, 8], [0, 0, 20]]
    add_labels(question, list(from_table(table, ("low", "mid", "high"))))
    first, second = (finished_report(project, lead, weights=weights) for weights in ("quadratic", "linear"))

    page = page_of(client, first, second)

    rows = {row.name: row for row in page.context["rows"]}
    own = first.questions.get().coefficients["fleiss_kappa_weighted"]["value"]
    assert f"{own:.3f}" != rows["fleiss_kappa_weighted"].first
    assert rows["fleiss_kappa_weighted"].remark.startswith(f"{own:.3f} ")
    assert rows["gwet_ac1"].first not in rows["gwet_ac1"].remark
    assert [each.name for each in page.context["applied"]] == ["Weights"]
    assert 'id="applied"' in page.content.decode()


def test_reports_with_the_same_options_need_no_note(client, before_and_after):
    page = page_of(client, *before_and_after)

    assert page.context["applied"] == []
    assert 'id="applied"' not in page.content.decode()
