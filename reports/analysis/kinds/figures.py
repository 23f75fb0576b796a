"""The figures of number and multiple-choice questions, as reports store them and programs get them: JSON."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from reports.agreement.numbers.alpha import number_alpha
from reports.agreement.numbers.bland_altman import limits_of_agreement
from reports.agreement.numbers.concordance import lin_concordance
from reports.agreement.numbers.icc import intraclass_correlations
from reports.agreement.numbers.kendall import UNCORRECTED, kendall_w, kendall_w_zero
from reports.agreement.numbers.matrix import NumberSample
from reports.agreement.numbers.pairs import NumberPairs, number_pairs
from reports.agreement.overall.statistic import size_used
from reports.agreement.results import (
    REASONS,
    Estimates,
    FloatArray,
    PairKappas,
    Reason,
    SignificanceTests,
    is_clipped,
    number,
)
from reports.agreement.sets.alpha import set_alpha
from reports.agreement.sets.categories import STATISTICS, by_category, shares_chosen
from reports.agreement.sets.distances import SetDistance
from reports.agreement.sets.members import SetSample
from reports.agreement.sets.pairs import SetPairs, set_pairs
from reports.agreement.sets.similarity import mean_similarities
from reports.agreement.weights import Level
from reports.analysis.kinds.intervals import (
    categories_with_intervals,
    numbers_with_intervals,
    sets_with_intervals,
)
from reports.analysis.options import Options

Figures = dict[str, Any]


@dataclass(frozen=True, slots=True)
class OfAllRaters:
    """coefficients: by name; statistics: by family and name, as `QuestionAgreement` keeps them."""

    coefficients: Figures
    statistics: Figures


@dataclass(frozen=True, slots=True)
class OfPair:
    """rater_a, rater_b: positions of raters. n: items that both labelled."""

    rater_a: int
    rater_b: int
    n: int
    figures: Figures


def figures_of_numbers(sample: NumberSample, level: Level, options: Options) -> OfAllRaters:
    """Intraclass correlations, alpha on the level of the question (and as intervals), Kendall's W with its test."""
    confidence = options.confidence
    found = intraclass_correlations(sample, confidence=confidence)
    found["krippendorff_alpha"] = number_alpha(sample, level, confidence=confidence)
    if level is not Level.INTERVAL:
        found["krippendorff_alpha_interval"] = number_alpha(sample, Level.INTERVAL, confidence=confidence)
    found["kendall_w"] = kendall_w(sample, confidence=confidence)
    found["kendall_w_uncorrected"] = kendall_w(sample, statistic=UNCORRECTED, confidence=confidence)
    test = shown_test(kendall_w_zero(sample)) | sample.size.beside(sample.complete_size)
    coefficients = numbers_with_intervals(sample, level, found, options)
    return OfAllRaters(coefficients, {"tests": {"kendall_w_zero": test}})


def figures_of_sets(sample: SetSample, options: Options) -> OfAllRaters:
    """Alpha and mean similarity of all raters, and each category against the rest."""
    confidence = options.confidence
    found = mean_similarities(sample, confidence=confidence)
    # The distance that the literature on sets takes for granted goes by the plain name; the method says which it is.
    found["krippendorff_alpha"] = set_alpha(sample, SetDistance.MASI, confidence=confidence)
    found["krippendorff_alpha_jaccard"] = set_alpha(sample, SetDistance.JACCARD, confidence=confidence)
    categories = {
        name: listed(estimates) for name, estimates in by_category(sample, confidence=confidence).items()
    }
    categories_with_intervals(sample, categories, options)
    used = {each.name: size_used(each, sample.sample) for each in STATISTICS}
    categories["share_chosen"] = [shown_value(share) for share in shares_chosen(sample)]
    for name, rows in categories.items():
        basis = sample.sample.size.beside(used.get(name, sample.sample.size))
        categories[name] = [row | basis for row in rows]
    coefficients = sets_with_intervals(sample, found, options)
    return OfAllRaters(coefficients, {"categories": categories})


def with_basis(figures: Figures, basis: Figures) -> Figures:
    """The figures of a pair with what it uses and leaves out beside each."""
    return {
        name: [each | basis for each in found] if isinstance(found, list) else found | basis
        for name, found in figures.items()
    }


def number_pair_figures(sample: NumberSample, *, confidence: float) -> Iterator[OfPair]:
    """Every pair of raters who share an item: Lin's concordance and the limits of agreement."""
    for pairs in number_pairs(sample):
        columns = _number_columns(pairs, confidence)
        for place in range(len(pairs)):
            yield _pair(pairs, place, {name: column[place] for name, column in columns.items()})


def _number_columns(pairs: NumberPairs, confidence: float) -> dict[str, list[Figures]]:
    lin = lin_concordance(pairs, confidence=confidence)
    limits = limits_of_agreement(pairs, confidence=confidence)
    return {
        "lin_concordance": listed(lin.coefficient),
        "pearson_correlation": _values(lin.correlation, Reason.NO_VARIATION),
        "lin_bias_correction": _values(lin.bias_correction, Reason.NO_VARIATION),
        "bland_altman_bias": listed(limits.bias),
        "bland_altman_sd": _values(limits.sd, Reason.ONE_ITEM),
        "bland_altman_lower": listed(limits.lower),
        "bland_altman_upper": listed(limits.upper),
        "mean_a": _values(pairs.mean_a, Reason.NO_OVERLAP),
        "mean_b": _values(pairs.mean_b, Reason.NO_OVERLAP),
    }


def set_pair_figures(sample: SetSample, *, confidence: float) -> Iterator[OfPair]:
    """Every pair of raters who share an item: how alike their sets are, and kappa on each category."""
    for pairs in set_pairs(sample):
        kappas = _by_pair(pairs.kappas(confidence=confidence), len(pairs), sample.n_categories)
        for place in range(len(pairs)):
            yield _pair(pairs, place, _set_figures(pairs, place) | {"cohen_kappa": kappas[place]})


def _set_figures(pairs: SetPairs, place: int) -> Figures:
    return {
        "identical_sets": shown_value(pairs.identical[place]),
        "jaccard": shown_value(pairs.jaccard[place]),
        "masi": shown_value(pairs.masi[place]),
    }


def _by_pair(kappas: PairKappas, n_pairs: int, n_categories: int) -> list[list[Figures]]:
    """For each pair its kappas in the order of the categories."""
    columns = (kappas.kappa, kappas.se, kappas.ci_low, kappas.ci_high)
    found = _listed(columns, kappas.reason.tolist(), "normal")
    return [found[place * n_categories : (place + 1) * n_categories] for place in range(n_pairs)]


def _pair(pairs: NumberPairs | SetPairs, place: int, figures: Figures) -> OfPair:
    return OfPair(int(pairs.rater_a[place]), int(pairs.rater_b[place]), int(pairs.n[place]), figures)


def listed(estimates: Estimates) -> list[Figures]:
    """A stack of one dimension as a list."""
    columns = (estimates.value, estimates.se, estimates.ci_low, estimates.ci_high)
    found = _listed(columns, estimates.reason.tolist(), estimates.interval_method or estimates.method)
    return [each | {"n": n} for each, n in zip(found, estimates.n.tolist(), strict=True)]


def _listed(columns: Sequence[FloatArray], reasons: Sequence[int], method: str) -> list[Figures]:
    plain = [[None if math.isnan(each) else each for each in column.tolist()] for column in columns]
    return [
        {
            "value": value,
            "se": se,
            "ci_low": low,
            "ci_high": high,
            "is_clipped": is_clipped(value, low, high, method),
            "reason": str(REASONS[reason]),
        }
        for value, se, low, high, reason in zip(*plain, reasons, strict=True)
    ]


def _values(values: FloatArray, reason: Reason) -> list[Figures]:
    """Values without an interval, with the one reason that they can be undefined for."""
    return [shown_value(value, reason) for value in values]


def shown_value(value: float, reason: Reason = Reason.NO_ITEMS) -> Figures:
    is_defined = not np.isnan(value)
    return {
        "value": number(value),
        "se": None,
        "ci_low": None,
        "ci_high": None,
        "reason": "" if is_defined else str(reason),
    }


def shown_test(tests: SignificanceTests) -> Figures:
    """The first of a stack of tests."""
    return {
        "statistic": number(tests.statistic[0]),
        "df": number(tests.df[0]),
        "p_value": number(tests.p_value[0]),
        "reason": str(REASONS[tests.reason[0]]),
        "method": tests.method,
    }
