"""Variance components of raters crossed with items, checked against lme4, statsmodels, and the dense likelihood."""

import numpy as np
import pandas
import pytest
from scipy.optimize import minimize
from statsmodels.regression.mixed_linear_model import MixedLM

from reports.agreement.numbers.matrix import NumberSample
from reports.agreement.numbers.reml import CenteredLabels, fitted, reml_components
from reports.agreement.results import FloatArray, Reason, Undefined

NAN = np.nan
# Davies & Goldsmith 1972, section 6.6, as in R's lme4: diameters on 24 plates (rows) of six samples of penicillin.
PENICILLIN = [
    [27, 23, 26, 23, 23, 21], [27, 23, 26, 23, 23, 21], [25, 21, 25, 24, 24, 20], [26, 23, 25, 23, 23, 20],
    [25, 22, 26, 22, 23, 20], [24, 22, 25, 23, 22, 19], [24, 20, 23, 21, 22, 19], [26, 22, 26, 24, 24, 21],
    [24, 21, 24, 22, 22, 20], [24, 21, 24, 23, 22, 19], [26, 23, 26, 24, 24, 21], [25, 22, 26, 24, 24, 20],
    [26, 24, 26, 24, 25, 22], [26, 23, 26, 23, 23, 20], [26, 23, 25, 24, 24, 22], [25, 22, 25, 23, 23, 20],
    [25, 21, 24, 23, 23, 20], [25, 22, 24, 23, 23, 19], [24, 21, 23, 21, 21, 19], [26, 23, 26, 24, 24, 21],
    [25, 21, 24, 22, 22, 18], [25, 22, 25, 22, 22, 20], [24, 21, 24, 22, 24, 19], [24, 21, 24, 22, 21, 18],
]  # fmt: skip


def rotation(n_items: int, n_raters: int, each: int, *, seed: int = 3) -> NumberSample:
    """Items of variance 4 by some of the raters, of variance 0.5; residual 1."""
    random = np.random.default_rng(seed)
    raters = np.array([random.permutation(n_raters)[:each] for _ in range(n_items)]).ravel()
    items = np.repeat(np.arange(n_items), each)
    values = (
        2 * random.standard_normal(n_items)[items]
        + 0.7 * random.standard_normal(n_raters)[raters]
        + random.standard_normal(len(items))
    )
    return NumberSample.from_labels(items, raters, values, n_items=n_items, n_raters=n_raters)


def in_units_of_labels(sample: NumberSample) -> FloatArray:
    """The three components."""
    found = reml_components(sample)
    used = sample.values[(sample.labels_per_item >= 2)[sample.items]]
    return np.array([found.items, found.raters, found.residual]) * used.var()


class Dense:
    """The same model with whole matrices of labels by labels."""

    def __init__(self, crossed: CenteredLabels) -> None:
        of_items, of_raters = np.eye(crossed.n)[crossed.items], np.eye(crossed.n_raters)[crossed.raters]
        self.parts = [of_items @ of_items.T, of_raters @ of_raters.T, np.eye(len(crossed.values))]
        self.y = crossed.values

    def projection(self, components: FloatArray) -> tuple[FloatArray, float]:
        covariance = sum(each * part for each, part in zip(components, self.parts, strict=True))
        inverse, ones = np.linalg.inv(covariance), np.ones(len(self.y))
        level = inverse @ ones
        determinants = np.linalg.slogdet(covariance)[1] + np.log(ones @ level)
        return inverse - np.outer(level, level) / (ones @ level), determinants

    def deviance(self, components: FloatArray) -> float:
        p, determinants = self.projection(components)
        return float(determinants + self.y @ p @ self.y)


def test_penicillin():
    """R: lme4::lmer(diameter ~ (1|plate) + (1|sample), Penicillin) prints 0.8467, 1.9316, 0.5499 (Bates 2010)."""
    found = in_units_of_labels(NumberSample(PENICILLIN))

    assert np.sqrt(found) == pytest.approx([0.8467, 1.9316, 0.5499], abs=5e-5)


def test_penicillin_by_analysis_of_variance():
    x = np.array(PENICILLIN, dtype=float)
    n, k = x.shape
    items, raters = k * x.mean(axis=1).var(ddof=1), n * x.mean(axis=0).var(ddof=1)
    error = ((x - x.mean(axis=1)[:, None] - x.mean(axis=0) + x.mean()) ** 2).sum() / ((n - 1) * (k - 1))

    found = in_units_of_labels(NumberSample(x))

    assert found == pytest.approx([(items - error) / k, (raters - error) / n, error], rel=1e-10)


def test_empty_cells_as_statsmodels_has_them():
    """Penicillin, a third of the cells left out."""
    x = np.array(PENICILLIN, dtype=float)
    rows, columns = np.indices(x.shape)
    x[(rows + columns) % 3 == 0] = NAN
    sample = NumberSample(x)
    labels = pandas.DataFrame({"y": sample.values, "item": sample.items, "rater": sample.raters, "all": 1})
    model = MixedLM.from_formula(
        "y ~ 1",
        groups="all",
        vc_formula={"a_items": "0 + C(item)", "b_raters": "0 + C(rater)"},
        re_formula="0",
        data=labels,
    )

    theirs = model.fit(reml=True)

    assert in_units_of_labels(sample) == pytest.approx([*theirs.vcomp, theirs.scale], rel=2e-4)


@pytest.mark.parametrize("seed", range(4))
def test_score_and_information_are_those_of_whole_matrices(seed: int):
    crossed = CenteredLabels(rotation(14, 5, 3, seed=seed))
    dense = Dense(crossed)

    found = fitted(crossed, 1.3, 0.4)

    p, _ = dense.projection(found.components)
    py = p @ dense.y
    score = [(py @ part @ py - np.trace(p @ part)) / 2 for part in dense.parts]
    information = [[np.trace(p @ a @ p @ b) / 2 for b in dense.parts] for a in dense.parts]
    assert found.score == pytest.approx(score, abs=1e-10)
    assert found.information == pytest.approx(np.array(information), rel=1e-9, abs=1e-10)
    # Both deviances leave out constants, and the profile that of the residual.
    other = fitted(crossed, 0.7, 0.2)
    apart = dense.deviance(found.components) - dense.deviance(other.components)
    assert found.deviance - other.deviance == pytest.approx(apart, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_the_likelihood_has_its_maximum_there(seed: int):
    sample = rotation(12, 5, 3, seed=seed)
    dense = Dense(CenteredLabels(sample))

    def deviance(roots: FloatArray) -> float:
        return dense.deviance(roots**2)

    best = minimize(
        deviance,
        np.array([0.8, 0.3, 0.5], dtype=np.float64),
        method="Nelder-Mead",
        options={"xatol": 1e-9, "fatol": 1e-12, "maxiter": 5_000},
    )

    components = reml_components(sample)
    found = np.array([components.items, components.raters, components.residual])
    assert found == pytest.approx(best.x**2, abs=1e-6)
    assert dense.deviance(found) <= best.fun + 1e-9


def test_a_component_that_would_be_negative_is_0():
    """Every rater gives the same numbers, in another order."""
    components = reml_components(NumberSample([[1, 2, 3], [2, 3, 1], [3, 1, 2], [1, 3, NAN]]))

    assert (components.items, components.raters) == (0, 0)
    assert components.residual > 0


def test_without_residual_the_effects_are_seen():
    """Items 1, 2, and 6, raters 0, 1, and 5: variances 7 and 7."""
    found = in_units_of_labels(NumberSample([[1, 2, NAN], [2, NAN, 7], [6, 7, 11]]))

    assert found == pytest.approx([7, 7, 0])


def test_unit_and_origin_do_not_matter():
    sample = rotation(20, 6, 3)
    moved = NumberSample.from_labels(
        sample.items, sample.raters, 1e9 + 1e3 * sample.values, n_items=20, n_raters=6
    )

    assert in_units_of_labels(moved) == pytest.approx(1e6 * in_units_of_labels(sample), rel=1e-6)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([[NAN, NAN]], Reason.NO_ITEMS),
        ([[1, NAN], [NAN, 2]], Reason.NO_OVERLAP),
        ([[1, 2], [3, NAN]], Reason.ONE_ITEM),
        ([[1, 1], [1, 1]], Reason.NO_VARIATION),
        ([[1, 2, NAN, NAN], [3, 4, NAN, NAN], [NAN, NAN, 5, 7], [NAN, NAN, 8, 6]], Reason.NOT_CONNECTED),
        ([[1, 2, NAN], [NAN, 4, 5]], Reason.NO_RESIDUAL),
    ],
)
def test_undefined(values: list[list[float]], reason: Reason):
    with pytest.raises(Undefined) as undefined:
        reml_components(NumberSample(values))

    assert undefined.value.reason is reason


def test_too_many_raters(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("reports.agreement.numbers.reml.MAX_RATERS", 5)

    with pytest.raises(Undefined) as undefined:
        reml_components(rotation(20, 6, 3))

    assert undefined.value.reason is Reason.TOO_LARGE
