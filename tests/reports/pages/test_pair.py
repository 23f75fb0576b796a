"""The page of a pair, and the items behind the cells of its table."""

import pytest
from django.urls import reverse

from projects.models import Round
from raters.models import Label
from tests.finished import finished_report
from tests.reports.looking import pair_page, text_of


def test_the_pair_page_has_the_published_figures(client, lead, cats):
    shown = text_of(pair_page(client, finished_report(cats, lead)))

    for figure in ("0.353", "[0.079, 0.580]", "0.1323", "0.686", "0.919", "0.373"):
        assert figure in shown
    assert "fair; CI: slight to substantial" in shown
    assert (
        "A and B do not differ significantly in how often they use the categories (McNemar’s test, p = 0.80"
        in shown
    )
    assert "See the 16 items in dispute" in shown


@pytest.mark.parametrize(
    ("query", "tail"), [({}, ""), ({"weights": "linear", "show": "row"}, "?weights=linear&show=row")]
)
def test_a_pair_in_the_other_order_leads_to_the_one_that_is_kept(client, lead, cats, query, tail):
    report = finished_report(cats, lead)
    agreement = report.questions.get()
    pair = agreement.pairs.get()
    args = [cats.slug, report.pk, agreement.question_id]

    response = client.get(reverse("pair", args=[*args, pair.rater_b_id, pair.rater_a_id]), query)

    there = reverse("pair", args=[*args, pair.rater_a_id, pair.rater_b_id])
    assert response.headers["Location"] == there + tail


@pytest.mark.parametrize(
    ("query", "n"),
    [
        ({"row": "cat", "column": "cat"}, 22),
        ({"row": "cat", "column": "dog"}, 9),
        ({"row": "dog", "column": "cat"}, 7),
        ({"row": "dog"}, 20),
        ({"column": "dog"}, 22),
        ({"in": "dispute"}, 16),
        ({"in": "agreement"}, 35),
        ({}, 51),
    ],
)
def test_a_cell_leads_to_exactly_its_items(client, lead, cats, query, n):
    response = pair_page(client, finished_report(cats, lead), "items/", **query)

    context = response.context
    assert (context["n"], context["page"].paginator.count) == (n, n)
    assert len(context["rows"]) == min(n, 50)
    if "row" in query:
        assert {row.first for row in context["rows"]} == {query["row"]}
    if "column" in query:
        assert {row.second for row in context["rows"]} == {query["column"]}


def test_a_category_that_the_report_does_not_know_is_not_found(client, lead, cats):
    assert pair_page(client, finished_report(cats, lead), "items/", row="bird").status_code == 404


def test_items_behind_a_cell_stay_those_of_the_report_and_say_that_labels_have_changed(
    client, lead, own_cats
):
    report = finished_report(own_cats, lead)
    question = own_cats.questions.get()
    dog = question.categories.get(key="dog")
    label = Label.objects.filter(question=question, rater__key="A", category__key="cat").first()
    Label.objects.filter(pk=label.pk).update(category=dog)

    response = pair_page(client, report, "items/", row="cat", column="cat")

    assert "Labels have changed since. This list shows them as of" in text_of(response)
    assert response.context["n"] == 22


def test_only_labels_of_the_reports_rounds_are_behind_its_cells(client, lead, own_cats):
    pilot = Round.objects.create(project=own_cats, key="pilot")
    first = list(
        Label.objects.filter(question__project=own_cats)
        .order_by("item_id")
        .values_list("item_id", flat=True)[:20]
    )
    Label.objects.filter(question__project=own_cats, item__in=first).update(round=pilot)

    response = pair_page(client, finished_report(own_cats, lead, rounds=["pilot"]), "items/")

    assert (response.context["n"], response.context["has_changed"]) == (10, False)


def test_the_way_through_a_cell_stays_in_it(client, lead, cats):
    report = finished_report(cats, lead)
    rows = pair_page(client, report, "items/", **{"row": "dog", "column": "cat"}).context["rows"]
    address = pair_page(client, report, "items/").request["PATH_INFO"]

    page = client.get(f"{address}{rows[1].item.pk}/?row=dog&column=cat")

    assert page.context["before"] == f"{address}{rows[0].item.pk}/?row=dog&column=cat"
    assert page.context["after"] == f"{address}{rows[2].item.pk}/?row=dog&column=cat"
    assert page.context["back"] == f"{address}?row=dog&column=cat"
    assert text_of(page).count("in this pair") == 2
