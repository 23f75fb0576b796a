"""Models held against people, from the labels of a report: the reference table, every kind of question, and errors."""

import math

import numpy as np
import pytest

from projects.models import Item, Project
from raters.models import Label, Rater, User
from reports.models import QuestionAgreement, Report
from reports.store.models_against_people import ModelComparisonRequest, ModelsRefused, against_people
from reports.store.stored_model_comparison import stored_model_comparison
from tests import cast
from tests.finished import finished_report
from tests.labeling import add_labels, new_question
from tests.reports.computing.test_models_versus_people import N, with_model
from tests.reports.computing.test_subgroups import question_of, random_rows
from tests.reports.looking import led_by
from tests.reports.numbers_and_sets import add_numbers


def agreement_of(report: Report) -> QuestionAgreement:
    return report.questions.select_related("report__project", "question").get()


def against(report: Report, **asked):
    return against_people(agreement_of(report), ModelComparisonRequest(**asked))


def the_model(report: Report, **asked):
    [found] = against(report, **asked).models
    return found


def key_of(person: int) -> str:
    return Rater.objects.get(pk=person).key


def test_the_reference_table(lead):
    """Figures of the authors' notebook for the test, and of scikit-learn and krippendorff for agreement."""
    found = the_model(finished_report(with_model(lead), lead))

    assert (found.n_items, found.n_people, found.n_person_labels, found.n_single) == (N, 3, 120, 0)
    assert found.difference.value == pytest.approx(0.1002404113, abs=1e-9)
    assert found.advantage.value == pytest.approx(0.95)
    assert (found.n_tested, found.smallest) == (3, 0.06)
    assert [found.winning[each] for each in ("0", "0.05", "0.1", "0.15", "0.2")] == [0, 0, 1, 1, 1]
    assert found.alpha.value == pytest.approx(0.5038565770, abs=1e-9)
    rows = {key_of(each.person): each for each in found.people}
    assert {key: each.with_model.value for key, each in rows.items()} == pytest.approx(
        {"h1": 0.5872420263, "h2": 0.5526561044, "h3": 0.6603773585}
    )
    assert {key: each.in_place.value for key, each in rows.items()} == pytest.approx(
        {"h1": 0.5622240908, "h2": 0.5739258635, "h3": 0.5625918925}
    )
    assert rows["h2"].test.p_values["0.2"] == pytest.approx(5.559590184e-05)
    assert (rows["h2"].test.difference, rows["h2"].test.model_wins) == pytest.approx((-0.1, 0.95))
    assert rows["h1"].with_people.value == pytest.approx((0.5497185741 + 0.4746716698) / 2)
    less = rows["h1"].in_place_less
    assert less.value == pytest.approx(0.5622240908 - 0.5038565770)
    assert less.ci_low < less.value < less.ci_high


def test_the_difference_is_that_of_the_report_by_another_interval(lead):
    report = finished_report(with_model(lead), lead)

    found = the_model(report)
    [by_jackknife] = stored_model_comparison(agreement_of(report)).models

    assert found.difference.value == pytest.approx(by_jackknife.difference.value)
    assert found.difference.se == pytest.approx(by_jackknife.difference.se, rel=0.1)
    assert found.difference.interval_method == "percentile bootstrap"
    assert the_model(report) == found


def test_people_count_whichever_raters_the_report_counts(lead):
    project = with_model(lead)

    apart = the_model(finished_report(project, lead))
    pooled = the_model(finished_report(project, lead, counted=["human", "model"]))

    assert pooled.difference == apart.difference
    assert pooled.winning == apart.winning


@pytest.mark.parametrize("kind", ["ordinal", "interval", "multiple"])
def test_every_kind_of_question(lead, kind):
    project = led_by(lead, cast.new_project("Kinds", unique=True))
    question_of(project, kind, random_rows(kind, 31))
    Rater.objects.filter(project=project, key="r3").update(kind="model")

    report = finished_report(project, lead)
    found = the_model(report)

    assert found.n_people == 3
    assert 0 <= found.advantage.ci_low <= found.advantage.value <= found.advantage.ci_high <= 1
    assert found.difference.ci_low < found.difference.value < found.difference.ci_high
    [by_jackknife] = stored_model_comparison(agreement_of(report)).models
    assert found.difference.value == pytest.approx(by_jackknife.difference.value)
    assert all(each.in_place.value is not None for each in found.people)
    assert (found.consensus.categories is None) == (kind == "interval")


def test_with_too_few_items_nobody_is_tested_unless_fewer_are_asked_for(lead):
    project = led_by(lead, cast.new_project("Few", unique=True))
    question = new_question(project, categories="ab")
    rows = [(f"i{i}", key, "ab"[i % 2]) for i in range(12) for key in ("h1", "h2", "model")]
    add_labels(question, rows)
    Rater.objects.filter(project=project, key="model").update(kind="model")
    report = finished_report(project, lead)

    plain, few = the_model(report), the_model(report, least=10)

    assert (plain.n_tested, plain.advantage.value, plain.winning, plain.smallest) == (0, None, {}, None)
    assert plain.advantage.reason == "too_few_items"
    assert [each.test.n_items for each in plain.people] == [12, 12]
    # Wilcoxon's test of 12 differences of 0, each below ε: p is 1 / 2^12.
    assert [each.test.p_values["0.2"] for each in few.people] == [0, 0]
    assert few.advantage.value == 1


def test_errors_by_category_and_by_attribute(lead):
    project = led_by(lead, cast.new_project("Errors", unique=True))
    question = new_question(project, categories="ab")
    rows = []
    for item in range(20):
        people = "ab"[item % 2]
        answer = "b" if item in {0, 2, 4} else people
        rows += [(f"i{item:02}", key, people) for key in ("h1", "h2")]
        rows.append((f"i{item:02}", "model", answer))
    # The people are tied on the last, and on one more there are none.
    rows += [("i20", "h1", "a"), ("i20", "h2", "b"), ("i20", "model", "a"), ("i21", "model", "a")]
    add_labels(question, rows)
    Rater.objects.filter(project=project, key="model").update(kind="model")
    for item in Item.objects.filter(project=project):
        item.attributes = {"site": "Bern" if item.key < "i10" else "Chur"}
        item.save()

    errors = the_model(finished_report(project, lead)).consensus

    assert (errors.n_items, errors.n_tied, errors.n_different) == (20, 1, 3)
    assert errors.figure.value == pytest.approx(17 / 20)
    a, b = errors.categories
    assert (a.n_people, a.n_model, a.n_both, a.found.value, a.right.value) == (10, 7, 7, 0.7, 1)
    assert (b.n_people, b.n_model, b.n_both, b.found.value) == (10, 13, 10, 1)
    # Wilson's interval of 7 in 10.
    assert (a.found.ci_low, a.found.ci_high) == pytest.approx((0.396778, 0.892209), abs=1e-6)
    [site] = errors.attributes
    assert [(each.value, each.n_items, each.n_different) for each in site.values] == [
        ("Bern", 10, 3),
        ("Chur", 10, 0),
    ]


def test_errors_of_numbers_are_differences_from_the_mean(lead):
    project = led_by(lead, cast.new_project("Numbers", unique=True))
    question = new_question(project, categories=(), kind="number", level="interval")
    add_numbers(question, [[i, i + 2, i + 1 + (i % 2)] for i in range(6)])
    Rater.objects.filter(project=project, key="r2").update(kind="model")

    errors = the_model(finished_report(project, lead)).consensus

    assert (errors.n_items, errors.n_different, errors.categories) == (6, 3, None)
    assert errors.figure.value == pytest.approx(0.5)
    # t of 5 degrees of freedom.
    margin = 2.570582 * np.std([0, 1] * 3, ddof=1) / math.sqrt(6)
    assert errors.figure.ci_high == pytest.approx(0.5 + margin)


def test_stability_is_that_of_the_models_own_passes(lead):
    project = with_model(lead)
    model = Rater.objects.get(project=project, key="model")
    again = list(Label.objects.filter(rater=model, item__key__in=["i00", "i01", "i02", "i03"]))
    for label in again:
        label.pk, label.pass_number = None, 2
    # Item 3 was 0 before.
    again[-1].category = project.questions.get().categories.get(key="1")
    Label.objects.bulk_create(again)

    found = the_model(finished_report(project, lead)).stability

    assert (found.n_items, found.n_runs, found.n_same) == (4, 2, 3)
    assert found.share.value == 0.75
    # Of 1 1, 1 1, 2 2, 0 1: observed disagreement 2 / 8, expected 2 (1·5 + 1·2 + 5·2) / 56.
    assert found.alpha.value == pytest.approx(1 - (2 / 8) / (2 * (5 + 2 + 10) / 56))


def test_one_run_has_no_stability(lead):
    found = the_model(finished_report(with_model(lead), lead)).stability

    assert (found.n_items, found.share.value, found.share.reason) == (0, None, "no_overlap")
    assert found.alpha.value is None


def test_models_are_compared_on_the_items_of_both(lead):
    project = with_model(lead, models=("model", "h3"))
    h3 = Rater.objects.get(project=project, key="h3")

    found = against(finished_report(project, lead))

    assert len(found.models) == 2
    [compared] = found.comparisons
    assert {compared.first, compared.second} == {h3.pk, Rater.objects.get(project=project, key="model").pk}
    assert compared.n_items == N
    # Of h1 and h2 alone: the model has .5872420263 and .5526561044, h3 .4746716698 and .4751640112.
    less = (0.5872420263 + 0.5526561044 - 0.4746716698 - 0.4751640112) / 2
    sign = 1 if compared.second == h3.pk else -1
    assert compared.agreement.value == pytest.approx(sign * less)
    assert compared.agreement.ci_low < compared.agreement.value < compared.agreement.ci_high
    assert sign * compared.advantage.value > 0


def refused(lead: User, project: Project) -> str:
    with pytest.raises(ModelsRefused) as caught:
        against(finished_report(project, lead))
    return str(caught.value)


def test_without_a_model_or_two_people_it_is_refused(lead):
    assert "is a model" in refused(lead, with_model(lead, models=()))
    assert "Fewer than two people" in refused(lead, with_model(lead, models=("h1", "h2", "model")))


def test_a_model_without_shared_items_has_reasons(lead):
    project = with_model(lead)
    add_labels(project.questions.get(), [(f"x{i}", "other", "0") for i in range(5)])
    Rater.objects.filter(project=project, key="other").update(kind="model")
    other = Rater.objects.get(project=project, key="other")

    found = next(each for each in against(finished_report(project, lead)).models if each.rater == other.pk)

    assert (found.n_labels, found.n_items, found.n_people, found.people) == (5, 0, 0, ())
    assert [
        each.reason for each in (found.difference, found.advantage, found.alpha, found.consensus.figure)
    ] == [
        "no_overlap",
        "no_overlap",
        "no_overlap",
        "no_items",
    ]
