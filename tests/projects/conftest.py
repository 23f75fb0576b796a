"""Fixtures that the tests of this folder share."""

import pytest

from projects.models import Project, Question
from raters.models import User
from reports.models import Report
from tests.labeling import add_labels, new_question


@pytest.fixture
def run(project: Project, lead: User) -> Report:
    """Asked for, and not yet sent to a worker."""
    return Report.objects.create(project=project, asked_by=lead)


@pytest.fixture
def labeled_tone(project) -> Question:
    question = new_question(project, key="tone", categories=("good", "bad"))
    add_labels(question, [("i", "r", "good")])
    return question
