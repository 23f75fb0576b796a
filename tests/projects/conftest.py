"""Fixtures that the tests of this folder share."""

import pytest

from projects.models import Project
from raters.models import User
from reports.models import Report


@pytest.fixture
def run(project: Project, lead: User) -> Report:
    """Asked for, and not yet sent to a worker."""
    return Report.objects.create(project=project, asked_by=lead)
