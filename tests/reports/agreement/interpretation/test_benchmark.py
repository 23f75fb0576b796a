"""Gwet's probabilistic benchmarking: the figures of R irrCAC 1.4, and what has no answer."""

import pytest

from reports.agreement.interpretation.benchmark import probabilistic
from reports.agreement.interpretation.scales import SCALES
from reports.agreement.results import Reason


@pytest.mark.parametrize(
    ("value", "se", "scale", "cumulative", "word"),
    [
        (0.67, 0.15, "landis_koch", [0.18168, 0.67511, 0.96356, 0.99912, 1, 1], "moderate"),
        (0.67, 0.15, "fleiss", [0.28699, 0.96356, 1], "fair to good"),
        # AC1 of Gwet's four raters.
        (0.77544, 0.14295, "landis_koch", [0.39674, 0.88336, 0.99542], "moderate"),
    ],
)
def test_published_figures(value, se, scale, cumulative, word):
    found = probabilistic(value, se, SCALES[scale])

    assert found.cumulative[: len(cumulative)] == pytest.approx(cumulative, abs=5.1e-6)
    assert found.word == word
    assert found.cumulative[-1] == pytest.approx(1)
    assert SCALES[scale].word(value) != word or scale == "fleiss"


def test_more_certainty_reaches_a_worse_word():
    assert probabilistic(0.67, 0.15, SCALES["landis_koch"], certainty=0.9992).word == "slight"


@pytest.mark.parametrize("se", [0.0, None])
def test_no_word_without_an_error(se):
    found = probabilistic(1.0, se, SCALES["landis_koch"])

    assert (found.word, found.reason, found.cumulative) == (None, Reason.DEGENERATE_SE, ())


def test_a_mean_of_ratings_with_an_icc_below_minus_one_is_poor():
    assert probabilistic(-25.0, 0.01, SCALES["koo_li"]).word == "poor"


@pytest.mark.parametrize("certainty", [0.4, 1.0])
def test_an_invalid_certainty_is_refused(certainty):
    with pytest.raises(ValueError, match="certainty"):
        probabilistic(0.5, 0.1, SCALES["landis_koch"], certainty=certainty)
