"""The page of what a model may decide, its lists, its file, its API, its picture, and the round for the rest."""

import csv
import io
from functools import cache

import pytest
from django.urls import reverse
from django.utils.html import escape

from projects.models import Event, ItemList, Membership
from reports.models import Report
from tests import cast
from tests.finished import finished_report
from tests.reports.computing.test_model_decisions import SAMPLED, N, by_hand, project_of
from tests.reports.looking import led_by, text_of

ASKED = {"alpha": "0.2", "delta": "0.1"}


@cache
def the_report(kind: str = "single") -> Report:
    """One for all tests that only look."""
    lead = cast.person("mona", unique=True)
    return finished_report(project_of(lead, kind=kind), lead)


@pytest.fixture
def decisions_report(lead) -> Report:
    found = the_report()
    led_by(lead, found.project)
    return found


def address(report: Report, name: str = "report_decisions", *more: str) -> str:
    agreement = report.questions.get()
    last = agreement.question.key if name.startswith("api_") else agreement.question_id
    return reverse(name, args=[report.project.slug, report.pk, last, *more])


def rows_of(response) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(response.content.decode())))


def test_the_threshold_has_its_row_in_the_table(client, decisions_report):
    context = client.get(address(decisions_report), ASKED).context

    [row] = [row for row in context["rows"] if row.outcome == "threshold"]
    assert context["threshold"] == row.confidence == f"{by_hand().score:g}"
    assert row.n_items == by_hand().n_decided
    outcomes = [row.outcome for row in context["rows"]]
    assert outcomes[outcomes.index("threshold") + 1] == "above α"


def test_numbers_of_items_are_as_long_as_their_lists(client, decisions_report):
    context = client.get(address(decisions_report), ASKED).context

    for listed, n in (
        (context["decided"], context["found"].n_decided),
        (context["for_people"], context["found"].n_for_people),
    ):
        shown = client.get(listed)
        assert shown.status_code == 200
        assert (shown.context["n"], n > 0) == (n, True)
        assert "only gpt gave a label" in text_of(shown)


def test_a_list_can_be_searched(client, decisions_report):
    listed = client.get(address(decisions_report), ASKED).context["for_people"]

    assert client.get(f"{listed}&q=i39").context["n"] < 10


def test_without_a_threshold_it_says_none(client, decisions_report):
    response = client.get(address(decisions_report), {"alpha": "0.01"})

    assert response.context["threshold"] == "none"
    assert response.context["found"].n_for_people == N - SAMPLED
    assert "threshold" not in [row.outcome for row in response.context["rows"]]


@pytest.mark.parametrize("wrong", ["0", "0.6", "nan", "a tenth", "-1"])
def test_an_impossible_alpha_is_refused_and_kept(client, decisions_report, wrong):
    response = client.get(address(decisions_report), {"alpha": wrong})

    assert (response.status_code, response.context["alpha"]) == (400, wrong)
    assert [name for name, fault in response.context["faults"].items() if fault] == ["alpha"]
    assert 'aria-describedby="alpha-fault"' in response.content.decode()
    assert client.get(address(decisions_report, "api_report_decisions"), {"alpha": wrong}).status_code == 400


def test_all_faults_are_shown_at_once_each_at_its_field(client, decisions_report):
    asked = {"alpha": "0,1", "delta": "2", "model": "nope", "against": "nobody"}

    page = client.get(address(decisions_report), asked)
    answer = client.get(address(decisions_report, "api_report_decisions"), asked)

    faults = {name: fault for name, fault in page.context["faults"].items() if fault}
    assert set(faults) == {"alpha", "delta", "model", "against"}
    assert "0.1" in faults["alpha"]
    text = page.content.decode()
    assert all(f'id="{name}-fault"' in text for name in faults)
    assert (answer.status_code, answer.json()["error"]) == (400, "no_decisions")
    assert {each["field"]: each["detail"] for each in answer.json()["errors"]} == faults


def test_what_cannot_be_computed_for_numbers_is_not_offered(client, lead):
    report = finished_report(project_of(lead, kind="number"), lead)

    page = client.get(address(report))

    assert (page.status_code, page.context["is_offered"]) == (400, False)
    assert 'id="asked"' not in page.content.decode()
    assert page.content.decode().count(escape(page.context["refusal"])) == 1
    assert client.get(address(report, "report_models")).context["decisions"] == ""


def test_without_a_known_sample_the_reason_is_on_the_page_once(client, lead):
    report = finished_report(project_of(lead, None), lead)

    page = client.get(address(report), ASKED)

    assert page.context["found"].reason == "not_random"
    assert text_of(page).count(page.context["sampled"]) == 1


def test_the_file_has_each_open_item(client, decisions_report):
    response = client.get(address(decisions_report, "report_decisions_file"), ASKED)

    rows = rows_of(response)
    assert list(rows[0]) == ["item", "model_label", "confidence", "decided", "reason"]
    assert [row["item"] for row in rows] == [f"i{number:03}" for number in range(SAMPLED, N)]
    for row in rows:
        is_sure = float(row["confidence"]) >= by_hand().score
        assert (row["decided"], row["reason"]) == (("yes", "") if is_sure else ("no", "below_threshold"))
    assert {row["model_label"] for row in rows} == {"n", "y"}
    assert Event.objects.filter(
        project_id=decisions_report.project.pk, kind=Event.Kind.EXPORTED, about="decisions.csv"
    ).exists()


def test_the_api_has_the_figures_and_the_items(client, decisions_report):
    found = client.get(address(decisions_report, "api_report_decisions"), ASKED).json()
    page = client.get(
        address(decisions_report, "api_report_decided_items"), {**ASKED, "page_size": "3", "page": "2"}
    ).json()

    context = client.get(address(decisions_report), ASKED).context
    assert found["threshold"]["confidence"] == by_hand().score
    assert (found["n_decided"], found["methods"]) == (context["found"].n_decided, context["methods"])
    assert (page["count"], len(page["results"])) == (N - SAMPLED, 3)
    rows = rows_of(client.get(address(decisions_report, "report_decisions_file"), ASKED))
    assert [row["item"] for row in page["results"]] == [row["item"] for row in rows[3:6]]
    assert page["results"][0]["confidence"] == float(rows[3]["confidence"])


def test_a_round_is_planned_on_the_items_for_people(client, decisions_report):
    context = client.get(address(decisions_report), ASKED).context

    response = client.post(context["round_address"], follow=True)

    made = ItemList.objects.filter(project_id=decisions_report.project.pk).latest("pk")
    assert made.entries.count() == context["n_planned"] == context["found"].n_for_people
    assert response.redirect_chain[0][0].startswith(
        reverse("round_new", args=[decisions_report.project.slug])
    )
    form = response.context["form"]
    assert (form["source"].value(), form["item_list"].value()) == ("list", str(made.pk))


def test_only_leads_plan(client, decisions_report):
    auditor = cast.member(decisions_report.project, Membership.Role.AUDITOR, username="otto", unique=True)
    client.force_login(auditor)

    response = client.get(address(decisions_report), ASKED)

    assert (response.status_code, response.context["n_planned"]) == (200, 0)
    assert client.post(address(decisions_report, "report_decisions_round")).status_code == 403


def test_the_models_page_leads_to_it(client, decisions_report):
    overview = client.get(address(decisions_report, "report_models"))

    assert client.get(overview.context["decisions"]).context["model_name"] == "gpt"


def test_the_picture_can_be_saved(client, decisions_report):
    response = client.get(address(decisions_report, "report_picture", "risk.svg"), ASKED)

    assert response.status_code == 200
    assert "Error rate of gpt by confidence" in response.content.decode()


def test_sets_are_written_as_in_exports_of_labels(client, lead):
    report = the_report("multiple")
    led_by(lead, report.project)

    rows = rows_of(client.get(address(report, "report_decisions_file"), ASKED))

    assert {row["model_label"] for row in rows} == {"n", "y"}


def test_where_names_are_hidden_it_is_withheld_and_not_listed(client, decisions_report):
    listed = client.get(address(decisions_report), ASKED).context["decided"]
    adjudicator = cast.member(
        decisions_report.project, Membership.Role.ADJUDICATOR, username="ada", unique=True
    )
    client.force_login(adjudicator)

    decisions_report.project.adjudicators_see_names = False
    decisions_report.project.save()
    names = ("report_decisions", "report_decisions_file", "api_report_decisions", "api_report_decided_items")
    withheld = [client.get(address(decisions_report, name)).status_code for name in names]
    hidden = client.get(listed).status_code
    decisions_report.project.adjudicators_see_names = True
    decisions_report.project.save()

    assert (withheld, hidden) == ([403] * 4, 404)
    assert client.get(address(decisions_report)).status_code == 200
