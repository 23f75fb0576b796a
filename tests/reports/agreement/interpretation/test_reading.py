"""A coefficient on a scale: only on one that was made for it, and never a word for what is undefined."""

import pytest

from reports.agreement.interpretation.reading import WrongScale, read, suits
from reports.agreement.interpretation.scales import SCALES
from reports.agreement.results import Estimate, Reason


def found(value=0.7, low=0.55, high=0.85, se=0.08, reason=Reason.NONE):
    return Estimate(value=value, se=se, ci_low=low, ci_high=high, n=100, reason=reason, method="")


def scales_for(statistic, **options):
    return {key for key, scale in SCALES.items() if suits(scale, statistic, **options)}


KAPPA_SCALES = {"landis_koch", "fleiss", "altman", "cicchetti", "regier", "mchugh"}


@pytest.mark.parametrize(
    ("statistic", "keys"),
    [
        ("cohen_kappa", KAPPA_SCALES),
        ("fleiss_kappa", KAPPA_SCALES),
        ("conger_kappa", KAPPA_SCALES),
        ("light_kappa", KAPPA_SCALES),
        ("scott_pi", KAPPA_SCALES),
        ("fleiss_kappa_weighted", {"cicchetti"}),
        ("krippendorff_alpha", {"krippendorff"}),
        ("krippendorff_alpha_masi", {"krippendorff"}),
        ("icc_a_1", {"cicchetti", "koo_li"}),
        ("gwet_ac1", set()),
        ("gwet_ac2", set()),
        ("brennan_prediger", set()),
        ("pabak", set()),
        ("percent_agreement", set()),
        ("kendall_w", set()),
        ("no such thing", set()),
    ],
)
def test_a_scale_is_for_the_coefficients_it_was_made_for(statistic, keys):
    assert scales_for(statistic) == keys


def test_a_weighted_kappa_of_a_pair_is_another_coefficient():
    assert scales_for("cohen_kappa", is_weighted=True) == {"cicchetti"}
    with pytest.raises(WrongScale, match="Landis & Koch 1977 was not made for weighted cohen_kappa"):
        read(found(), "cohen_kappa", SCALES["landis_koch"], is_weighted=True)


def test_a_scale_for_another_coefficient_is_refused():
    with pytest.raises(WrongScale, match="Koo & Li 2016 was not made for cohen_kappa"):
        read(found(), "cohen_kappa", SCALES["koo_li"])


def test_kappa_is_read_by_its_value():
    reading = read(found(), "cohen_kappa", SCALES["landis_koch"])

    assert (reading.word, reading.low_word, reading.high_word) == (
        "substantial",
        "moderate",
        "almost perfect",
    )
    assert reading.judged_word == "substantial"
    assert reading.benchmark.word == "moderate"


def test_an_icc_is_read_on_its_interval():
    assert read(found(), "icc_c_1", SCALES["koo_li"]).judged_word == "moderate to good"
    assert read(found(low=0.6, high=0.72), "icc_c_1", SCALES["koo_li"]).judged_word == "moderate"


def test_alpha_is_judged_by_its_lower_limit():
    reading = read(found(value=0.81, low=0.7, high=0.9), "krippendorff_alpha", SCALES["krippendorff"])

    assert (reading.word, reading.judged_word) == ("rely on", "tentative conclusions only")


def test_an_undefined_value_has_no_word_and_keeps_its_reason():
    nothing = found(value=None, low=None, high=None, se=None, reason=Reason.NO_VARIATION)

    reading = read(nothing, "cohen_kappa", SCALES["landis_koch"])

    assert (reading.word, reading.judged_word, reading.benchmark.word) == (None, None, None)
    assert reading.benchmark.reason is Reason.NO_VARIATION


def test_a_value_without_an_interval_has_a_word_of_its_own_only():
    reading = read(
        found(low=None, high=None, se=None, reason=Reason.DEGENERATE_MARGINS), "icc_1_1", SCALES["koo_li"]
    )

    assert (reading.word, reading.judged_word) == ("moderate", None)
    assert reading.benchmark.reason is Reason.DEGENERATE_MARGINS


def test_everything_by_name_for_programs():
    flat = read(found(), "cohen_kappa", SCALES["fleiss"]).flat()

    assert (flat["scale"], flat["word"], flat["judged"]) == ("fleiss", "fair to good", "value")
    assert list(flat["probabilistic"]["cumulative"]) == ["excellent", "fair to good", "poor"]
    assert flat["probabilistic"]["reason"] is None
