"""Agreement on each category of a multiple-choice question: chosen or not."""

import numpy as np

from reports.agreement.overall.chance_corrected import FLEISS_KAPPA, PERCENT_AGREEMENT
from reports.agreement.overall.krippendorff import KRIPPENDORFF_ALPHA
from reports.agreement.overall.statistic import estimate
from reports.agreement.results import REASONS, Coefficient, Estimates, FloatArray
from reports.agreement.sample import Sample, Scale
from reports.agreement.sets.members import SetSample
from reports.agreement.statistic import Statistic

STATISTICS = (PERCENT_AGREEMENT, FLEISS_KAPPA, KRIPPENDORFF_ALPHA)


def by_category(sample: SetSample, *, confidence: float = 0.95) -> dict[str, Estimates]:
    """Percent agreement, Fleiss' kappa, and alpha for each category, (K,) each; n counts items with two or more labels.

    Each is the statistic of all raters for two categories, chosen and not chosen. A category in all labels, or in none,
    has no kappa and no alpha (`no_variation`).
    """
    samples = [Sample(sample.one_against_rest(category)) for category in range(sample.n_categories)]
    return {statistic.name: _estimates(statistic, samples, confidence) for statistic in STATISTICS}


def shares_chosen(sample: SetSample) -> FloatArray:
    """(K,) the share of labels that contain each category; NaN where there are no labels."""
    counts = np.bincount(sample.labels[2], minlength=len(sample.members)).astype(np.float64)
    with np.errstate(invalid="ignore"):
        return np.einsum("s,sk->k", counts, sample.members) / counts.sum()


def _estimates(statistic: Statistic, samples: list[Sample], confidence: float) -> Estimates:
    found = [estimate(statistic, sample, Scale(2), confidence=confidence) for sample in samples]
    return Estimates(
        value=_column(found, "value"),
        se=_column(found, "se"),
        ci_low=_column(found, "ci_low"),
        ci_high=_column(found, "ci_high"),
        n=np.array([sample.pairable_size.n_items for sample in samples], dtype=np.int64),
        reason=np.array([REASONS.index(each.reason) for each in found], dtype=np.uint8),
        method="one category against the rest",
        interval_method=next((each.interval_method for each in found if each.interval_method), ""),
    )


def _column(found: list[Coefficient], name: str) -> FloatArray:
    return np.array([getattr(each, name) for each in found], dtype=np.float64)
