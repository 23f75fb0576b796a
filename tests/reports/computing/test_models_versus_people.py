"""Models are compared with people: their mean agreement with them beside that of people with each other."""

import math

import numpy as np
import pytest

from projects.models import Project
from raters.models import Rater, User
from reports.models import Report
from reports.store.stored_model_comparison import stored_model_comparison
from tests import cast
from tests.finished import finished_report
from tests.labeling import add_labels, new_question
from tests.reports.looking import led_by, question_page
from tests.reports.numbers_and_sets import add_numbers, add_sets

N = 40
# Invented: item i is truly of category i mod 3; each slips on every so manieth item.
SLIPS = {"h1": (5, 1), "h2": (7, 2), "h3": (4, 1), "model": (6, 1)}


def label_by(key: str, item: int) -> int:
    every, by = SLIPS[key]
    return (item + by) % 3 if item % every == 0 else item % 3


def with_model(lead: User, *, models: tuple[str, ...] = ("model",)) -> Project:
    project = led_by(lead, cast.new_project("With a model", unique=True))
    question = new_question(project, categories="012")
    add_labels(question, [(f"i{i:02}", key, str(label_by(key, i))) for key in SLIPS for i in range(N)])
    Rater.objects.filter(project=project, key__in=models).update(kind="model")
    return project


def beside(report: Report):
    return stored_model_comparison(report.questions.select_related("report__project").get())


def kappa(a: list[int], b: list[int]) -> float:
    table = np.zeros((3, 3))
    np.add.at(table, (a, b), 1)
    table /= table.sum()
    observed, expected = np.trace(table), table.sum(1) @ table.sum(0)
    return float((observed - expected) / (1 - expected))


def difference(items: list[int]) -> float:
    """Written out anew: the mean of three kappas with the model less the mean of three among people."""
    labels = {key: [label_by(key, i) for i in items] for key in SLIPS}
    mine = [kappa(labels[key], labels["model"]) for key in ("h1", "h2", "h3")]
    others = [kappa(labels[a], labels[b]) for a, b in (("h1", "h2"), ("h1", "h3"), ("h2", "h3"))]
    return float(np.mean(mine) - np.mean(others))


def test_a_model_is_compared_with_people_on_the_same_items(lead):
    [found] = beside(finished_report(with_model(lead), lead)).models

    # By scikit-learn's cohen_kappa_score, with the model .5872420263, .5526561044, .6603773585; among people
    # .5497185741, .4746716698, .4751640112.
    assert found.with_people.value == pytest.approx(0.6000918297, abs=1e-9)
    assert found.among_people.value == pytest.approx(0.4998514184, abs=1e-9)
    assert found.difference.value == pytest.approx(0.1002404113, abs=1e-9)
    assert (found.n_items, found.n_people) == (N, 3)


def test_its_error_is_that_of_leaving_out_each_item(lead):
    [found] = beside(finished_report(with_model(lead), lead)).models

    left_out = [difference([i for i in range(N) if i != item]) for item in range(N)]
    by_jackknife = math.sqrt((N - 1) / N * np.sum((np.array(left_out) - np.mean(left_out)) ** 2))
    chance = np.random.default_rng(1)
    drawn = [difference(chance.integers(0, N, N).tolist()) for _ in range(2000)]
    assert found.difference.se == pytest.approx(by_jackknife, rel=1e-9)
    # Another way to the same error: resampled items.
    assert found.difference.se == pytest.approx(np.std(drawn), rel=0.1)
    assert found.p_corrected == found.difference.p_value


def test_items_that_one_person_labeled_count_on_neither_side(lead):
    project = with_model(lead)
    question = project.questions.get()
    add_labels(question, [(f"x{i:02}", key, "0") for key in ("h1", "model") for i in range(30)])
    Rater.objects.filter(project=project, key="model").update(kind="model")

    [found] = beside(finished_report(project, lead)).models

    assert found.n_items == N
    assert found.with_people.value == pytest.approx(0.6000918297, abs=1e-9)


def test_several_models_are_corrected_for_their_number(lead):
    found = beside(finished_report(with_model(lead, models=("model", "h3")), lead)).models

    p_values = sorted(each.difference.p_value for each in found)
    assert sorted(each.p_corrected for each in found) == pytest.approx(
        [min(1, 2 * p_values[0]), max(min(1, 2 * p_values[0]), p_values[1])]
    )


@pytest.mark.parametrize("kind", ["number", "multiple"])
def test_numbers_and_sets_have_them_too(lead, kind):
    project = led_by(lead, cast.new_project("Other kinds", unique=True))
    if kind == "number":
        question = new_question(project, categories=(), kind="number", level="interval")
        add_numbers(question, [[i, i + 1, i + 2] for i in range(6)])
        # Lin's concordance of two series a constant c apart: 2 s² / (2 s² + c²), s² = 35 / 12.
        expected = (35 / 6 / (35 / 6 + 4) + 35 / 6 / (35 / 6 + 1)) / 2, 35 / 6 / (35 / 6 + 1)
    else:
        question = new_question(project, categories="ab", kind="multiple")
        add_sets(question, [[["a"], ["a"], ["a"]], [["a"], ["a", "b"], ["b"]], [["b"], ["b"], ["b"]]])
        # MASI of {a} and {a, b} is 1/2 × 2/3, of {a} and {b} 0, of {a, b} and {b} 1/3.
        expected = (2 / 3 + (2 + 1 / 3) / 3) / 2, (2 + 1 / 3) / 3
    Rater.objects.filter(project=project, key="r2").update(kind="model")

    [found] = beside(finished_report(project, lead)).models

    assert (found.with_people.value, found.among_people.value) == pytest.approx(expected)


def test_the_page_shows_them_and_only_where_people_lead(client, lead):
    project = with_model(lead)

    apart = question_page(client, finished_report(project, lead))
    pooled = question_page(client, finished_report(project, lead, counted=["human", "model"]))

    [row] = apart.context["models"].rows
    assert (row.name, row.with_people[0], row.among_people[0], row.difference) == (
        "model", "0.600", "0.500", "+0.100",
    )  # fmt: skip
    assert 'id="models"' in apart.content.decode()
    assert pooled.context["models"] is None
