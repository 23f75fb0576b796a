"""The page of agreement by subgroup, its file and its API; a report that is shared keeps the attributes it had."""

import csv
import io
import re
from functools import cache

import pytest
from django.urls import reverse

from projects.models import Event, Item
from raters.models import Rater
from reports.models import Report
from reports.results.statistic_rows import shown_difference
from reports.store.requests import request_report
from tests import cast
from tests.finished import finished_report
from tests.reports.computing.test_subgroups import describe, question_of, random_rows
from tests.reports.looking import led_by, text_of


def site_report(kind: str, lead) -> Report:
    project = cast.new_project("Sites", unique=True)
    led_by(lead, project)
    question_of(project, kind, random_rows(kind, 21))
    describe(project)
    return finished_report(project, lead)


# Rows are kept, so that tests which only look share one report.
@cache
def the_site_report(kind: str) -> Report:
    return site_report(kind, cast.person("sina", unique=True))


@pytest.fixture
def sites(lead) -> Report:
    report = the_site_report("nominal")
    led_by(lead, report.project)
    return report


def address(report: Report, name: str = "report_subgroups") -> str:
    agreement = report.questions.get()
    last = agreement.question.key if name.startswith("api_") else agreement.question_id
    return reverse(name, args=[report.project.slug, report.pk, last])


def test_the_first_attribute_is_shown_without_asking(client, sites):
    shown = text_of(client.get(address(sites)))

    assert "Fleiss’ κ by site" in shown
    assert "Basel → Bern" in shown
    assert "too few items (6)" in shown


def test_a_difference_beyond_chance_is_described_in_words(client, sites):
    shown = text_of(client.get(address(sites), {"attribute": "item:site"}))

    assert "higher for Bern than for Basel" in shown
    assert "a significant difference: p" in shown


def test_differences_of_percentages_are_in_points(client, sites):
    """In the table and in the sentences, but not in the file and the API, which have decimals."""
    page = client.get(address(sites), {"attribute": "item:site", "coefficient": "percent_agreement"})
    found = client.get(
        address(sites, "api_report_subgroups"), {"attribute": "item:site", "coefficient": "percent_agreement"}
    ).json()

    tested = [each for each in found["differences"] if each["p_value"] is not None]
    assert tested
    assert all(abs(each["value"]) <= 1 for each in tested)
    shown = [row for row in page.context["differences"] if row.interval]
    assert [row.value for row in shown] == [shown_difference(each["value"], is_share=True) for each in tested]
    assert all("points" in note for note in page.context["notes"])
    assert page.context["notes"]


def test_groups_of_raters_have_pairs_between_them(client, sites):
    shown = text_of(client.get(address(sites), {"attribute": "rater:language"}))

    assert "within de" in shown
    assert "de × fr" in shown
    assert "treated as paired" in shown


@pytest.mark.parametrize("kind", ["ordinal", "interval", "multiple"])
def test_every_kind_of_question_has_the_page(client, lead, kind):
    report = the_site_report(kind)
    led_by(lead, report.project)

    for attribute in ("item:site", "rater:language"):
        response = client.get(address(report), {"attribute": attribute})

        assert response.status_code == 200
        assert "Differences" in text_of(response)


def test_the_tab_leads_to_it(client, sites):
    overview = client.get(address(sites, "report_question")).content.decode()

    assert f'href="{address(sites)}"' in overview


def test_an_attribute_that_the_report_does_not_have_is_refused(client, sites):
    response = client.get(address(sites), {"attribute": "item:year"})

    assert response.status_code == 400
    assert "no item had the attribute" in text_of(response)
    assert client.get(address(sites), {"attribute": "year"}).status_code == 400
    assert client.get(address(sites), {"coefficient": "luck"}).status_code == 200


def test_a_report_without_attributes_says_what_to_do(client, lead):
    project = cast.new_project("Plain", unique=True)
    led_by(lead, project)
    question_of(project, "nominal", random_rows("nominal", 22))
    report = finished_report(project, lead)

    assert "Add attributes, then compute a new report." in text_of(client.get(address(report)))


def test_an_attribute_added_later_changes_no_report(client, lead):
    report = site_report("nominal", lead)
    before = text_of(client.get(address(report)))
    assert request_report(report.project, by=lead) == report

    Item.objects.filter(project=report.project).update(attributes={"site": "Chur", "year": 2026})
    Rater.objects.filter(project=report.project).update(attributes={})

    shown = text_of(client.get(address(report)))
    changed = "Attributes of items or raters have changed since this report was computed."
    assert changed in shown
    assert changed not in before
    assert shown.partition("Fleiss’ κ by site")[2] == before.partition("Fleiss’ κ by site")[2] != ""
    # The labels are the same; a new report has the new attributes.
    assert request_report(report.project, by=lead) != report
    assert client.get(address(report), {"attribute": "item:year"}).status_code == 400
    assert client.get(address(report), {"attribute": "rater:language"}).status_code == 200


def test_the_file_has_the_figures_of_the_page(client, sites):
    query = {"attribute": "rater:language", "coefficient": "fleiss_kappa"}
    found = client.get(address(sites, "api_report_subgroups"), query).json()

    response = client.get(address(sites, "report_subgroups_file"), query)

    rows = list(csv.DictReader(io.StringIO(response.content.decode())))
    assert response["Content-Disposition"].endswith('subgroups.csv"')
    groups = [row for row in rows if row["row"] == "group"]
    assert [float(row["value"]) for row in groups] == [group["figure"]["value"] for group in found["groups"]]
    [difference] = [row for row in rows if row["row"] == "difference"]
    assert float(difference["p_adjusted"]) == found["differences"][0]["p_corrected"]
    assert [row["row"] for row in rows if row["n_pairs"]] == [
        "within",
        "between",
        "between - within",
        "within",
    ]
    assert Event.objects.filter(project_id=sites.project_id, about="subgroups.csv").count() == 1


def test_a_file_that_cannot_be_made_leads_to_the_page(client, sites):
    response = client.get(address(sites, "report_subgroups_file"), {"attribute": "item:year"})

    assert (response.status_code, response["Location"]) == (302, f"{address(sites)}?attribute=item%3Ayear")


def test_the_api_says_which_attributes_there_are(client, sites):
    refused = client.get(address(sites, "api_report_subgroups"), {"attribute": "item:year"})
    found = client.get(address(sites, "api_report_subgroups"), {"attribute": "item:site"}).json()

    assert refused.status_code == 400
    assert "item:site, rater:language" in refused.json()["detail"]
    assert found["attributes"] == [
        {"unit": "item", "name": "site", "n_values": 3},
        {"unit": "rater", "name": "language", "n_values": 2},
    ]
    assert [group["value"] for group in found["groups"]] == ["Basel", "Bern", "Chur"]
    assert found["groups"][2]["figure"] is None
    assert found["differences"][0]["later"] == 1
    assert found["pairs"] == []


@pytest.mark.parametrize("attribute", ["item:site", "rater:language"])
def test_the_numbers_of_a_group_lead_to_its_items(client, sites, attribute):
    page = client.get(address(sites), {"attribute": attribute}).content.decode()
    table = page[page.index('id="groups"') : page.index("</table>", page.index('id="groups"'))]

    links = re.findall(r'<a href="([^"]+/items/[^"]*)">([\d,]+)</a>', table)

    assert len(links) >= 4
    for where, n in links:
        shown = text_of(client.get(where.replace("&amp;", "&")))
        assert f"{n} item" in shown, where


def test_a_value_that_no_item_has_has_no_list(client, sites):
    agreement = sites.questions.get()
    items = reverse("report_items", args=[sites.project.slug, sites.pk, agreement.question_id])

    assert client.get(items, {"attribute": "site", "value": "Atlantis"}).status_code == 404
    assert client.get(items, {"attribute": "nothing", "value": "Basel"}).status_code == 404
