"""Cohen's kappa side by side with scikit-learn."""

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from reports.agreement.counting import all_pairs
from reports.agreement.pairs.cohen import cohen_kappa
from reports.agreement.results import Reason
from reports.agreement.weights import weighting
from tests.reports.agreement.peers.shapes import ONE_CATEGORY, SHAPES, quiet_peer
from tests.reports.agreement.samples import from_lines

WEIGHTS = {"unweighted": None, "linear": "linear", "quadratic": "quadratic"}
# A pair costs scikit-learn a millisecond or more.
MAX_PAIRS = 15


def few(n_pairs: int) -> np.ndarray:
    """Positions of some pairs, spread over all."""
    return np.unique(np.linspace(0, n_pairs - 1, MAX_PAIRS).astype(int))


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("shape", SHAPES + ONE_CATEGORY, ids=str)
def test_every_pair_has_the_kappa_of_scikit_learn(shape, weights):
    codes, labels = shape.codes, np.arange(shape.n_categories)
    pairs = all_pairs(shape.ratings)

    kappas = cohen_kappa(pairs.tables, weighting(weights, n_categories=shape.n_categories))

    for position in few(len(pairs)):
        a, b = codes[:, pairs.rater_a[position]], codes[:, pairs.rater_b[position]]
        shared = (a >= 0) & (b >= 0)
        with quiet_peer():
            peer = cohen_kappa_score(a[shared], b[shared], labels=labels, weights=WEIGHTS[weights])
        assert kappas.n[position] == shared.sum()
        assert kappas.kappa[position] == pytest.approx(peer, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_pair_that_shares_items_is_there(shape):
    labeled = (shape.codes >= 0).astype(int)

    pairs = all_pairs(shape.ratings)

    assert len(pairs) == np.count_nonzero(np.triu(labeled.T @ labeled, k=1))


def kappa_of(*lines: str, categories: str, weights: str = "unweighted"):
    pairs = all_pairs(from_lines(*lines, categories=categories))
    return cohen_kappa(pairs.tables, weighting(weights, n_categories=len(categories))).pair(0)


def test_exception_labels_in_alphabetical_order():
    # Low, mid, high: scikit-learn sorts them to high, low, mid unless it is told.
    a, b = "lmhl", "lhhm"

    ours = kappa_of(a, b, categories="lmh", weights="linear")

    assert cohen_kappa_score(list(a), list(b), weights="linear") == pytest.approx(1 / 7)
    assert cohen_kappa_score(list(a), list(b), labels=list("lmh"), weights="linear") == pytest.approx(0.5)
    assert ours.kappa == pytest.approx(0.5)


def test_exception_a_missing_label_counts_as_a_category():
    ours = kappa_of("yny.", "ynn.", categories="yn")

    assert cohen_kappa_score(["y", "n", "y", ""], ["y", "n", "n", ""]) == pytest.approx(7 / 11)
    assert (ours.kappa, ours.n) == (pytest.approx(0.4), 3)


def test_exception_unused_points_of_a_scale_are_dropped():
    # Two of five points used, far apart: to scikit-learn they are neighbors of a third one.
    a, b = "12525", "15212"

    ours = kappa_of(a, b, categories="12345", weights="linear")

    codes = [int(label) for label in a], [int(label) for label in b]
    assert cohen_kappa_score(*codes, weights="linear") == pytest.approx(1 / 11)
    assert ours.kappa == pytest.approx(cohen_kappa_score(*codes, weights="linear", labels=range(1, 6)))
    assert ours.kappa == pytest.approx(-3 / 22)


def test_exception_nothing_to_compare_is_an_error():
    pairs = all_pairs(from_lines("yn..", "..yn", categories="yn"))

    ours = cohen_kappa(np.zeros((1, 2, 2), dtype=int), weighting("unweighted", n_categories=2)).pair(0)

    with pytest.raises(ValueError, match="empty"):
        cohen_kappa_score([], [])
    assert (len(pairs), ours.kappa, ours.reason) == (0, None, Reason.NO_OVERLAP)


def test_exception_labels_all_the_same_are_nan_without_a_reason():
    ours = kappa_of("yyyy", "yyyy", categories="yn")

    with quiet_peer():
        assert np.isnan(cohen_kappa_score(list("yyyy"), list("yyyy")))
    assert (ours.kappa, ours.observed, ours.reason) == (None, 1, Reason.NO_VARIATION)


@pytest.mark.parametrize(
    ("with_gap", "whole", "error"),
    [([1, np.nan], [1, 2], ValueError), (["a", None], ["a", "b"], TypeError)],
    ids=["number", "word"],
)
def test_exception_a_missing_label_is_an_error(with_gap, whole, error):
    with quiet_peer(), pytest.raises(error):
        cohen_kappa_score(with_gap, whole)
