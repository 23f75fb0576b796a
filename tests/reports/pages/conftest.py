"""Reports that several tests of pages look at."""

from functools import cache

import pytest

from projects.models import Project
from raters.models import Label
from reports.models import Report
from tests import cast
from tests.finished import finished_report
from tests.labeling import add_labels, labeled_project
from tests.reports.looking import led_by


@pytest.fixture
def allowed(rated_round):
    """Its raters may see their own page."""
    Project.objects.filter(pk=rated_round.project.pk).update(shows_own_figures=True)
    return rated_round


@pytest.fixture
def labeled_twice(lead) -> Project:
    """40 items of four raters."""
    return led_by(lead, labeled_project("Twice"))


@pytest.fixture
def before_and_after(lead) -> tuple[Report, Report]:
    before, after = both_reports()
    led_by(lead, before.project)
    return before, after


# Rows are kept, so that tests which only look share two reports.
@cache
def both_reports() -> tuple[Report, Report]:
    """Between the two one rater comes to say what another says, on every item that both have."""
    lead = cast.person("lena", unique=True)
    project = led_by(lead, labeled_project("Twice"))
    before = finished_report(project, lead)
    changed = {
        label.item_id: label.category_id
        for label in Label.objects.filter(rater__key="rater-000", item__project=project)
    }
    for label in Label.objects.filter(rater__key="rater-001", item__project=project):
        if label.item_id in changed and label.category_id != changed[label.item_id]:
            label.category_id = changed[label.item_id]
            label.save()
    add_labels(
        project.questions.get(), [("item-00099", "rater-000", "good"), ("item-00099", "rater-009", "bad")]
    )
    return before, finished_report(project, lead)
