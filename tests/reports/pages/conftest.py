"""A report whose raters may see their own page."""

import pytest

from projects.models import Project


@pytest.fixture
def allowed(world):
    Project.objects.filter(pk=world.project.pk).update(shows_own_figures=True)
    return world
