"""The results of `manage.py agreement` for one question of a file, of any kind."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from reports.agreement.interpretation.reading import Interpretation
from reports.agreement.intervals.pair_equality import kappas_equality
from reports.agreement.pairs.prevalence import CommonestCategoryCurve, of_commonest
from reports.agreement.results import IntArray, Reason, Size
from reports.agreement.weights import NUMERIC_LEVELS, Level, Weights
from reports.analysis.analyze import analyze
from reports.analysis.catalog import StatisticFamily
from reports.analysis.consensus import consensus_of_items
from reports.analysis.kinds import kind_of
from reports.analysis.kinds.kind import QuestionKind
from reports.analysis.label_arrays import QuestionLabels, Raters
from reports.analysis.options import IntervalMethod, Options
from reports.analysis.pair_blocks import each, ignore
from reports.analysis.pairs import full_statistics, reference_figures, sizes_of_pair, with_basis
from reports.analysis.question import CategoryJson, Kind, QuestionJson, QuestionNotComputable, QuestionScope
from reports.analysis.reasons import UNFIT
from reports.analysis.results import (
    Figure,
    FullPair,
    ItemConsensus,
    Json,
    PairResult,
    QuestionResult,
    RatersVersusReference,
    RaterVersusReference,
    for_programs,
    to_json,
)
from reports.command.choices import CommandChoices, ExtraResult, UnsuitableOptions
from reports.command.comparison import FileComparison, comparisons
from reports.command.counts import limited_to_counts, size_as_json
from reports.command.design import design_as_json, designed, designed_pairs
from reports.command.excluded_raters import columns_left, counted_as_json
from reports.command.raters import FileRater, figures_of_raters
from reports.command.readings import pair_readings
from reports.results.scale_readings import readings_of
from reports.sources.count_file import CountForm
from reports.sources.file_labels import FileQuestion
from reports.sources.parsed_labels import as_number
from reports.sources.weights_file import fitted_weights

# Pairs without shared items are included as long as all matrices together have at most this many cells.
MAX_CELLS = 1 << 26
MAX_PAIRS = 100_000
MAX_RESAMPLED = 1000


@dataclass(frozen=True, slots=True, eq=False)
class FileResult:
    """Results that were not requested are empty. result: as in reports, with checks only if requested.

    consensus: of each item; reference: all raters compared with it. of_pairs: all statistics of each pair. differences:
    by what is compared. readings: of the coefficients on the requested scale; of_scale: those of each pair. of_raters:
    each compared with the others. prevalence: the coefficients of each pair for other shares of its most common
    category. counted: who counts in the overall figures, if not everyone.
    """

    question: FileQuestion
    choices: CommandChoices
    kind: QuestionKind
    size: Size
    n_labels: list[int]
    result: QuestionResult
    consensus: Sequence[ItemConsensus]
    reference: RatersVersusReference | None
    pairs: list[PairResult]
    of_pairs: Sequence[FullPair]
    differences: Mapping[str, FileComparison]
    readings: Mapping[str, Interpretation]
    of_scale: Sequence[Interpretation | None]
    of_raters: Sequence[FileRater]
    prevalence: Sequence[CommonestCategoryCurve | None]
    counted: Json

    def as_json(self) -> Json:
        # The default, a single category, is not stated.
        kind = {} if self.kind.pairs_have_counts else {"kind": self.kind.scope.kind}
        more = {
            "statistics": self._statistics_as_json(),
            "differences": self.differences,
            "readings": {name: reading.flat() for name, reading in self.readings.items()},
            "raters": self.of_raters,
        }
        return {
            "question": self.question.key,
            **kind,
            "categories": self.question.categories,
            **size_as_json(self.question.counts, self.size),
            **self.counted,
            **design_as_json(self.question, self.choices.design),
            "pairs": [self._pair_as_json(place, pair) for place, pair in enumerate(self.pairs)],
            "coefficients": for_programs(self.result.coefficients_to_json()),
            **{name: for_programs(to_json(figures)) for name, figures in more.items() if figures},
        }

    def _statistics_as_json(self) -> Json:
        found = self.result.statistics_to_json()
        if self.result.consensus:
            found["consensus"]["labels"] = to_json(self.consensus)
        return found | ({"reference": to_json(self.reference)} if self.reference else {})

    def _pair_as_json(self, place: int, pair: PairResult) -> Json:
        names = {"rater_a": self.question.raters[pair.rater_a], "rater_b": self.question.raters[pair.rater_b]}
        if pair.figures is not None:
            sizes = sizes_of_pair(pair.n, self.n_labels[pair.rater_a] + self.n_labels[pair.rater_b])
            return {**names, "n": pair.n, "figures": for_programs(to_json(with_basis(pair.figures, sizes)))}
        more: Json = {"statistics": for_programs(to_json(self.of_pairs[place]))} if self.of_pairs else {}
        if self.of_scale:
            reading = self.of_scale[place]
            more["reading"] = None if reading is None else reading.flat()
        if self.prevalence:
            curve = self.prevalence[place]
            more["at_other_prevalence"] = None if curve is None else curve.flat(self.question.categories)
        return {
            **names,
            "n": pair.n,
            "counts": table_of(pair).tolist(),
            "observed": pair.observed,
            "expected": pair.expected,
            "kappa": pair.kappa,
            "se": pair.se,
            "ci_low": pair.ci_low,
            "ci_high": pair.ci_high,
            "is_clipped": pair.is_clipped,
            "kappa_max": pair.kappa_max,
            "reason": pair.reason or None,
            **more,
        }


def table_of(pair: PairResult) -> IntArray:
    """Return the confusion matrix, (K, K)."""
    n_categories = int(len(pair.counts) ** 0.5)
    return np.array(pair.counts, dtype=np.int64).reshape(n_categories, n_categories)


def agreement_of(question: FileQuestion, choices: CommandChoices) -> FileResult:
    """Compute agreement on a question. Raises OptionRefused if the categories do not fit the choices."""
    scope = scope_of(question, choices)
    kind, options = kind_of(scope), scope.options
    columns = columns_left(question.raters, choices.left_out)
    labels, raters = question.labels(kind), Raters(question.raters, columns)
    pairs: list[PairResult] = []
    form = question.counts
    keep = each(pairs.append) if form is not CountForm.ITEMS else ignore
    try:
        result = analyze(labels, scope, raters, families=choices.families, keep=keep)
    except QuestionNotComputable as unfit:
        raise UnsuitableOptions(f"{question.key}: {UNFIT[str(unfit)]}") from None
    if mean := result.coefficients.get("mean_pairwise_kappa"):
        result = replace(
            result, coefficients={**result.coefficients, "mean_pairwise_kappa": with_pairs_counted(mean)}
        )
    result = replace(
        result, counted=None, checks=result.checks if ExtraResult.CHECKS in choices.more else None
    )
    if not choices.design.is_plain:
        of_all = designed(question, kind, choices.design, columns, result.coefficients)
        result = replace(result, coefficients=of_all)
        pairs = (
            designed_pairs(question, kind, choices.design, pairs) if form is not CountForm.ITEMS else pairs
        )
    result = limited_to_counts(form, result)
    tables, n_labels = kind.pairs_have_counts and form is not CountForm.ITEMS, labels.sample.labels_per_rater
    pairs = with_unrelated_pairs(pairs, scope, len(question.raters)) if tables else pairs
    is_against = StatisticFamily.REFERENCE in choices.families
    are_all = StatisticFamily.PAIRS in choices.families and tables
    has_curves = ExtraResult.PREVALENCE in choices.more and tables
    is_weighted = options.is_weighted
    return FileResult(
        question=question,
        choices=choices,
        kind=kind,
        size=labels.sample.size,
        n_labels=n_labels.tolist(),
        result=result,
        consensus=consensus_labels(question, labels, raters, options)
        if result.consensus and not form
        else [],
        reference=against_reference(question, pairs, labels, scope) if is_against else None,
        pairs=pairs,
        of_pairs=everything_of_pairs(question, pairs, n_labels, scope) if are_all else [],
        differences=comparisons(question, choices, kind),
        readings=readings_of(result.coefficients, choices.scale, is_weighted=is_weighted),
        of_scale=pair_readings(pairs, choices.scale, is_weighted=is_weighted),
        of_raters=figures_of_raters(question, kind, columns) if ExtraResult.RATERS in choices.more else [],
        prevalence=[of_commonest(table_of(pair)) for pair in pairs] if has_curves else [],
        counted=counted_as_json(question.raters, choices),
    )


def with_pairs_counted(mean: Figure) -> Figure:
    """Return the mean kappa with the number of its pairs in words."""
    n = (mean.n_pairs or 0) - (mean.n_undefined or 0)
    is_empty = mean.left_out is not None and not (mean.n_labels or mean.left_out.n_labels)
    reason = Reason.NO_ITEMS if is_empty and mean.reason is Reason.NO_OVERLAP else mean.reason
    return replace(
        mean, method=f"mean of {n} pair{'s' * (n != 1)}", reason=reason, n_pairs=None, n_undefined=None
    )


def consensus_labels(
    question: FileQuestion, labels: QuestionLabels, raters: Raters, options: Options
) -> list[ItemConsensus]:
    """Return the consensus of each item; [] if too few raters count."""
    if raters.are_too_few:
        return []
    rows = np.unique(question.rows[np.isin(question.columns, np.array(raters.counted, dtype=np.int64))])
    items = [question.items[row] for row in rows.tolist()]
    sample = labels.sample.of_raters(raters.counted)
    return consensus_of_items(sample, items, question.categories, smoothing=options.smoothing)


def with_unrelated_pairs(
    pairs: Sequence[PairResult], scope: QuestionScope, n_raters: int
) -> list[PairResult]:
    """Return all pairs of raters, with zeros for those without shared items, unless there are too many."""
    n_all, n_cells = n_raters * (n_raters - 1) // 2, scope.scale.n_categories**2
    if n_all > MAX_PAIRS or n_all * n_cells > MAX_CELLS:
        return list(pairs)
    known = {(pair.rater_a, pair.rater_b): pair for pair in pairs}
    zeros, reason = [0] * n_cells, str(Reason.NO_OVERLAP)
    return [
        known.get((a, b)) or PairResult(a, b, 0, counts=zeros, reason=reason)
        for a in range(n_raters)
        for b in range(a + 1, n_raters)
    ]


def everything_of_pairs(
    question: FileQuestion, pairs: Sequence[PairResult], n_labels: IntArray, scope: QuestionScope
) -> list[FullPair]:
    if not pairs:
        return []
    options = scope.options
    # Resampling a pair takes a thousand times as long as its formulas.
    if len(pairs) > MAX_RESAMPLED:
        options = replace(options, interval=IntervalMethod.ANALYTIC)
    names = [(question.raters[pair.rater_a], question.raters[pair.rater_b]) for pair in pairs]
    of_each = n_labels[np.array([(pair.rater_a, pair.rater_b) for pair in pairs])]
    tables = np.stack([table_of(pair) for pair in pairs])
    return list(full_statistics(tables, scope.scale, options, names=names, n_labels=of_each))


def against_reference(
    question: FileQuestion, pairs: Sequence[PairResult], labels: QuestionLabels, scope: QuestionScope
) -> RatersVersusReference:
    """Compare all raters with the reference. Raises UnsuitableOptions if the file has no such rater."""
    options, n_labels = scope.options, labels.sample.labels_per_rater
    name = options.reference
    if name not in question.raters:
        raise UnsuitableOptions(f"{question.key}: there is no rater {name!r}.")
    place = question.raters.index(name)
    chosen = [pair for pair in pairs if place in (pair.rater_a, pair.rater_b) and pair.n]
    if not chosen:
        return RatersVersusReference(reference=name, reason=Reason.NO_OVERLAP)
    others = [pair.rater_b if pair.rater_a == place else pair.rater_a for pair in chosen]
    tables = [table_of(pair).T if pair.rater_a == place else table_of(pair) for pair in chosen]
    figures = reference_figures(
        np.stack(tables),
        scope.scale,
        n_labels=np.array([[n_labels[other], n_labels[place]] for other in others]),
        confidence=options.confidence,
    )
    raters = (
        RaterVersusReference.of(found, rater=question.raters[other], reference=name)
        for other, found in zip(others, figures, strict=True)
    )
    with_it = [(other, place) for other in others]
    equality = (
        kappas_equality(labels.sample.ratings, with_it, scope.scale.weighting) if len(others) > 1 else None
    )
    return RatersVersusReference(reference=name, raters=tuple(raters), equality=equality)


def scope_of(question: FileQuestion, choices: CommandChoices) -> QuestionScope:
    """Return the question as in reports, with only its own weights. Raises OptionRefused."""
    values = VALUES[choices.kind](question, choices)
    matrices = fitted_weights(choices.weights, question.key, question.categories)
    if choices.options.weights is Weights.CUSTOM and not matrices:
        raise UnsuitableOptions(
            f"{question.key}: custom weights require a matrix. Pass it with --weights-file."
        )
    categories = [
        CategoryJson(id=place, key=name, name=name, value=value)
        for place, (name, value) in enumerate(zip(question.categories, values, strict=True))
    ]
    known = QuestionJson(
        id=0, key=question.key, kind=choices.kind, level=choices.level, categories=categories
    )
    return QuestionScope(known, None, replace(choices.options, matrices=matrices))


def category_values(question: FileQuestion, choices: CommandChoices) -> list[float | None]:
    """Return the categories as numbers.

    Raises UnsuitableOptions if the level or the weights require other categories.
    """
    numbers = [as_number(name) for name in question.categories]
    level, key = choices.level, question.key
    if level in NUMERIC_LEVELS and None in numbers:
        name = question.categories[numbers.index(None)]
        raise UnsuitableOptions(f"{key}: --level {level} requires numeric categories, got {name!r}.")
    has_order = choices.are_categories_declared or question.has_order or None not in numbers
    if not has_order and (level is Level.ORDINAL or needs_order(choices.options.weights)):
        rule = "the ordinal level and weights require the order of the categories. Pass it with --categories."
        raise UnsuitableOptions(f"{key}: {rule}")
    if level not in NUMERIC_LEVELS or not numbers:
        return numbers
    values = [float(number or 0) for number in numbers]
    if len(set(values)) < len(values):
        raise UnsuitableOptions(
            f"{key}: two categories have the same number: {', '.join(question.categories)}."
        )
    if min(values) < 0 and (level is Level.RATIO or choices.options.weights is Weights.RATIO):
        raise UnsuitableOptions(f"{key}: ratios require categories of 0 or more, got {min(values):g}.")
    return numbers


def needs_order(weights: Weights) -> bool:
    """Return whether the weights need ordered categories; a custom matrix names its categories or does not."""
    return weights not in {Weights.UNWEIGHTED, Weights.CUSTOM}


def no_values(question: FileQuestion, choices: CommandChoices) -> list[float | None]:
    """Return no values: numbers have no categories, and categories of sets have no values."""
    return [None] * len(question.categories)


VALUES: dict[Kind, Callable[[FileQuestion, CommandChoices], list[float | None]]] = {
    Kind.SINGLE: category_values,
    Kind.NUMBER: no_values,
    Kind.MULTIPLE: no_values,
}
