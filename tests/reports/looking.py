"""How the tests of the report pages look at them."""

import re

from django.urls import reverse

from projects.models import Project


def led_by(lead, project: Project) -> Project:
    project.memberships.create(user=lead, role="lead")
    return project


def text_of(response) -> str:
    """The words of a page, without its tags."""
    return " ".join(re.sub(r"<[^>]*>", " ", response.content.decode()).split())


def question_page(client, report, **query):
    agreement = report.questions.first()
    address = reverse("report_question", args=[report.project.slug, report.pk, agreement.question_id])
    return client.get(address, query)


def pair_page(client, report, tail="", **query):
    agreement = report.questions.first()
    pair = agreement.pairs.first()
    args = [report.project.slug, report.pk, agreement.question_id, pair.rater_a_id, pair.rater_b_id]
    return client.get(reverse("pair", args=args) + tail, query)
