"""Figures of all raters, of numbers, sets and a consensus for the examples."""

from collections.abc import Callable

import numpy as np

from reports.agreement.consensus.dawid_skene import dawid_skene
from reports.agreement.consensus.majority import majority_vote
from reports.agreement.intervals.bootstrap import bootstrap
from reports.agreement.intervals.jackknife import jackknife
from reports.agreement.intervals.sample_difference import of_raters, sample_difference
from reports.agreement.numbers.alpha import number_alpha
from reports.agreement.numbers.bland_altman import limits_of_agreement
from reports.agreement.numbers.concordance import lin_concordance
from reports.agreement.numbers.icc import intraclass_correlations
from reports.agreement.numbers.incomplete import incomplete_correlations
from reports.agreement.numbers.kendall import kendall_w as w_of_numbers
from reports.agreement.numbers.matrix import NumberSample
from reports.agreement.numbers.pairs import all_number_pairs
from reports.agreement.overall.agreeing import (
    ALL_AGREE,
    PERCENT_AGREEMENT_BY_LABELS,
    PERCENT_AGREEMENT_BY_PAIRS,
)
from reports.agreement.overall.category_agreement import by_category
from reports.agreement.overall.chance_corrected import (
    BRENNAN_PREDIGER,
    FLEISS_KAPPA,
    GWET_AC,
    PERCENT_AGREEMENT,
)
from reports.agreement.overall.cochran import cochran_q
from reports.agreement.overall.conger import CONGER_KAPPA
from reports.agreement.overall.fleiss_test import fleiss_zero, fleiss_zero_by_category
from reports.agreement.overall.kendall import KENDALL_W, KENDALL_W_UNCORRECTED, kendall_w_zero
from reports.agreement.overall.krippendorff import KRIPPENDORFF_ALPHA, WEIGHTED_ALPHA
from reports.agreement.overall.light import LIGHT_KAPPA
from reports.agreement.overall.statistic import estimate
from reports.agreement.sample import Sample, Scale
from reports.agreement.sets.alpha import set_alpha
from reports.agreement.sets.category_agreement import by_category as by_category_of_sets
from reports.agreement.sets.members import SetSample
from reports.agreement.statistic import Statistic
from reports.agreement.weights import Level, Weights
from tests.docs import shown
from tests.docs.examples import Data
from tests.docs.two_raters import WEIGHTS
from tests.reports.agreement.samples import from_codes

STATISTICS: dict[str, Statistic] = {
    "Percent agreement": PERCENT_AGREEMENT,
    "Percent agreement, items by labels": PERCENT_AGREEMENT_BY_LABELS,
    "Percent agreement, items by pairs": PERCENT_AGREEMENT_BY_PAIRS,
    "All raters agree": ALL_AGREE,
    "Fleiss' kappa": FLEISS_KAPPA,
    "Conger's kappa": CONGER_KAPPA,
    "Light's kappa": LIGHT_KAPPA,
    "Brennan-Prediger": BRENNAN_PREDIGER,
    "AC1": GWET_AC,
    "AC2": GWET_AC,
    "Kendall's W": KENDALL_W,
    "Kendall's W, ties not corrected": KENDALL_W_UNCORRECTED,
    "Alpha, weighted": WEIGHTED_ALPHA,
}
OF_CATEGORY = {
    "Specific agreement": "specific_agreement",
    "Fleiss' kappa": "fleiss_kappa",
    "Alpha": "krippendorff_alpha",
}


def sample_of(data: Data) -> Sample:
    return Sample(from_codes(data.codes, n_categories=len(data.categories)))


def raters(data: Data, label: str) -> str:
    """Of lines of labels: a statistic, with weights or a kind of interval after a comma, or of one category."""
    sample, scale = sample_of(data), Scale(len(data.categories))
    if label in TESTS:
        return TESTS[label](sample, scale)
    if label in STATISTICS:
        return shown.estimate(estimate(STATISTICS[label], sample, scale))
    name, _, category = label.partition(" = 0 on ")
    if name == "Test of Fleiss' kappa":
        return shown.significance(fleiss_zero_by_category(sample), "z", data.categories.index(category))
    name, _, option = label.rpartition(", ")
    if name == "Alpha":
        level = Scale(len(data.categories), level=Level(option))
        return shown.estimate(estimate(KRIPPENDORFF_ALPHA, sample, level))
    if option in WEIGHTS:
        weighted = Scale(len(data.categories), weights=Weights(option))
        return shown.estimate(estimate(STATISTICS[name], sample, weighted))
    if option in INTERVALS:
        return INTERVALS[option](STATISTICS[name], sample, scale)
    name, _, category = label.partition(" on ")
    found = by_category(sample, scale)[OF_CATEGORY[name]]
    return shown.estimate(found.at(data.categories.index(category)))


def _bootstrap(method: str) -> Callable[[Statistic, Sample, Scale], str]:
    return lambda statistic, sample, scale: shown.interval(
        bootstrap([statistic], sample, scale, seed=1, method=method)[statistic.name]
    )


TESTS: dict[str, Callable[[Sample, Scale], str]] = {
    "Cochran's Q": lambda sample, scale: shown.significance(cochran_q(sample), "Q"),
    "Test of Fleiss' kappa = 0": lambda sample, scale: shown.significance(fleiss_zero(sample), "z"),
    "Test of W = 0": lambda sample, scale: shown.significance(kendall_w_zero(sample, scale)),
}
INTERVALS: dict[str, Callable[[Statistic, Sample, Scale], str]] = {
    "jackknife": lambda statistic, sample, scale: shown.interval(jackknife(statistic, sample, scale)),
    "bootstrap": _bootstrap("percentile"),
    "BCa": _bootstrap("bca"),
}


def groups(data: Data, label: str) -> str:
    """The first half of the raters less the second, on the same items."""
    scale = Scale(len(data.categories))
    ratings = sample_of(data).ratings
    half, items = ratings.n_raters // 2, np.arange(ratings.n_items)
    first, second = (
        Sample(of_raters(ratings, raters)) for raters in (range(half), range(half, ratings.n_raters))
    )
    names = STATISTICS | {"Alpha": KRIPPENDORFF_ALPHA}
    return shown.difference(
        sample_difference(names[label], first, second, scale, first_items=items, second_items=items)
    )


def numbers(data: Data, label: str) -> str:
    sample = NumberSample(data.numbers)
    if label.startswith("ICC("):
        name = label.lower().translate(str.maketrans({"(": "_", ",": "_", ")": "", " ": ""}))
        if name.endswith("_reml"):
            return shown.estimate(incomplete_correlations(sample)[name])
        return shown.estimate(intraclass_correlations(sample)[name])
    if label.startswith("Alpha, "):
        return shown.estimate(number_alpha(sample, label.removeprefix("Alpha, ")))
    return OF_NUMBERS[label](sample)


OF_NUMBERS: dict[str, Callable[[NumberSample], str]] = {
    "Kendall's W": lambda sample: shown.estimate(w_of_numbers(sample)),
    "Lin's concordance": lambda sample: shown.estimate(
        lin_concordance(all_number_pairs(sample)).coefficient.at(0)
    ),
    "Pearson's r": lambda sample: shown.value(
        float(lin_concordance(all_number_pairs(sample)).correlation[0])
    ),
    "Bias correction": lambda sample: shown.value(
        float(lin_concordance(all_number_pairs(sample)).bias_correction[0])
    ),
    "Bias": lambda sample: shown.estimate(limits_of_agreement(all_number_pairs(sample)).bias.at(0)),
    "SD of differences": lambda sample: shown.value(
        float(limits_of_agreement(all_number_pairs(sample)).sd[0])
    ),
    "Lower limit": lambda sample: shown.estimate(limits_of_agreement(all_number_pairs(sample)).lower.at(0)),
    "Upper limit": lambda sample: shown.estimate(limits_of_agreement(all_number_pairs(sample)).upper.at(0)),
}


def sets(data: Data, label: str) -> str:
    """Of sets such as A|B, {} for the empty one."""
    words = list(zip(*data.rows, strict=True))
    chosen = [[category in word.split("|") for category in data.categories] for row in words for word in row]
    items, columns = np.indices((len(words), len(words[0]))).reshape(2, -1)
    sample = SetSample.from_labels(items, columns, chosen)
    if label.startswith("Alpha, "):
        return shown.estimate(set_alpha(sample, label.removeprefix("Alpha, ").lower()))
    category = data.categories.index(label.removeprefix("Fleiss' kappa on "))
    return shown.estimate(by_category_of_sets(sample)["fleiss_kappa"].at(category))


def consensus(data: Data, label: str) -> str:
    sample = sample_of(data)
    found = dawid_skene(sample)
    if label == "Log-likelihood":
        return shown.value(found.log_likelihood)
    if label == "Ties":
        return str(int(majority_vote(sample).is_tied.sum()))
    name, _, category = label.rpartition(" ")
    code = data.categories.index(category)
    if name == "Prevalence of":
        return shown.value(float(found.prevalence[code]))
    rater = list(data.keyed).index(name.removesuffix(", right on")) - 1
    return shown.value(float(found.confusion[rater, code, code]))
