"""What a paper says of a model against people, word for word: WRITE_GOLDEN=1 writes the texts that have changed."""

import os
from pathlib import Path

import pytest

from projects.models import Project
from raters.models import Rater, User
from reports.results.model_wording import methods_of
from reports.store.models_against_people import ModelComparisonRequest, against_people
from reports.store.stored_result import StoredResult
from tests import cast
from tests.finished import finished_report
from tests.labeling import add_labels, new_question
from tests.reports.computing.test_models_versus_people import with_model
from tests.reports.computing.test_subgroups import question_of, random_rows
from tests.reports.looking import led_by

HERE = Path(__file__).parent


def of_kind(lead: User, kind: str) -> Project:
    project = led_by(lead, cast.new_project("Golden", unique=True))
    question_of(project, kind, random_rows(kind, 51))
    Rater.objects.filter(project=project, key="r3").update(kind="model")
    return project


def of_few(lead: User) -> Project:
    project = led_by(lead, cast.new_project("Few", unique=True))
    rows = [
        (f"i{i}", key, "ab"[(i + (key == "h2" and i == 3)) % 2])
        for i in range(12)
        for key in ("h1", "h2", "model")
    ]
    add_labels(new_question(project, categories="ab"), rows)
    Rater.objects.filter(project=project, key="model").update(kind="model")
    return project


CASES = {
    "model_passes": (with_model, "0.2", 30),
    "model_fails": (lambda lead: of_kind(lead, "interval"), "0.1", 30),
    "model_of_sets": (lambda lead: of_kind(lead, "multiple"), "0.15", 30),
    "model_of_few": (of_few, "0.15", 10),
    "model_untested": (of_few, "0.15", 30),
}


@pytest.mark.parametrize("name", CASES)
def test_the_text_of_a_model_is_its_golden_text(lead, name):
    project_of, epsilon, least = CASES[name]
    report = finished_report(project_of(lead), lead)
    row = report.questions.select_related("report__project", "question").get()
    found, result = against_people(row, ModelComparisonRequest(least)), StoredResult.of(row)
    [model] = found.models
    key = next(rater.key for rater in result.raters if rater.id == model.rater)

    text = "\n\n".join(methods_of(result, found, model, key, epsilon)) + "\n"

    file = HERE / f"{name}.txt"
    if os.environ.get("WRITE_GOLDEN"):
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")
