"""Everything that `manage.py agreement` says of one question."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from projects.models import Question
from reports.agreement.counting import all_pairs
from reports.agreement.pair_counts import PairCounts, pair_block
from reports.agreement.pairs.cohen import cohen_kappa
from reports.agreement.pairs.prevalence import of_commonest
from reports.agreement.ratings import Ratings, only_raters
from reports.agreement.results import Coefficient, PairKappas, Reason
from reports.agreement.sample import Sample, Scale
from reports.agreement.weights import NUMERIC_LEVELS, Level, Weights
from reports.analysis.catalogue import Family
from reports.analysis.categories import confusions_of, distributions_of
from reports.analysis.checks import PairChecks
from reports.analysis.consensus import consensus_of, consensus_of_items
from reports.analysis.options import IntervalMethod, OptionRefused, Options
from reports.analysis.overall import coefficients_of, statistics_of, told_too_few, with_null_reasons
from reports.analysis.pairs import full_statistics, reference_figures
from reports.command.choices import Choices, More, Unsuitable
from reports.command.comparison import comparisons
from reports.command.left_out import are_too_few, codes_left, columns_left, counted_as_json, items_left
from reports.command.raters import answers_in, figures_of_raters, scope_in, shares_in
from reports.command.readings import coefficient_readings, pair_readings
from reports.sources.label_file import QuestionInFile, as_number
from reports.sources.weights_file import fitted_weights

# Pairs that share no item are listed too, as long as all tables together have no more cells than this.
MAX_CELLS = 1 << 26
MAX_PAIRS = 100_000
MAX_RESAMPLED = 1000


@dataclass(frozen=True, slots=True, eq=False)
class QuestionResult:
    """coefficients, statistics: as reports store them, by name and by family. of_pairs: everything of each pair, if it
    was asked for. differences: what `comparisons` found, by what is compared. readings: of the coefficients on the
    scale that was asked for, by name; of_scale: the same of each pair, to be joined to it. of_raters: each
    beside the others. prevalence: for each pair its coefficients at other shares of its commonest category.
    counted: who does in the figures of all raters, if not everyone.
    """

    question: QuestionInFile
    pairs: PairCounts
    kappas: PairKappas
    coefficients: dict[str, Any]
    statistics: dict[str, Any]
    of_pairs: list[dict[str, Any]]
    differences: dict[str, Any]
    readings: dict[str, Any]
    of_scale: list[dict[str, Any]]
    of_raters: list[dict[str, Any]]
    prevalence: list[dict[str, Any] | None]
    counted: dict[str, Any]

    def as_json(self) -> dict[str, Any]:
        ratings = self.question.ratings
        found = {
            "question": self.question.key,
            "categories": self.question.categories,
            "n_items": ratings.n_items,
            "n_raters": ratings.n_raters,
            "n_labels": ratings.n_labels,
            **self.counted,
            "pairs": self._pairs_as_json(),
            "coefficients": with_null_reasons(self.coefficients),
        }
        more = {
            "statistics": self.statistics,
            "differences": self.differences,
            "readings": self.readings,
            "raters": self.of_raters,
        }
        return found | {name: with_null_reasons(figures) for name, figures in more.items() if figures}

    def _pairs_as_json(self) -> list[dict[str, Any]]:
        raters, pairs = self.question.raters, self.pairs
        more = [{"statistics": with_null_reasons(found)} for found in self.of_pairs] or [{}] * len(pairs)
        curves = [{"at_other_prevalence": found} for found in self.prevalence] or [{}] * len(pairs)
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
                "is_clipped": kappa.is_clipped,
                "kappa_max": kappa.kappa_max,
                "reason": str(kappa.reason) or None,
                **found,
                **reading,
                **curve,
            }
            for a, b, counts, kappa, found, reading, curve in zip(
                pairs.rater_a.tolist(),
                pairs.rater_b.tolist(),
                pairs.tables.tolist(),
                self.kappas,
                more,
                self.of_scale,
                curves,
                strict=True,
            )
        ]


def agreement_of(question: QuestionInFile, choices: Choices) -> QuestionResult:
    """Raises Unsuitable if the categories do not go with the choices."""
    scale, options = scale_of(question, choices)
    pairs = with_strangers(all_pairs(question.ratings), question.ratings)
    kappas = cohen_kappa(pairs.tables, scale.weighting, confidence=options.confidence)
    coefficients, statistics = _of_all(question, choices, scale, options, (pairs, kappas))
    if Family.CATEGORIES in choices.families:
        statistics["distributions"] = distributions_of(Sample(question.ratings), question.raters)
    if Family.REFERENCE in choices.families:
        statistics["reference"] = against_reference(question, pairs, options)
    if More.CHECKS in choices.more:
        statistics["checks"] = checks_of(question, pairs, kappas)
    return QuestionResult(
        question,
        pairs,
        kappas,
        coefficients,
        statistics,
        everything_of_pairs(question, pairs, scale, options) if Family.PAIRS in choices.families else [],
        comparisons(question, choices, scale, options),
        coefficient_readings(coefficients, choices.scale, is_weighted=options.is_weighted),
        pair_readings(kappas, choices.scale, is_weighted=options.is_weighted),
        raters_of(question, choices, options) if More.RATERS in choices.more else [],
        curves_of(question, pairs) if More.PREVALENCE in choices.more else [],
        counted_as_json(question.raters, choices),
    )


def _of_all(
    question: QuestionInFile,
    choices: Choices,
    scale: Scale,
    options: Options,
    of_pairs: tuple[PairCounts, PairKappas],
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Coefficients and statistics of all raters who count."""
    columns = columns_left(question.raters, choices.left_out)
    sample = Sample(only_raters(question.ratings, columns))
    coefficients = coefficients_of(sample, scale, options)
    coefficients["mean_pairwise_kappa"] = mean_kappa(*of_pairs, columns, sample).flat()
    raters = [question.raters[column] for column in columns]
    statistics = statistics_of(sample, scale, options, raters=raters, families=choices.families)
    if Family.CATEGORIES in choices.families:
        statistics["confusions"] = confusions_of(sample)
    is_few = are_too_few(question.raters, choices.left_out)
    if Family.CONSENSUS in choices.families and is_few:
        statistics["consensus"] = consensus_of(Sample(only_raters(question.ratings, [])), []) | {"labels": []}
    elif Family.CONSENSUS in choices.families:
        items = items_left(question.labels, columns)
        statistics["consensus"]["labels"] = consensus_of_items(
            sample, items, question.categories, smoothing=options.smoothing
        )
    return (told_too_few(coefficients), told_too_few(statistics)) if is_few else (coefficients, statistics)


def checks_of(question: QuestionInFile, pairs: PairCounts, kappas: PairKappas) -> dict[str, Any]:
    """Pairs whose labels may be copied, swapped or shifted, as a report has them; items in the order of the file."""
    checks = PairChecks()
    checks.add(pairs, kappas)
    return checks.found(question.ratings, question.raters, order=question.labels.order)


def raters_of(question: QuestionInFile, choices: Choices, options: Options) -> list[dict[str, Any]]:
    labels, n_categories = question.labels, len(question.categories)
    members = np.zeros((0, n_categories), dtype=bool)
    categories = [(name, as_number(name)) for name in question.categories]
    scope = scope_in(labels, Question.Kind.SINGLE, categories, choices.level, options)
    columns = columns_left(labels.raters, choices.left_out)
    share_of = shares_in(Question.Kind.SINGLE, codes_left(labels, columns), members, n_categories)
    return figures_of_raters(scope, labels, answers_in(labels, labels.codes, members, share_of), columns)


def curves_of(question: QuestionInFile, pairs: PairCounts) -> list[dict[str, Any] | None]:
    found = [of_commonest(table) for table in pairs.tables]
    return [
        None if each is None else each.flat() | {"category": question.categories[each.category]}
        for each in found
    ]


def everything_of_pairs(
    question: QuestionInFile, pairs: PairCounts, scale: Scale, options: Options
) -> list[dict[str, Any]]:
    # To resample a pair takes a thousand times as long as its formulas.
    if len(pairs) > MAX_RESAMPLED:
        options = replace(options, interval=IntervalMethod.ANALYTIC)
    names = [
        (question.raters[a], question.raters[b])
        for a, b in zip(pairs.rater_a.tolist(), pairs.rater_b.tolist(), strict=True)
    ]
    n_labels = question.ratings.labels_per_rater()[np.stack([pairs.rater_a, pairs.rater_b], axis=1)]
    return list(full_statistics(pairs.tables, scale, options, names=names, n_labels=n_labels))


def against_reference(question: QuestionInFile, pairs: PairCounts, options: Options) -> dict[str, Any]:
    """Every other rater against the reference, as the API has it. Raises Unsuitable if the file has no such rater."""
    name = options.reference
    if name not in question.raters:
        raise Unsuitable(f"{question.key}: there is no rater {name!r}.")
    place = question.raters.index(name)
    chosen = ((pairs.rater_a == place) | (pairs.rater_b == place)) & (pairs.n > 0)
    is_row = pairs.rater_a[chosen] == place
    others = np.where(is_row, pairs.rater_b[chosen], pairs.rater_a[chosen]).tolist()
    tables = pairs.tables[chosen]
    tables = np.where(is_row[:, None, None], tables.transpose(0, 2, 1), tables)
    n_labels = question.ratings.labels_per_rater()
    figures = reference_figures(
        tables,
        n_labels=np.array([[n_labels[other], n_labels[place]] for other in others]).reshape(-1, 2),
        confidence=options.confidence,
    )
    raters = [
        {"rater": question.raters[other], "reference": name, **found}
        for other, found in zip(others, figures, strict=True)
    ]
    return {"reference": name, "raters": raters, "reason": "" if raters else str(Reason.NO_OVERLAP)}


def scale_of(question: QuestionInFile, choices: Choices) -> tuple[Scale, Options]:
    """The scale of the question with its weights, and the options with those of this question alone."""
    values, weights = values_of(question, choices), choices.options.weights
    try:
        matrices = fitted_weights(choices.weights, question.key, question.categories)
    except OptionRefused as refused:
        raise Unsuitable(str(refused)) from None
    if weights is Weights.CUSTOM and not matrices:
        raise Unsuitable(f"{question.key}: custom weights require a matrix. Pass it with --weights-file.")
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
        raise Unsuitable(f"{key}: --level {level} requires numeric categories, got {name!r}.")
    has_order = choices.are_categories_declared or None not in numbers
    if not has_order and (level is Level.ORDINAL or needs_order(choices.options.weights)):
        rule = "the ordinal level and weights require the order of the categories. Pass it with --categories."
        raise Unsuitable(f"{key}: {rule}")
    if level not in NUMERIC_LEVELS or not numbers:
        return None
    values = [float(number or 0) for number in numbers]
    if len(set(values)) < len(values):
        raise Unsuitable(f"{key}: two categories have the same number: {', '.join(question.categories)}.")
    if min(values) < 0 and (level is Level.RATIO or choices.options.weights is Weights.RATIO):
        raise Unsuitable(f"{key}: ratios require categories of 0 or more, got {min(values):g}.")
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


def mean_kappa(pairs: PairCounts, kappas: PairKappas, columns: Sequence[int], sample: Sample) -> Coefficient:
    """The mean of Cohen's kappa over the pairs for which it is defined (Light 1971), without an error.

    columns: the raters whose pairs these are.
    """
    is_counted = np.isin(pairs.rater_a, columns) & np.isin(pairs.rater_b, columns)
    defined = kappas.kappa[is_counted & ~np.isnan(kappas.kappa)]
    reason = Reason.NONE
    if not len(defined):
        reason = Reason.NO_VARIATION if kappas.n[is_counted].any() else Reason.NO_OVERLAP
    return Coefficient(
        value=math.fsum(defined) / len(defined) if len(defined) else None,
        reason=reason if sample.size.n_labels else Reason.NO_ITEMS,
        used=sample.pairable_size,
        left_out=sample.size.without(sample.pairable_size),
        method=f"mean of {len(defined)} pair{'s' * (len(defined) != 1)}",
    )
