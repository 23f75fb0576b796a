"""Projects whose statistics are known or have something to compare."""

import pytest

from projects.models import Round
from raters.models import Label, Rater
from tests import cast
from tests.labeling import add_labels, labeled_project, new_question
from tests.reports.agreement.published import FLEISS_1971_COUNTS
from tests.reports.looking import led_by

DIAGNOSES = ["depression", "personality", "schizophrenia", "neurosis", "other"]


@pytest.fixture
def fleiss(lead):
    """Fleiss 1971: 30 patients, 6 diagnoses each, which rater is unknown."""
    project = led_by(lead, cast.new_project("Diagnoses", unique=True))
    rows = []
    for patient, counts in enumerate(FLEISS_1971_COUNTS):
        diagnoses = [name for name, count in zip(DIAGNOSES, counts, strict=True) for _ in range(count)]
        rows += [(f"p{patient:02}", f"r{place}", name) for place, name in enumerate(diagnoses)]
    add_labels(new_question(project, categories=DIAGNOSES), rows)
    return project


@pytest.fixture
def rounds(lead):
    """Two rounds of 20 and 20 items, five raters, the last of them declared as the reference."""
    project = led_by(lead, labeled_project("Rounds", n_raters=5))
    Rater.objects.filter(project=project, key="rater-004").update(kind="reference")
    for key, name in (("pilot", "__lt"), ("main", "__gte")):
        round_ = Round.objects.create(project=project, key=key)
        labels = Label.objects.filter(question__project=project, **{f"item__key{name}": "item-00020"})
        labels.update(round=round_)
    return project
