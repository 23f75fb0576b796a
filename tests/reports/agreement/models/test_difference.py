"""Agreement of a model with people less that of people with each other: by hand, by other kernels, and coverage."""

import numpy as np
import pytest

from reports.agreement.building import build
from reports.agreement.intervals.resampling import bootstrap_limits
from reports.agreement.models.difference import LabelMatrix, pairs_resampled
from reports.agreement.models.pair_agreement import ConcordanceAgreement, KappaAgreement, MasiAgreement
from reports.agreement.models.resampled_units import MOST_UNITS, UnitWeights
from reports.agreement.numbers.concordance import lin_concordance
from reports.agreement.numbers.matrix import NumberSample
from reports.agreement.numbers.pairs import all_number_pairs
from reports.agreement.overall.krippendorff import KRIPPENDORFF_ALPHA
from reports.agreement.overall.statistic import estimate
from reports.agreement.pairs.cohen import cohen_kappa
from reports.agreement.sample import Sample, Scale
from reports.agreement.sets.distances import BitSets
from reports.agreement.sets.members import SetSample
from reports.agreement.sets.pairs import set_pairs
from reports.agreement.weights import weighting
from tests.reports.agreement.models.samples import MATRIX, MODEL, NUMBERS, NUMBERS_MODEL, PEOPLE
from tests.sizes import only_in_full, size

PAIRS = [(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3)]
NOMINAL = KappaAgreement(np.eye(3))


def test_the_reference_table():
    weights = UnitWeights.drawn(40, seed=0)

    found = pairs_resampled(MATRIX, PAIRS, NOMINAL, weights)

    expected = [0.5497185741, 0.4746716698, 0.4751640112, 0.5872420263, 0.5526561044, 0.6603773585]
    assert found.value == pytest.approx(expected, abs=1e-9)
    people, model = found.mean([0, 1, 2]), found.mean([3, 4, 5])
    assert people.value[0] == pytest.approx(0.4998514184, abs=1e-9)
    assert model.value[0] == pytest.approx(0.6000918297, abs=1e-9)
    difference = model.less(people)
    assert difference.value[0] == pytest.approx(0.1002404113, abs=1e-9)
    assert difference.n_items.tolist() == [40]
    # Both means are of the same resamples.
    assert difference.replicates == pytest.approx(model.replicates - people.replicates)


def test_alpha_with_the_model_in_each_persons_place():
    """The figures of the reference table, by the kernel that reports use."""
    columns = {
        (0, 1, 2): 0.5038565770,
        (0, 1, 2, 3): 0.5503711559,
        (3, 1, 2): 0.5622240908,
        (0, 3, 2): 0.5739258635,
        (0, 1, 3): 0.5625918925,
    }
    every = np.column_stack((PEOPLE, MODEL))
    for raters, expected in columns.items():
        items, places = np.indices((40, len(raters)))
        ratings, _, _ = build(items.ravel(), places.ravel(), every[:, raters].ravel(), n_categories=3)
        found = estimate(KRIPPENDORFF_ALPHA, Sample(ratings), Scale(3))
        assert found.value == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name", ["unweighted", "linear", "quadratic"])
def test_kappa_of_each_pair_is_that_of_its_table(name):
    random = np.random.default_rng(2)
    values, has = random.integers(0, 4, (50, 3)), random.random((50, 3)) < 0.7
    of = weighting(name, n_categories=4)
    tables = []
    for a, b in [(0, 1), (0, 2), (1, 2)]:
        both = has[:, a] & has[:, b]
        tables.append(np.histogram2d(values[both, a], values[both, b], bins=[range(5), range(5)])[0])

    found = pairs_resampled(
        LabelMatrix(values, has),
        [(0, 1), (0, 2), (1, 2)],
        KappaAgreement(of.similarity),
        UnitWeights.drawn(50, seed=0),
    )

    expected = cohen_kappa(np.array(tables, dtype=np.int64), of)
    assert found.value == pytest.approx(expected.kappa)
    assert found.n_items.tolist() == expected.n.tolist()


def test_a_resample_is_the_figure_of_the_items_drawn():
    weights = UnitWeights.drawn(40, seed=4, n_replicates=3)

    found = pairs_resampled(MATRIX, PAIRS, NOMINAL, weights)

    for place, drawn in enumerate(weights.weights):
        again = MATRIX.of(np.repeat(np.arange(40), drawn.astype(int)))
        once = pairs_resampled(again, PAIRS, NOMINAL, UnitWeights.drawn(40, seed=0, n_replicates=2))
        assert found.replicates[:, place] == pytest.approx(once.value)


def test_concordance_is_lins():
    every = np.column_stack((NUMBERS, NUMBERS_MODEL)) + 1000
    items, raters = np.indices(every.shape)
    sample = NumberSample.from_labels(items.ravel(), raters.ravel(), every.ravel(), n_items=40, n_raters=4)
    pairs = all_number_pairs(sample)

    matrix = LabelMatrix(every, np.ones(every.shape, dtype=bool))
    asked = list(zip(pairs.rater_a.tolist(), pairs.rater_b.tolist(), strict=True))
    found = pairs_resampled(
        matrix, asked, ConcordanceAgreement(float(every.mean())), UnitWeights.drawn(40, seed=0)
    )

    assert found.value == pytest.approx(lin_concordance(pairs).coefficient.value, rel=1e-10)


def test_sets_are_compared_by_masi():
    random = np.random.default_rng(8)
    chosen = random.random((30 * 3, 4)) < 0.5
    items, raters = np.repeat(np.arange(30), 3), np.tile(np.arange(3), 30)
    sample = SetSample.from_labels(items, raters, chosen)
    codes = sample.labels[2].reshape(30, 3)

    matrix = LabelMatrix(codes, np.ones((30, 3), dtype=bool))
    found = pairs_resampled(
        matrix,
        [(0, 1), (0, 2), (1, 2)],
        MasiAgreement(BitSets.of(sample.members)),
        UnitWeights.drawn(30, seed=0),
    )

    expected = np.concatenate([pairs.masi for pairs in set_pairs(sample)])
    assert found.value == pytest.approx(expected)


def test_pairs_without_items_or_variation_have_no_value():
    values, has = np.zeros((5, 3), dtype=int), np.array([[True, True, False]] * 5)

    found = pairs_resampled(LabelMatrix(values, has), [(0, 1), (0, 2)], NOMINAL, UnitWeights.drawn(5, seed=0))

    assert np.isnan(found.value).all()
    assert found.n_items.tolist() == [5, 0]
    assert np.isnan(found.mean([0, 1]).value).all()


def test_many_items_are_drawn_in_groups():
    weights = UnitWeights.drawn(2500, seed=0, n_replicates=4)
    by_item = np.arange(5000.0).reshape(2500, 2)

    assert weights.n_units == MOST_UNITS
    assert weights.grouped(by_item)[0].tolist() == (by_item[0] + by_item[1000] + by_item[2000]).tolist()
    assert weights.grouped(by_item).sum() == by_item.sum()
    with pytest.raises(ValueError, match="no items"):
        UnitWeights.drawn(0, seed=0)


@only_in_full
def test_the_interval_of_the_difference_covers():
    """Three people and a model that err alike: the difference is 0 in all studies together."""
    random, n_studies, n = np.random.default_rng(13), size(600, 200), 120
    covered = 0
    for study in range(n_studies):
        truth = random.integers(0, 3, n)
        labels = np.where(random.random((n, 4)) < 0.75, truth[:, None], random.integers(0, 3, (n, 4)))
        weights = UnitWeights.drawn(n, seed=study, n_replicates=400)
        found = pairs_resampled(LabelMatrix(labels, np.ones((n, 4), dtype=bool)), PAIRS, NOMINAL, weights)
        difference = found.mean([3, 4, 5]).less(found.mean([0, 1, 2]))
        interval = bootstrap_limits(difference.value, difference.replicates, n=n).interval(0)
        covered += interval.low <= 0 <= interval.high
    assert 0.93 <= covered / n_studies <= 0.97
