"""Figures of several independent confusion matrices of two categories for the examples."""

import numpy as np

from reports.agreement.intervals.strata import Homogeneity, fitted_homogeneity, homogeneity
from reports.agreement.pairs.cohen import kappa_with_normal_interval
from reports.agreement.weights import weighting
from tests.docs import shown
from tests.docs.examples import Data


def strata(data: Data, label: str) -> str:
    """Each line of data is a matrix: both first, first and second, second and first, both second."""
    tables = np.array([[int(word) for word in words] for words in data.keyed.values()]).reshape(-1, 2, 2)
    if label == "Goodness of fit":
        return _test(fitted_homogeneity(tables))
    kappas = kappa_with_normal_interval(tables, weighting("unweighted", n_categories=2))
    found = homogeneity(kappas.kappa.tolist(), kappas.se.tolist())
    return _test(found) if label == "All alike" else _common(found)


def _common(found: Homogeneity) -> str:
    return f"{found.value:.4f}  SE {found.se:.4f}  95% CI [{found.ci_low:.4f}, {found.ci_high:.4f}]"


def _test(found: Homogeneity) -> str:
    return f"chi-squared {found.statistic:.4f}, df {found.df}, {shown.p(found.p_value or 0.0)}"
