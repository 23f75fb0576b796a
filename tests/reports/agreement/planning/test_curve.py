"""How coefficients move with prevalence: by hand, at its ends, and that a real table gives the same."""

import numpy as np
import pytest

from reports.agreement.pairs.cohen import cohen_kappa
from reports.agreement.planning.curve import prevalence_curve
from reports.agreement.planning.latent_class import by_accuracy, by_sensitivity
from reports.agreement.weights import weighting
from tests.reports.agreement.samples import all_coefficients, from_table


def test_balanced_and_rare_worked_by_hand():
    rates = by_sensitivity(0.9, 0.9)

    found = prevalence_curve(rates, rates, prevalence=[0.5, 0.1])

    # At one half po = .82 and pe = .5. At a tenth each rater says yes to .18, so that pe = .18^2 + .82^2 = .7048.
    assert found.percent_agreement == pytest.approx([0.82, 0.82])
    assert found.cohen_kappa == pytest.approx([0.64, (0.82 - 0.7048) / (1 - 0.7048)])
    assert found.scott_pi == pytest.approx(found.cohen_kappa)
    assert found.brennan_prediger == pytest.approx([0.64, 0.64])
    assert found.gwet_ac1 == pytest.approx([0.64, (0.82 - 0.2952) / (1 - 0.2952)])


def test_each_point_is_what_a_large_table_gives():
    a, b = by_sensitivity(0.85, 0.95), by_sensitivity(0.75, 0.9)
    found = prevalence_curve(a, b, prevalence=[0.2])
    # 10,000 items: of 2,000 true ones, 2000 x .85 x .75 are found by both, and so on.
    table = [[1275 + 40, 425 + 360], [225 + 760, 75 + 6840]]

    coefficients = all_coefficients(from_table(table))

    kappa = cohen_kappa(np.array([table]), weighting("unweighted", n_categories=2)).kappa[0]
    assert found.cohen_kappa[0] == pytest.approx(kappa)
    for name, of in (
        ("fleiss_kappa", found.scott_pi),
        ("gwet_ac1", found.gwet_ac1),
        ("brennan_prediger", found.brennan_prediger),
        ("percent_agreement", found.percent_agreement),
    ):
        assert of[0] == pytest.approx(coefficients[name].value)


def test_kappa_falls_to_both_ends_and_agreement_does_not():
    rates = by_sensitivity(0.9, 0.9)

    found = prevalence_curve(rates, rates)

    assert len(found.prevalence) == 99
    assert np.argmax(found.cohen_kappa) == 49
    assert found.cohen_kappa[0] < 0.2 < 0.6 < found.cohen_kappa[49]
    assert found.percent_agreement == pytest.approx(np.full(99, 0.82))


def test_raters_without_error_agree_at_any_prevalence_but_the_ends():
    found = prevalence_curve(np.eye(2), np.eye(2), prevalence=[0, 0.01, 1])

    assert found.cohen_kappa[1] == pytest.approx(1)
    assert np.isnan(found.cohen_kappa[[0, 2]]).all()
    assert np.isnan(found.scott_pi[[0, 2]]).all()
    assert found.gwet_ac1 == pytest.approx([1, 1, 1])


def test_more_categories_keep_their_proportions():
    rates = by_accuracy(0.8, n_categories=3)

    alike = prevalence_curve(rates, rates, prevalence=[0.4])
    uneven = prevalence_curve(rates, rates, prevalence=[0.4], others=[0, 5, 1])

    truth = np.array([0.4, 0.3, 0.3])
    table = np.einsum("t,tk,tl->kl", truth, rates, rates)
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    expected = rows @ columns
    assert alike.cohen_kappa[0] == pytest.approx((np.trace(table) - expected) / (1 - expected))
    assert uneven.cohen_kappa[0] < alike.cohen_kappa[0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"prevalence": [1.2]}, "from 0 to 1"),
        ({"others": [0, 0]}, "above 0"),
        ({"others": [1, 0, 1]}, "2 numbers"),
    ],
)
def test_bad_curves_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        prevalence_curve(np.eye(2), np.eye(2), **options)


def test_raters_with_other_categories_are_refused():
    with pytest.raises(ValueError, match="same categories"):
        prevalence_curve(np.eye(2), np.eye(3))
