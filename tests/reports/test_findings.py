"""Findings: planted and found with values worked by hand, and none where there is nothing but chance."""

import math

import numpy as np
import pytest

from reports.agreement.counting import count_pairs
from reports.agreement.intervals.holm import holm
from reports.agreement.pairs.cohen import cohen_kappa
from reports.agreement.ratings import DenseRatings
from reports.agreement.sample import Sample
from reports.agreement.weights import Level, Weights
from reports.analysis.comparison import requested_statistics, sample_differences
from reports.analysis.findings import Search, coefficient_of
from reports.analysis.findings_effects import (
    CodedLabels,
    expected_scattered,
    use_of_categories,
    without_rater,
)
from reports.analysis.findings_holm import beyond_chance
from reports.analysis.findings_pairs import PairFindings
from reports.analysis.label_arrays import LabelSubset, Raters
from reports.analysis.options import Options
from reports.analysis.question import QuestionScope
from reports.analysis.results import Finding, Findings, read_json, to_json
from reports.analysis.suspicious_pairs import PairChecks

KEYS = "abcdefgh"


def scope_of(
    n_categories: int, level: Level = Level.NOMINAL, weights: Weights = Weights.UNWEIGHTED
) -> QuestionScope:
    categories = [
        {"id": place, "key": KEYS[place], "name": "", "value": None} for place in range(n_categories)
    ]
    question = {"id": 1, "key": "answer", "kind": "single", "level": level, "categories": categories}
    return QuestionScope(question, None, Options(weights=weights))


def sample_of(codes, n_categories: int) -> Sample:
    codes = np.asarray(codes, dtype=np.uint8)
    return Sample(DenseRatings(codes, n_categories, int((codes < n_categories).sum())))


def found_in(codes, n_categories: int, level: Level = Level.NOMINAL, *, criterion: float = 0.6) -> Findings:
    """codes: (N, R), n_categories for no label."""
    sample, scope = sample_of(codes, n_categories), scope_of(n_categories, level)
    n_raters = sample.ratings.n_raters
    raters = Raters([f"r{column}" for column in range(n_raters)], range(n_raters))
    checks, pairs = PairChecks(), PairFindings(raters.counted, n_raters, criterion=criterion)
    for counts in count_pairs(sample.ratings):
        kappas = cohen_kappa(counts.tables, scope.scale.weighting)
        checks.add(counts, kappas)
        pairs.add(counts, kappas)
    stored = checks.found(sample.ratings, raters.keys)
    return Search(scope, raters, sample, sample.ratings, None).found(stored, pairs)


def kinds_of(found: Findings) -> list[str]:
    return [each.kind for each in found.found]


def the(found: Findings, kind: str) -> Finding:
    return next(each for each in found.found if each.kind == kind)


def test_chance_alone_gives_no_finding_in_95_percent_of_data_sets():
    random = np.random.default_rng(20)
    n_with = 0
    for _ in range(60):
        n_categories, n_raters = int(random.integers(2, 6)), int(random.integers(2, 7))
        shares = random.dirichlet(np.full(n_categories, 3.0))
        codes = random.choice(n_categories, (int(random.choice([30, 60, 150])), n_raters), p=shares)
        n_with += bool(found_in(codes, n_categories).found)

    assert n_with <= 3


def test_raters_who_agree_alike_are_no_finding():
    random = np.random.default_rng(4)
    truth = random.integers(0, 3, 200)
    codes = np.where(random.random((200, 5)) < 0.8, truth[:, None], random.integers(0, 3, (200, 5)))

    assert found_in(codes, 3).found == ()


def test_a_rater_without_whom_all_agree():
    # Three raters always agree, on a and b in turn; the fourth always says a.
    truth = np.arange(60) % 2
    codes = np.column_stack([truth, truth, truth, np.zeros(60, dtype=int)])

    found = the(found_in(codes, 2), "rater")

    # Observed: 1 on the items of a, on those of b 3 of 6 pairs. Shares 5/8 and 3/8: chance 34/64.
    before = (0.75 - 34 / 64) / (1 - 34 / 64)
    assert found.raters == ("r3",)
    assert (found.before, found.after) == pytest.approx((before, 1))
    assert found.difference == pytest.approx(1 - before)
    assert found.use is not None
    assert (found.use.category, found.use.own, found.use.others) == ("a", 1, 0.5)


def test_leaving_out_a_rater_is_the_difference_of_two_samples_by_item():
    random = np.random.default_rng(3)
    truth = random.integers(0, 3, 80)
    codes = np.where(random.random((80, 4)) < 0.7, truth[:, None], random.integers(0, 4, (80, 4)))
    codes[codes[:, 2] == 1, 2] = 3
    scope, labels = scope_of(3), CodedLabels.of(codes.astype(np.uint8), 3)

    for name in ("fleiss_kappa", "krippendorff_alpha", "gwet_ac1", "percent_agreement"):
        statistic, scale = requested_statistics(scope.scale)[name]
        found = without_rater(labels, 2, statistic, scale, confidence=0.95)
        others, everyone = codes[:, [0, 1, 3]], codes
        parts = [
            LabelSubset(sample_of(some[(some < 3).any(axis=1)], 3), np.flatnonzero((some < 3).any(axis=1)))
            for some in (others, everyone)
        ]
        expected = sample_differences(*parts, scope.scale, scope.options, only=[name])[name]
        assert (found.value, found.ci_low, found.p_value) == pytest.approx(
            (expected.value, expected.ci_low, expected.p_value)
        )


def test_two_categories_that_nobody_tells_apart():
    random = np.random.default_rng(1)
    truth = random.integers(0, 2, 120)
    # a is a to both; what is not a is b or c at random.
    codes = np.where(truth[:, None] == 0, 0, random.integers(1, 3, (120, 3)))

    found = the(found_in(codes, 3), "merge")

    assert found.categories == ("b", "c")
    assert (found.after, found.share) == (1, 1)
    assert found.n_items == sum(len({*row}) > 1 for row in codes.tolist())


def test_of_ordered_categories_only_neighbors_are_merged():
    random = np.random.default_rng(1)
    truth = random.integers(0, 2, 120)
    codes = np.where(truth[:, None] == 0, 1, random.choice([0, 2], (120, 3)))

    assert "merge" not in kinds_of(found_in(codes, 3, Level.ORDINAL))


def test_a_category_that_nobody_uses():
    random = np.random.default_rng(2)
    truth = random.integers(0, 2, 100)
    codes = np.column_stack([truth, truth, np.where(random.random(100) < 0.9, truth, 1 - truth)])

    found = found_in(codes, 3)

    unused = the(found, "unused")
    assert (unused.categories, unused.n_items) == (("c",), 100)
    assert unused.p_value == pytest.approx((5 / 6) ** 100 * found.n_tested, rel=0.2)


def test_of_two_raters_the_use_of_categories_is_tested_as_mcnemar_does():
    # 30 items a/b and 10 items b/a: chi-squared (30 - 10)^2 / 40 = 10.
    codes = np.array([[0, 1]] * 30 + [[1, 0]] * 10 + [[0, 0]] * 20 + [[1, 1]] * 20, dtype=np.uint8)

    found = use_of_categories(CodedLabels.of(codes, 2), 0, confidence=0.95)

    assert found is not None
    assert found.p_value.tolist() == pytest.approx([math.erfc(math.sqrt(10 / 2))] * 2)
    assert (found.own[0], found.others[0]) == (50 / 80, 30 / 80)
    # The interval of McNemar's difference: (n - 1) in place of n in the variance.
    se = math.sqrt((40 - 80 * 0.25**2) / 79 / 80)
    assert found.high[0] == pytest.approx(0.25 + 1.9904502 * se)


def test_a_rater_who_chooses_a_category_more_often():
    codes = np.array([[0, 1]] * 40 + [[1, 0]] * 5 + [[0, 0]] * 30 + [[1, 1]] * 30)

    found = the(found_in(codes, 2), "use")

    assert (found.raters, found.categories) == (("r0", "r1"), ("a",))


def test_expected_items_on_which_all_differ():
    # Chance alone: shares 1/3 each, observed as expected, so that three labels differ 3! / 27 of the time.
    counts = np.array([[3, 0, 0], [0, 3, 0], [0, 0, 3], [2, 1, 0], [0, 2, 1], [1, 0, 2], [1, 1, 1]])
    n_items = np.array([1, 1, 1, 6, 6, 6, 6])

    assert expected_scattered(counts, n_items) == pytest.approx(27 * 6 / 27)


def test_items_on_which_no_two_agree():
    # All agree on 81 items, and on 19 all labels differ: far more than equally difficult items would give.
    agreed = [[place % 3] * 3 for place in range(81)]
    scattered = [[place % 3, (place + 1) % 3, (place + 2) % 3] for place in range(19)]

    found = the(found_in(agreed + scattered, 3), "scattered")

    # Observed 0.81, chance 1/3: q^2 = 0.715; 6 / 27 of three random labels differ.
    q = math.sqrt(0.715)
    assert found.n_items == 19
    assert found.expected == pytest.approx(100 * ((1 - q) ** 3 + 3 * q * (1 - q) ** 2) * 6 / 27)


def test_swapped_and_shifted_labels_are_undone():
    random = np.random.default_rng(6)
    truth = random.integers(0, 3, 90)
    swapped = np.array([1, 0, 2])[truth]

    mixed_up = the(found_in(np.column_stack([truth, truth, truth, swapped]), 3), "swapped")
    moved = the(found_in(np.column_stack([truth, truth, truth, np.append(truth[1:], 3)]), 3), "shifted")

    assert (mixed_up.raters[-1], mixed_up.after) == ("r3", 1)
    assert (moved.raters[-1], moved.after) == ("r3", 1)


def test_identical_labels_are_no_finding():
    """How likely two careful raters are to agree on everything cannot be known from the labels."""
    random = np.random.default_rng(8)
    truth = random.integers(0, 3, 60)
    codes = np.where(random.random((60, 3)) < 0.7, truth[:, None], random.integers(0, 3, (60, 3)))
    codes = np.column_stack([codes, codes[:, 0]])

    assert {finding.kind for finding in found_in(codes, 3).found}.isdisjoint({"copied", "swapped", "shifted"})


def test_margins_that_keep_kappa_below_the_criterion():
    # a in 50 of 100 items against 10: expected agreement .5, at most 60 can agree, kappa max .2.
    codes = np.array([[0, 0]] * 8 + [[0, 1]] * 42 + [[1, 0]] * 2 + [[1, 1]] * 48)

    found = the(found_in(codes, 2), "margins")

    assert found.kappa_max == pytest.approx(0.2)
    assert found.n_items == 100
    assert "margins" not in kinds_of(found_in(codes, 2, criterion=0.19))


def test_only_what_is_beyond_chance_after_holm_is_found():
    p_values = [0.001, 0.012, 0.02, 0.04]
    candidates = [Finding(kind="unused", p_value=p, n_items=1) for p in p_values]

    found = beyond_chance(candidates, 5)

    # Of the fifth test it is known only that it is not below the level.
    assert [each.p_value for each in found] == pytest.approx(holm([*p_values, 1.0])[:2])


def test_gains_are_measured_by_what_the_question_is_judged_by():
    assert coefficient_of(scope_of(3), 2) == "light_kappa"
    assert coefficient_of(scope_of(3), 4) == "fleiss_kappa"
    assert coefficient_of(scope_of(3, Level.ORDINAL), 4) == "krippendorff_alpha"
    assert coefficient_of(scope_of(3, Level.ORDINAL, Weights.LINEAR), 4) == "krippendorff_alpha"


def test_corrections_that_would_lower_agreement_are_not_listed():
    losses = [Finding(kind="swapped", p_value=0, n_items=9, difference=each) for each in (-0.53, -0.005)]
    others = [Finding(kind="level", p_value=0, n_items=9, difference=each) for each in (-0.004, 0.2, None)]

    found = Findings(coefficient="fleiss_kappa", n_tested=9, found=(*losses, *others))

    assert found.listed.found == tuple(others)
    assert found.listed.n_tested == 9


def test_findings_are_read_as_they_were_written():
    truth = np.arange(60) % 2
    found = found_in(np.column_stack([truth, truth, truth, np.zeros(60, dtype=int)]), 2)

    assert read_json(Findings, to_json(found)) == found
