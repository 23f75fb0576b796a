"""Findings of sets: planted and found with values worked by hand, and none where there is nothing but chance."""

import math

import numpy as np
import pytest

from reports.agreement.sets.members import SetSample
from reports.analysis.findings_gain import analytic
from reports.analysis.findings_sets import SetSearch
from reports.analysis.kinds import kind_of
from reports.analysis.label_arrays import Raters
from reports.analysis.options import Options
from reports.analysis.question import QuestionScope
from reports.analysis.results import Finding, Findings, read_json, to_json
from tests.sizes import only_in_full, size

KEYS = "abcdefgh"


def search_of(chosen, is_there=None) -> SetSearch:
    """chosen: (N, R, K) bool."""
    chosen = np.asarray(chosen, dtype=bool)
    rows, columns = np.nonzero(np.ones(chosen.shape[:2], dtype=bool) if is_there is None else is_there)
    sample = SetSample.from_labels(rows, columns, chosen[rows, columns])
    raters = Raters([f"r{column}" for column in range(chosen.shape[1])], range(chosen.shape[1]))
    categories = [
        {"id": place, "key": KEYS[place], "name": "", "value": None} for place in range(chosen.shape[2])
    ]
    question = {"id": 1, "key": "answer", "kind": "multiple", "level": "nominal", "categories": categories}
    scope = QuestionScope(question, None, Options())
    return SetSearch(scope, raters, kind_of(analytic(scope)), sample)


def the(found: Findings, kind: str) -> Finding:
    return next(each for each in found.found if each.kind == kind)


def chance(random) -> np.ndarray:
    """Raters who are all alike: random sets, true ones with errors, one category each, or two of all."""
    n, n_raters, k = int(random.choice([30, 60, 150])), int(random.integers(2, 7)), int(random.integers(3, 7))
    shares = random.uniform(0.1, 0.6, k)
    noise = random.random((n, n_raters, k)) < shares
    truth = random.random((n, 1, k)) < shares
    return [
        lambda: noise,
        lambda: np.where(random.random(noise.shape) < 0.8, truth, noise),
        lambda: np.eye(k, dtype=bool)[random.choice(k, (n, n_raters), p=shares / shares.sum())],
        lambda: np.argsort(random.random(noise.shape), axis=2) < 2,
    ][int(random.integers(4))]()


@only_in_full
def test_chance_alone_gives_no_finding_in_95_percent_of_data_sets():
    random, n_sets = np.random.default_rng(22), size(300, 100)

    n_with = sum(bool(search_of(chance(random)).found().found) for _ in range(n_sets))

    assert n_with <= n_sets / 20


def test_a_rater_without_whom_agreement_is_higher():
    random = np.random.default_rng(1)
    truth = random.random((80, 1, 3)) < 0.4
    chosen = np.repeat(truth, 4, axis=1)
    chosen[:, 3] = random.random((80, 3)) < 0.4

    found = the(search_of(chosen).found(), "rater")

    assert (found.raters, found.after) == (("r3",), 1)
    assert found.before == pytest.approx(masi_alpha(chosen))


def masi_alpha(chosen) -> float:
    """Krippendorff's alpha of complete data by its definition, pair by pair of labels."""
    n, n_raters, _ = chosen.shape
    sets = [frozenset(np.flatnonzero(row).tolist()) for row in chosen.reshape(n * n_raters, -1)]
    distances = np.array([[1 - masi(a, b) for b in sets] for a in sets])
    within = sum(
        distances[i * n_raters : (i + 1) * n_raters, i * n_raters : (i + 1) * n_raters].sum()
        for i in range(n)
    ) / (n * n_raters * (n_raters - 1))
    return float(1 - within / (distances.sum() / (len(sets) * (len(sets) - 1))))


def masi(a: frozenset[int], b: frozenset[int]) -> float:
    """Passonneau 2006."""
    if not a | b:
        return 1.0
    if a == b:
        monotonicity = 1.0
    elif a <= b or b <= a:
        monotonicity = 2 / 3
    else:
        monotonicity = 1 / 3 if a & b else 0.0
    return len(a & b) / len(a | b) * monotonicity


def test_a_category_that_one_rater_alone_chooses():
    random = np.random.default_rng(2)
    chosen = np.repeat(random.random((60, 1, 3)) < 0.4, 3, axis=1)
    chosen[:, :, 2] = False
    chosen[:12, 1, 2] = True
    search = search_of(chosen)

    found = the(search.found(), "only")

    assert (found.raters, found.categories, found.n_items) == (("r1",), ("c",), 12)
    # All twelve of one of three raters: 3 * 3^-12.
    [about], _ = search._only(2)
    assert about.p_value == pytest.approx(3.0**-11)
    assert found.use is not None
    assert found.use.own == 0.2
    # Wilson's interval of 12 of 60.
    z = 1.959963984540054
    center, reach = 0.2 + z * z / 120, z * math.sqrt(0.2 * 0.8 / 60 + (z / 120) ** 2)
    assert (found.use.ci_low, found.use.ci_high) == pytest.approx(
        tuple((center + sign * reach) / (1 + z * z / 60) for sign in (-1, 1))
    )
    assert found.after == 1


def test_a_category_that_two_raters_choose_is_no_ones_own():
    chosen = np.zeros((60, 3, 2), dtype=bool)
    chosen[:, :, 0] = True
    chosen[:12, 1, 1] = chosen[12, 2, 1] = True

    assert "only" not in {each.kind for each in search_of(chosen).found().found}


def test_two_categories_in_place_of_each_other():
    random = np.random.default_rng(3)
    chosen = np.repeat(random.random((120, 1, 4)) < 0.4, 3, axis=1)
    # One rater in two calls c what the others call b.
    either = random.random(120) < 0.5
    which = random.random((120, 3)) < 0.5
    chosen[:, :, 1] = either[:, None] & which
    chosen[:, :, 2] = either[:, None] & ~which

    found = the(search_of(chosen).found(), "replace")

    assert (found.categories, found.after) == (("b", "c"), 1)
    assert found.n_items == sum(
        len({*row}) > 1 for row, is_one in zip(which.tolist(), either, strict=True) if is_one
    )


def test_replacing_is_a_covariance_below_0():
    # Items b|c, c|b, b|b: covariances over two raters -1/2, -1/2, 0.
    chosen = np.array([[[1, 0], [0, 1]], [[0, 1], [1, 0]], [[1, 0], [1, 0]]], dtype=bool)

    mean, p_value = search_of(chosen)._covariance(0, 1)

    assert mean == pytest.approx(-1 / 3)
    # t = (-1/3) / (0.2887 / sqrt(3)) = -2 with two degrees of freedom.
    assert p_value == pytest.approx(0.5 * (1 - 2 / math.sqrt(2 + 4)))


def test_a_rater_who_chooses_a_category_more_often():
    random = np.random.default_rng(4)
    chosen = np.repeat(random.random((160, 1, 3)) < 0.4, 4, axis=1)
    chosen[:, 2, 0] |= random.random(160) < 0.4

    found = next(each for each in search_of(chosen).found().found if each.use is not None)

    assert (found.raters, found.categories) == (("r2",), ("a",))
    assert found.use.own == pytest.approx(chosen[:, 2, 0].mean())


def test_findings_are_read_as_they_were_written():
    random = np.random.default_rng(2)
    chosen = np.repeat(random.random((60, 1, 3)) < 0.4, 3, axis=1)
    chosen[:, :, 2] = False
    chosen[:12, 1, 2] = True

    found = search_of(chosen).found()

    assert found.found
    assert read_json(Findings, to_json(found)) == found
