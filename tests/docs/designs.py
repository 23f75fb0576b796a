"""Figures of labels whose items or raters were chosen in a particular way, for the examples."""

import numpy as np

from reports.agreement.intervals.design import SamplingDesign, designed_interval
from reports.agreement.overall.conger import CONGER_KAPPA
from reports.agreement.overall.statistic import point
from reports.agreement.ratings import DenseRatings
from reports.agreement.sample import Sample, Scale
from tests.docs.examples import Data

DESIGNS = {
    "Conger's kappa": SamplingDesign(),
    "Population of 60": SamplingDesign(population=60),
    "Raters as a sample": SamplingDesign(are_raters_sampled=True),
}


def design(data: Data, label: str) -> str:
    """Each line of data is how many items have these labels, one of each rater."""
    lines = [line.split(":") for line in data.lines]
    rows = [labels.split() for n, labels in lines for _ in range(int(n))]
    categories = sorted({label for row in rows for label in row})
    codes = np.array([[categories.index(label) for label in row] for row in rows], dtype=np.uint8)
    sample, scale = Sample(DenseRatings(codes, len(categories), codes.size)), Scale(len(categories))
    value = point(CONGER_KAPPA, sample, scale)
    found = designed_interval(CONGER_KAPPA, sample, scale, value, DESIGNS[label])
    return f"{value:.4f}  SE {found.se:.4f}  95% CI [{found.low:.4f}, {found.high:.4f}]"
