"""Findings of numbers: planted and found with values worked by hand, and none where there is nothing but chance."""

import math

import numpy as np
import pytest
from scipy.stats import ttest_rel

from reports.agreement.numbers.matrix import NumberSample
from reports.agreement.weights import Level
from reports.analysis.findings_gain import analytic
from reports.analysis.findings_numbers import NumberSearch
from reports.analysis.findings_numbers_effects import (
    difficult_items,
    error_rate_p_value,
    level_of,
    moved_points,
    others_medians,
    spread_of,
    swapped_digits,
)
from reports.analysis.kinds import kind_of
from reports.analysis.label_arrays import Raters
from reports.analysis.options import Options
from reports.analysis.question import QuestionScope
from reports.analysis.results import Finding, Findings, read_json, to_json
from tests.sizes import size


def found_in(values, level: Level = Level.INTERVAL) -> Findings:
    """values: (N, R), NaN for no label."""
    sample = NumberSample(values)
    raters = Raters([f"r{column}" for column in range(sample.n_raters)], range(sample.n_raters))
    question = {"id": 1, "key": "answer", "kind": "number", "level": level, "categories": []}
    scope = QuestionScope(question, None, Options())
    return NumberSearch(scope, raters, kind_of(analytic(scope)), sample, None).found()


def the(found: Findings, kind: str) -> Finding:
    return next(each for each in found.found if each.kind == kind)


def kinds_of(found: Findings) -> set[str]:
    return {each.kind for each in found.found}


def true_values(random, n: int, n_raters: int, error: float = 5.0):
    return random.normal(50, 10, (n, 1)) + random.normal(0, error, (n, n_raters))


def chance(random) -> np.ndarray:
    """Raters who are all alike: noise alone, a true value with noise, heavy tails, few points of a scale, or round."""
    n, n_raters = int(random.choice([30, 60, 150])), int(random.integers(2, 7))
    truth = random.normal(50, 15, (n, 1))
    values = [
        lambda: random.normal(50, 10, (n, n_raters)),
        lambda: truth + random.normal(0, 5, (n, n_raters)),
        lambda: truth + 5 * random.standard_t(3, (n, n_raters)),
        lambda: np.clip(np.round(truth / 15 + random.normal(0, 0.8, (n, n_raters))), 1, 5),
        lambda: np.round(truth + random.normal(0, 10, (n, n_raters)), -1),
    ][int(random.integers(5))]()
    if random.random() < 0.3:
        values[random.random(values.shape) < 0.3] = np.nan
    return values[~np.isnan(values).all(axis=1)]


def test_chance_alone_gives_no_finding_in_95_percent_of_data_sets():
    random, n_sets = np.random.default_rng(21), size(300, 100)

    n_with = sum(bool(found_in(chance(random)).found) for _ in range(n_sets))

    assert n_with <= n_sets / 20


def test_a_rater_without_whom_agreement_is_higher():
    random = np.random.default_rng(1)
    values = true_values(random, 80, 4, error=3)
    values[:, 3] = random.normal(50, 10, 80)

    found = found_in(values)

    rater = the(found, "rater")
    assert rater.raters == ("r3",)
    # The same by the formula of ICC(A,1), written out.
    assert (rater.before, rater.after) == pytest.approx((icc_a_1(values), icc_a_1(values[:, :3])))
    assert rater.ci_low is not None
    assert rater.ci_low > 0


def icc_a_1(values) -> float:
    """McGraw & Wong 1996, table 4, from sums of squares."""
    n, k = values.shape
    grand = values.mean()
    rows = k * ((values.mean(axis=1) - grand) ** 2).sum() / (n - 1)
    columns = n * ((values.mean(axis=0) - grand) ** 2).sum() / (k - 1)
    rest = values - values.mean(axis=1, keepdims=True) - values.mean(axis=0) + grand
    error = (rest**2).sum() / ((n - 1) * (k - 1))
    return (rows - error) / (rows + (k - 1) * error + k * (columns - error) / n)


def test_a_level_is_students_paired_test():
    random = np.random.default_rng(2)
    own, others = random.normal(52, 10, 40), random.normal(50, 10, 40)

    found = level_of(own, others, confidence=0.95)

    expected = ttest_rel(own, others)
    assert found is not None
    assert found.p_value == pytest.approx(expected.pvalue)
    interval = expected.confidence_interval(0.95)
    assert (found.contrast.ci_low, found.contrast.ci_high) == pytest.approx((interval.low, interval.high))


def test_a_difference_that_is_always_the_same_is_beyond_chance():
    found = level_of(np.arange(25.0) + 2, np.arange(25.0), confidence=0.95)

    assert found is not None
    assert found.contrast.effect == pytest.approx(2)
    assert found.p_value == 2.0**-24


def test_a_rater_who_is_higher_than_the_others():
    values = true_values(np.random.default_rng(3), 60, 3)
    values[:, 1] += 8

    found = found_in(values)

    level = next(each for each in found.found if each.contrast is not None and each.raters == ("r1",))
    others = values[:, [0, 2]].mean(axis=1)
    assert level.contrast.effect == pytest.approx((values[:, 1] - others).mean())
    assert (level.difference or 0) > 0


def test_of_two_raters_spreads_are_compared_as_pitman_and_morgan_do():
    """Their test is that of the correlation of sums and differences; with errors by items it is t of its products."""
    random = np.random.default_rng(4)
    a, b = random.normal(0, 2, 200), random.normal(0, 1.5, 200)

    found = spread_of(a, b, np.arange(200), np.zeros(200, dtype=int), confidence=0.95)

    total, gap = a + b, a - b
    r = np.corrcoef(total, gap)[0, 1]
    by_pitman = r * math.sqrt(198 / (1 - r * r))
    products = (total - total.mean()) * (gap - gap.mean())
    by_items = products.mean() / (products.std(ddof=1) / math.sqrt(200))
    assert found is not None
    assert found.contrast.effect == pytest.approx(a.std() / b.std())
    assert found.p_value == pytest.approx(2 * t_above(abs(by_items), 199))
    assert by_items == pytest.approx(by_pitman, rel=0.15)


def t_above(t: float, df: int) -> float:
    """By the midpoint rule over the density of Student's t."""
    log_density = math.lgamma((df + 1) / 2) - math.lgamma(df / 2) - math.log(df * math.pi) / 2
    x = t + (np.arange(400_000) + 0.5) / 4000
    return float((np.exp(log_density - (df + 1) / 2 * np.log1p(x * x / df)) / 4000).sum())


def test_a_rater_who_uses_less_of_the_scale():
    random = np.random.default_rng(5)
    values = true_values(random, 100, 3, error=3)
    values[:, 2] = 50 + (values[:, 2] - 50) / 3

    spread = the(found_in(values), "spread")

    assert spread.raters == ("r2",)
    assert spread.contrast is not None
    assert spread.contrast.ci_low < 1 / 3 * 1.1
    assert spread.contrast.ci_high > 1 / 3 * 0.9
    assert (spread.difference or 0) > 0


def test_medians_of_the_others():
    values = np.array([[1.0, 5, 9, 2], [4, np.nan, 6, 8], [np.nan, 3, np.nan, 4]])

    found = others_medians(values)

    nan = math.nan
    expected = [[5, 2, 2, 5], [7, nan, 6, 5], [nan, nan, nan, nan]]
    assert found == pytest.approx(np.array(expected), nan_ok=True)


def test_swapped_digits_and_moved_points_by_hand():
    own = np.array([53.0, 35, 123, 61, 50, 72, 10, math.nan])
    median = np.array([35.0, 35, 132, 18, 5, 26, 1, 4])

    swapped, moved = swapped_digits(own, median), moved_points(own, median)

    # 53 is 35 and 123 is 132; 61 would be 16 and 72 would be 27, which are near 18 and 26.
    assert swapped.is_right.tolist() == [True, False, True, False, False, False, False, False]
    assert swapped.is_near.tolist() == [True, False, True, True, False, True, False, False]
    assert swapped.expected == pytest.approx(4 / 9)
    # Two of four exactly right: 1 - (8/9)^4 - 4 (1/9) (8/9)^3.
    assert swapped.p_by_nearness == pytest.approx(1 - (8 / 9) ** 4 - 4 / 9 * (8 / 9) ** 3)
    assert moved.is_right.tolist() == [False] * 4 + [True, False, True, False]
    assert moved.corrected[[4, 6]].tolist() == [5, 1]


def test_differences_are_judged_by_fishers_exact_test():
    # Two slips, both by a rater with 10 of 30 numbers: 10 * 9 / (30 * 29). One or more: 1 - 20 * 19 / (30 * 29).
    assert error_rate_p_value(2, 10, 2, 30) == pytest.approx(90 / 870)
    assert error_rate_p_value(1, 10, 2, 30) == pytest.approx(1 - 380 / 870)


def test_swapped_digits_are_undone():
    random = np.random.default_rng(6)
    values = np.repeat(random.integers(10, 99, (90, 1)), 4, axis=1).astype(float)
    values[:, :3] += random.choice([-1, 0, 0, 0, 1], (90, 3))
    tens, ones = values[:12, 3] // 10, values[:12, 3] % 10
    values[:12, 3] = 10 * ones + tens

    found = the(found_in(values), "digits")

    assert found.raters == ("r3",)
    assert (found.difference or 0) > 0


def test_numbers_of_the_item_before():
    random = np.random.default_rng(7)
    values = true_values(random, 80, 3, error=2)
    values[1:, 0] = values[:-1, 0].copy()

    found = the(found_in(values), "shifted")

    assert (found.raters, found.offset) == (("r0",), 1)
    assert (found.after or 0) > 0.9


def test_some_items_are_harder_than_others():
    random = np.random.default_rng(8)
    error = np.where(np.arange(100) < 15, 12.0, 1.0)[:, None]
    values = random.normal(50, 10, (100, 1)) + error * random.normal(0, 1, (100, 6))

    found = the(found_in(values), "difficult")

    assert found.n_items == 10
    assert found.contrast is not None
    assert found.contrast.own > 0.4
    assert found.contrast.others == 0.1


def test_difficulty_is_spearmans_correlation_of_two_halves():
    # Variances of the halves: 0.5, 2, 8, 18 and 0.5, 8, 2, 18: ranks 1 2 3 4 and 1 3 2 4, so rho = 1 - 6 * 2 / 60.
    first, second = np.array([1.0, 2, 4, 6]), np.array([1.0, 4, 2, 6])
    values = np.column_stack([np.zeros(4), first, np.zeros(4), second])

    found = difficult_items(values, confidence=0.95)

    assert found is not None
    t = 0.8 * math.sqrt(2 / (1 - 0.64))
    # Student's t with two degrees of freedom has a closed form.
    assert found.p_value == pytest.approx(0.5 * (1 - t / math.sqrt(2 + t * t)))
    assert found.contrast.own == pytest.approx(18 / 28.5)


def test_ranks_have_no_levels():
    values = np.round(true_values(np.random.default_rng(9), 60, 3))
    values[:, 1] += 8

    assert kinds_of(found_in(values, Level.ORDINAL)) <= {"rater"}


def test_findings_are_read_as_they_were_written():
    values = true_values(np.random.default_rng(3), 60, 3)
    values[:, 1] += 8

    found = found_in(values)

    assert found.found
    assert read_json(Findings, to_json(found)) == found
