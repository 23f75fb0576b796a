"""Everything that `manage.py agreement` says of one question."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from reports.agreement.counting import PairCounts, all_pairs, pair_block
from reports.agreement.pairs.cohen import cohen_kappa
from reports.agreement.ratings import Ratings
from reports.agreement.results import Coefficient, PairKappas, Reason
from reports.agreement.sample import Sample, Scale
from reports.agreement.weights import NUMERIC_LEVELS, Level, Weights
from reports.catalogue import Family
from reports.families import coefficients_of, statistics_of, with_null_reasons
from reports.label_file import QuestionInFile, as_number
from reports.options import OptionRefused, Options
from reports.weights_file import WeightsInFile, fitted_weights

# Pairs that share no item are listed too, as long as all tables together have no more cells than this.
MAX_CELLS = 1 << 26
MAX_PAIRS = 100_000


class Unsuitable(ValueError):
    """The categories of the file do not go with the level or the weights asked for."""


@dataclass(frozen=True, slots=True)
class Choices:
    """families: what is computed besides the coefficients of all raters and kappa of the pairs."""

    level: Level = Level.NOMINAL
    are_categories_declared: bool = False
    options: Options = field(default_factory=Options)
    weights: Mapping[str, WeightsInFile] = field(default_factory=dict)
    families: frozenset[Family] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class QuestionResult:
    """coefficients, statistics: as reports store them, by name and by family."""

    question: QuestionInFile
    pairs: PairCounts
    kappas: PairKappas
    coefficients: dict[str, Any]
    statistics: dict[str, Any]

    def as_json(self) -> dict[str, Any]:
        ratings = self.question.ratings
        found = {
            "question": self.question.key,
            "categories": self.question.categories,
            "n_items": ratings.n_items,
            "n_raters": ratings.n_raters,
            "n_labels": ratings.n_labels,
            "pairs": self._pairs_as_json(),
            "coefficients": with_null_reasons(self.coefficients),
        }
        return found | ({"statistics": with_null_reasons(self.statistics)} if self.statistics else {})

    def _pairs_as_json(self) -> list[dict[str, Any]]:
        raters, pairs = self.question.raters, self.pairs
        return [
            {
                "rater_a": raters[a],
                "rater_b": raters[b],
                "n": kappa.n,
                "counts": counts,
                "observed": kappa.observed,
                "expected": kappa.expected,
                "kappa": kappa.kappa,
                "se": kappa.se,
                "ci_low": kappa.ci_low,
                "ci_high": kappa.ci_high,
                "kappa_max": kappa.kappa_max,
                "reason": str(kappa.reason) or None,
            }
            for a, b, counts, kappa in zip(
                pairs.rater_a.tolist(),
                pairs.rater_b.tolist(),
                pairs.tables.tolist(),
                self.kappas,
                strict=True,
            )
        ]


def agreement_of(question: QuestionInFile, choices: Choices) -> QuestionResult:
    """Raises Unsuitable if the categories do not go with the choices."""
    scale, options = scale_of(question, choices)
    pairs = with_strangers(all_pairs(question.ratings), question.ratings)
    kappas = cohen_kappa(pairs.tables, scale.weighting, confidence=options.confidence)
    sample = Sample(question.ratings)
    coefficients = coefficients_of(sample, scale, options)
    coefficients["mean_pairwise_kappa"] = mean_kappa(kappas, sample).flat()
    statistics = statistics_of(sample, scale, options, raters=question.raters, families=choices.families)
    return QuestionResult(question, pairs, kappas, coefficients, statistics)


def scale_of(question: QuestionInFile, choices: Choices) -> tuple[Scale, Options]:
    """The scale of the question with its weights, and the options with those of this question alone."""
    values, weights = values_of(question, choices), choices.options.weights
    try:
        matrices = fitted_weights(choices.weights, question.key, question.categories)
    except OptionRefused as refused:
        raise Unsuitable(str(refused)) from None
    if weights is Weights.CUSTOM and not matrices:
        raise Unsuitable(f"{question.key}: custom weights need a matrix; give it by --weights-file.")
    scale = Scale(
        n_categories=question.ratings.n_categories,
        level=choices.level,
        values=None if values is None else tuple(values),
        weights=weights,
        custom=matrices[question.key].similarity if matrices else None,
    )
    return scale, replace(choices.options, matrices=matrices)


def values_of(question: QuestionInFile, choices: Choices) -> list[float] | None:
    """Numeric values of the categories for levels with distances; otherwise their ranks count."""
    numbers = [as_number(name) for name in question.categories]
    level, key = choices.level, question.key
    if level in NUMERIC_LEVELS and None in numbers:
        name = question.categories[numbers.index(None)]
        raise Unsuitable(f"{key}: --level {level} needs numbers as categories, got {name!r}.")
    has_order = choices.are_categories_declared or None not in numbers
    if not has_order and (level is Level.ORDINAL or needs_order(choices.options.weights)):
        rule = "an ordinal level or weights need the order of the categories; give it by --categories."
        raise Unsuitable(f"{key}: {rule}")
    if level not in NUMERIC_LEVELS or not numbers:
        return None
    values = [float(number or 0) for number in numbers]
    if len(set(values)) < len(values):
        raise Unsuitable(f"{key}: two categories are the same number, got {', '.join(question.categories)}.")
    if min(values) < 0 and (level is Level.RATIO or choices.options.weights is Weights.RATIO):
        raise Unsuitable(f"{key}: ratios need categories of 0 or more, got {min(values):g}.")
    return values


def needs_order(weights: Weights) -> bool:
    """A matrix of one's own names its categories, or needs none of their order."""
    return weights not in {Weights.UNWEIGHTED, Weights.CUSTOM}


def with_strangers(pairs: PairCounts, ratings: Ratings) -> PairCounts:
    """All pairs of raters, those that share no item with tables of zeros; unless there are too many."""
    rater_a, rater_b = np.triu_indices(ratings.n_raters, k=1)
    n_categories = ratings.n_categories
    if len(rater_a) > MAX_PAIRS or len(rater_a) * n_categories**2 > MAX_CELLS:
        return pairs
    tables = np.zeros((len(rater_a), n_categories, n_categories), dtype=np.int32)
    # The position of the pair (a, b) in the upper triangle, row by row.
    row_starts = pairs.rater_a * (2 * ratings.n_raters - pairs.rater_a - 1) // 2
    tables[row_starts + pairs.rater_b - pairs.rater_a - 1] = pairs.tables
    return pair_block(rater_a, rater_b, tables)


def mean_kappa(kappas: PairKappas, sample: Sample) -> Coefficient:
    """The mean of Cohen's kappa over the pairs for which it is defined (Light 1971), without an error."""
    defined = kappas.kappa[~np.isnan(kappas.kappa)]
    reason = Reason.NONE
    if not len(defined):
        reason = Reason.NO_VARIATION if kappas.n.any() else Reason.NO_OVERLAP
    return Coefficient(
        value=math.fsum(defined) / len(defined) if len(defined) else None,
        reason=reason if sample.size.n_labels else Reason.NO_ITEMS,
        used=sample.pairable_size,
        left_out=sample.size.without(sample.pairable_size),
        method=f"mean of {len(defined)} pairs",
    )
