"""A report is requested on its page, and shown while it waits, runs, or has failed."""

import pytest
from django.db import transaction
from django.db.models.functions import Now
from django.urls import reverse

from core.runs.dispatcher import MOST_SENDS
from projects.models import Round
from reports.models import Report
from tests.finished import finished_report
from tests.labeling import labeled_project, new_question
from tests.reports.looking import led_by, question_page, text_of


def test_asking_leads_to_the_report(client, cats):
    response = client.post(reverse("agreement", args=[cats.slug]), {"weights": "unweighted"})

    report = cats.reports.get()
    assert response.headers["Location"] == report.get_absolute_url()
    assert (report.state, report.options["weights"], report.scope["rounds"]) == ("queued", "unweighted", None)
    assert not report.chosen.weights_by_question


def test_without_a_choice_each_question_has_weights_of_its_own(client, cats):
    client.post(reverse("agreement", args=[cats.slug]), {})

    assert cats.reports.get().chosen.weights_by_question


def test_asking_again_for_unchanged_labels_says_that_the_report_still_holds(client, lead, cats):
    report = finished_report(cats, lead)

    response = client.post(reverse("agreement", args=[cats.slug]), {"weights": ""}, follow=True)

    assert "it is still current" in text_of(response)
    assert cats.reports.get() == report


# Six pairs of three categories: 54 counts.
@pytest.mark.parametrize(("limit", "most"), [("MAX_RECOMPUTED", 5), ("MAX_CELLS", 53)])
def test_of_too_many_pairs_other_weights_take_a_report_of_their_own(client, lead, monkeypatch, limit, most):
    monkeypatch.setattr(f"reports.store.pair_counts.{limit}", most)
    project = led_by(lead, labeled_project("too many"))
    report = finished_report(project, lead)

    page = question_page(client, report, weights="linear")
    refused = client.get(
        f"/api/v1/projects/{project.slug}/reports/{report.pk}/questions/answer/matrix/?weights=linear"
    )

    assert page.context["weights"] == "unweighted"
    assert "Linear weights" not in text_of(page)
    assert (refused.status_code, refused.json()["error"]) == (413, "too_large")


def test_asking_for_chosen_questions_and_rounds(client, cats):
    Round.objects.create(project=cats, key="pilot")
    new_question(cats, key="other")

    client.post(
        reverse("agreement", args=[cats.slug]),
        {"weights": "unweighted", "questions": ["answer"], "rounds": ["pilot"]},
    )

    assert cats.reports.get().scope == {
        "questions": ["answer"], "rounds": ["pilot"], "pooled": False,
    }  # fmt: skip


@pytest.mark.parametrize(
    "data", [{"weights": "cubic"}, {"weights": "linear"}, {"weights": "", "questions": ["no"]}]
)
def test_an_invalid_choice_is_refused_at_the_form(client, cats, data):
    response = client.post(reverse("agreement", args=[cats.slug]), data)

    assert response.status_code == 400
    assert not cats.reports.exists()


def test_a_waiting_report_has_its_progress_a_refresh_link_and_cancel(client, lead, cats):
    with transaction.atomic():
        client.post(reverse("agreement", args=[cats.slug]), {"weights": "unweighted"})
        # It counts as just sent, or the worker of other tests might take it.
        cats.reports.update(sent_at=Now(), sends=MOST_SENDS)
    address = cats.reports.get().get_absolute_url()

    page, part = client.get(address), client.get(address, {"part": "progress"})

    assert "Waiting to start" in text_of(page)
    assert f'<a href="{address}">Refresh</a>' in page.content.decode()
    assert "Cancel" in text_of(page)
    assert part.content.decode().strip() in page.content.decode()


def test_a_running_report_tells_stage_share_and_time(client, lead, cats):
    report = Report.objects.create(
        project=cats, scope={"questions": ["answer"], "rounds": None}, options={"weights": "unweighted"}
    )
    Report.objects.filter(pk=report.pk).update(
        state="running", stage="question answer", share_done=0.43, started_at=report.asked_at
    )

    shown = text_of(client.get(report.get_absolute_url(), {"part": "progress"}))

    assert "Question answer: 43%" in shown
    assert "Started" in shown


def test_a_failed_report_tells_why_and_can_be_tried_again(client, cats):
    report = Report.objects.create(
        project=cats, scope={"questions": ["answer"], "rounds": None}, options={"weights": "unweighted"}
    )
    Report.objects.filter(pk=report.pk).update(state="failed", failure="The worker ran out of memory.")

    shown = text_of(client.get(report.get_absolute_url()))
    client.post(reverse("report_retry", args=[cats.slug, report.pk]))

    report.refresh_from_db()
    assert "The worker ran out of memory." in shown
    assert "Try again" in shown
    assert report.state == "queued"


def test_a_queued_report_is_canceled(client, cats):
    client.post(reverse("agreement", args=[cats.slug]), {"weights": "unweighted"})

    client.post(reverse("report_cancel", args=[cats.slug, cats.reports.get().pk]))

    assert cats.reports.get().state == "cancelled"
