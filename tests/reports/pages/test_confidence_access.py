"""Who may see how sure raters were, on the page and over the API."""

import pytest
from django.test import Client
from django.urls import reverse

from projects.models import Membership
from raters.models import Label
from tests import cast
from tests.finished import finished_report
from tests.labeling import labeled_project
from tests.reports.looking import led_by


@pytest.mark.parametrize(
    ("role", "status"),
    [
        (Membership.Role.LEAD, 200),
        (Membership.Role.AUDITOR, 200),
        (Membership.Role.ADJUDICATOR, 200),
        (Membership.Role.RATER, 404),
        (None, 404),
    ],
    ids=str,
)
def test_it_is_for_those_who_see_labels(lead, role, status):
    project = led_by(lead, labeled_project("Sure", n_items=4, n_raters=3))
    Label.objects.filter(question__project=project).update(confidence=0.75)
    report = finished_report(project, lead)
    question = report.questions.get().question
    user = cast.person("stella", unique=True)
    if role is not None:
        Membership.objects.create(project=project, user=user, role=role)
    client = Client()
    client.force_login(user)

    page = client.get(reverse("report_confidence", args=[project.slug, report.pk, question.pk]))
    api = client.get(reverse("api_report_confidence", args=[project.slug, report.pk, question.key]))

    assert (page.status_code, api.status_code) == (status, status)
