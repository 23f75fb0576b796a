"""Everything that `manage.py agreement` says of one question."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from reports.agreement.counting import PairCounts, all_pairs, pair_block
from reports.agreement.overall.coefficients import overall
from reports.agreement.pairs.cohen import cohen_kappa
from reports.agreement.ratings import Ratings
from reports.agreement.results import Coefficient, PairKappas, Reason
from reports.agreement.sample import Sample, Scale
from reports.agreement.weights import Level, Weights, weighting
from reports.label_file import QuestionInFile, as_number

# Pairs that share no item are listed too, as long as all tables together have no more cells than this.
MAX_CELLS = 1 << 26
MAX_PAIRS = 100_000


class Unsuitable(ValueError):
    """The categories of the file do not go with the level or the weights asked for."""


@dataclass(frozen=True, slots=True)
class Choices:
    level: Level
    weights: Weights
    are_categories_declared: bool


@dataclass(frozen=True, slots=True, eq=False)
class QuestionResult:
    question: QuestionInFile
    pairs: PairCounts
    kappas: PairKappas
    coefficients: dict[str, Coefficient]

    def as_json(self) -> dict[str, Any]:
        ratings = self.question.ratings
        return {
            "question": self.question.key,
            "categories": self.question.categories,
            "n_items": ratings.n_items,
            "n_raters": ratings.n_raters,
            "n_labels": ratings.n_labels,
            "pairs": self._pairs_as_json(),
            "coefficients": {name: as_json(found) for name, found in self.coefficients.items()},
        }

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


def as_json(coefficient: Coefficient) -> dict[str, Any]:
    return coefficient.flat() | {"reason": str(coefficient.reason) or None}


def agreement_of(question: QuestionInFile, choices: Choices) -> QuestionResult:
    """Raises Unsuitable if the categories do not go with the choices."""
    values = values_of(question, choices)
    pairs = with_strangers(all_pairs(question.ratings), question.ratings)
    costs = weighting(choices.weights, n_categories=question.ratings.n_categories, values=values)
    kappas = cohen_kappa(pairs.tables, costs)
    scale = Scale(
        question.ratings.n_categories,
        choices.level,
        None if values is None else tuple(values),
        choices.weights,
    )
    sample = Sample(question.ratings)
    coefficients = overall(sample, scale)
    coefficients["mean_pairwise_kappa"] = mean_kappa(kappas, sample)
    return QuestionResult(question, pairs, kappas, coefficients)


def values_of(question: QuestionInFile, choices: Choices) -> list[float] | None:
    """Numeric values of the categories for the interval level; otherwise their ranks count."""
    numbers = [as_number(name) for name in question.categories]
    has_order = choices.are_categories_declared or None not in numbers
    if choices.level is Level.INTERVAL and None in numbers:
        name = question.categories[numbers.index(None)]
        raise Unsuitable(f"{question.key}: --level interval needs numbers as categories, got {name!r}.")
    if not has_order and (choices.level is Level.ORDINAL or choices.weights is not Weights.UNWEIGHTED):
        rule = "an ordinal level or weights need the order of the categories; give it by --categories."
        raise Unsuitable(f"{question.key}: {rule}")
    if choices.level is not Level.INTERVAL or not numbers:
        return None
    values = [float(number or 0) for number in numbers]
    if len(set(values)) < len(values):
        raise Unsuitable(
            f"{question.key}: two categories are the same number, got {', '.join(question.categories)}."
        )
    return values


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
