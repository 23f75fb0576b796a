"""Coefficients of all raters: published, degenerate, and their properties."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reports.agreement.pairs.cohen import cohen_kappa
from reports.agreement.patterns import item_patterns
from reports.agreement.ratings import Ratings, to_dense, to_sparse
from reports.agreement.results import Coefficient, Reason
from reports.agreement.weights import weighting
from tests.reports.agreement.samples import (
    all_coefficients,
    from_codes,
    from_counts,
    from_lines,
    from_table,
    random_codes,
)

# Krippendorff 2011, Computing Krippendorff's alpha-reliability, example C.
KRIPPENDORFF_2011 = from_lines(
    "123321412...", "1233224125.3", ".3332342251.", "12332441251.", categories="12345"
)
# Gwet 2014, Handbook, table of four raters (irrCAC's cac.raw4raters).
GWET_4_RATERS = from_lines("123321412...", "1233224125..", ".33323422513", "12332441251.", categories="12345")
# Hayes & Krippendorff 2007, Communication Methods and Measures 1, 77-89: 40 news articles, 5 observers.
HAYES_KRIPPENDORFF_2007 = from_lines(
    "112.001122.01311211000201001111223222221",
    "1130000.21102311121000302102111122222221",
    "203000222100221123001.30.1012202.2232.21",
    "2..0001.2....3112..0.0..2.0..20.2.2222.1",
    ".13....0.10022...31.103021122..122...12.",
    categories="0123",
)
# Fleiss 1971, Psychological Bulletin 76, 378-382: 30 patients, 6 psychiatrists, 5 diagnoses.
FLEISS_1971_COUNTS = [
    [0, 0, 0, 6, 0], [0, 3, 0, 0, 3], [0, 1, 4, 0, 1], [0, 0, 0, 0, 6], [0, 3, 0, 3, 0], [2, 0, 4, 0, 0],
    [0, 0, 4, 0, 2], [2, 0, 3, 1, 0], [2, 0, 0, 4, 0], [0, 0, 0, 0, 6], [1, 0, 0, 5, 0], [1, 1, 0, 4, 0],
    [0, 3, 3, 0, 0], [1, 0, 0, 5, 0], [0, 2, 0, 3, 1], [0, 0, 5, 0, 1], [3, 0, 0, 1, 2], [5, 1, 0, 0, 0],
    [0, 2, 0, 4, 0], [1, 0, 2, 0, 3], [0, 0, 0, 0, 6], [0, 1, 0, 5, 0], [0, 2, 0, 1, 3], [2, 0, 0, 4, 0],
    [1, 0, 0, 4, 1], [0, 5, 0, 1, 0], [4, 0, 0, 0, 2], [0, 2, 0, 4, 0], [1, 0, 5, 0, 0], [0, 0, 0, 0, 6],
]  # fmt: skip
FLEISS_1971 = from_counts(FLEISS_1971_COUNTS)
# The worked example of the article "Fleiss' kappa" of the English Wikipedia: 10 items, 14 raters.
WIKIPEDIA_COUNTS = [
    [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
]  # fmt: skip
WIKIPEDIA = from_counts(WIKIPEDIA_COUNTS)

# R irrCAC 1.4, values confirmed by R irr and DescTools, DKPro, Python krippendorff and nltk where these have them.
PUBLISHED = [
    # ratings, coefficient, value, standard error, interval
    (FLEISS_1971, "percent_agreement", 0.555556, 0.044098, 0.465364, 0.645747),
    (FLEISS_1971, "fleiss_kappa", 0.430245, 0.054199, 0.319395, 0.541094),
    (FLEISS_1971, "krippendorff_alpha", 0.433410, 0.054199, 0.322561, 0.544259),
    (FLEISS_1971, "gwet_ac1", 0.447885, 0.055662, 0.334043, 0.561726),
    (GWET_4_RATERS, "percent_agreement", 0.818182, 0.125609, 0.541718, 1.0),
    (GWET_4_RATERS, "fleiss_kappa", 0.761169, 0.153019, 0.424376, 1.0),
    # Gwet's own print of AC1: .77544, SE .14295.
    (GWET_4_RATERS, "gwet_ac1", 0.775444, 0.142950, 0.460813, 1.0),
    (HAYES_KRIPPENDORFF_2007, "percent_agreement", 0.625000, 0.049610, 0.524654, 0.725346),
    (HAYES_KRIPPENDORFF_2007, "fleiss_kappa", 0.469685, 0.069604, 0.328898, 0.610472),
    (HAYES_KRIPPENDORFF_2007, "krippendorff_alpha", 0.476510, 0.067557, None, None),
    (HAYES_KRIPPENDORFF_2007, "gwet_ac1", 0.509349, 0.065443, 0.376978, 0.641720),
    # alpha's error: R irrCAC; its interval there counts an item that nobody could be compared on.
    (KRIPPENDORFF_2011, "krippendorff_alpha", 0.743421, 0.145479, None, None),
    (WIKIPEDIA, "fleiss_kappa", 0.209931, 0.092371, None, None),
    (WIKIPEDIA, "krippendorff_alpha", 0.215574, 0.092371, None, None),
    (WIKIPEDIA, "gwet_ac1", 0.225614, 0.093324, None, None),
]


@pytest.mark.parametrize(("ratings", "name", "value", "se", "low", "high"), PUBLISHED)
def test_published_values(ratings, name, value, se, low, high):
    found = all_coefficients(ratings)[name]

    assert (found.value, found.se) == pytest.approx((value, se), abs=6e-7)
    if low is not None:
        assert (found.ci_low, found.ci_high) == pytest.approx((low, high), abs=6e-7)


@pytest.mark.parametrize(
    ("ratings", "level", "value"),
    [
        # Published: .743, .815, .849.
        (KRIPPENDORFF_2011, "nominal", 0.743421052631579),
        (KRIPPENDORFF_2011, "ordinal", 0.815387503754881),
        (KRIPPENDORFF_2011, "interval", 0.849107142857143),
        # Published: .7598.
        (HAYES_KRIPPENDORFF_2007, "ordinal", 0.759829189151434),
        (HAYES_KRIPPENDORFF_2007, "interval", 0.757378277153558),
    ],
)
def test_published_alphas(ratings, level, value):
    assert all_coefficients(ratings, level)["krippendorff_alpha"].value == pytest.approx(value, abs=1e-12)


def test_percent_agreement_is_the_mean_over_items():
    # The pairable items agree fully, except the fifth (all pairs differ), the ninth and the tenth.
    found = all_coefficients(KRIPPENDORFF_2011)["percent_agreement"]

    assert found.value == pytest.approx(0.818182, abs=6e-7)
    assert found.method == "item mean"


def test_counts_of_what_a_value_rests_on():
    found = all_coefficients(KRIPPENDORFF_2011)

    assert (found["fleiss_kappa"].used.n_items, found["fleiss_kappa"].used.n_labels) == (12, 41)
    # The twelfth item has one label, which alpha leaves out.
    assert (found["krippendorff_alpha"].used.n_items, found["krippendorff_alpha"].used.n_labels) == (11, 40)


def test_declared_values_enter_the_interval_alpha():
    far = all_coefficients(KRIPPENDORFF_2011, "interval", [1, 2, 3, 4, 50])["krippendorff_alpha"]
    shifted = all_coefficients(KRIPPENDORFF_2011, "interval", [11, 13, 15, 17, 19])["krippendorff_alpha"]

    assert far.value != pytest.approx(0.849107, abs=1e-3)
    assert shifted.value == pytest.approx(0.849107142857143, abs=1e-12)


def named(ratings: Ratings, name: str) -> Coefficient:
    return all_coefficients(ratings)[name]


@pytest.mark.parametrize("name", ["percent_agreement", "fleiss_kappa", "krippendorff_alpha", "gwet_ac1"])
@pytest.mark.parametrize(
    ("lines", "reason"),
    [([], Reason.NO_ITEMS), (["yyn"], Reason.NO_OVERLAP), (["yn..", "..yn"], Reason.NO_OVERLAP)],
)
def test_nothing_to_compare_is_none_with_a_reason(lines, reason, name):
    found = named(from_lines(*lines, categories="yn"), name)

    assert (found.value, found.se, found.ci_low, found.ci_high) == (None, None, None, None)
    assert found.reason is reason


def test_all_labels_alike():
    ratings = from_lines("yyyy", "yyyy", categories="yn")

    for name in ("fleiss_kappa", "krippendorff_alpha"):
        assert (named(ratings, name).value, named(ratings, name).reason) == (None, Reason.NO_VARIATION)
    for name in ("percent_agreement", "gwet_ac1"):
        found = named(ratings, name)
        assert (found.value, found.se, found.ci_low) == (1.0, 0.0, None)
        assert found.reason is Reason.DEGENERATE_SE


def test_one_declared_category():
    found = all_coefficients(from_lines("yyyy", "yyyy", categories="y"))

    for name in ("fleiss_kappa", "krippendorff_alpha", "gwet_ac1"):
        assert (found[name].value, found[name].reason) == (None, Reason.NO_VARIATION)


def test_one_says_yes_the_other_no():
    # Section "all y, all n": pi -1, alpha -.75.
    ratings = from_lines("yyyy", "nnnn", categories="yn")

    for name, value in (("fleiss_kappa", -1.0), ("krippendorff_alpha", -0.75)):
        found = named(ratings, name)
        assert found.value == pytest.approx(value, abs=1e-15)
        assert (found.se, found.ci_low, found.reason) == (None, None, Reason.DEGENERATE_MARGINS)


def test_perfect_agreement():
    ratings = from_lines("yynn", "yynn", "yynn", categories="yn")

    for name in ("percent_agreement", "fleiss_kappa", "krippendorff_alpha", "gwet_ac1"):
        found = named(ratings, name)
        assert (found.value, found.se, found.ci_low, found.ci_high) == (1.0, 0.0, None, None)
        assert found.reason is Reason.DEGENERATE_SE


@pytest.mark.parametrize(("other", "value"), [("n", -1.0), ("y", None)])
def test_one_item(other, value):
    found = named(from_lines("y", other, categories="yn"), "fleiss_kappa")

    assert (found.value, found.se) == (value, None)
    assert found.reason is (Reason.NO_VARIATION if value is None else Reason.ONE_ITEM)


def test_three_shared_items_and_a_single_one():
    # Section "3 shared + 1 single": Fleiss .2889, AC1 .3725, alpha .4444.
    ratings = from_lines("yyny", "ynn.", categories="yn")

    found = all_coefficients(ratings)

    assert found["krippendorff_alpha"].value == pytest.approx(0.4444, abs=5e-5)
    assert found["fleiss_kappa"].value == pytest.approx(0.2889, abs=5e-5)
    assert found["gwet_ac1"].value == pytest.approx(0.3725, abs=5e-5)


def test_two_raters_have_scotts_pi():
    # Cohen 1960, example 2: pi .487179, AC1 .575972 (R irrCAC 1.4 and Python irrCAC 0.4.4).
    found = all_coefficients(from_table([[88, 14, 18], [10, 40, 10], [2, 6, 12]]))

    assert found["fleiss_kappa"].value == pytest.approx(0.487179, abs=6e-7)
    assert found["gwet_ac1"].value == pytest.approx(0.575972, abs=6e-7)
    assert found["krippendorff_alpha"].value == pytest.approx(0.488462, abs=6e-7)


shapes = st.fixed_dictionaries(
    {
        "n_items": st.integers(1, 30),
        "n_raters": st.integers(1, 8),
        "n_categories": st.integers(1, 6),
        "share": st.sampled_from([0.3, 0.7, 1.0]),
    }
)
seeds = st.integers(0, 2**32)
levels = st.sampled_from(["nominal", "ordinal", "interval"])


@settings(deadline=None)
@given(seeds, shapes, levels)
def test_dense_and_sparse_give_the_same_to_the_last_bit(seed, shape, level):
    ratings = from_codes(random_codes(seed, **shape), n_categories=shape["n_categories"])

    assert all_coefficients(to_dense(ratings), level) == all_coefficients(to_sparse(ratings), level)


@settings(deadline=None)
@given(seeds, shapes, levels)
def test_the_order_of_items_and_raters_changes_no_bit(seed, shape, level):
    codes = random_codes(seed, **shape)
    random = np.random.default_rng(seed)
    moved = codes[random.permutation(len(codes))][:, random.permutation(codes.shape[1])]

    one = all_coefficients(from_codes(codes, n_categories=shape["n_categories"]), level)

    assert one == all_coefficients(from_codes(moved, n_categories=shape["n_categories"]), level)


@settings(deadline=None)
@given(seeds, shapes)
def test_relabelling_changes_no_nominal_value(seed, shape):
    codes = random_codes(seed, **shape)
    n_categories = shape["n_categories"]
    renamed = np.where(codes >= 0, n_categories - 1 - codes, -1)

    one = all_coefficients(from_codes(codes, n_categories=n_categories))
    other = all_coefficients(from_codes(renamed, n_categories=n_categories))

    for name, found in one.items():
        assert found.reason is other[name].reason
        if found.value is not None:
            assert found.value == pytest.approx(other[name].value, abs=1e-12)


@settings(deadline=None)
@given(seeds, shapes)
def test_the_nominal_alpha_is_fleiss_kappa_with_epsilon(seed, shape):
    # For complete data alpha = kappa + (1 - kappa) / N (Gwet 2011).
    codes = random_codes(seed, **(shape | {"share": 1.0}))
    found = all_coefficients(from_codes(codes, n_categories=shape["n_categories"]))
    alpha, kappa = found["krippendorff_alpha"], found["fleiss_kappa"]

    assert (alpha.value is None) == (kappa.value is None)
    if alpha.value is not None:
        assert alpha.value == pytest.approx(kappa.value + (1 - kappa.value) / codes.size, abs=1e-12)


def test_the_linearised_errors_are_close_to_the_jackknife():
    codes = random_codes(11, n_items=400, n_raters=5, n_categories=4, share=0.8)
    names = ("percent_agreement", "fleiss_kappa", "krippendorff_alpha", "gwet_ac1")
    found = all_coefficients(from_codes(codes, n_categories=4), "ordinal")

    left_out = [
        all_coefficients(from_codes(np.delete(codes, item, axis=0), n_categories=4), "ordinal")
        for item in range(len(codes))
    ]

    for name in names:
        values = np.array([each[name].value for each in left_out])
        jackknife = np.sqrt((len(codes) - 1) / len(codes) * ((values - values.mean()) ** 2).sum())
        assert found[name].se == pytest.approx(jackknife, rel=0.03)


def test_patterns_are_the_distinct_splits():
    ratings = from_counts([[2, 0, 1], [1, 1, 0], [2, 0, 1], [0, 0, 3], [2, 0, 1]])

    patterns = item_patterns(ratings)

    found = dict(zip(map(tuple, patterns.counts.tolist()), patterns.n_items.tolist(), strict=True))
    assert found == {(2, 0, 1): 3, (1, 1, 0): 1, (0, 0, 3): 1}


def test_patterns_merged_on_the_way_are_the_same(monkeypatch):
    ratings = from_codes(random_codes(12, n_items=900, n_raters=4, n_categories=3), n_categories=3)
    whole = item_patterns(ratings)
    monkeypatch.setattr("reports.agreement.ratings.BLOCK_LABELS", 8)
    monkeypatch.setattr("reports.agreement.patterns.FEW_PATTERNS", 3)

    merged = item_patterns(ratings)

    assert np.array_equal(whole.counts, merged.counts)
    assert np.array_equal(whole.n_items, merged.n_items)


def test_fleiss_kappa_is_near_the_mean_of_cohens_kappas():
    codes = random_codes(13, n_items=200, n_raters=4, n_categories=3, share=1.0)
    tables = np.array(
        [
            [[((codes[:, a] == k) & (codes[:, b] == m)).sum() for m in range(3)] for k in range(3)]
            for a, b in itertools.combinations(range(4), 2)
        ]
    )

    mean = cohen_kappa(tables, weighting("unweighted", n_categories=3)).kappa.mean()

    assert all_coefficients(from_codes(codes, n_categories=3))["fleiss_kappa"].value == pytest.approx(
        mean, abs=0.01
    )
