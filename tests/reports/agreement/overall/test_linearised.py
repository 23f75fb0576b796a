"""The standard error over items."""

import numpy as np
import pytest

from tests.reports.agreement.samples import all_coefficients, from_codes, random_codes
from tests.sizes import size


def test_the_linearised_errors_are_close_to_the_jackknife():
    codes = random_codes(11, n_items=size(400, 150), n_raters=5, n_categories=4, share=0.8)
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
