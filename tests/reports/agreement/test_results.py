"""Whether an interval was cut at a bound of its statistic, as the results themselves tell."""

import numpy as np
import pytest

from reports.agreement.intervals.bootstrap import bootstrap
from reports.agreement.intervals.jackknife import jackknife
from reports.agreement.overall.category_agreement import by_category
from reports.agreement.overall.chance_corrected import FLEISS_KAPPA
from reports.agreement.overall.statistic import estimate
from reports.agreement.pairs.chance_corrected import percent_agreement
from reports.agreement.pairs.cohen import cohen_kappa, kappa_with_normal_interval
from reports.agreement.pairs.confusion_matrices import PairTables
from reports.agreement.pairs.specific import specific_agreement
from reports.agreement.results import is_clipped
from reports.agreement.sample import Sample, Scale
from reports.agreement.weights import Weights, weighting
from tests.reports.agreement.samples import from_lines

PLAIN = weighting(Weights.UNWEIGHTED, n_categories=2)


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        # kappa .983, SE .017: beyond 1 above. kappa .6, SE .08: within. kappa -.979, SE .02: beyond -1 below.
        ([[60, 0], [1, 60]], True),
        # Of goodness of fit: uneven, and within.
        ([[24, 1], [0, 5]], False),
        ([[40, 10], [10, 40]], False),
        ([[0, 50], [48, 1]], True),
        # One item of each cell: from -.98 to .98.
        ([[1, 1], [1, 1]], False),
    ],
)
def test_a_kappa_whose_error_reaches_beyond_its_bounds_is_clipped(counts, expected):
    kappa = cohen_kappa(np.array([counts]), PLAIN, confidence=0.95).pair(0)

    assert kappa.is_clipped is expected


def test_a_share_by_wilson_never_is():
    found = percent_agreement(PairTables(np.array([[[6, 0], [0, 6]]]), PLAIN)).at(0)

    assert (found.ci_high, found.is_clipped) == (1, False)


def test_wilsons_limits_are_not():
    found = specific_agreement(np.array([[[3, 0], [0, 4]]])).at(0, 0)

    assert (found.ci_high, found.is_clipped) == (1, False)


def test_intervals_over_items_are_and_those_of_replicates_are_not():
    sample, scale = Sample(from_lines("yyynynyy", "yyynnnyy", "yyynynyn", categories="yn")), Scale(2)

    value = estimate(FLEISS_KAPPA, sample, scale)
    by_jackknife = jackknife(FLEISS_KAPPA, sample, scale)
    drawn = bootstrap([FLEISS_KAPPA], sample, scale, seed=1, n_replicates=1000)["fleiss_kappa"]
    of_category = by_category(sample, scale)["fleiss_kappa"].at(0)

    assert value.is_clipped
    assert value.is_clipped
    assert is_clipped(value.value, by_jackknife.low, by_jackknife.high, by_jackknife.method)
    assert drawn.high == 1
    assert not is_clipped(value.value, drawn.low, drawn.high, drawn.method)
    assert of_category.is_clipped


def test_no_interval_is_not_clipped():
    kappa = kappa_with_normal_interval(np.array([[[5, 0], [0, 5]]]), PLAIN).pair(0)

    assert (kappa.kappa, kappa.ci_high, kappa.is_clipped) == (1, None, False)


def test_cut_on_both_sides_alike_is_clipped_too():
    assert is_clipped(0.0, -1.0, 1.0, "normal")
    assert is_clipped(0.5, 0.0, 1.0, "t over items")
    assert not is_clipped(0.5, 0.2, 0.8, "normal")
