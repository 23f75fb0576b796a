"""The pages of agreement: what they show, and that a longer list asks no more of the database."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from projects.models import Project, Round
from raters.models import Label
from tests import cast
from tests.finished import finished_report, new_world
from tests.labeling import add_labels, from_table, labeled_project, new_question
from tests.reports.looking import led_by, pair_page, question_page, text_of


def test_the_projects_page_tells_what_to_do_first(client):
    assert "No projects yet" in text_of(client.get(reverse("projects")))


def test_projects_with_the_same_name_are_distinguished(client, lead):
    for slug, name in (("one", "Twin"), ("two", "TWIN"), ("other", "Another")):
        led_by(lead, Project.objects.create(slug=slug, name=name))

    page = client.get(reverse("projects")).content.decode()

    shown = re.findall(r"<small data-namesake>([^,]+), created \d", page)
    assert sorted(shown) == ["one", "two"]


def test_the_projects_page_has_the_newest_figure(client, lead, cats):
    finished_report(cats, lead)

    shown = text_of(client.get(reverse("projects")))

    assert "Cats and dogs" in shown
    assert "51 2 102 Cohen’s κ 0.35 on answer" in shown


@pytest.mark.parametrize("page", ["projects", "project", "agreement"])
def test_a_headline_of_some_rounds_says_so(client, lead, own_cats, page):
    Label.objects.filter(question__project=own_cats).update(
        round=Round.objects.create(project=own_cats, key="pilot")
    )
    Round.objects.create(project=own_cats, key="main")
    address = reverse(page, args=[] if page == "projects" else [own_cats.slug])
    finished_report(own_cats, lead)
    whole = text_of(client.get(address))
    finished_report(own_cats, lead, rounds=["pilot"])
    one = text_of(client.get(address))
    finished_report(own_cats, lead, rounds=["pilot", "main"])
    two = text_of(client.get(address))

    assert "Cohen’s κ 0.35 on answer" in whole
    assert "on answer, round" not in whole
    assert "Cohen’s κ 0.35 on answer, round pilot only" in one
    assert "Cohen’s κ 0.35 on answer, rounds pilot, main only" in two


def test_beyond_many_labels_the_project_page_counts_no_further(client, cats, monkeypatch):
    counted = text_of(client.get(cats.get_absolute_url()))
    monkeypatch.setattr("reports.results.queries.MANY_LABELS", 101)

    with CaptureQueriesContext(connection) as queries:
        shown = text_of(client.get(cats.get_absolute_url()))

    assert "51 items · 2 raters · 102 labels" in counted
    assert "102 labels by 2 raters on 51 items" in counted
    assert "51 items · 2 raters · &gt; 101 labels" in shown
    assert "labels by" not in shown
    assert "no labels" not in shown
    assert not any("COUNT(DISTINCT" in query["sql"] for query in queries)


def test_the_agreement_page_tells_what_to_do_first(client, lead):
    project = led_by(lead, cast.new_project("Empty", unique=True))

    shown = text_of(client.get(reverse("agreement", args=[project.slug])))

    assert "No reports yet" in shown
    assert "Import labels first" in shown


def test_the_matrix_has_value_interval_and_n_in_both_triangles(client, lead, cats):
    shown = text_of(question_page(client, finished_report(cats, lead)))

    assert shown.count("0.35 0.08–0.58") == 2
    assert "every pair shares 51 items" in shown
    assert "2 raters · 51 items · 102 labels" in shown


def test_a_table_of_the_matrix_has_caption_and_scopes(client, lead, cats):
    html = question_page(client, finished_report(cats, lead)).content.decode()

    matrix = html[html.index('<table class="matrix') : html.index("</table>")]
    assert matrix.count('scope="col"') == 3
    assert matrix.count('scope="row"') == 2
    assert "<caption" in matrix


def test_the_page_says_that_the_reference_does_not_count(client, lead, own_cats):
    own_cats.raters.filter(key="A").update(kind="reference")

    shown = text_of(question_page(client, finished_report(own_cats, lead)))
    with_it = text_of(question_page(client, finished_report(own_cats, lead, counted=["human", "reference"])))

    assert "1 rater, excluding the reference · 51 items · 51 labels" in shown
    assert "2 raters, including the reference · 51 items · 102 labels" in with_it
    assert "raters included: people, references" in with_it


def test_a_pair_without_kappa_says_why_in_the_matrix(client, lead):
    project = led_by(lead, cast.new_project("Constant", unique=True))
    question = new_question(project)
    add_labels(question, [("i1", "A", "yes"), ("i1", "B", "yes"), ("i2", "A", "yes"), ("i3", "C", "no")])

    shown = text_of(question_page(client, finished_report(project, lead)))

    assert "– no variation" in shown
    assert len(re.findall(r"\bnone\b(?! :|: )", shown[: shown.index("every pair shares")])) == 4


def test_linear_weights_are_computed_from_the_counts_and_equal_a_report_of_their_own(client, lead):
    project = led_by(lead, labeled_project("weights"))
    project.questions.update(level="ordinal")
    unweighted = finished_report(project, lead, weights="unweighted")
    linear = finished_report(project, lead, weights="linear")

    switched = question_page(client, unweighted, weights="linear").content.decode()
    own = question_page(client, linear).content.decode()

    def values(html):
        return re.findall(r"<b>([^<]*)</b><small>([^<]*)</small>", html)

    assert values(switched) == values(own)
    assert values(switched) != values(question_page(client, unweighted).content.decode())
    assert "?weights=linear" in switched


@pytest.mark.parametrize(
    "query", [{"weights": "cubic"}, {"order": "x"}, {"sort": "x"}, {"page": "x"}, {"page": "-1"}]
)
def test_a_nonsense_choice_gives_the_default(client, lead, cats, query):
    assert question_page(client, finished_report(cats, lead), **query).status_code == 200


def test_raters_are_ordered_by_their_mean(client, lead):
    project = led_by(lead, cast.new_project("Order", unique=True))
    rows = [(f"i{n}", rater, "yes" if n % 2 else "no") for n in range(8) for rater in ("B", "C")]
    rows += [(f"i{n}", "A", "yes" if n % 4 < 2 else "no") for n in range(8)]
    add_labels(new_question(project), rows)

    html = question_page(client, finished_report(project, lead), order="mean").content.decode()

    assert re.findall(r'<th scope="row" title="(\w)"', html) == ["B", "C", "A"]


def test_pairs_are_searched_by_the_name_of_a_rater(client, lead):
    project = led_by(lead, labeled_project("search", n_raters=7))

    shown = text_of(question_page(client, finished_report(project, lead), q="RATER-003"))
    pairs = re.findall(r"(rater-\d+) × (rater-\d+)", shown[shown.rindex("Shared items") :])

    assert len(pairs) == 6
    assert all("rater-003" in pair for pair in pairs)


def test_a_report_of_several_questions_is_a_codebook(client, lead, own_cats):
    other = new_question(own_cats, key="other", categories=("a", "b"))
    add_labels(other, from_table([[5, 0], [0, 5]], ["a", "b"]))

    shown = text_of(client.get(finished_report(own_cats, lead).get_absolute_url()))

    assert "2 questions · weights by question" in shown
    assert "Criterion 0.60: not met." in shown
    assert "no CI" in shown
    assert "AC2" not in shown.replace("Gwet’s coefficient is AC2", "")


def test_weighted_coefficients_have_their_name_in_the_column_or_the_cell(client, lead, own_cats):
    def columns_and_cells(**options) -> tuple[list[str], list[list[str]]]:
        context = client.get(finished_report(own_cats, lead, **options).get_absolute_url()).context
        return context["columns"], [[figure.title for figure in row.figures] for row in context["rows"]]

    other = new_question(own_cats, key="other", categories=("1", "2", "3"), level="ordinal")
    add_labels(other, from_table([[5, 1, 0], [0, 5, 2], [1, 0, 3]], ["1", "2", "3"]))

    columns, cells = columns_and_cells()
    of_weighted, no_titles = columns_and_cells(weights="linear")

    assert columns[2:] == ["Fleiss’ κ", "Krippendorff’s α", "Gwet’s AC1"]
    assert cells == [[""] * 5, ["", "Mean pairwise κ, weighted", "Fleiss’ κ, weighted", "", "Gwet’s AC2"]]
    assert of_weighted[2:] == ["Fleiss’ κ, weighted", "Krippendorff’s α", "Gwet’s AC2"]
    assert no_titles == [[""] * 5] * 2


UNFIT = {
    "no_categories": "This question has no categories yet.",
    "equal_values": "Two categories have the same value, so distances between them are undefined.",
    "values_missing": "Some categories have no value. Interval and ratio questions require a value for each category.",
    "too_many_cells": "There are too many raters for this number of categories. Select fewer, for example by "
    "round.",
}


@pytest.mark.parametrize("reason", UNFIT)
def test_a_question_that_cannot_be_computed_says_why(client, lead, own_cats, reason):
    new_question(own_cats, key="bare", categories=())
    report = finished_report(own_cats, lead)
    report.questions.filter(question__key="bare").update(reason=reason)
    agreement = report.questions.get(question__key="bare")

    codebook = text_of(client.get(report.get_absolute_url()))
    page = client.get(f"{report.get_absolute_url()}{agreement.question_id}/", {"weights": "linear"})

    assert f"bare Nominal · 0 categories {UNFIT[reason]}" in codebook
    assert "Criterion 0.60: not met." in codebook
    assert page.status_code == 200
    assert UNFIT[reason] in text_of(page)
    assert "Fleiss" not in text_of(page)
    assert "0 raters" not in text_of(page)


@pytest.mark.parametrize("n_questions", [1, 2])
def test_a_report_says_when_it_holds_no_longer(client, lead, own_cats, n_questions):
    if n_questions == 2:
        add_labels(new_question(own_cats, key="other"), from_table([[5, 1], [2, 5]], ["yes", "no"]))
    address = finished_report(own_cats, lead).get_absolute_url()
    before = text_of(client.get(address, follow=True))
    Label.objects.filter(question__project=own_cats, rater__key="A").first().delete()

    after = text_of(client.get(address, follow=True))

    assert "has changed since" not in before
    assert "has changed since this report was computed. Recompute" in after


@pytest.mark.parametrize(
    ("level", "n_categories", "n"), [("nominal", 3, 1), ("ordinal", 3, 0), ("nominal", 2, 0)]
)
def test_weights_of_categories_without_order_have_a_hint(client, lead, level, n_categories, n):
    project = led_by(lead, cast.new_project("Order", unique=True))
    names = ["a", "b", "c"][:n_categories]
    rows = [*from_table([[5, 1], [2, 5]], ["a", "b"]), ("last", "A", names[-1]), ("last", "B", names[-1])]
    add_labels(new_question(project, categories=names, level=level), rows)
    report = finished_report(project, lead)

    pages = [text_of(question_page(client, report)), text_of(pair_page(client, report))]

    hint = "These categories are nominal; weights are meant for ordered categories."
    assert [page.count(hint) for page in pages] == [n, n]


def test_a_long_name_gives_way_to_its_key_in_the_head_of_the_table(client, lead, cats):
    name = "An animal that purrs, and scratches"
    cats.questions.get().categories.filter(key="cat").update(name=name)
    cats.questions.get().categories.filter(key="dog").update(name="Hound")

    html = pair_page(client, finished_report(cats, lead)).content.decode()

    short = f'title="{name}"><span aria-hidden="true">cat</span><span class="visually-hidden">{name}</span>'
    assert html.count(short) == 2
    assert html.count('title="dog">Hound') == 2


def test_a_report_of_one_question_is_that_question(client, lead, cats):
    report = finished_report(cats, lead)

    assert client.get(report.get_absolute_url()).status_code == 302


def n_queries(client, address) -> int:
    client.get(address)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert client.get(address, follow=True).status_code == 200
    return len(queries)


PAGES = {
    "projects": lambda world: reverse("projects"),
    "project": lambda world: world.project.get_absolute_url(),
    "items": lambda world: reverse("items", args=[world.project.slug]),
    "item": lambda world: reverse("item", args=[world.project.slug, world.item.pk]),
    "agreement": lambda world: reverse("agreement", args=[world.project.slug]),
    "question": lambda world: world.report.get_absolute_url(),
    "members": lambda world: reverse("members", args=[world.project.slug]),
    "api_items": lambda world: reverse("api_items", args=[world.project.slug]),
    "api_reports": lambda world: reverse("api_reports", args=[world.project.slug]),
    "api_pairs": lambda world: reverse("api_pairs", args=[world.project.slug, world.report.pk, "answer"]),
    "api_matrix": lambda world: reverse("api_matrix", args=[world.project.slug, world.report.pk, "answer"]),
}


def test_more_rows_take_no_more_queries(committed_db):
    counts = []
    for n in (10, 20):
        # Half as many raters: 10 pairs and then more than a page of them.
        world = new_world("many", n_items=n, n_raters=n // 2)
        for _ in range(n // 10):
            finished_report(world.project, world.lead, weights="linear")
            led_by(world.lead, labeled_project("other", n_items=3, n_raters=2))
        client = Client()
        client.force_login(world.lead)
        counts.append({page: n_queries(client, address(world)) for page, address in PAGES.items()})

    assert counts[0] == counts[1]
