"""A report shows the names that its project and rounds had when it was computed, whatever they are called now."""

from contextlib import suppress

import pytest
from django.urls import reverse

from projects.actions import change_project
from projects.models import Project
from raters.rounds.states import RoundUsedByReport, change_round
from reports.exports.export_list import FILES
from reports.models import Report
from reports.results.round_wording import rounds_used
from reports.store.verification import verify
from tests.finished import finished_report
from tests.reports.computing.test_leading_round import two_rounds
from tests.reports.looking import text_of

# All of these show names of rounds, or would.
PAGES = ("report_question", "report_time", "report_compare", "report_items", "report_filter")


@pytest.fixture(params=[False, True], ids=["apart", "pooled"])
def with_rounds(request, lead) -> Report:
    return finished_report(two_rounds(lead), lead, pooled=request.param)


def rename_all(project: Project, lead) -> None:
    # A round that a report is about by name keeps it.
    for round_ in project.rounds.order_by("pk"):
        with suppress(RoundUsedByReport):
            change_round(round_, by=lead, key=f"renamed {round_.pk}")
    assert project.rounds.filter(key__startswith="renamed").exists()
    change_project(project, by=lead, name="Another name")


def pages_of(client, report: Report) -> dict[str, str]:
    agreement, found = report.questions.get(), {}
    for route in PAGES:
        answer = client.get(reverse(route, args=[report.project.slug, report.pk, agreement.question_id]))
        assert answer.status_code == 200, route
        found[route] = text_of(answer)
    return found


def exports_of(report: Report) -> dict[str, bytes]:
    return {file.name: b"".join(file.pieces(report)) for file in FILES.values() if file.name.endswith(TEXTS)}


# Others hold the time at which they are made.
TEXTS = (".csv", ".json", ".html", ".tex", ".py", ".R", ".md")


def test_pages_show_the_names_that_rounds_had(client, lead, with_rounds):
    before = pages_of(client, with_rounds)
    assert "main" in before["report_time"]

    rename_all(with_rounds.project, lead)

    after = pages_of(client, Report.objects.get(pk=with_rounds.pk))
    assert not [route for route, text in after.items() if "renamed" in text]
    assert {route: text.count("pilot") for route, text in after.items()} == {
        route: text.count("pilot") for route, text in before.items()
    }


def test_exports_are_equal_to_the_byte(lead, with_rounds):
    before = exports_of(with_rounds)
    assert len(before) > 5
    assert any(b"main" in content for content in before.values())

    rename_all(with_rounds.project, lead)

    report = Report.objects.get(pk=with_rounds.pk)
    changed = [name for name, content in exports_of(report).items() if content != before[name]]
    assert not changed


def test_items_are_found_by_the_name_that_the_page_shows(client, lead, with_rounds):
    rename_all(with_rounds.project, lead)
    agreement = with_rounds.questions.get()
    address = reverse("report_items", args=[with_rounds.project.slug, with_rounds.pk, agreement.question_id])

    assert client.get(address, {"round": "pilot"}).status_code == 200
    assert client.get(address, {"round": with_rounds.project.rounds.first().key}).status_code == 404


def test_it_still_verifies(lead, with_rounds):
    rename_all(with_rounds.project, lead)

    assert verify(Report.objects.get(pk=with_rounds.pk)) == []


def test_a_report_without_names_shows_the_present_ones(lead, with_rounds):
    Report.objects.filter(pk=with_rounds.pk).update(names={})
    rename_all(with_rounds.project, lead)

    report = Report.objects.get(pk=with_rounds.pk)
    assert set(report.round_keys.values()) == set(with_rounds.project.rounds.values_list("key", flat=True))
    assert report.project_name == "Another name"
    rounds_used(report, list(report.questions.all()))
