"""The model of raters who err: its splits of labels against labels drawn one by one."""

import numpy as np
import pytest

from reports.agreement.planning.latent_class import (
    LatentClassModel,
    by_accuracy,
    by_sensitivity,
    confusion_of,
)


def three_raters():
    rates = [by_sensitivity(0.9, 0.8), by_sensitivity(0.7, 0.95), by_sensitivity(1, 0.5)]
    return LatentClassModel(np.array([0.25, 0.75]), np.stack(rates))


def test_splits_worked_by_hand():
    counts, chances = three_raters().patterns()

    found = dict(zip(map(tuple, counts.tolist()), chances, strict=True))
    assert found[(3, 0)] == pytest.approx(0.25 * 0.9 * 0.7 * 1 + 0.75 * 0.2 * 0.05 * 0.5)
    assert found[(0, 3)] == pytest.approx(0.25 * 0.1 * 0.3 * 0 + 0.75 * 0.8 * 0.95 * 0.5)
    assert sum(found.values()) == pytest.approx(1)
    assert len(found) == three_raters().n_patterns() == 4


def test_drawn_labels_split_as_the_model_says():
    model = LatentClassModel(np.array([0.5, 0.3, 0.2]), np.stack([by_accuracy(0.7, n_categories=3)] * 3))
    counts, chances = model.patterns()
    n = 40_000

    drawn = model.draw_counts(np.random.default_rng(5), n)

    assert (drawn.sum(axis=1) == 3).all()
    for row, chance in zip(counts, chances, strict=True):
        # Four standard errors, so that one split in 16,000 would fail; the seed is fixed.
        share = (drawn == row).all(axis=1).mean()
        assert share == pytest.approx(chance, abs=4 * np.sqrt(chance / n))


def test_accuracy_spreads_errors_alike():
    assert by_accuracy(0.7, n_categories=4)[1] == pytest.approx([0.1, 0.7, 0.1, 0.1])


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[0.9, 0.1]], "must be square"),
        ([[0.9, 0.2], [0.1, 0.9]], "sum to 1"),
        ([[1.1, -0.1], [0.1, 0.9]], "from 0 to 1"),
        ([[float("nan"), 1], [0.1, 0.9]], "from 0 to 1"),
        ([[1.0]], "must be square"),
    ],
)
def test_invalid_rates_are_refused(matrix, message):
    with pytest.raises(ValueError, match=message):
        confusion_of(matrix)


@pytest.mark.parametrize(
    ("confusion", "message"),
    [
        (np.zeros((2, 2)), "2 x 2 matrix"),
        (np.eye(2)[None], "2 to 100 raters"),
        (np.stack([np.eye(3)] * 2), "2 x 2 matrix"),
        (np.full((2, 2, 2), 0.4), "sum to 1"),
    ],
)
def test_models_that_do_not_fit_together_are_refused(confusion, message):
    with pytest.raises(ValueError, match=message):
        LatentClassModel(np.array([0.5, 0.5]), confusion)


def test_a_sensitivity_above_one_is_refused():
    with pytest.raises(ValueError, match=r"sensitivity must be from 0 to 1, got 1\.2"):
        by_sensitivity(1.2, 0.9)
