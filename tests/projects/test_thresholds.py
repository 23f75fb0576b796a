"""Thresholds of a project: their shape, and that the database and the statistics think alike."""

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from projects import actions
from projects.models import Project
from projects.thresholds import (
    ReadingScaleChoice,
    ThresholdsFor,
    as_lines,
    thresholds_in,
    validate_thresholds,
)
from reports.agreement.interpretation.families import Family
from reports.agreement.interpretation.scales import SCALES

GOOD = {"from": 0.8, "name": "good"}


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ({}, "shape"),
        ("0.8 good", "shape"),
        ([0.8], "shape"),
        ([{"from": 0.8}], "shape"),
        ([GOOD | {"to": 1}], "shape"),
        ([{"from": "0.8", "name": "good"}], "shape"),
        ([{"from": True, "name": "good"}], "shape"),
        ([{"from": float("nan"), "name": "good"}], "shape"),
        ([{"from": 0.8, "name": "a\nb"}], "shape"),
        ([{"from": -1.1, "name": "good"}], "range"),
        ([GOOD, {"from": 0.8, "name": "better"}], "order"),
        ([GOOD, {"from": 0.9, "name": " good "}], "same_name"),
        ([{"from": 0.8, "name": "  "}], "name"),
        ([{"from": 0.8, "name": "x" * 61}], "name"),
        ([{"from": k / 20, "name": str(k)} for k in range(13)], "too_many"),
    ],
)
def test_what_is_no_list_of_thresholds_is_refused(value, code):
    with pytest.raises(ValidationError) as refused:
        validate_thresholds(value)

    assert refused.value.code == code


def test_typed_thresholds_come_back_as_they_were_typed():
    text = "-0.5 worse than chance\n0 chance\n0.667 tentative"

    assert as_lines(thresholds_in(text)) == text


def test_every_published_scale_and_every_family_can_be_chosen():
    assert set(ReadingScaleChoice.values) == {*SCALES, "own", "none"}
    assert set(ThresholdsFor.values) == {str(family) for family in Family}


def test_the_database_refuses_a_scale_of_ones_own_without_thresholds(project):
    with pytest.raises(IntegrityError, match="project_own_scale_has_thresholds"), transaction.atomic():
        Project.objects.filter(pk=project.pk).update(reading_scale="own")


def test_the_last_threshold_stays_while_it_is_used(project, lead):
    actions.change_project(project, by=lead, reading_scale="own", thresholds=[GOOD])

    with pytest.raises(actions.NoThresholds):
        actions.change_project(project, by=lead, thresholds=[])

    project.refresh_from_db()
    assert project.thresholds == [GOOD]
