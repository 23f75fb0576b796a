"""How a report may be asked for: what is taken, what is refused in words, and what makes two reports equal."""

import pytest

from reports.analysis.options import (
    IntervalMethod,
    OptionRefused,
    Options,
    checked_matrix,
    checked_options,
    options_of,
)
from reports.models import QuestionAgreement
from reports.store.requests import ReportRefused, request_again, request_report
from tests import cast
from tests.finished import compute_now, finished_report
from tests.labeling import add_labels, from_table, labeled_project, new_question

MATRIX = [[1, 0.5, 0], [0.5, 1, 0.5], [0, 0.5, 1]]


@pytest.mark.parametrize(
    ("wish", "sentence"),
    [
        ({"weights": "cubic"}, "weights must be one of unweighted, linear"),
        ({"interval": "wald"}, "interval must be one of analytic, percentile, bca, jackknife, got 'wald'"),
        ({"replicates": 999}, "replicates must be from 1,000 to 20,000, got 999"),
        ({"seed": -1}, "seed must be from 0"),
        ({"confidence": 1.0}, "confidence must be from 0.8 to 0.999, got 1.0"),
        ({"smoothing": -0.1}, "smoothing must be from 0 to 100, got -0.1"),
        ({"smoothing": float("nan")}, "smoothing must be from 0 to 100, got nan"),
    ],
)
def test_what_means_nothing_is_refused_in_words(wish, sentence):
    with pytest.raises(OptionRefused, match=sentence):
        checked_options(**wish)


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([[1, 0], [0, 1]], "answer: weights must be 3 rows of 3, got 2 rows of 2"),
        ([], "got none"),
        ([[1, 0, 0], [0, 1, 2], [0, 2, 1]], "numbers from 0 to 1"),
        ([[1, 0.5, 0], [0.4, 1, 0], [0, 0, 1]], "symmetric"),
        ([[0.9, 0, 0], [0, 1, 0], [0, 0, 1]], "1 on the diagonal"),
    ],
)
def test_a_matrix_that_is_no_weighting_is_refused(rows, sentence):
    with pytest.raises(OptionRefused, match=sentence):
        checked_matrix("answer", ["a", "b", "c"], rows)


def test_options_come_back_as_they_were_stored():
    matrix = checked_matrix("answer", ["a", "b", "c"], MATRIX)
    options = checked_options(
        weights="custom", interval="bca", replicates=5000, seed=7, confidence=0.9, reference="gold",
        smoothing=0.5, matrices={"answer": matrix},
    )  # fmt: skip

    assert options_of(options.as_json()) == options


def test_seed_and_replicates_matter_to_a_bootstrap_only():
    assert checked_options(seed=3).as_json() == Options().as_json()
    assert checked_options(interval="bca", seed=3).as_json() != checked_options(interval="bca").as_json()


CHANGES = [
    {"weights": "bipolar"},
    {"interval": "jackknife"},
    {"interval": "percentile"},
    {"confidence": 0.9},
    {"reference": "rater-001"},
    {"smoothing": 1},
    {"weights": "custom", "matrices": {"answer": MATRIX}},
]


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_equal_options_give_the_same_report_and_others_another(lead, change):
    project = labeled_project("equal")
    plain = finished_report(project, lead)
    other = finished_report(project, lead, **change)

    assert other != plain
    assert request_report(project, by=lead, **change) == other
    assert request_again(other, by=lead) == other
    assert request_again(plain, by=lead) == plain


@pytest.mark.parametrize(
    ("wish", "sentence"),
    [
        ({"reference": "nobody"}, "has no rater 'nobody' to use as the reference"),
        ({"weights": "custom"}, "Custom weights require a matrix for answer"),
        ({"weights": "custom", "matrices": {"nope": MATRIX}}, "has no question 'nope'"),
        ({"matrices": {"answer": MATRIX}}, "requires custom weights, got unweighted"),
        ({"interval": "wald"}, "interval must be one of"),
    ],
)
def test_a_report_with_bad_options_is_refused(lead, wish, sentence):
    project = labeled_project("bad")

    with pytest.raises(ReportRefused, match=sentence):
        request_report(project, by=lead, **wish)


def test_own_weights_that_no_longer_fit_leave_a_reason(lead):
    project = labeled_project("misfit")
    report = request_report(project, by=lead, weights="custom", matrices={"answer": MATRIX})
    project.questions.get().categories.create(key="worse", position=9)

    compute_now(report)

    assert report.questions.get().reason == "matrix_misfit"


def agreement_on(lead, level: str, values: list[float], **options) -> QuestionAgreement:
    project = cast.new_project("Levels", unique=True)
    question = new_question(project, categories=[f"c{n}" for n in range(len(values))], level=level)
    for category, value in zip(question.categories.order_by("position"), values, strict=True):
        category.value = value
        category.save(update_fields=["value"])
    keys = [f"c{n}" for n in range(len(values))]
    add_labels(question, from_table([[4, 1, 0], [1, 3, 1], [0, 2, 3]], keys))
    return finished_report(project, lead, **options).questions.get()


def test_ratio_is_a_level_of_its_own(lead):
    alphas = {
        level: agreement_on(lead, level, [1, 2, 4]).coefficients["krippendorff_alpha"]
        for level in ("interval", "ratio")
    }

    # By hand for ratios: d(1,2) = d(2,4) = 1/9, d(1,4) = 9/25; N = 30 and n_c = (10, 11, 9), the sums of the margins
    # (5, 5, 5) and (5, 6, 4).
    observed = 2 * (2 / 9 + 3 / 9)
    expected = 2 * (10 * 11 / 9 + 11 * 9 / 9 + 10 * 9 * 9 / 25)
    assert alphas["ratio"]["value"] == pytest.approx(1 - 29 * observed / expected, abs=1e-12)
    assert alphas["ratio"]["method"] == "ratio"
    assert alphas["interval"]["value"] != pytest.approx(alphas["ratio"]["value"], abs=1e-3)


@pytest.mark.parametrize(("level", "options"), [("ratio", {}), ("interval", {"weights": "ratio"})])
def test_ratios_of_negative_values_leave_a_reason(lead, level, options):
    assert agreement_on(lead, level, [-1, 2, 4], **options).reason == "negative_values"


def test_the_methods_of_the_page_are_those_of_the_library():
    assert {str(method) for method in IntervalMethod} == {"analytic", "percentile", "bca", "jackknife"}
