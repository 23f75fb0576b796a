"""The bootstrap of coefficients: scipy's on the same data, explicit resampling, the same draws, and no interval."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from reports.agreement.intervals import resampling
from reports.agreement.intervals.bootstrap import bootstrap, bootstrap_each
from reports.agreement.intervals.resampling import item_weights
from reports.agreement.overall.chance_corrected import FLEISS_KAPPA, GWET_AC, PERCENT_AGREEMENT
from reports.agreement.overall.krippendorff import KRIPPENDORFF_ALPHA
from reports.agreement.overall.statistic import estimate
from reports.agreement.results import Reason
from reports.agreement.sample import Sample, Scale
from reports.agreement.weights import Weights
from tests.reports.agreement.published import FLEISS_1971, FLEISS_1971_COUNTS
from tests.reports.agreement.samples import from_codes, from_lines, random_codes

STATISTICS = [FLEISS_KAPPA, GWET_AC, KRIPPENDORFF_ALPHA]


def fleiss_kappa(counts: np.ndarray) -> np.ndarray:
    """Fleiss 1971 as in the paper, of items with six labels each; counts: (..., items, categories)."""
    shares = counts.mean(axis=-2) / 6
    observed = ((counts**2).sum(axis=-1).mean(axis=-1) - 6) / 30
    expected = (shares**2).sum(axis=-1)
    return (observed - expected) / (1 - expected)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_intervals_are_those_of_scipy(method):
    counts = np.array(FLEISS_1971_COUNTS, dtype=float)
    peer = stats.bootstrap(
        (np.arange(30),),
        lambda items, axis: fleiss_kappa(counts[items.astype(int)]),
        n_resamples=20_000,
        method=method,
        vectorized=True,
        rng=np.random.default_rng(1),
    )

    found = bootstrap(
        [FLEISS_KAPPA], Sample(FLEISS_1971), Scale(5), seed=2, n_replicates=20_000, method=method
    )

    interval = found["fleiss_kappa"]
    # Quantiles of 20,000 replicates with a standard deviation of 0.05 have an error of about 0.001.
    assert interval.se == pytest.approx(peer.standard_error, rel=0.02)
    assert interval.low == pytest.approx(peer.confidence_interval.low, abs=0.004)
    assert interval.high == pytest.approx(peer.confidence_interval.high, abs=0.004)
    assert interval.method == f"{method} bootstrap"


def test_bca_differs_from_percentile_where_the_statistic_is_skewed():
    sample = Sample(FLEISS_1971)
    found = {
        method: bootstrap([PERCENT_AGREEMENT], sample, Scale(5), seed=3, method=method)["percent_agreement"]
        for method in ("percentile", "bca")
    }

    assert found["bca"].se == found["percentile"].se
    assert found["bca"].low != found["percentile"].low


@pytest.mark.parametrize(("n_items", "n_raters"), [(40, 6), (4_000, 2)])
def test_replicates_equal_resampled_items(n_items, n_raters):
    # Many kinds of items are drawn item by item; few kinds as multinomial numbers.
    codes = random_codes(6, n_items=n_items, n_raters=n_raters, n_categories=3)
    sample, scale = Sample(from_codes(codes, n_categories=3)), Scale(3)
    units = sample.patterns
    weights = next(item_weights(units.n_items, seed=4, n_replicates=5))

    for statistic in STATISTICS:
        values = statistic.values(units, scale, weights)
        for drawn, value in zip(weights, values, strict=True):
            rows = np.repeat(units.counts, drawn.astype(int), axis=0)
            made = [np.repeat(np.arange(3), row) for row in rows]
            resampled = np.full((len(rows), n_raters), -1)
            for item, labels in enumerate(made):
                resampled[item, : len(labels)] = labels
            again = estimate(statistic, Sample(from_codes(resampled, n_categories=3)), scale)
            assert value == pytest.approx(again.value, abs=1e-12)


@pytest.mark.parametrize("n_items", [[3, 1, 6], [4_000, 1_000, 5_000], [40, 8, 3, 30, 10]])
def test_weights_are_multinomial(n_items):
    counts = np.array(n_items)
    weights = np.concatenate(list(item_weights(counts, seed=5, n_replicates=20_000)))
    shares = counts / counts.sum()

    covariance = counts.sum() * (np.diag(shares) - np.outer(shares, shares))

    assert (weights.sum(axis=1) == counts.sum()).all()
    np.testing.assert_allclose(weights.mean(axis=0), counts, rtol=0.02)
    # A covariance of 20,000 draws has about this error.
    error = np.sqrt(np.outer(np.diag(covariance), np.diag(covariance)) / 20_000)
    assert (np.abs(np.cov(weights.T) - covariance) < 5 * error).all()


def test_error_is_close_to_the_linearised_one():
    codes = random_codes(7, n_items=500, n_raters=4, n_categories=4, share=1)
    sample, scale = Sample(from_codes(codes, n_categories=4)), Scale(4)

    found = bootstrap(STATISTICS, sample, scale, seed=6, n_replicates=4_000)

    for statistic in STATISTICS:
        assert found[statistic.name].se == pytest.approx(estimate(statistic, sample, scale).se, rel=0.05)


def test_the_same_seed_gives_the_same_bits():
    codes = random_codes(8, n_items=300, n_raters=5, n_categories=4)
    mixed = np.random.default_rng(1).permutation(codes)
    scale = Scale(4)
    first = bootstrap(STATISTICS, Sample(from_codes(codes, n_categories=4)), scale, seed=7, n_replicates=200)

    other_order = bootstrap(
        STATISTICS, Sample(from_codes(mixed, n_categories=4)), scale, seed=7, n_replicates=200
    )
    alone = bootstrap([GWET_AC], Sample(from_codes(codes, n_categories=4)), scale, seed=7, n_replicates=200)
    other_seed = bootstrap(
        [GWET_AC], Sample(from_codes(codes, n_categories=4)), scale, seed=8, n_replicates=200
    )

    assert first == other_order
    assert first["gwet_ac1"] == alone["gwet_ac1"]
    assert first["gwet_ac1"] != other_seed["gwet_ac1"]


def test_small_blocks_give_the_same_draws(monkeypatch):
    counts = np.array([5, 1, 20, 1, 1, 70])
    whole = np.concatenate(list(item_weights(counts, seed=9, n_replicates=50)))
    monkeypatch.setattr(
        resampling, "blocks", lambda n, width: [slice(i, i + 7) for i in range(0, 42, 7)] + [slice(42, 50)]
    )

    assert (np.concatenate(list(item_weights(counts, seed=9, n_replicates=50))) == whole).all()


def test_statistics_are_weighted_as_the_scale_says():
    sample = Sample(from_codes(random_codes(9, n_items=40, n_raters=3, n_categories=3), n_categories=3))

    plain, weighted = (
        bootstrap(STATISTICS, sample, Scale(3, weights=weights), seed=1, n_replicates=50)
        for weights in (Weights.UNWEIGHTED, Weights.QUADRATIC)
    )

    assert list(plain) == ["fleiss_kappa", "gwet_ac1", "krippendorff_alpha"]
    assert plain["fleiss_kappa"] != weighted["fleiss_kappa"]
    assert plain["krippendorff_alpha"] == weighted["krippendorff_alpha"]


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize(
    ("lines", "reason", "se"),
    [
        (("aab", "..."), Reason.NO_OVERLAP, None),
        (("a", "b"), Reason.ONE_ITEM, None),
        (("aaaa", "aaaa"), Reason.NO_VARIATION, None),
        (("abababababab", "abababababab"), Reason.DEGENERATE_SE, 0.0),
        (("aaaa", "bbbb"), Reason.DEGENERATE_MARGINS, None),
        # Half of the replicates have none of the second category.
        (("aaaaab", "aaaaab"), Reason.TOO_MANY_UNDEFINED, None),
    ],
)
def test_bootstrap_without_interval_says_why(lines, reason, se, method):
    sample = Sample(from_lines(*lines, categories="ab"))

    found = bootstrap([FLEISS_KAPPA], sample, Scale(2), seed=10, method=method)["fleiss_kappa"]

    assert (found.se, found.low, found.high, found.reason) == (se, None, None, reason)


def test_undefined_replicates_are_counted():
    # A replicate has none of the second category with probability (1 - 4 / 20)^20 = 0.0115.
    sample = Sample(from_lines("a" * 16 + "bbbb", "a" * 15 + "bbbbb", categories="ab"))

    found = bootstrap([FLEISS_KAPPA], sample, Scale(2), seed=11, n_replicates=4_000)["fleiss_kappa"]

    assert found.n_replicates == 4_000
    assert found.n_undefined / 4_000 == pytest.approx((15 / 20) ** 20, abs=0.002)
    assert found.reason == Reason.NONE
    assert found.low < found.high


def test_bca_of_a_value_outside_its_replicates():
    found = resampling.bootstrap_limits(
        np.array([0.9, 0.5]),
        np.random.default_rng(1).uniform(0.4, 0.6, (2, 1_000)),
        n=50,
        acceleration=np.zeros(2),
    )

    assert found.interval(0).reason == Reason.OUTSIDE_REPLICATES
    assert found.interval(0).low is None
    assert found.interval(1).low == pytest.approx(0.405, abs=0.005)


def test_quantiles_are_those_of_numpy():
    replicates = np.random.default_rng(2).normal(size=(3, 500))
    replicates[1, :10] = np.nan

    found = resampling.bootstrap_limits(np.zeros(3), replicates, n=50)

    expected = np.nanquantile(replicates, [0.025, 0.975], axis=1)
    np.testing.assert_allclose([found.ci_low, found.ci_high], expected, rtol=1e-12)
    np.testing.assert_allclose(found.se, np.nanstd(replicates, axis=1, ddof=1), rtol=1e-12)
    assert found.n_undefined.tolist() == [0, 10, 0]


def test_each_category_has_an_interval_of_its_own():
    def shares(units, scale, weights):
        return units.category_sums(weights) / (weights * units.n_labels).sum(axis=1, keepdims=True)

    statistic = replace(PERCENT_AGREEMENT, values=shares, item_values=None, weighted_name="")

    found = bootstrap_each([statistic], Sample(FLEISS_1971), Scale(5), seed=12)["percent_agreement"]

    counts = np.array(FLEISS_1971_COUNTS)
    # The share of a category is the mean over items of its share in the item's six labels.
    expected = (counts / 6).std(axis=0) / np.sqrt(30)
    np.testing.assert_allclose([each.se for each in found], expected, rtol=0.06)
