"""Scales: where each class begins, and a project's own."""

import math

import pytest

from reports.agreement.interpretation.families import Family
from reports.agreement.interpretation.scales import SCALES, own_scale

KAPPA = frozenset({Family.KAPPA})


@pytest.mark.parametrize(
    ("key", "words"),
    [
        (
            "landis_koch",
            {
                -0.01: "poor",
                0: "slight",
                0.2: "fair",
                0.4: "moderate",
                0.6: "substantial",
                0.8: "almost perfect",
            },
        ),
        ("landis_koch", {0.19: "slight", 0.205: "fair", 0.799: "substantial", 1: "almost perfect"}),
        ("fleiss", {0.39: "poor", 0.4: "fair to good", 0.75: "fair to good", 0.7500001: "excellent"}),
        ("altman", {-0.5: "poor", 0.19: "poor", 0.2: "fair", 0.4: "moderate", 0.6: "good", 0.8: "very good"}),
        (
            "cicchetti",
            {0.39: "poor", 0.4: "fair", 0.595: "fair", 0.6: "good", 0.745: "good", 0.75: "excellent"},
        ),
        (
            "regier",
            {0.19: "unacceptable", 0.2: "questionable", 0.4: "good", 0.6: "very good", 0.8: "excellent"},
        ),
        ("koo_li", {0.49: "poor", 0.5: "moderate", 0.75: "good", 0.9: "excellent"}),
        (
            "mchugh",
            {0.1: "none", 0.2: "minimal", 0.4: "weak", 0.6: "moderate", 0.8: "strong", 0.9: "almost perfect"},
        ),
        (
            "krippendorff",
            {
                0.666: "discard",
                0.667: "tentative conclusions only",
                0.799: "tentative conclusions only",
                0.8: "rely on",
            },
        ),
    ],
)
def test_classes_begin_at_their_cut_points(key, words):
    assert {value: SCALES[key].word(value) for value in words} == words


def test_every_scale_covers_everything_from_minus_one_to_one():
    for scale in SCALES.values():
        assert scale.bounds[0][0] == -1
        assert scale.bounds[-1][1] == 1
        assert all(low < high for low, high in scale.bounds)
        assert scale.source
        assert scale.families


def test_thresholds_of_a_project():
    scale = own_scale([(0.7, "usable"), (0.85, "publishable")], families=KAPPA)

    words = [scale.word(value) for value in (-1, 0.69, 0.7, 0.85, 1)]
    assert words == ["below “usable”", "below “usable”", "usable", "publishable", "publishable"]


@pytest.mark.parametrize(
    ("steps", "families", "message"),
    [
        ([], KAPPA, "1 to 12 thresholds"),
        ([(k / 20, str(k)) for k in range(13)], KAPPA, "1 to 12 thresholds, got 13"),
        ([(0.8, "good"), (0.7, "better")], KAPPA, "above the one before"),
        ([(0.8, "good"), (0.8, "better")], KAPPA, "above the one before"),
        ([(1.5, "good")], KAPPA, "from -1 to 1"),
        ([(math.nan, "good")], KAPPA, "from -1 to 1"),
        ([(0.5, " ")], KAPPA, "a name of its own"),
        ([(0.5, "good"), (0.6, "good")], KAPPA, "a name of its own"),
        ([(0.5, "good")], frozenset(), "at least one coefficient"),
    ],
)
def test_invalid_thresholds_are_refused(steps, families, message):
    with pytest.raises(ValueError, match=message):
        own_scale(steps, families=families)
