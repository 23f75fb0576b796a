"""Reports have a name: given when asked for or later, shown wherever the report is named, and never markup."""

import csv
import html
import io
import json
import zipfile

import pytest
from django.urls import reverse

from projects.models import Event, Membership, Project, Round
from raters.actions import rater_of
from raters.models import Assignment
from reports.models import Report
from reports.store import links
from reports.store.naming import name_report
from reports.store.requests import request_again
from tests import cast
from tests.finished import finished_report, look_ahead
from tests.reports.looking import text_of

NAME = "Pilot <b>1</b>"
ESCAPED = "Pilot &lt;b&gt;1&lt;/b&gt;"


@pytest.fixture
def named(lead, own_cats) -> Report:
    return finished_report(own_cats, lead, name=NAME)


def rename(client, report: Report, name: str):
    return client.post(
        reverse("report_rename", args=[report.project.slug, report.pk]), {"name": name}, follow=True
    )


def page(client, route: str, report: Report, *args: object) -> str:
    answer = client.get(reverse(route, args=[report.project.slug, report.pk, *args]))
    assert answer.status_code == 200
    return answer.content.decode()


def title_of(page: str) -> str:
    return page.partition("<title>")[2].partition("</title>")[0]


def test_the_form_asks_for_a_report_with_a_name(client, lead, own_cats):
    client.post(reverse("agreement", args=[own_cats.slug]), {"name": " Before training "})

    assert own_cats.reports.get().name == "Before training"
    assert not Event.objects.filter(kind=Event.Kind.REPORT_NAMED, project_id=own_cats.pk).exists()


@pytest.mark.parametrize(("name", "why"), [("x" * 121, "at most 120"), ("one\ntwo", "control characters")])
def test_a_name_that_is_too_long_or_no_line_is_refused(client, lead, own_cats, named, name, why):
    asked = client.post(reverse("agreement", args=[own_cats.slug]), {"name": name})
    renamed = rename(client, named, name)
    api = client.patch(
        reverse("api_report", args=[own_cats.slug, named.pk]), {"name": name}, content_type="application/json"
    )

    assert (asked.status_code, api.status_code) == (400, 400)
    assert why in text_of(asked)
    assert why in text_of(renamed)
    named.refresh_from_db()
    assert named.name == NAME


def test_a_name_is_changed_and_the_change_is_logged_once(client, lead, named):
    rename(client, named, "After training")
    rename(client, named, "After training")
    rename(client, named, "")

    told = Event.objects.filter(kind=Event.Kind.REPORT_NAMED, project_id=named.project_id).order_by("pk")
    assert [(each.about, each.detail) for each in told] == [
        ("After training", {"report": named.pk, "before": NAME}),
        ("", {"report": named.pk, "before": "After training"}),
    ]
    named.refresh_from_db()
    assert named.name == ""


def test_pages_tell_the_name_in_head_and_title_and_escape_it(client, named):
    question = named.questions.get().question_id

    for route, args in {
        "report_question": [question],
        "report_raters": [question],
        "report_categories": [question],
        "report_items": [question],
        "report_time": [question],
        "report_compare": [question],
        "provenance": [],
        "report_exports": [],
    }.items():
        shown = page(client, route, named, *args)
        assert ESCAPED in title_of(shown), route
        assert NAME not in shown, route
    assert f"report {named.pk}" in text_of(
        client.get(reverse("report_question", args=[named.project.slug, named.pk, question]))
    )


def test_reports_with_the_same_name_are_distinguished_in_the_list_and_in_choices(client, lead, named):
    second = finished_report(named.project, lead, name=NAME, smoothing=1)
    third = finished_report(named.project, lead, smoothing=2)

    listed = client.get(reverse("agreement", args=[named.project.slug]))
    choices = client.get(reverse("two_reports", args=[named.project.slug])).context["reports"]
    sides = client.get(
        reverse("report_compare", args=[named.project.slug, third.pk, third.questions.get().question_id])
    ).context["sides"]

    assert listed.content.decode().count(f">{ESCAPED}</a>") == 2
    assert NAME not in listed.content.decode()
    for each in (named, second):
        assert f"report {each.pk} ·" in text_of(listed)
        assert choices[str(each.pk)].startswith(f"{NAME} (report {each.pk}), ")
        assert sides[f"report:{each.pk}"].startswith(f"{NAME} (report {each.pk} of ")
    assert choices[str(third.pk)].startswith(f"Report {third.pk}, ")
    address = f"{reverse('two_reports', args=[named.project.slug])}?first={named.pk}&second={third.pk}"
    look_ahead(lead, address)
    assert f"“{NAME}” (report {named.pk})" in html.unescape(client.get(address).content.decode())


def test_exports_tell_the_name_and_their_file_names_stay(client, named):
    def export(name: str):
        answer = client.get(reverse("report_export", args=[named.project.slug, named.pk, name]))
        return answer, answer.getvalue()

    of_name, results = export("results.json")
    tables = zipfile.ZipFile(io.BytesIO(export("tables.zip")[1]))
    rename(client, named, "")
    of_none, without = export("results.json")

    assert json.loads(results)["name"] == NAME
    assert f"“{NAME}” (report {named.pk}) of " in tables.read("README.txt").decode()
    rows = dict(csv.reader(io.StringIO(tables.read("report.csv").decode())))
    assert rows["name"] == NAME
    assert "name" not in json.loads(without)
    assert of_name["Content-Disposition"] == of_none["Content-Disposition"]


def test_the_api_gives_shows_and_changes_the_name(client, own_cats):
    address = reverse("api_reports", args=[own_cats.slug])
    made = client.post(address, {"name": "Pilot"}, content_type="application/json").json()
    changed = client.patch(
        reverse("api_report", args=[own_cats.slug, made["id"]]),
        {"name": "Pilot 2"},
        content_type="application/json",
    )
    nothing = client.patch(
        reverse("api_report", args=[own_cats.slug, made["id"]]), {}, content_type="application/json"
    )

    assert made["name"] == "Pilot"
    assert changed.json()["name"] == "Pilot 2"
    assert (nothing.status_code, nothing.json()["name"]) == (200, "Pilot 2")
    assert client.get(address).json()["results"][0]["name"] == "Pilot 2"


def test_a_current_report_takes_a_name_and_keeps_one_it_has(lead, own_cats):
    first = finished_report(own_cats, lead)
    second = finished_report(own_cats, lead, name="Pilot")
    third = finished_report(own_cats, lead, name="Another")

    assert first.pk == second.pk == third.pk
    assert (second.name, third.name) == ("Pilot", "Pilot")
    assert Event.objects.filter(kind=Event.Kind.REPORT_NAMED, project_id=own_cats.pk).count() == 1


def test_recomputing_keeps_the_name(lead, named):
    named.project.questions.update(level="ordinal")

    again = request_again(named, by=lead)

    assert again.pk != named.pk
    assert again.name == NAME


@pytest.mark.parametrize("role", [Membership.Role.AUDITOR, Membership.Role.RATER])
def test_who_may_not_ask_for_reports_may_not_name_them(named, role):
    member = cast.signed_in(cast.member(named.project, role, username="other", unique=True))

    page = member.post(reverse("report_rename", args=[named.project.slug, named.pk]), {"name": "Mine"})

    assert page.status_code in {403, 404}
    named.refresh_from_db()
    assert named.name == NAME


def test_readers_of_a_link_and_raters_still_labeling_see_no_names(lead, named, client):

    _, token = links.share(named, by=lead)
    shared = cast.Client().get(reverse("shared_report", args=[token])).content.decode()
    project = Project.objects.get(pk=named.project_id)
    auditor = cast.member(project, Membership.Role.AUDITOR, username="ann", unique=True)
    round_ = Round.objects.create(project=project, key="mine", state=Round.State.OPEN, position=9)
    Assignment.objects.create(rater=rater_of(project, auditor), item=project.items.first(), round=round_)
    blind = cast.signed_in(auditor)

    told = [
        blind.get(reverse("agreement", args=[project.slug])).content.decode(),
        blind.get(reverse("two_reports", args=[project.slug])).content.decode(),
        blind.get(reverse("api_reports", args=[project.slug])).content.decode(),
        shared,
    ]

    assert [page for page in told if "Pilot" in page] == []
    assert "Pilot" in client.get(reverse("agreement", args=[project.slug])).content.decode()


def test_a_name_given_while_the_report_is_computed_stays(lead, own_cats):
    report = Report.objects.create(project=own_cats, asked_by=lead, state=Report.State.RUNNING)
    held = Report.objects.get(pk=report.pk)

    name_report(report, "Given meanwhile", by=lead)
    held.refresh_from_db(fields=["name"])

    assert held.name == "Given meanwhile"
