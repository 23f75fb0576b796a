"""Wilson's interval for a share."""

import numpy as np
from scipy.special import ndtri, stdtrit

from reports.agreement.results import FloatArray


def wilson_limits(
    share: FloatArray, trials: FloatArray, *, confidence: float, df: float | None = None
) -> tuple[FloatArray, FloatArray]:
    """The lower and upper limits of shares of trials, within [0, 1]; all of one shape, NaN where a share is NaN.

    trials: their number, or the effective number of independent ones. df: degrees of freedom of an error that was
    itself estimated, so that t replaces the normal quantile; None to use the normal quantile.
    Sources: Wilson 1927, Journal of the American Statistical Association 22(158), 209-212; Dean & Pagano 2015, Journal
    of Survey Statistics and Methodology 3(4), 484-503, for t.
    """
    upper = (1 + confidence) / 2
    z = float(ndtri(upper) if df is None else stdtrit(df, upper))
    with np.errstate(divide="ignore", invalid="ignore"):
        middle = share + z**2 / (2 * trials)
        margin = z * np.sqrt(share * (1 - share) / trials + z**2 / (4 * trials**2))
        scale = 1 + z**2 / trials
        # With no success, or only successes, a limit is exactly 0 or 1; rounding must not move it.
        low = np.where(share == 0, 0.0, (middle - margin) / scale)
        high = np.where(share == 1, 1.0, (middle + margin) / scale)
    return low, high
