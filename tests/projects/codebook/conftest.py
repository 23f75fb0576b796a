"""Fixtures that the tests of this folder share."""

import pytest

from projects.models import Project, Question
from tests.labeling import new_question


@pytest.fixture
def tone(project: Project) -> Question:
    return new_question(project, key="tone", categories=("good", "bad"))
