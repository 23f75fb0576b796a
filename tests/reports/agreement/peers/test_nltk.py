"""Alpha, pi, S and multi-kappa side by side with nltk."""

import numpy as np
import pytest
from nltk.metrics.agreement import AnnotationTask
from nltk.metrics.distance import jaccard_distance, masi_distance

from reports.agreement.counting import all_pairs
from reports.agreement.pairs.cohen import cohen_kappa
from reports.agreement.results import Reason
from reports.agreement.sets.alpha import set_alpha
from reports.agreement.sets.members import SetSample
from reports.agreement.weights import weighting
from tests.reports.agreement.peers.shapes import ONE_CATEGORY, Shape
from tests.reports.agreement.samples import all_coefficients, from_lines

# nltk takes its labels one by one, in Python.
COMPLETE = [
    Shape(60, 5, 3),
    Shape(40, 2, 2),
    Shape(25, 12, 5),
    Shape(3, 3, 3),
    Shape(50, 2, 30),
    Shape(1, 5, 3),
]
GAPS = [Shape(60, 5, 3, 0.6), Shape(40, 2, 2, 0.8), Shape(25, 12, 5, 0.3), Shape(30, 60, 4, 0.2)]


def task(codes: np.ndarray) -> AnnotationTask:
    return AnnotationTask(
        [(str(rater), str(item), str(codes[item, rater])) for item, rater in np.argwhere(codes >= 0)]
    )


@pytest.mark.parametrize("shape", COMPLETE + GAPS, ids=str)
def test_alpha_is_that_of_nltk(shape):
    found = all_coefficients(shape.ratings)["krippendorff_alpha"]

    assert found.value == pytest.approx(task(shape.codes).alpha(), abs=1e-12)


@pytest.mark.parametrize("shape", COMPLETE, ids=str)
def test_pi_of_all_raters_is_fleiss_kappa(shape):
    found = all_coefficients(shape.ratings)["fleiss_kappa"]

    assert found.value == pytest.approx(task(shape.codes).pi(), abs=1e-12)


@pytest.mark.parametrize("shape", COMPLETE, ids=str)
def test_s_is_brennan_prediger_if_every_category_is_used(shape):
    used = len(np.unique(shape.codes))

    found = all_coefficients(Shape(shape.n_items, shape.n_raters, shape.n_categories).ratings)

    if used == shape.n_categories:
        assert found["brennan_prediger"].value == pytest.approx(task(shape.codes).S(), abs=1e-12)
    else:
        # nltk counts the categories that occur, so that what nobody chose changes what chance explains.
        assert found["brennan_prediger"].value > task(shape.codes).S()


@pytest.mark.parametrize("shape", COMPLETE, ids=str)
def test_kappa_of_nltk_is_lights(shape):
    found = all_coefficients(shape.ratings)["light_kappa"]

    pairs = all_pairs(shape.ratings)
    kappas = cohen_kappa(pairs.tables, weighting("unweighted", n_categories=shape.n_categories)).kappa
    if not np.isnan(kappas).any():
        assert found.value == pytest.approx(task(shape.codes).kappa(), abs=1e-12)
    else:
        # One item: nltk takes 1 for each pair that has no kappa.
        assert shape.n_items == 1
        assert found.value == pytest.approx(np.nanmean(kappas))


@pytest.mark.parametrize("shape", COMPLETE, ids=str)
def test_multi_kappa_is_congers(shape):
    found = all_coefficients(shape.ratings)["conger_kappa"]

    assert found.value == pytest.approx(task(shape.codes).multi_kappa(), abs=1e-12)


@pytest.mark.parametrize("shape", ONE_CATEGORY, ids=str)
def test_exception_labels_all_the_same_are_full_agreement(shape):
    ours = all_coefficients(shape.ratings)

    peer = task(shape.codes)
    assert (peer.alpha(), peer.pi(), peer.kappa()) == (1, 1, 1)
    for name in ("krippendorff_alpha", "fleiss_kappa"):
        assert (ours[name].value, ours[name].reason) == (None, Reason.NO_VARIATION)


@pytest.mark.parametrize("name", ["kappa", "pi", "S", "multi_kappa"])
def test_exception_a_missing_label_ends_in_an_error(name):
    # The definitions' "three shared items and a single one": kappa .4, Fleiss .2889.
    labels = [("a", 0, "y"), ("a", 1, "y"), ("a", 2, "n"), ("a", 3, "y")]
    labels += [("b", 0, "y"), ("b", 1, "n"), ("b", 2, "n")]
    ratings = from_lines("yyny", "ynn.", categories="yn")

    kappa = cohen_kappa(all_pairs(ratings).tables, weighting("unweighted", n_categories=2)).pair(0)

    with pytest.raises(RuntimeError, match="StopIteration"):
        getattr(AnnotationTask(labels), name)()
    assert kappa.kappa == pytest.approx(0.4)
    assert all_coefficients(ratings)["fleiss_kappa"].value == pytest.approx(0.2889, abs=5e-5)


def test_exception_a_placeholder_is_a_category():
    labels = [(rater, item, label) for rater, line in zip("ab", ("yyny", "ynn."), strict=True)
              for item, label in enumerate(line)]  # fmt: skip

    ours = all_coefficients(from_lines("yyny", "ynn.", categories="yn"))["krippendorff_alpha"]

    assert AnnotationTask(labels).alpha() == pytest.approx(5 / 19)
    assert AnnotationTask(labels, missing_values={"."}).alpha() == pytest.approx(4 / 9)
    assert ours.value == pytest.approx(4 / 9)


def test_exception_a_label_given_twice_leads_below_minus_one():
    labels = [("a", 1, "y"), ("b", 1, "y"), ("a", 1, "y"), ("b", 1, "y")]
    labels += [("a", 2, "n"), ("b", 2, "y"), ("a", 3, "n"), ("b", 3, "n")]

    # Ours has one label per rater, item and pass, by a constraint of the database.
    assert AnnotationTask(labels).kappa() == pytest.approx(-2)


def sets_of(seed: int, *, n_items: int, n_raters: int, n_categories: int) -> np.ndarray:
    """(items, raters, K) bool, no set empty."""
    random = np.random.default_rng(seed)
    common = random.random((n_items, 1, n_categories)) < 0.4
    chosen = common ^ (random.random((n_items, n_raters, n_categories)) < 0.2)
    chosen[..., 0] |= ~chosen.any(axis=-1)
    return chosen


def set_task(chosen: np.ndarray, distance) -> AnnotationTask:
    cells = np.ndindex(chosen.shape[:2])
    return AnnotationTask(
        [(rater, item, frozenset(np.flatnonzero(chosen[item, rater]).tolist())) for item, rater in cells],
        distance=distance,
    )


@pytest.mark.parametrize(("name", "distance"), [("jaccard", jaccard_distance), ("masi", masi_distance)])
@pytest.mark.parametrize(
    ("n_items", "n_raters", "n_categories"), [(20, 2, 3), (15, 4, 6), (8, 3, 2), (1, 3, 4)]
)
def test_alpha_of_sets_is_that_of_nltk(n_items, n_raters, n_categories, name, distance):
    chosen = sets_of(7, n_items=n_items, n_raters=n_raters, n_categories=n_categories)
    items, raters = np.indices(chosen.shape[:2]).reshape(2, -1)

    found = set_alpha(SetSample.from_labels(items, raters, chosen.reshape(-1, n_categories)), name)

    assert found.value == pytest.approx(set_task(chosen, distance).alpha(), abs=1e-12)


@pytest.mark.parametrize(("name", "distance"), [("jaccard", jaccard_distance), ("masi", masi_distance)])
def test_exception_an_empty_set_divides_by_zero(name, distance):
    chosen = np.array([[[0, 0], [0, 0]], [[1, 0], [1, 1]]], dtype=bool)

    found = set_alpha(SetSample.from_labels([0, 0, 1, 1], [0, 1, 0, 1], chosen.reshape(-1, 2)), name)

    with pytest.raises(ZeroDivisionError):
        set_task(chosen, distance).alpha()
    # Distances: 0 within the first item, 1/2 or 2/3 within the second, and 1 from the empty set.
    within = {"jaccard": 1 / 2, "masi": 2 / 3}[name]
    expected = (2 * within + 8 * 1) / 12
    assert found.value == pytest.approx(1 - within / 2 / expected)
