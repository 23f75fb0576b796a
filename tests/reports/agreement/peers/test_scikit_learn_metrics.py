"""A rater against a reference, side by side with scikit-learn's metrics."""

import numpy as np
import pytest
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    matthews_corrcoef,
    precision_recall_fscore_support,
)

from reports.agreement.pairs.reference import against_reference
from reports.agreement.results import Reason
from tests.reports.agreement.peers.shapes import Shape, quiet_peer

TWO_RATERS = [
    Shape(200, 2, 2),
    Shape(90, 2, 5),
    Shape(90, 2, 6, n_used=3),
    Shape(40, 2, 20),
    Shape(5, 2, 4),
    Shape(500, 2, 100),
]


def labels_of(shape: Shape) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The rater's codes, the reference's, and their table."""
    rater, reference = shape.codes.T
    counts = np.zeros((1, shape.n_categories, shape.n_categories), dtype=int)
    np.add.at(counts[0], (rater, reference), 1)
    return rater, reference, counts


@pytest.mark.parametrize("shape", TWO_RATERS, ids=str)
def test_figures_per_category_are_those_of_scikit_learn(shape):
    rater, reference, counts = labels_of(shape)

    found = against_reference(counts)

    labels = np.arange(shape.n_categories)
    peer = precision_recall_fscore_support(reference, rater, labels=labels, zero_division=np.nan)
    for ours, theirs in zip((found.precision, found.recall, found.f1), peer[:3], strict=True):
        assert ours.value[0] == pytest.approx(theirs, abs=1e-12, nan_ok=True)
    # The specificity of a category is the recall of all others together.
    for category in labels:
        rest = precision_recall_fscore_support(
            reference != category, rater != category, labels=[True], zero_division=np.nan
        )
        assert found.specificity.value[0, category] == pytest.approx(rest[1][0], abs=1e-12, nan_ok=True)
        assert found.negative_predictive_value.value[0, category] == pytest.approx(
            rest[0][0], abs=1e-12, nan_ok=True
        )


@pytest.mark.parametrize("shape", TWO_RATERS, ids=str)
def test_figures_of_all_categories_are_those_of_scikit_learn(shape):
    rater, reference, counts = labels_of(shape)

    found = against_reference(counts)

    with quiet_peer():
        balanced = balanced_accuracy_score(reference, rater)
    assert found.accuracy.value[0] == pytest.approx(accuracy_score(reference, rater), abs=1e-12)
    assert found.balanced_accuracy.value[0] == pytest.approx(balanced, abs=1e-12)
    assert found.matthews.value[0] == pytest.approx(matthews_corrcoef(reference, rater), abs=1e-12)


def test_exception_matthews_of_a_constant_rater_is_zero():
    # Nothing varies on one side: a correlation has no value. scikit-learn gives 0, as if there were none.
    counts = np.array([[[5, 5], [0, 0]]])

    found = against_reference(counts).matthews.at(0)

    assert matthews_corrcoef([0] * 5 + [1] * 5, [0] * 10) == 0
    assert (found.value, found.reason) == (None, Reason.NO_VARIATION)


def test_exception_figures_of_a_category_that_nobody_used_are_zero():
    counts = np.array([[[4, 1, 0], [1, 4, 0], [0, 0, 0]]])

    found = against_reference(counts).f1.at(0, 2)

    rater, reference = [0] * 5 + [1] * 5, [0] * 4 + [1] + [0] + [1] * 4
    with quiet_peer():
        peer = precision_recall_fscore_support(reference, rater, labels=[0, 1, 2])
    assert peer[2][2] == 0
    assert (found.value, found.reason) == (None, Reason.CATEGORY_UNUSED)
