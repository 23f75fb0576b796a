"""Krippendorff's alpha side by side with the krippendorff library."""

import numpy as np
import pytest
from krippendorff import alpha

from reports.agreement.results import Reason
from tests.reports.agreement.peers.shapes import ONE_CATEGORY, SHAPES, Shape, quiet_peer
from tests.reports.agreement.samples import all_coefficients, from_codes, from_lines, random_codes


def peer_alpha(shape: Shape, **options) -> float:
    data = np.where(shape.codes >= 0, shape.codes, np.nan).T
    return alpha(data, value_domain=list(range(shape.n_categories)), **options)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_alpha_is_that_of_krippendorff(shape, level):
    values = None if level in ("nominal", "ordinal") else list(range(shape.n_categories))

    found = all_coefficients(shape.ratings, level, values)["krippendorff_alpha"]

    assert found.value == pytest.approx(peer_alpha(shape, level_of_measurement=level), abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_the_ordinal_error_is_that_of_one_more_item_of_each_kind(seed):
    """The peer ranks anew with each item that is added to a thousand copies of the sample."""
    codes = random_codes(seed, n_items=40, n_raters=4, n_categories=5, share=0.8)
    ratings = from_codes(codes, n_categories=5)
    counts = np.stack([(codes == category).sum(axis=1) for category in range(5)], axis=1)
    counts = counts[counts.sum(axis=1) >= 2]
    copies, n = np.repeat(counts, 1000, axis=0), len(counts)
    domain = {"value_domain": list(range(5)), "level_of_measurement": "ordinal"}

    middle = alpha(value_counts=copies, **domain)
    slopes = [alpha(value_counts=np.vstack([copies, row]), **domain) - middle for row in counts]

    found = all_coefficients(ratings, "ordinal")["krippendorff_alpha"]
    by_difference = np.sqrt((np.square(slopes) * (1000 * n) ** 2).sum() / (n * (n - 1)))
    assert found.se == pytest.approx(by_difference, rel=0.01)


@pytest.mark.parametrize("shape", ONE_CATEGORY, ids=str)
def test_exception_one_category_is_an_error_or_nan(shape):
    found = all_coefficients(shape.ratings)["krippendorff_alpha"]

    if shape.n_categories == 1:
        with pytest.raises(ValueError, match="more than one value"):
            peer_alpha(shape, level_of_measurement="nominal")
    else:
        with quiet_peer():
            assert np.isnan(peer_alpha(shape, level_of_measurement="nominal"))
    assert (found.value, found.reason) == (None, Reason.NO_VARIATION)


def test_exception_the_default_level_is_interval():
    lines, data = ("1231", "1332"), [[1, 2, 3, 1], [1, 3, 3, 2]]

    ours = all_coefficients(from_lines(*lines, categories="123"))["krippendorff_alpha"]

    assert alpha(data) == pytest.approx(alpha(data, level_of_measurement="interval"))
    assert alpha(data) == pytest.approx(17 / 24)
    assert ours.value == pytest.approx(1 / 3)


def test_exception_a_label_that_reads_nan_is_deleted():
    # Three labels: "nan", x and y, as of a question about a flat bread; the peer takes the first for a gap.
    lines = ("nnxyxn", "nxxyyn")
    words = np.array([[{"n": "nan"}.get(label, label) for label in line] for line in lines])

    ours = all_coefficients(from_lines(*lines, categories="nxy"))["krippendorff_alpha"]

    assert alpha(words, level_of_measurement="nominal") == pytest.approx(4 / 9)
    assert ours.value == pytest.approx(
        alpha(np.where(words == "nan", "naan", words), level_of_measurement="nominal")
    )
    assert ours.value == pytest.approx(25 / 47)


def test_one_disagreement_among_labels_alike_is_an_alpha_of_zero():
    # It looks like a fault and is none: with one odd label there is nothing to disagree about but by chance.
    ours = all_coefficients(from_lines("yyyy", "yyyn", categories="yn"))["krippendorff_alpha"]

    assert alpha([[1, 1, 1, 1], [1, 1, 1, 2]], level_of_measurement="nominal") == 0
    assert ours.value == pytest.approx(0, abs=1e-15)


def test_exception_a_gap_among_words_is_an_error():
    words = np.array([["a", "b", None], ["a", "b", "a"]], dtype=object)

    ours = all_coefficients(from_lines("ab.", "aba", categories="ab"))["krippendorff_alpha"]

    with pytest.raises(ValueError, match="dtype kind O"):
        alpha(words, level_of_measurement="nominal")
    assert ours.value == pytest.approx(1)
