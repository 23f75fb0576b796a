"""What docs/statistics.md promises who adds a coefficient: everything else follows from its values alone."""

import numpy as np
import pytest

from reports.agreement.overall import coefficients
from reports.agreement.overall.chance_corrected import patterns_of
from reports.agreement.sample import Sample, Scale
from reports.agreement.statistic import Statistic
from reports.analysis import comparison as comparing
from reports.analysis.label_arrays import LabelSubset
from reports.analysis.options import checked_options
from reports.analysis.overall import coefficients_of
from tests.reports.agreement.samples import from_lines


def modal_share(patterns, scale, weights):
    """(B,) the share of an item's labels in its most used category, on the average of items."""
    shares = patterns.counts.max(axis=1) / patterns.n_labels
    return np.einsum("bu,u->b", weights, shares) / weights.sum(axis=1)


@pytest.fixture
def added(monkeypatch):
    own = Statistic(
        name="modal_share", units=patterns_of, values=modal_share, method=lambda scale: "item mean"
    )
    monkeypatch.setattr(coefficients, "COEFFICIENTS", (*coefficients.COEFFICIENTS, own))


@pytest.mark.parametrize("interval", ["analytic", "jackknife", "percentile", "bca"])
def test_it_has_error_interval_and_what_it_rests_on(added, interval):
    sample = Sample(from_lines("aabbabaa", "abbbabab", "ababaaba", categories="ab"))
    options = checked_options(interval=interval, replicates=1000)

    found = coefficients_of(sample, Scale(2), options)["modal_share"]

    # Three items alike, five split two to one.
    assert found.value == pytest.approx((3 + 5 * 2 / 3) / 8)
    assert found.ci_low < found.value < found.ci_high
    assert (found.n_items, found.left_out.n_items) == (8, 0)


def test_it_is_compared(added):
    first, second = (
        LabelSubset(Sample(from_lines(*lines, categories="ab")), np.arange(4))
        for lines in (("aabb", "aabb"), ("aabb", "abab"))
    )

    found = comparing.sample_differences(first, second, Scale(2), checked_options())["modal_share"]

    assert (found.first, found.second, found.n_shared) == (1, 0.75, 4)
