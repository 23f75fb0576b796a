"""The pages of number and multiple-choice questions."""

import pytest
from django.urls import reverse
from lxml import html

from raters.models import Label
from reports.results.wording import measured
from tests.finished import finished_report
from tests.reports.agreement.numbers.published import PEFR, SHROUT_FLEISS
from tests.reports.agreement.sets.samples import NINE_ITEMS
from tests.reports.drawn import marks, place, words
from tests.reports.looking import pair_page, question_page, text_of
from tests.reports.numbers_and_sets import add_numbers, add_sets


def test_the_page_of_a_number_question_has_all_its_coefficients(client, lead, numbers):
    add_numbers(numbers, SHROUT_FLEISS.tolist())

    shown = text_of(question_page(client, finished_report(numbers.project, lead)))

    assert "4 raters · 6 items · 24 labels" in shown
    assert "ICC(A,1) = 0.29, 95% CI [0.02, 0.76]" in shown
    for title in ["ICC(1,1)", "ICC(C,k)", "Krippendorff’s α", "Kendall’s W", "Kendall’s W = 0"]:
        assert title in shown
    assert "0.715" in shown
    assert "6 pairs share items" in shown


def test_the_pairs_of_numbers_show_bias_and_limits(client, lead, numbers):
    add_numbers(numbers, PEFR.tolist())

    shown = text_of(question_page(client, finished_report(numbers.project, lead)))

    assert "r0 × r1 0.943 [0.850, 0.979]" in shown
    assert "−2.118 [−22.05, 17.81]" in shown
    assert "−78.1 [−124.2, −53.1]" in shown


def test_the_matrix_of_numbers_shows_what_the_list_of_pairs_does(client, lead, numbers):
    add_numbers(numbers, SHROUT_FLEISS.tolist())

    page = question_page(client, finished_report(numbers.project, lead))

    matrix, listed = (
        page.context["matrix"],
        {(row.pair.rater_a_id, row.pair.rater_b_id): row.cells[0].value for row in page.context["pair_rows"]},
    )
    shown = text_of(page)
    assert len(matrix.rows) == 4
    for value in listed.values():
        assert f"{float(value.replace('−', '-')):.2f}".replace("-", "−") in shown
    assert [row.mean.n_pairs for row in matrix.rows] == [3] * 4


def test_the_matrix_of_sets_is_limited_to_raters_by_name(client, lead, sets):
    add_sets(sets, NINE_ITEMS)
    report = finished_report(sets.project, lead)

    page = question_page(client, report, named="r0")

    assert [rater.key for rater in page.context["matrix"].raters] == ["r0"]
    assert page.context["page"].paginator.count > 0


def test_a_matrix_without_intervals_announces_none(client, lead, sets):
    add_sets(sets, NINE_ITEMS)

    page = question_page(client, finished_report(sets.project, lead))

    assert not page.context["matrix"].has_intervals
    [matrix] = html.fromstring(page.content).xpath("//section[.//table[@data-matrix]]")
    assert "CI" not in matrix.text_content()
    titles = [(row.title, row.method) for row in page.context["all_rows"]]
    assert [title for title, method in titles if method and method in title] == []


def test_excluded_incomplete_items_are_reported(client, lead, numbers):
    add_numbers(numbers, [*SHROUT_FLEISS.tolist(), *SHROUT_FLEISS.tolist(), [1, None, 2, 3]])

    shown = text_of(question_page(client, finished_report(numbers.project, lead)))

    assert "1 of 13 items were not labeled by every rater" in shown


def test_an_incomplete_crossing_is_reported(client, lead, numbers):
    add_numbers(numbers, [*SHROUT_FLEISS.tolist(), [1, None, 2, 3]])

    shown = text_of(question_page(client, finished_report(numbers.project, lead)))

    assert "ICC(A,1), REML" in shown
    assert "two-way random effects by REML (incomplete crossing)" in shown
    assert "items were not labeled by every rater" not in shown


def test_groups_of_raters_who_share_no_item_are_reported(client, lead, numbers):
    add_numbers(numbers, [[9, 8, None, None], [3, 4, None, None], [None, None, 5, 6], [None, None, 2, 2]])

    shown = text_of(question_page(client, finished_report(numbers.project, lead)))

    assert "one-way analysis does not separate" in shown
    assert "The raters form groups that share no items" in shown


def test_the_page_of_a_multiple_choice_has_alpha_and_categories(client, lead, sets):
    add_sets(sets, NINE_ITEMS)

    shown = text_of(question_page(client, finished_report(sets.project, lead)))

    assert "the same set of categories 33% of the time" in shown
    assert "Krippendorff’s α is 0.27 with the MASI distance" in shown
    assert "Krippendorff’s α, Jaccard" in shown
    assert "0.316" in shown
    assert "κ C" in shown
    assert "0.769" in shown


def test_pairs_are_sorted_and_found(client, lead, numbers):
    values = SHROUT_FLEISS.tolist()
    add_numbers(numbers, [[*row, *row] for row in values])
    report = finished_report(numbers.project, lead)

    worst = text_of(question_page(client, report))
    best = text_of(question_page(client, report, sort="best"))
    found = text_of(question_page(client, report, q="r7"))
    none = text_of(question_page(client, report, q="nobody"))

    assert "Shared items r0 × r4" not in worst
    assert "Shared items r0 × r4" in best
    assert "r0 × r7" in found
    assert "r0 × r1" not in found
    assert "No pair has a rater" in none


@pytest.mark.parametrize("values", [[], [[3.5], [4]], [[1, 1], [1, 1]], [[1, None], [None, 2]]])
def test_questions_without_a_coefficient_still_have_a_page(client, lead, numbers, values):
    add_numbers(numbers, values)

    assert question_page(client, finished_report(numbers.project, lead)).status_code == 200


@pytest.mark.parametrize("rows", [[("A", "A")], [("A", None), (None, "B")], [("", "")]])
def test_sets_without_a_coefficient_still_have_a_page(client, lead, sets, rows):
    add_sets(sets, rows)

    assert question_page(client, finished_report(sets.project, lead)).status_code == 200


def test_the_pair_of_numbers_shows_the_largest_differences_first(client, lead, numbers):
    add_numbers(numbers, PEFR.tolist())

    response = pair_page(client, finished_report(numbers.project, lead))

    shown = text_of(response)
    assert "Lin’s concordance" in shown
    assert "38.77" in shown
    differences = [abs(row.answers.a - row.answers.b) for row in response.context["rows"]]
    assert differences == sorted(differences, reverse=True)
    assert len(differences) == 17


def test_the_differences_are_drawn_between_their_limits(client, lead, numbers):
    add_numbers(numbers, PEFR.tolist())

    plot = pair_page(client, finished_report(numbers.project, lead)).context["plot"]

    assert words(plot)[-3:] == ["bias −2.118", "limit −78.1", "limit 73.86"]
    [bias], (lower, upper) = ([place(line)[1] for line in marks(plot, name)] for name in ("bias", "limits"))
    assert upper < bias < lower
    # The largest difference, 178 - 259 = -81, lies below the lower limit; none lies above the upper one.
    heights = [place(dot)[1] for dot in marks(plot, "dots")]
    assert len(heights) == 17
    assert sum(y > lower for y in heights) == 1
    assert sum(y < upper for y in heights) == 0


def test_pairs_without_limits_have_no_plot(client, lead, numbers):
    add_numbers(numbers, [[1, 2]])

    response = pair_page(client, finished_report(numbers.project, lead))

    assert response.status_code == 200
    assert response.context["plot"] is None


def test_the_pair_of_sets_shows_what_only_one_chose(client, lead, sets):
    add_sets(sets, NINE_ITEMS)

    response = pair_page(client, finished_report(sets.project, lead))

    assert {row.difference for row in response.context["rows"][:2]} == {"A, B", "B, C"}
    assert "i005" in text_of(response)
    assert "Each category vs. the rest" in text_of(response)


def test_items_stay_those_of_the_report_which_says_so(client, lead, numbers):
    add_numbers(numbers, PEFR.tolist())
    report = finished_report(numbers.project, lead)
    Label.objects.filter(question=numbers, item__key="i003").delete()

    shown = text_of(pair_page(client, report))

    assert "Labels have changed since. This list shows them as of" in shown
    assert "i003 434 428 6" in shown


def test_a_pair_of_numbers_has_no_cells(client, lead, numbers):
    add_numbers(numbers, PEFR.tolist())

    assert pair_page(client, finished_report(numbers.project, lead), "items/").status_code == 404


def test_the_list_of_questions_and_the_headline_take_all_kinds(client, lead, numbers, sets):
    add_numbers(numbers, SHROUT_FLEISS.tolist())
    report = finished_report(numbers.project, lead)

    pages = [
        reverse("projects"),
        reverse("agreement", args=[numbers.project.slug]),
        report.get_absolute_url(),
    ]

    for page in pages:
        assert client.get(page, follow=True).status_code == 200
    assert "on score" in text_of(client.get(pages[0]))


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "–"),
        (0, "0"),
        (-2.117647, "−2.118"),
        (38.7651, "38.77"),
        (12345.6, "12,346"),
        (0.00002, "2.000e−05"),
        (1e99, "1.000e+99"),
    ],
)
def test_numbers_of_any_unit_are_readable(value, shown):
    assert measured(value) == shown


def test_groups_of_raters_of_numbers_are_compared_on_a_page(client, lead, numbers):
    add_numbers(numbers, SHROUT_FLEISS.tolist())
    report = finished_report(numbers.project, lead)
    agreement = report.questions.get()
    a, b, c, d = (rater["id"] for rater in agreement.raters)
    page = reverse("report_compare", args=[numbers.project.slug, report.pk, agreement.question_id])

    shown = client.get(f"{page}?first_rater={a}&first_rater={b}&second_rater={c}&second_rater={d}")

    assert page in question_page(client, report).content.decode()
    assert "r2, r3 − r0, r1" in text_of(shown)
    assert "Krippendorff’s α" in text_of(shown)
    assert "6 · 6 · 6" in text_of(shown)
