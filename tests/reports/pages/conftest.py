"""A report whose raters may see their own page."""

import pytest

from projects.models import Project


@pytest.fixture
def allowed(rated_round):
    Project.objects.filter(pk=rated_round.project.pk).update(shows_own_figures=True)
    return rated_round
