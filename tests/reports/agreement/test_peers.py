"""Side by side with scikit-learn, statsmodels and krippendorff on random data with gaps."""

import itertools
import warnings

import numpy as np
import pytest
from krippendorff import alpha
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa, fleiss_kappa

from reports.agreement.counting import all_pairs
from reports.agreement.pairs.cohen import cohen_kappa
from reports.agreement.results import Reason
from reports.agreement.weights import weighting
from tests.reports.agreement.samples import all_coefficients, from_codes, random_codes

SHAPES = [
    # items, raters, categories, share labelled
    (200, 6, 2, 0.8),
    (120, 8, 5, 0.5),
    (60, 12, 7, 0.3),
    (400, 3, 13, 1.0),
    (500, 4, 40, 0.9),
    (15, 10, 3, 0.4),
    (4, 6, 3, 0.7),
]
# The names of weights: ours, scikit-learn's, statsmodels'.
WEIGHTS = [
    ("unweighted", None, None),
    ("linear", "linear", "linear"),
    ("quadratic", "quadratic", "quadratic"),
]


def codes_of(shape: tuple[int, int, int, float]) -> np.ndarray:
    n_items, n_raters, n_categories, share = shape
    codes = random_codes(n_items, n_items=n_items, n_raters=n_raters, n_categories=n_categories, share=share)
    return codes[(codes >= 0).any(axis=1)][:, (codes >= 0).any(axis=0)]


@pytest.mark.parametrize(("ours", "theirs", "_"), WEIGHTS)
@pytest.mark.parametrize("shape", SHAPES)
def test_every_pair_has_the_kappa_of_scikit_learn(shape, ours, theirs, _):
    codes, labels = codes_of(shape), np.arange(shape[2])
    pairs = all_pairs(from_codes(codes, n_categories=shape[2]))

    kappas = cohen_kappa(pairs.tables, weighting(ours, n_categories=shape[2]))

    shared_pairs = 0
    for (a, b), found in zip(zip(pairs.rater_a, pairs.rater_b, strict=True), kappas, strict=True):
        shared = (codes[:, a] >= 0) & (codes[:, b] >= 0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            peer = cohen_kappa_score(codes[shared, a], codes[shared, b], labels=labels, weights=theirs)
        shared_pairs += 1
        if found.kappa is None:
            assert np.isnan(peer)
        else:
            assert found.kappa == pytest.approx(peer, abs=1e-12)
    both = (codes >= 0).astype(int)
    assert shared_pairs == np.count_nonzero(np.triu(both.T @ both, k=1))


@pytest.mark.parametrize(("ours", "_", "theirs"), WEIGHTS)
@pytest.mark.parametrize("shape", SHAPES)
def test_every_pair_has_the_error_of_statsmodels(shape, ours, _, theirs):
    pairs = all_pairs(from_codes(codes_of(shape), n_categories=shape[2]))

    kappas = cohen_kappa(pairs.tables, weighting(ours, n_categories=shape[2]))

    for table, found in zip(pairs.tables, kappas, strict=True):
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            peer = cohens_kappa(table, wt=theirs)
        if found.reason is Reason.NONE:
            assert found.kappa == pytest.approx(peer.kappa, abs=1e-12)
            assert found.se == pytest.approx(peer.std_kappa, rel=1e-8)
            # Theirs is not clipped.
            low, high = max(peer.kappa_low, -1), min(peer.kappa_upp, 1)
            assert (found.ci_low, found.ci_high) == pytest.approx((low, high), abs=1e-8)
        if found.kappa is not None and theirs is None:
            assert found.kappa_max == pytest.approx(peer.kappa_max, abs=1e-12)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize("shape", SHAPES)
def test_alpha_is_that_of_krippendorff(shape, level):
    codes, n_categories = codes_of(shape), shape[2]

    found = all_coefficients(from_codes(codes, n_categories=n_categories), level)["krippendorff_alpha"]

    data = np.where(codes >= 0, codes, np.nan).T
    peer = alpha(data, value_domain=list(range(n_categories)), level_of_measurement=level)
    assert found.value == pytest.approx(peer, abs=1e-12)


@pytest.mark.parametrize("shape", [(200, 6, 2, 1.0), (400, 3, 13, 1.0), (50, 20, 5, 1.0)])
def test_fleiss_kappa_of_complete_data_is_that_of_statsmodels(shape):
    codes, n_categories = codes_of(shape), shape[2]
    counts = (codes[:, :, None] == np.arange(n_categories)).sum(axis=1)

    found = all_coefficients(from_codes(codes, n_categories=n_categories))["fleiss_kappa"]

    assert found.value == pytest.approx(fleiss_kappa(counts), abs=1e-12)


@pytest.mark.parametrize("n_raters", [2, 60])
def test_many_raters_and_many_categories(n_raters):
    codes = random_codes(n_raters, n_items=150, n_raters=n_raters, n_categories=100, share=0.9)
    pairs = all_pairs(from_codes(codes, n_categories=100))
    kappas = cohen_kappa(pairs.tables, weighting("linear", n_categories=100))
    position = dict(zip(zip(pairs.rater_a, pairs.rater_b, strict=True), range(len(pairs)), strict=True))

    for a, b in itertools.islice(itertools.combinations(range(n_raters), 2), 0, None, 97):
        shared = (codes[:, a] >= 0) & (codes[:, b] >= 0)
        peer = cohen_kappa_score(codes[shared, a], codes[shared, b], labels=np.arange(100), weights="linear")
        assert kappas.kappa[position[a, b]] == pytest.approx(peer, abs=1e-12)
