"""Figures that a worker computes for a page: asked for once, waited for, cancelled, failed, tried again."""

import pytest
from django.db import transaction
from django.db.models.functions import Now
from django.urls import reverse

from core.runs.dispatcher import MOST_SENDS
from projects.models import Membership
from raters.models import Label
from reports.models import OnDemandFigures
from reports.store import on_demand as asking
from tests import cast
from tests.finished import finished_report
from tests.reports import on_demand
from tests.reports.looking import text_of


@pytest.fixture(autouse=True)
def never_sent(monkeypatch):
    """Here nothing is computed before a test says so, nor by the worker of other tests: it counts as just sent."""

    def ask_without_sending(*args, **options) -> OnDemandFigures:
        with transaction.atomic():
            figures = on_demand.ask_for(*args, **options)
            OnDemandFigures.objects.filter(pk=figures.pk).update(sent_at=Now(), sends=MOST_SENDS)
        return figures

    monkeypatch.setattr(asking, "ask_for", ask_without_sending)


@pytest.fixture
def reports(lead, own_cats):
    """Two of one question, a label changed between them."""
    before = finished_report(own_cats, lead)
    label = Label.objects.filter(question__project=own_cats).first()
    Label.objects.filter(pk=label.pk).update(category=own_cats.questions.get().categories.last())
    return before, finished_report(own_cats, lead)


def addresses(reports) -> dict[str, str]:
    before, after = reports
    slug, question = after.project.slug, after.questions.get().question
    args = [slug, after.pk, question.pk]
    api = [slug, after.pk, question.key]
    both, sides = f"?first={before.pk}&second={after.pk}", f"?first=all&second=report:{before.pk}"
    return {
        "two": reverse("two_reports", args=[slug]) + both,
        "time": reverse("report_time", args=args) + "?by=day",
        "sides": reverse("report_compare", args=args) + sides,
        "api two": reverse("api_two_reports", args=[slug]) + both,
        "api time": reverse("api_report_time", args=api) + "?by=day",
        "api sides": reverse("api_comparison", args=api) + sides,
    }


def only_figures() -> OnDemandFigures:
    return OnDemandFigures.objects.latest("pk")


@pytest.mark.parametrize(
    ("what", "heading"),
    [
        ("two", "Compare reports on answer"),
        ("time", "by round and over time"),
        ("sides", "− all labels in this report"),
    ],
)
def test_a_page_waits_for_a_worker_and_has_the_result_then(client, reports, what, heading):
    address = addresses(reports)[what]

    waits = client.get(address)
    progress = client.get(f"{address}&part=progress")
    on_demand.compute(only_figures())
    done = client.get(f"{address}&part=progress")
    shown = client.get(address)

    assert "Waiting to start" in text_of(waits)
    assert "Cancel" in text_of(waits)
    assert "Computing" in text_of(waits)
    assert (
        f"{address.split('?')[1].replace('&', '&amp;').replace(':', '%3A')}&amp;part=progress"
        in waits.content.decode()
    )
    assert 'data-state="queued"' in progress.content.decode()
    assert 'data-state="done"' in done.content.decode()
    assert heading in text_of(shown)


def test_the_same_is_asked_for_once_by_pages_and_programs(client, reports):
    found = addresses(reports)
    n = OnDemandFigures.objects.count()

    for what in ("two", "two", "time", "time", "sides", "api two", "api time", "api sides", "api sides"):
        client.get(found[what])

    assert OnDemandFigures.objects.count() == n + 3


@pytest.mark.parametrize("what", ["two", "time", "sides"])
def test_a_program_gets_the_address_to_look_at(client, reports, what):
    address = addresses(reports)[f"api {what}"]

    waits = client.get(address)
    on_demand.compute(only_figures())
    done = client.get(address)

    assert (waits.status_code, waits.headers["Location"], waits.json()["state"]) == (202, address, "queued")
    assert done.status_code == 200
    assert done.json()["differences"] is not None


def test_what_is_canceled_says_so_and_can_be_asked_for_again(client, reports):
    found = addresses(reports)
    client.get(found["time"])
    figures = only_figures()
    slug = figures.agreement.report.project.slug

    cancelled = client.post(reverse("on_demand_cancel", args=[slug, figures.public]), follow=True)
    refused = client.get(found["api time"])
    again = client.post(reverse("on_demand_retry", args=[slug, figures.public]), follow=True)

    assert "Canceled" in text_of(cancelled)
    assert (refused.status_code, refused.json()["error"]) == (409, "cancelled")
    # A worker of other tests may have been quick.
    figures.refresh_from_db()
    assert figures.state in {"queued", "running", "done"}
    assert again.redirect_chain[0][0].endswith("/time/?by=day&coefficient=light_kappa")


def test_what_fails_says_why(client, reports):
    found = addresses(reports)
    client.get(found["two"])
    figures = only_figures()
    assert figures.claim()
    figures.fail("The worker ran out of memory.")

    shown, told = client.get(found["two"]), client.get(found["api two"])

    assert "The worker ran out of memory." in text_of(shown)
    assert "Try again" in text_of(shown)
    assert told.status_code == 409
    assert told.json()["detail"].startswith("The worker ran out of memory. POST to reports/on-demand/")


def test_who_may_only_look_waits_without_buttons(client, reports):
    project = reports[0].project
    client.force_login(cast.member(project, Membership.Role.AUDITOR, username="otto", unique=True))

    shown = text_of(client.get(addresses(reports)["time"]))

    assert "Waiting to start" in shown
    assert "Cancel" not in shown


def test_the_picture_of_what_is_not_computed_leads_to_the_page(client, reports):
    after = reports[1]
    question = after.questions.get().question_id

    answer = client.get(reverse("report_picture", args=[after.project.slug, after.pk, question, "time.svg"]))

    assert answer.status_code == 302
    assert "/time/?by=" in answer.headers["Location"]


def test_labels_that_changed_since_are_not_in_a_comparison(client, reports):
    after = reports[1]
    Label.objects.filter(question__project=after.project).update(
        category=after.questions.get().question.categories.first()
    )
    client.get(addresses(reports)["two"])

    on_demand.compute(only_figures())

    assert only_figures().result["labels"]["n_changed"] == 1
