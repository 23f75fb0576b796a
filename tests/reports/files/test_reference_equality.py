"""manage.py agreement --reference: one test that all raters agree with the reference alike."""

import csv
import io

import numpy as np
import pytest

from reports.agreement.intervals.pair_equality import kappas_equality
from reports.agreement.weights import weighting
from tests.reports.agreement.intervals.test_hotelling import pairs_with_first, ratings_of


def labels(ratings) -> str:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["item", "rater", "label"])
    for item, row in enumerate(ratings.codes.tolist()):
        writer.writerows((item, f"r{rater}", code) for rater, code in enumerate(row) if code < 3)
    return text.getvalue()


def test_all_raters_are_tested_at_once(question, run_agreement):
    ratings = ratings_of(5, n_items=120, n_raters=4)
    expected = kappas_equality(ratings, pairs_with_first(4), weighting("unweighted", n_categories=3))

    found = question(labels(ratings), "--reference", "r0")["statistics"]["reference"]["equality"]

    assert found["t_squared"] == pytest.approx(expected.t_squared, rel=1e-9)
    assert (found["df1"], found["df2"], found["n_values"], found["reason"]) == (2, 118, 3, None)
    text = run_agreement(labels(ratings), "--reference", "r0")
    assert f"All 3 kappas equal: T2 {expected.t_squared:.3f}, F(2, 118)" in text


def test_one_rater_is_not(question):
    ratings = ratings_of(5, n_items=30, n_raters=2)

    found = question(labels(ratings), "--reference", "r0")

    assert found["statistics"]["reference"]["equality"] is None


def test_the_reason_for_none_is_given(run_agreement):
    same = np.repeat([[0], [1], [2], [0]], 3, axis=1)
    rows = "".join(
        f"{item},r{rater},{code}\n" for item, row in enumerate(same) for rater, code in enumerate(row)
    )

    text = run_agreement("item,rater,label\n" + rows, "--reference", "r0")

    assert "All kappas equal: no test; agreement is the same on every item" in text
