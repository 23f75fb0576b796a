"""Agreement by subgroup is that of a report on the subset, for every kind of question; differences between groups."""

import random
from collections.abc import Sequence

import numpy as np
import pytest

from projects.models import Item, Project, Question
from raters.models import Rater
from reports.models import QuestionAgreement, Report
from reports.results.kinds import coefficient_of_parts
from reports.store.subgroups import SubgroupsRefused, SubgroupsRequest, by_subgroup, coefficients_of_groups
from tests import cast
from tests.finished import finished_report
from tests.labeling import add_labels, new_question
from tests.reports.numbers_and_sets import add_numbers, add_sets
from tests.sizes import size, some

CATEGORIES = ("good", "fair", "bad")
N_ITEMS, N_RATERS = 60, 4
SITES = ("Bern", "Basel", "Chur")
KINDS = ("nominal", "ordinal", "interval", "multiple")


def site_of(item: int) -> str:
    return SITES[item % 2] if item < 54 else SITES[2]


def language_of(rater: int) -> str:
    return ("de", "fr")[rater % 2]


def random_rows(kind: str, seed: int) -> list[list]:
    """Rows of items with an answer for each rater, None where there is none; Basel agrees less than Bern."""
    chance = random.Random(seed)
    rows = []
    for item in range(N_ITEMS):
        truth = chance.randrange(3)
        row: list = []
        for _ in range(N_RATERS):
            slips = chance.random() < (0.5 if site_of(item) == "Basel" else 0.2)
            label = chance.randrange(3) if slips else truth
            row.append(None if chance.random() < 0.08 else answer(kind, label, chance))
        rows.append(row)
    return rows


def answer(kind: str, label: int, chance: random.Random):
    if kind == "interval":
        return float(label * 10 + chance.randrange(4))
    if kind == "multiple":
        return [CATEGORIES[label], *([CATEGORIES[(label + 1) % 3]] if chance.random() < 0.3 else [])]
    return CATEGORIES[label]


def question_of(project: Project, kind: str, rows: Sequence[Sequence]) -> Question:
    if kind == "interval":
        question = new_question(project, categories=(), kind="number", level="interval")
        add_numbers(question, rows)
    elif kind == "multiple":
        question = new_question(project, categories=CATEGORIES, kind="multiple")
        add_sets(question, rows)
    else:
        question = new_question(project, categories=CATEGORIES, level=kind)
        add_labels(
            question,
            [
                (f"i{i:03}", f"r{r}", label)
                for i, row in enumerate(rows)
                for r, label in enumerate(row)
                if label is not None
            ],
        )
    return question


def describe(project: Project) -> None:
    for item in Item.objects.filter(project=project):
        item.attributes = {"site": site_of(int(item.key[1:]))}
        item.save()
    for rater in Rater.objects.filter(project=project):
        rater.attributes = {"language": language_of(int(rater.key[1:]))}
        rater.save()


def report_on(lead, kind: str, rows: Sequence[Sequence], **options) -> Report:
    project = cast.new_project("Sites", unique=True)
    question_of(project, kind, rows)
    describe(project)
    return finished_report(project, lead, **options)


def agreement_of(report: Report) -> QuestionAgreement:
    return report.questions.select_related("report__project", "question").get()


def same(figure, stored: dict) -> bool:
    ours = figure.to_json()
    return all(
        ours[name] == stored[name] or ours[name] == pytest.approx(stored[name], rel=1e-9)
        for name in ("value", "se", "ci_low", "ci_high", "reason")
    )


def default_of(whole: QuestionAgreement) -> str:
    return coefficient_of_parts(whole)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", some([1, 2], every=2))
def test_a_group_of_items_has_the_figures_of_a_report_on_it_alone(lead, kind, seed):
    rows = random_rows(kind, seed)
    whole = agreement_of(report_on(lead, kind, rows))

    for coefficient in [default_of(whole), *coefficients_of_groups(whole)[: size(3, 1)]]:
        found = by_subgroup(whole, SubgroupsRequest("item", "site", coefficient))

        assert [group.value for group in found.groups] == ["Basel", "Bern", "Chur"]
        for group in found.groups[:2]:
            subset = [
                row if site_of(item) == group.value else [None] * N_RATERS for item, row in enumerate(rows)
            ]
            alone = agreement_of(report_on(lead, kind, subset))
            assert group.figure is not None
            assert same(group.figure, alone.coefficients[coefficient])
            assert (group.n_items, group.n_labels) == (alone.n_items, alone.n_labels)


@pytest.mark.parametrize("kind", KINDS)
def test_a_group_of_raters_has_the_figures_of_a_report_on_it_alone(lead, kind):
    rows = random_rows(kind, 3)
    whole = agreement_of(report_on(lead, kind, rows))
    coefficient = default_of(whole)

    found = by_subgroup(whole, SubgroupsRequest("rater", "language", coefficient))

    assert [group.value for group in found.groups] == ["de", "fr"]
    for group in found.groups:
        subset = [
            [label if language_of(rater) == group.value else None for rater, label in enumerate(row)]
            for row in rows
        ]
        alone = agreement_of(report_on(lead, kind, subset))
        assert group.figure is not None
        assert same(group.figure, alone.coefficients[coefficient])


def test_groups_with_few_items_have_no_numbers_and_no_test(lead):
    whole = agreement_of(report_on(lead, "nominal", random_rows("nominal", 4)))

    found = by_subgroup(whole, SubgroupsRequest("item", "site", "fleiss_kappa"))

    chur = found.groups[2]
    assert (chur.n_items, chur.figure) == (6, None)
    assert [(each.earlier, each.later) for each in found.differences] == [(0, 1)]


def test_attributes_stay_as_they_were_when_the_report_was_computed(lead):
    whole = agreement_of(report_on(lead, "nominal", random_rows("nominal", 5)))
    asked = SubgroupsRequest("item", "site", "fleiss_kappa")
    before = by_subgroup(whole, asked)

    Item.objects.filter(project=whole.report.project).update(attributes={"site": "Genf", "year": 2026})

    assert by_subgroup(whole, asked) == before
    with pytest.raises(SubgroupsRefused, match="no item had the attribute “year”"):
        by_subgroup(whole, SubgroupsRequest("item", "year", "fleiss_kappa"))


def test_an_attribute_of_too_many_values_is_refused(lead):
    project = cast.new_project("Sites", unique=True)
    question_of(project, "nominal", random_rows("nominal", 6))
    for item in Item.objects.filter(project=project):
        item.attributes = {"file": item.key}
        item.save()
    whole = agreement_of(finished_report(project, lead))

    with pytest.raises(SubgroupsRefused, match="60 different values"):
        by_subgroup(whole, SubgroupsRequest("item", "file", "fleiss_kappa"))


def test_values_of_numbers_stand_in_the_order_of_numbers(lead):
    project = cast.new_project("Sites", unique=True)
    question_of(project, "nominal", random_rows("nominal", 7))
    for place, item in enumerate(Item.objects.filter(project=project)):
        item.attributes = {"year": (9, "10", True)[place % 3]}
        item.save()
    whole = agreement_of(finished_report(project, lead))

    found = by_subgroup(whole, SubgroupsRequest("item", "year", "fleiss_kappa"))

    assert [group.value for group in found.groups] == ["9", "10", "true"]


def test_only_the_leading_round_and_the_raters_who_count_are_compared(lead):
    project = cast.new_project("Sites", unique=True)
    question_of(project, "nominal", random_rows("nominal", 8))
    describe(project)
    Rater.objects.filter(project=project, key="r0").update(kind=Rater.Kind.MODEL)
    whole = agreement_of(finished_report(project, lead))

    found = by_subgroup(whole, SubgroupsRequest("rater", "language", "fleiss_kappa"))

    assert [(group.value, group.n_raters) for group in found.groups] == [("de", 1), ("fr", 2)]
    assert found.groups[0].figure is None


def table_of_two(n: Sequence[int]) -> list[list[str]]:
    """Two raters: n[0] items yes/yes, n[1] yes/no, n[2] no/yes, n[3] no/no."""
    cells = (("good", "good"), ("good", "bad"), ("bad", "good"), ("bad", "bad"))
    return [list(cell) for cell, times in zip(cells, n, strict=True) for _ in range(times)]


def test_a_difference_of_independent_groups_by_hand(lead):
    """Percent agreement of two groups of items, by hand: 36 of 40 and 24 of 40.

    Each item is worth 1 or 0; se^2 = p (1 - p) / (n - 1) = .9 * .1 / 39 + .6 * .4 / 39, z and the normal interval.
    """
    rows = [*table_of_two((18, 2, 2, 18)), *table_of_two((12, 8, 8, 12))]
    project = cast.new_project("Sites", unique=True)
    question_of(project, "nominal", rows)
    for item in Item.objects.filter(project=project):
        item.attributes = {"site": "A" if int(item.key[1:]) < 40 else "B"}
        item.save()
    whole = agreement_of(finished_report(project, lead))

    found = by_subgroup(whole, SubgroupsRequest("item", "site", "percent_agreement"))

    [difference] = found.differences
    se = (0.9 * 0.1 / 39 + 0.6 * 0.4 / 39) ** 0.5
    assert difference.value == pytest.approx(-0.3)
    assert difference.se == pytest.approx(se)
    assert difference.se == pytest.approx(0.0919866, abs=1e-7)
    # Welch: (v1 + v2)^2 / (v1^2 / 39 + v2^2 / 39) with v = p q / 39 has 64.64 degrees of freedom, rounded down.
    assert (difference.ci_low, difference.ci_high) == pytest.approx(
        (-0.3 - 1.997730 * se, -0.3 + 1.997730 * se), abs=1e-6
    )
    # R: 2 * pt(-3.26134, 64) = 0.0017796.
    assert difference.p_value == pytest.approx(0.0017796, abs=1e-6)
    assert difference.p_corrected == difference.p_value


def test_a_difference_of_groups_of_raters_is_paired_by_item(lead):
    """Percent agreement of two pairs of raters on the same items is the paired t test of agreeing or not."""
    chance = random.Random(9)
    rows = [
        [(CATEGORIES[truth] if chance.random() < share else CATEGORIES[2]) for share in (0.9, 0.6, 0.9, 0.6)]
        for truth in (chance.randrange(2) for _ in range(60))
    ]
    whole = agreement_of(report_on(lead, "nominal", rows))

    found = by_subgroup(whole, SubgroupsRequest("rater", "language", "percent_agreement"))

    agrees = np.array([[row[0] == row[2], row[1] == row[3]] for row in rows], dtype=float)
    change = agrees[:, 1] - agrees[:, 0]
    [difference] = found.differences
    assert difference.value == pytest.approx(change.mean())
    assert difference.se == pytest.approx(change.std(ddof=1) / 60**0.5)
    assert (difference.n_shared, difference.df) == (60, 59)


def test_a_difference_of_alphas_is_that_of_a_bootstrap_of_its_own(lead):
    rows = random_rows("interval", 10)
    whole = agreement_of(report_on(lead, "interval", rows))

    found = by_subgroup(whole, SubgroupsRequest("item", "site", "icc_1_1"))

    [difference] = found.differences
    of_site = [
        [[label for label in row if label is not None] for i, row in enumerate(rows) if site_of(i) == site]
        for site in ("Basel", "Bern")
    ]
    of_site = [[row for row in group if len(row) > 1] for group in of_site]
    assert difference.value == pytest.approx(one_way(of_site[1]) - one_way(of_site[0]))
    chance = random.Random(11)
    drawn = [
        one_way(chance.choices(of_site[1], k=len(of_site[1])))
        - one_way(chance.choices(of_site[0], k=len(of_site[0])))
        for _ in range(2000)
    ]
    assert difference.se == pytest.approx(np.std(drawn), rel=0.15)


def one_way(rows: Sequence[Sequence[float]]) -> float:
    """ICC(1,1) of rows with any number of values, written out: Donner (1986)."""
    n, k = len(rows), [len(row) for row in rows]
    total = sum(k)
    mean = sum(map(sum, rows)) / total
    means = [sum(row) / len(row) for row in rows]
    between = sum(size * (own - mean) ** 2 for size, own in zip(k, means, strict=True)) / (n - 1)
    within = sum((value - own) ** 2 for row, own in zip(rows, means, strict=True) for value in row) / (
        total - n
    )
    k0 = (total - sum(size**2 for size in k) / total) / (n - 1)
    return (between - within) / (between + (k0 - 1) * within)


def kappa(a: Sequence[str], b: Sequence[str]) -> float:
    n = len(a)
    observed = sum(x == y for x, y in zip(a, b, strict=True)) / n
    expected = sum(a.count(each) * b.count(each) for each in CATEGORIES) / n**2
    return (observed - expected) / (1 - expected)


def mean_kappa(rows: Sequence[Sequence[str]], pairs: Sequence[tuple[int, int]]) -> float:
    found = []
    for a, b in pairs:
        both = [(row[a], row[b]) for row in rows if row[a] is not None and row[b] is not None]
        found.append(kappa([x for x, _ in both], [y for _, y in both]))
    return sum(found) / len(found)


def test_agreement_between_groups_is_the_mean_over_their_pairs(lead):
    """Worked again in plain Python, with a jackknife of its own: each of 48 items is left out in turn."""
    rows = random_rows("nominal", 12)[:48]
    whole = agreement_of(report_on(lead, "nominal", rows))

    found = by_subgroup(whole, SubgroupsRequest("rater", "language", "fleiss_kappa"))

    within, between = ([(0, 2)], [(1, 3)]), [(0, 1), (0, 3), (1, 2), (2, 3)]
    de, cross, fr = found.pairs
    assert [(each.first, each.second, each.n_pairs) for each in found.pairs] == [
        (0, 0, 1),
        (0, 1, 4),
        (1, 1, 1),
    ]
    assert cross.figure.value == pytest.approx(mean_kappa(rows, between))
    assert (de.figure.value, fr.figure.value) == pytest.approx([mean_kappa(rows, each) for each in within])
    blocks = [[*rows[:left], *rows[left + 1 :]] for left in range(48)]
    left_out = np.array(
        [
            mean_kappa(some, between) - (mean_kappa(some, within[0]) + mean_kappa(some, within[1])) / 2
            for some in blocks
        ]
    )
    se = (47 / 48 * ((left_out - left_out.mean()) ** 2).sum()) ** 0.5
    assert cross.less_within is not None
    assert cross.less_within.se == pytest.approx(se)
    # R: qt(.975, 47) = 2.011741
    assert cross.less_within.ci_high == pytest.approx(cross.less_within.value + 2.011741 * se, abs=1e-5)


def test_the_order_of_items_does_not_make_agreement_between_groups_more_certain(lead):
    """Of a file that is sorted by what was said, blocks of items that take turns would all be alike."""
    rows = sorted([label or "fair" for label in row] for row in random_rows("nominal", 15) for _ in range(5))
    whole = agreement_of(report_on(lead, "nominal", rows))

    found = by_subgroup(whole, SubgroupsRequest("rater", "language", "fleiss_kappa"))

    chance = random.Random(16)
    pairs = [(0, 1), (0, 3), (1, 2), (2, 3)]
    drawn = [mean_kappa(chance.choices(rows, k=len(rows)), pairs) for _ in range(400)]
    assert found.pairs[1].figure.se == pytest.approx(np.std(drawn), rel=0.3)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_pairs_between_groups(lead, kind):
    whole = agreement_of(report_on(lead, kind, random_rows(kind, 13)))

    found = by_subgroup(whole, SubgroupsRequest("rater", "language", default_of(whole)))

    assert [(each.first, each.second) for each in found.pairs] == [(0, 0), (0, 1), (1, 1)]
    assert all(each.figure.value is not None for each in found.pairs)
    assert found.pairs[1].less_within is not None
    assert found.pairs[1].p_corrected == found.pairs[1].p_value


def test_holm_is_for_all_differences_that_are_tested(lead):
    project = cast.new_project("Sites", unique=True)
    rows = [[label or "fair" for label in row] for row in random_rows("nominal", 14)]
    question_of(project, "nominal", rows)
    for item in Item.objects.filter(project=project):
        item.attributes = {"third": int(item.key[1:]) % 3}
        item.save()
    whole = agreement_of(finished_report(project, lead))

    found = by_subgroup(whole, SubgroupsRequest("item", "third", "krippendorff_alpha"))

    p_values = sorted(each.p_value for each in found.differences)
    corrected = sorted(each.p_corrected for each in found.differences)
    stepwise = np.maximum.accumulate([3 * p_values[0], 2 * p_values[1], p_values[2]])
    assert corrected == pytest.approx(np.minimum(1, stepwise).tolist())
    assert found.n_tests == 3


def test_a_group_of_two_raters_has_the_interval_of_their_pair(lead):
    report = report_on(lead, "nominal", random_rows("nominal", 21))
    whole = agreement_of(report)
    ids = {rater["key"]: rater["id"] for rater in whole.raters}
    pair = whole.pairs.get(rater_a=ids["r0"], rater_b=ids["r2"])

    found = by_subgroup(whole, SubgroupsRequest("rater", "language", "light_kappa"))

    figure = next(group.figure for group in found.groups if group.value == "de")
    assert (figure.value, figure.ci_low, figure.ci_high) == pytest.approx(
        (pair.kappa, pair.ci_low, pair.ci_high)
    )
