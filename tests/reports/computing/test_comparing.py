"""Rounds, pairs, reports and groups of raters compared, on the page and by the API."""

import re

import pytest
from django.urls import reverse

from raters.models import Label
from tests.finished import finished_report
from tests.labeling import labeled_project
from tests.reports.computing.asking import api_address
from tests.reports.looking import led_by, text_of


def test_two_rounds_are_compared(client, lead, rounds):
    report = finished_report(rounds, lead)
    address = reverse("report_compare", args=[rounds.slug, report.pk, report.questions.get().question_id])

    page = client.get(address, {"first": "round:pilot", "second": "round:main"})
    bad = client.get(address, {"first": "round:nope", "second": "all"})

    shown = text_of(page)
    assert "round main (excluding the reference) − round pilot (excluding the reference)" in shown
    assert "20 · 20 · 0" in shown
    assert (bad.status_code, "The report has no round" in text_of(bad)) == (400, True)


def test_the_api_compares_two_pairs_that_share_items(client, lead, rounds):
    report = finished_report(rounds, lead, pooled=True)
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
    before = finished_report(rounds, lead, pooled=True)
    answer = rounds.questions.get()
    Label.objects.filter(question=answer).update(category=answer.categories.get(key="good"))
    Label.objects.filter(question=answer, item__key="item-00001").update(
        category=answer.categories.get(key="bad")
    )
    after = finished_report(rounds, lead, pooled=True)

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
    assert "rater-000, rater-001 − rater-000, rater-001, rater-002" in text_of(shown)


@pytest.mark.parametrize(
    "side", ["raters:1", "raters:", "raters:{a}", "raters:{a}:{a}", "raters:{a}:9999999"]
)
def test_an_invalid_group_is_refused(client, lead, rounds, side):
    report = finished_report(rounds, lead)
    a = report.questions.get().raters[0]["id"]

    answer = client.get(api_address(rounds, report, f"comparison/?first=all&second={side.format(a=a)}"))

    assert answer.status_code == 400
    assert "A group must be at least two raters of the report, given by their IDs" in answer.json()["detail"]


def page_of_sides(client, project, report, query="", **more):
    address = reverse("report_compare", args=[project.slug, report.pk, report.questions.get().question_id])
    return client.get(f"{address}?{query}", more)


def test_a_comparison_preselects_two_different_sides(client, lead, rounds):
    report = finished_report(rounds, lead)

    page = page_of_sides(client, rounds, report).context

    assert page["first"] != page["second"] == "all"
    assert page["first"] in page["sides"]


def test_the_side_of_the_report_names_the_round_that_it_uses(client, lead, rounds):
    report = finished_report(rounds, lead)
    used = report.questions.get().lead["key"]

    sides = page_of_sides(client, rounds, report).context["sides"]
    found = client.get(api_address(rounds, report, f"comparison/?first=all&second=round:{used}")).json()

    assert used in sides["all"]
    assert f"round:{used}" not in sides
    assert {each["value"] for each in found["differences"].values()} <= {0, None}


@pytest.mark.parametrize(
    ("query", "refused"),
    [
        ("groups=1", ["first_rater", "second_rater"]),
        ("groups=1&first_rater={a}&second_rater={a}&second_rater={b}", ["first_rater"]),
        ("first_rater={a}&first_rater=nobody&second_rater={a}", ["first_rater", "second_rater"]),
        ("", []),
    ],
)
def test_an_invalid_group_is_refused_at_its_field(client, lead, rounds, query, refused):
    report = finished_report(rounds, lead)
    a, b = (rater["id"] for rater in report.questions.get().raters[:2])

    page = page_of_sides(client, rounds, report, query.format(a=a, b=b))

    assert [group.name for group in page.context["groups"] if group.refusal] == refused
    assert set(re.findall(r'id="(\w+)-error"', page.content.decode())) == set(refused)
    assert page.context["found"] is None


def test_shares_differ_in_percentage_points(client, lead, rounds):
    report = finished_report(rounds, lead)
    a, b, c, _ = (rater["id"] for rater in report.questions.get().raters[:4])

    query = f"first_rater={a}&first_rater={b}&second_rater={a}&second_rater={c}"
    page = page_of_sides(client, rounds, report, query)

    row = next(row for row in page.context["rows"] if row.name == "percent_agreement")
    first, second = (float(share.strip("%")) for share in (row.first, row.second))
    points = float(row.value.removesuffix(" points").replace("−", "-"))
    assert points == pytest.approx(second - first, abs=0.11)


@pytest.mark.parametrize("n_items", [40, 12])
def test_the_legend_on_few_items_is_only_where_a_row_has_few(client, lead, n_items):
    project = led_by(lead, labeled_project("Few", n_items=n_items, n_raters=4))
    report = finished_report(project, lead)
    a, b, c, d = (rater["id"] for rater in report.questions.get().raters)

    page = page_of_sides(client, project, report, f"a={a}&b={b}&c={c}&d={d}")

    assert page.context["rows"]
    assert ("data-few-items" in page.content.decode()) == (n_items < 20)
