"""Raters beside the others: values worked by hand, and flags that chance does not raise."""

import math

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from reports.agreement.intervals.holm import holm
from reports.agreement.numbers.matrix import NumberSample
from reports.agreement.ratings import to_dense, to_sparse
from reports.agreement.weights import Level
from reports.analysis import rater_comparison
from reports.analysis.rater_comparison import (
    category_raters_versus_others,
    number_raters_versus_others,
    raters_versus_others,
)
from reports.analysis.results import RatersVersusOthers, read_json, to_json
from tests.reports.agreement.samples import from_codes

NAMES = ["ana", "ben", "cleo", "dora", "eve", "finn"]


def of_codes(codes) -> RatersVersusOthers:
    """codes: (N, R), -1 for no label."""
    codes = np.asarray(codes)
    rows, columns = np.nonzero(codes >= 0)
    found = raters_versus_others(
        rows,
        columns,
        codes[rows, columns],
        lambda a, b: (a != b).astype(np.float64),
        NAMES[: codes.shape[1]],
        measure="agreement",
        confidence=0.95,
    )
    assert found is not None
    return found


def test_agreement_with_the_others_by_hand():
    # Of four items cleo agrees with both others, with ben, with nobody, and on the last with ana alone, who is there.
    codes = [[0, 0, 0], [0, 1, 1], [0, 0, 1], [1, -1, 1]]

    found = of_codes(codes)

    cleo = next(each for each in found.raters if each.rater == "cleo")
    assert cleo.n_items == 4
    assert cleo.value == pytest.approx((1 + 0.5 + 0 + 1) / 4)
    # On the three items of three labels the others agree: with all 1; 0 and .5, on average .25; .5 and .5.
    assert cleo.difference == pytest.approx(((1 - 1) + (0.5 - 0.25) + (0 - 0.5)) / 3)
    # ana agrees with both, with nobody, with ben, and with cleo; ben with both, with cleo, and with ana.
    assert [each.value for each in found.raters[:2]] == pytest.approx(
        [(1 + 0 + 0.5 + 1) / 4, (1 + 0.5 + 0.5) / 3]
    )
    assert [each.rater for each in found.lowest_first] == ["ana", "cleo", "ben"]


def test_the_interval_is_students_and_the_test_that_of_equally_likely_raters():
    random = np.random.default_rng(1)
    truth = random.integers(0, 3, (50, 1))
    codes = np.where(random.random((50, 4)) < 0.7, truth, random.integers(0, 3, (50, 4)))

    found = of_codes(codes)

    same = codes[:, :, None] == codes[:, None, :]
    agreement = (same.sum(axis=2) - 1) / 3
    p_values = []
    for place, each in enumerate(found.raters):
        interval = ttest_1samp(agreement[:, place], 0).confidence_interval(0.95)
        assert (each.ci_low, each.ci_high) == pytest.approx((interval.low, interval.high))
        others = np.delete(agreement, place, axis=1).mean(axis=1)
        assert each.difference == pytest.approx((agreement[:, place] - others).mean())
        gaps = np.column_stack(
            [agreement[:, j] - np.delete(agreement, j, axis=1).mean(axis=1) for j in range(4)]
        )
        z = gaps[:, place].sum() / math.sqrt((gaps**2).mean(axis=1).sum())
        p_values.append(math.erfc(abs(z) / math.sqrt(2)))
    assert [each.p_value for each in found.raters] == pytest.approx(holm(p_values))


def test_a_rater_who_guesses_is_flagged():
    random = np.random.default_rng(2)
    truth = random.integers(0, 3, (100, 1))
    codes = np.where(random.random((100, 4)) < 0.9, truth, random.integers(0, 3, (100, 4)))
    codes[:, 1] = random.integers(0, 3, 100)

    found = of_codes(codes)

    assert found.lowest_first[0].rater == "ben"
    assert found.lowest_first[0].is_beyond_chance


def test_chance_alone_flags_a_rater_in_about_5_percent_of_data_sets():
    random = np.random.default_rng(3)
    n_with = 0
    for _ in range(300):
        n, n_raters = int(random.choice([30, 60, 150])), int(random.integers(3, 7))
        truth = random.integers(0, 4, (n, 1))
        codes = np.where(random.random((n, n_raters)) < 0.7, truth, random.integers(0, 4, (n, n_raters)))
        n_with += any(each.is_beyond_chance for each in of_codes(codes).raters)

    # 5% of 300 and two standard errors.
    assert n_with <= 15 + 2 * (300 * 0.05 * 0.95) ** 0.5


def test_numbers_are_ranked_by_how_far_they_are():
    values = np.array([[1.0, 2, 6], [3, 3, 5]])

    found = number_raters_versus_others(NumberSample(values), Level.INTERVAL, NAMES[:3], confidence=0.95)

    assert found is not None
    # ana: (1 + 5) / 2 and (0 + 2) / 2.
    assert [each.value for each in found.raters] == [2, (2.5 + 1) / 2, (4.5 + 2) / 2]
    assert [each.rater for each in found.lowest_first] == ["cleo", "ana", "ben"]


def test_two_raters_are_not_tested():
    codes = np.random.default_rng(4).integers(0, 2, (60, 2))

    found = of_codes(codes)

    assert found.n_tested == 0
    assert (
        found.raters[0].value == found.raters[1].value == pytest.approx((codes[:, 0] == codes[:, 1]).mean())
    )


def test_standings_are_read_as_they_were_written():
    found = of_codes(np.random.default_rng(5).integers(0, 3, (40, 4)))

    assert read_json(RatersVersusOthers, to_json(found)) == found


@pytest.mark.parametrize("form", [to_dense, to_sparse])
def test_standings_of_categories_are_those_of_their_labels(form):
    random = np.random.default_rng(2)
    codes = random.integers(-1, 3, (40, 5))

    found = category_raters_versus_others(
        form(from_codes(codes, n_categories=3)), 1 - np.eye(3), NAMES[:5], confidence=0.95
    )

    assert found == of_codes(codes)


def test_too_many_pairs_of_labels_are_not_even_unpacked(monkeypatch):
    ratings = from_codes(np.zeros((10, 4), dtype=int), n_categories=2)
    monkeypatch.setattr(rater_comparison, "MAX_PAIRS", 10 * 4 * 3 - 1)
    monkeypatch.setattr(rater_comparison, "raters_versus_others", None)

    assert (
        category_raters_versus_others(to_sparse(ratings), 1 - np.eye(2), NAMES[:4], confidence=0.95) is None
    )
