"""A report page shows which answers are missing now; the report itself stays as it was computed."""

import pytest
from django.urls import reverse

from projects.models import Question, Round
from raters.models import Assignment, StoredFigures
from raters.tasks import compute_figures
from reports.models import QuestionAgreement
from tests.finished import new_world


@pytest.fixture
def incomplete_world(committed_db):
    return new_world("Incomplete", n_items=6, n_raters=3)


def test_members_see_missing_answers_next_to_the_verdict(incomplete_world, client):
    world = incomplete_world
    asked = Question.objects.get(pk=world.agreement.question_id)
    round_ = Round.objects.create(project=world.project, key="late", state=Round.State.OPEN)
    rater = asked.labels.first().rater
    gone = asked.labels.filter(rater=rater).first()
    Assignment.objects.create(rater=rater, item=gone.item, round=round_, state="done")
    address = reverse("report_question", args=[world.project.slug, world.report.pk, asked.pk])
    before = QuestionAgreement.objects.filter(pk=world.agreement.pk).values().get()
    client.force_login(world.lead)
    assert "data-missing-answers" not in client.get(address).content.decode()
    gone.delete()

    page = client.get(address).content.decode()

    assert f"1 assignment has no answer to {asked.key}" in page
    assert "data-missing-answers" in page
    assert QuestionAgreement.objects.filter(pk=world.agreement.pk).values().get() == before
    verified = client.post(reverse("api_report_verify", args=[world.project.slug, world.report.pk]))
    assert verified.status_code == 200


def test_in_a_large_project_a_worker_counts_missing_answers(incomplete_world, client, monkeypatch):
    world = incomplete_world
    asked = Question.objects.get(pk=world.agreement.question_id)
    round_ = Round.objects.create(project=world.project, key="late", state=Round.State.OPEN)
    gone = asked.labels.first()
    Assignment.objects.create(rater=gone.rater, item=gone.item, round=round_, state="done")
    gone.delete()
    monkeypatch.setattr("raters.figures.size.MOST_COUNTED", 0)
    address = reverse("report_question", args=[world.project.slug, world.report.pk, asked.pk])
    client.force_login(world.lead)

    first = client.get(address)
    for figures in StoredFigures.objects.filter(project=world.project):
        compute_figures(figures.pk)
    then = client.get(address)

    assert (first.status_code, "data-missing-answers" in first.content.decode()) == (200, False)
    assert "data-missing-answers" in then.content.decode()
