"""Errors for clustered items, items of a finite population, and raters who are a sample."""

from dataclasses import replace

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.special import stdtrit

from reports.agreement.intervals.design import SamplingDesign, designed_interval, designed_mean
from reports.agreement.intervals.joint import units_of_rows
from reports.agreement.intervals.sample_difference import item_values_of
from reports.agreement.overall.chance_corrected import FLEISS_KAPPA, GWET_AC, PERCENT_AGREEMENT
from reports.agreement.overall.coefficients import COEFFICIENTS, OF_RANKS
from reports.agreement.overall.conger import CONGER_KAPPA
from reports.agreement.overall.krippendorff import KRIPPENDORFF_ALPHA
from reports.agreement.overall.light import LIGHT_KAPPA
from reports.agreement.overall.statistic import estimate, point
from reports.agreement.ratings import DenseRatings, to_dense
from reports.agreement.results import Reason
from reports.agreement.sample import Sample, Scale
from reports.agreement.weights import Level

# O'Malley et al. 2006 as Warrens 2010 prints them, p. 284: thirty biopsies, eight pathologists.
O_MALLEY = (
    (14, "NNNNNNNN"), (1, "NNNANNNN"), (1, "NNNNNNNA"), (10, "AAAAAAAA"), (2, "AANAAAAN"), (1, "AANANAAN"),
    (1, "AANANANN"),
)  # fmt: skip
TWO, THREE = Scale(2), Scale(3)


def sample_of(codes, n_categories) -> Sample:
    array = np.ascontiguousarray(codes, dtype=np.uint8)
    return Sample(DenseRatings(array, n_categories, int((array < n_categories).sum())))


def o_malley() -> Sample:
    return sample_of([["NA".index(label) for label in row] for n, row in O_MALLEY for _ in range(n)], 2)


def clustered(seed: int, *, n_clusters=30, size=4, n_raters=3, missing=0.0) -> tuple[Sample, np.ndarray]:
    """Items of a cluster are alike in how hard they are."""
    random = np.random.default_rng(seed)
    sizes = random.integers(1, 2 * size, n_clusters)
    clusters = np.repeat(np.arange(n_clusters), sizes)
    right = np.repeat(random.choice([0.5, 0.98], n_clusters), sizes)[:, None]
    truth = np.repeat(random.integers(0, 3, n_clusters), sizes)[:, None]
    codes = np.where(
        random.uniform(size=(len(clusters), n_raters)) < right,
        truth,
        random.integers(0, 3, (len(clusters), n_raters)),
    )
    codes[random.uniform(size=codes.shape) < missing] = 3
    return sample_of(codes, 3), clusters


def interval_of(statistic, sample, scale, **design):
    return designed_interval(
        statistic, sample, scale, point(statistic, sample, scale), SamplingDesign(**design)
    )


def test_the_share_of_few_clusters_has_t_in_the_place_of_z():
    sample, clusters = clustered(5, n_clusters=6)

    found = interval_of(PERCENT_AGREEMENT, sample, THREE, clusters=clusters)

    # Wilson's limits are where the distance to the share is t times the error that the limit would have.
    value = point(PERCENT_AGREEMENT, sample, THREE)
    n = value * (1 - value) / (found.se**2 * (1 - 1 / 6))
    for limit in (found.low, found.high):
        assert abs(value - limit) / np.sqrt(limit * (1 - limit) / n) == pytest.approx(stdtrit(5, 0.975))


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("statistic", [*COEFFICIENTS, *OF_RANKS], ids=lambda each: each.name)
def test_items_on_their_own_have_the_error_that_they_always_have(statistic, missing):
    sample, _ = clustered(1, missing=missing)
    scale = replace(THREE, level=Level.ORDINAL)

    found, known = interval_of(statistic, sample, scale), estimate(statistic, sample, scale)

    assert found.se == pytest.approx(known.se, rel=1e-9)
    assert (found.low, found.high) == pytest.approx((known.ci_low, known.ci_high), rel=1e-6)


@pytest.mark.parametrize("statistic", [CONGER_KAPPA, FLEISS_KAPPA, GWET_AC, KRIPPENDORFF_ALPHA, LIGHT_KAPPA])
def test_clusters_as_statsmodels_has_them(statistic):
    """Cluster-robust errors of the mean of the linearised values, by a regression on a constant."""
    sample, clusters = clustered(2)
    value = point(statistic, sample, THREE)
    units, kinds = units_of_rows(statistic, sample)
    values = item_values_of(statistic, units, THREE, value)[kinds]
    fitted = sm.OLS(values, np.ones(len(values))).fit(
        cov_type="cluster", cov_kwds={"groups": clusters, "use_correction": False}
    )
    n = len(np.unique(clusters))

    found = interval_of(statistic, sample, THREE, clusters=clusters)

    assert found.se == pytest.approx(float(fitted.bse[0]) * np.sqrt(n / (n - 1)), rel=1e-6)


@pytest.mark.parametrize("statistic", [CONGER_KAPPA, FLEISS_KAPPA, KRIPPENDORFF_ALPHA])
def test_clusters_by_the_jackknife(statistic):
    """A second derivation: leave out each cluster in turn."""
    sample, clusters = clustered(3, n_clusters=120)
    codes = to_dense(sample.ratings).codes
    left_out = np.array([
        point(statistic, sample_of(codes[clusters != each], 3), THREE) for each in np.unique(clusters)
    ])  # fmt: skip
    n = len(left_out)
    by_jackknife = np.sqrt((n - 1) / n * ((left_out - left_out.mean()) ** 2).sum())

    found = interval_of(statistic, sample, THREE, clusters=clusters)

    assert found.se == pytest.approx(by_jackknife, rel=0.05)


def test_clusters_that_are_alike_widen_the_interval():
    sample, clusters = clustered(4)

    plain, found = (interval_of(FLEISS_KAPPA, sample, THREE, clusters=each) for each in (None, clusters))

    assert found.se > 1.2 * plain.se


def test_labels_that_are_given_twice_are_no_more_than_once():
    """Each item copied into a cluster of two: the error is that of the items once."""
    sample, _ = clustered(5)
    codes = to_dense(sample.ratings).codes
    twice = sample_of(np.repeat(codes, 2, axis=0), 3)

    found = interval_of(FLEISS_KAPPA, twice, THREE, clusters=np.repeat(np.arange(len(codes)), 2))

    assert found.se == pytest.approx(estimate(FLEISS_KAPPA, sample, THREE).se, rel=1e-9)


def test_the_error_of_conger_kappa_of_o_malley():
    # R, multiagree: .063909; with n in place of n - 1.
    found = interval_of(CONGER_KAPPA, o_malley(), TWO)

    assert found.se * np.sqrt(29 / 30) == pytest.approx(0.063909, abs=5e-7)


def test_a_finite_population():
    sample = o_malley()
    whole = interval_of(CONGER_KAPPA, sample, TWO)

    found = interval_of(CONGER_KAPPA, sample, TWO, population=120)
    all_of_it = interval_of(CONGER_KAPPA, sample, TWO, population=30)

    # Cochran 1977: SE sqrt(1 - n / N).
    assert found.se == pytest.approx(whole.se * np.sqrt(1 - 30 / 120), rel=1e-12)
    value = point(CONGER_KAPPA, sample, TWO)
    assert (all_of_it.se, all_of_it.low, all_of_it.high) == (0, value, value)


def test_a_finite_population_narrows_shares_too():
    sample = o_malley()
    share = point(PERCENT_AGREEMENT, sample, TWO)

    found = interval_of(PERCENT_AGREEMENT, sample, TWO, population=60)
    whole = estimate(PERCENT_AGREEMENT, sample, TWO)

    assert found.se == pytest.approx(whole.se * np.sqrt(0.5))
    assert whole.ci_low < found.low < share < found.high < whole.ci_high


def test_of_a_whole_population_a_share_is_known():
    found = interval_of(PERCENT_AGREEMENT, o_malley(), TWO, population=30)

    assert found.se == 0
    assert (found.low, found.high) == pytest.approx((point(PERCENT_AGREEMENT, o_malley(), TWO),) * 2)


def test_a_population_smaller_than_the_sample_is_refused():
    with pytest.raises(ValueError, match="at least the 30 units of the sample"):
        interval_of(CONGER_KAPPA, o_malley(), TWO, population=29)


def test_clusters_of_a_finite_population_are_what_is_counted():
    sample, clusters = clustered(6)

    plain = interval_of(FLEISS_KAPPA, sample, THREE, clusters=clusters)
    found = interval_of(FLEISS_KAPPA, sample, THREE, clusters=clusters, population=40)

    assert found.se == pytest.approx(plain.se * np.sqrt(1 - 30 / 40))


def test_raters_as_a_sample():
    sample = o_malley()
    codes = to_dense(sample.ratings).codes
    left_out = np.array(
        [point(CONGER_KAPPA, sample_of(np.delete(codes, each, axis=1), 2), TWO) for each in range(8)]
    )
    # Gwet's unconditional variance: that of items, and the jackknife over raters.
    among_raters = 7 / 8 * ((left_out - left_out.mean()) ** 2).sum()
    of_items = interval_of(CONGER_KAPPA, sample, TWO).se ** 2

    found = interval_of(CONGER_KAPPA, sample, TWO, are_raters_sampled=True)

    assert found.se == pytest.approx(np.sqrt(of_items + among_raters), rel=1e-10)
    assert found.se == pytest.approx(0.081388, abs=1e-6)


@pytest.mark.parametrize("n_raters", [1, 2])
def test_two_raters_are_no_sample(n_raters):
    sample = sample_of([[0, 0], [1, 0], [1, 1], [0, 1]], 2)

    found = interval_of(CONGER_KAPPA, sample, TWO, are_raters_sampled=True)

    assert (found.reason, found.se, n_raters < 3) == (Reason.TOO_FEW_COUNTED, None, True)


def test_one_cluster_has_no_error():
    found = interval_of(FLEISS_KAPPA, o_malley(), TWO, clusters=np.zeros(30, dtype=int))

    assert (found.reason, found.low) == (Reason.ONE_ITEM, None)


def test_full_agreement_of_clusters():
    sample = sample_of([[0, 0, 0], [1, 1, 1], [1, 1, 1], [0, 0, 0]] * 3, 2)
    clusters = np.repeat(np.arange(3), 4)

    kappa = interval_of(FLEISS_KAPPA, sample, TWO, clusters=clusters)
    share = interval_of(PERCENT_AGREEMENT, sample, TWO, clusters=clusters)

    assert (kappa.reason, kappa.se) == (Reason.DEGENERATE_SE, 0)
    # Three documents, not twelve items: 3 / (3 + 1.96^2).
    assert (share.low, share.high) == (pytest.approx(0.438503, abs=1e-6), 1)


def test_of_two_raters_by_their_values():
    values = np.array([0.2, 0.9, 0.4, np.nan, 0.7, 0.8])
    clusters = np.array([0, 0, 1, 1, 2, 2])
    mean = float(np.nanmean(values))

    found = designed_mean(values, mean, SamplingDesign(clusters=clusters))

    sums = np.array([values[:2].sum() - 2 * mean, values[2] - mean, values[4:].sum() - 2 * mean]) / 5
    assert found.se == pytest.approx(np.sqrt(3 / 2 * (sums**2).sum()))


def test_the_interval_of_clusters_covers_where_that_of_items_does_not():
    truth = np.mean([point(FLEISS_KAPPA, clustered(seed, n_clusters=3000)[0], THREE) for seed in range(3)])
    covered = np.zeros(2)
    for seed in range(300):
        sample, clusters = clustered(1000 + seed, n_clusters=40, size=8)
        for place, some in enumerate((None, clusters)):
            found = interval_of(FLEISS_KAPPA, sample, THREE, clusters=some)
            covered[place] += found.low <= truth <= found.high
    plain, by_cluster = covered / 300

    assert plain < 0.75
    assert by_cluster > 0.9
