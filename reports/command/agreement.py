"""Everything that `manage.py agreement` finds out about one question of a file, of whatever kind."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np

from reports.agreement.pairs.prevalence import of_commonest
from reports.agreement.results import IntArray, Reason, Size
from reports.agreement.weights import NUMERIC_LEVELS, Level, Weights
from reports.analysis.analyze import analyze
from reports.analysis.catalogue import Family
from reports.analysis.consensus import consensus_of_items
from reports.analysis.kinds import kind_of
from reports.analysis.kinds.kind import QuestionKind
from reports.analysis.labels import QuestionLabels, Raters
from reports.analysis.options import IntervalMethod, OptionRefused, Options
from reports.analysis.pairs import basis_of_pair, full_statistics, reference_figures, with_basis
from reports.analysis.question import Kind, QuestionUnfit, Scope
from reports.analysis.reasons import UNFIT
from reports.analysis.results import Figure, Json, PairResult, for_programs, to_json
from reports.command.choices import Choices, More, Unsuitable
from reports.command.comparison import comparisons
from reports.command.left_out import columns_left, counted_as_json
from reports.command.raters import figures_of_raters
from reports.command.readings import coefficient_readings, pair_readings
from reports.sources.label_file import QuestionInFile
from reports.sources.weights_file import fitted_weights
from reports.sources.written_labels import as_number

# Pairs that share no item are listed too, as long as all tables together have no more cells than this.
MAX_CELLS = 1 << 26
MAX_PAIRS = 100_000
MAX_RESAMPLED = 1000


@dataclass(frozen=True, slots=True, eq=False)
class FileResult:
    """coefficients, statistics: as reports store them, by name and by family. of_pairs: everything of each pair, if it
    was asked for. differences: what `comparisons` found, by what is compared. readings: of the coefficients on the
    scale that was asked for, by name; of_scale: the same of each pair, to be joined to it. of_raters: each beside the
    others. prevalence: for each pair its coefficients at other shares of its commonest category. counted: who does in
    the figures of all raters, if not everyone.
    """

    question: QuestionInFile
    kind: QuestionKind
    size: Size
    n_labels: list[int]
    coefficients: Json
    statistics: Json
    pairs: list[PairResult]
    of_pairs: list[Json]
    differences: Json
    readings: Json
    of_scale: list[Json]
    of_raters: list[Json]
    prevalence: list[Json | None]
    counted: Json

    def as_json(self) -> Json:
        # That a label is one category goes without saying.
        kind = {} if self.kind.pairs_have_counts else {"kind": self.kind.scope.kind}
        more = {
            "statistics": self.statistics,
            "differences": self.differences,
            "readings": self.readings,
            "raters": self.of_raters,
        }
        return {
            "question": self.question.key,
            **kind,
            "categories": self.question.categories,
            **asdict(self.size),
            **self.counted,
            "pairs": [self._pair_as_json(place, pair) for place, pair in enumerate(self.pairs)],
            "coefficients": for_programs(self.coefficients),
            **{name: for_programs(figures) for name, figures in more.items() if figures},
        }

    def _pair_as_json(self, place: int, pair: PairResult) -> Json:
        names = {"rater_a": self.question.raters[pair.rater_a], "rater_b": self.question.raters[pair.rater_b]}
        if pair.figures is not None:
            basis = basis_of_pair(pair.n, self.n_labels[pair.rater_a] + self.n_labels[pair.rater_b])
            return {**names, "n": pair.n, "figures": for_programs(with_basis(to_json(pair.figures), basis))}
        statistics = {"statistics": for_programs(self.of_pairs[place])} if self.of_pairs else {}
        curve = {"at_other_prevalence": self.prevalence[place]} if self.prevalence else {}
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
            **statistics,
            **self.of_scale[place],
            **curve,
        }


def table_of(pair: PairResult) -> IntArray:
    """(K, K)"""
    n_categories = int(len(pair.counts) ** 0.5)
    return np.array(pair.counts, dtype=np.int64).reshape(n_categories, n_categories)


def agreement_of(question: QuestionInFile, choices: Choices) -> FileResult:
    """Raises Unsuitable if the categories do not go with the choices."""
    scope = scope_of(question, choices)
    kind, options = kind_of(scope), scope.options
    columns = columns_left(question.raters, choices.left_out)
    labels, raters = labels_in(question, kind), Raters(question.raters, columns)
    pairs: list[PairResult] = []
    try:
        result = analyze(labels, scope, raters, families=choices.families, take=pairs.append)
    except QuestionUnfit as unfit:
        raise Unsuitable(f"{question.key}: {UNFIT[str(unfit)]}") from None
    if mean := result.coefficients.get("mean_pairwise_kappa"):
        result = replace(
            result, coefficients={**result.coefficients, "mean_pairwise_kappa": with_pairs_counted(mean)}
        )
    coefficients, statistics = result.coefficients_to_json(), result.statistics_to_json()
    statistics.pop("counted", None)
    checks = statistics.pop("checks", None)
    if result.consensus:
        statistics["consensus"]["labels"] = consensus_labels(question, labels, raters, options)
    tables = kind.pairs_have_counts
    pairs = with_strangers(pairs, scope, len(question.raters)) if tables else pairs
    if Family.REFERENCE in choices.families:
        statistics["reference"] = against_reference(question, pairs, labels.sample.labels_per_rater, options)
    if More.CHECKS in choices.more and checks is not None:
        statistics["checks"] = checks
    are_all = Family.PAIRS in choices.families and tables
    return FileResult(
        question=question,
        kind=kind,
        size=labels.sample.size,
        n_labels=labels.sample.labels_per_rater.tolist(),
        coefficients=coefficients,
        statistics=statistics,
        pairs=pairs,
        of_pairs=everything_of_pairs(question, pairs, labels.sample.labels_per_rater, scope)
        if are_all
        else [],
        differences=comparisons(question, choices, kind),
        readings=coefficient_readings(coefficients, choices.scale, is_weighted=options.is_weighted),
        of_scale=pair_readings(pairs, choices.scale, is_weighted=options.is_weighted),
        of_raters=figures_of_raters(question, kind, columns) if More.RATERS in choices.more else [],
        prevalence=curves_of(question, pairs) if More.PREVALENCE in choices.more and tables else [],
        counted=counted_as_json(question.raters, choices),
    )


def labels_in(question: QuestionInFile, kind: QuestionKind) -> QuestionLabels:
    part = kind.part(question.label_columns())
    return QuestionLabels(
        part.sample,
        part.item_ids.astype(np.int64),
        np.arange(len(question.raters), dtype=np.int64),
        0,
        "",
        order=question.order,
    )


def with_pairs_counted(mean: Figure) -> Figure:
    """The mean kappa with the number of its pairs in words."""
    n = (mean.n_pairs or 0) - (mean.n_undefined or 0)
    is_empty = mean.left_out is not None and not (mean.n_labels or mean.left_out.n_labels)
    reason = Reason.NO_ITEMS if is_empty and mean.reason is Reason.NO_OVERLAP else mean.reason
    return replace(
        mean, method=f"mean of {n} pair{'s' * (n != 1)}", reason=reason, n_pairs=None, n_undefined=None
    )


def consensus_labels(
    question: QuestionInFile, labels: QuestionLabels, raters: Raters, options: Options
) -> list[Json]:
    """The consensus of each item; [] where too few raters count."""
    if raters.are_too_few:
        return []
    rows = np.unique(question.rows[np.isin(question.columns, np.array(raters.counted, dtype=np.int64))])
    items = [question.items[row] for row in rows.tolist()]
    sample = labels.sample.of_raters(raters.counted)
    return consensus_of_items(sample, items, question.categories, smoothing=options.smoothing)


def with_strangers(pairs: Sequence[PairResult], scope: Scope, n_raters: int) -> list[PairResult]:
    """All pairs of raters, those that share no item with tables of zeros; unless there are too many."""
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


def curves_of(question: QuestionInFile, pairs: Sequence[PairResult]) -> list[Json | None]:
    found = [of_commonest(table_of(pair)) for pair in pairs]
    return [
        None if each is None else each.flat() | {"category": question.categories[each.category]}
        for each in found
    ]


def everything_of_pairs(
    question: QuestionInFile, pairs: Sequence[PairResult], n_labels: IntArray, scope: Scope
) -> list[Json]:
    if not pairs:
        return []
    options = scope.options
    # To resample a pair takes a thousand times as long as its formulas.
    if len(pairs) > MAX_RESAMPLED:
        options = replace(options, interval=IntervalMethod.ANALYTIC)
    names = [(question.raters[pair.rater_a], question.raters[pair.rater_b]) for pair in pairs]
    of_each = n_labels[np.array([(pair.rater_a, pair.rater_b) for pair in pairs])]
    tables = np.stack([table_of(pair) for pair in pairs])
    return list(full_statistics(tables, scope.scale, options, names=names, n_labels=of_each))


def against_reference(
    question: QuestionInFile, pairs: Sequence[PairResult], n_labels: IntArray, options: Options
) -> Json:
    """Every other rater against the reference, as the API has it. Raises Unsuitable if the file has no such rater."""
    name = options.reference
    if name not in question.raters:
        raise Unsuitable(f"{question.key}: there is no rater {name!r}.")
    place = question.raters.index(name)
    chosen = [pair for pair in pairs if place in (pair.rater_a, pair.rater_b) and pair.n]
    if not chosen:
        return {"reference": name, "raters": [], "reason": str(Reason.NO_OVERLAP)}
    others = [pair.rater_b if pair.rater_a == place else pair.rater_a for pair in chosen]
    tables = [table_of(pair).T if pair.rater_a == place else table_of(pair) for pair in chosen]
    figures = reference_figures(
        np.stack(tables),
        n_labels=np.array([[n_labels[other], n_labels[place]] for other in others]),
        confidence=options.confidence,
    )
    raters = [
        {"rater": question.raters[other], "reference": name, **found}
        for other, found in zip(others, figures, strict=True)
    ]
    return {"reference": name, "raters": raters, "reason": ""}


def scope_of(question: QuestionInFile, choices: Choices) -> Scope:
    """The question as reports know one, with the weights of this question alone. Raises Unsuitable."""
    values = VALUES[choices.kind](question, choices)
    try:
        matrices = fitted_weights(choices.weights, question.key, question.categories)
    except OptionRefused as refused:
        raise Unsuitable(str(refused)) from None
    if choices.options.weights is Weights.CUSTOM and not matrices:
        raise Unsuitable(f"{question.key}: custom weights require a matrix. Pass it with --weights-file.")
    categories = [
        {"id": place, "key": name, "value": value}
        for place, (name, value) in enumerate(zip(question.categories, values, strict=True))
    ]
    known = {
        "id": 0,
        "key": question.key,
        "kind": choices.kind,
        "level": choices.level,
        "categories": categories,
    }
    return Scope(known, None, replace(choices.options, matrices=matrices))


def category_values(question: QuestionInFile, choices: Choices) -> list[float | None]:
    """The numbers that the categories are. Raises Unsuitable if the level or the weights need others."""
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
        return numbers
    values = [float(number or 0) for number in numbers]
    if len(set(values)) < len(values):
        raise Unsuitable(f"{key}: two categories have the same number: {', '.join(question.categories)}.")
    if min(values) < 0 and (level is Level.RATIO or choices.options.weights is Weights.RATIO):
        raise Unsuitable(f"{key}: ratios require categories of 0 or more, got {min(values):g}.")
    return numbers


def needs_order(weights: Weights) -> bool:
    """A matrix of one's own names its categories, or needs none of their order."""
    return weights not in {Weights.UNWEIGHTED, Weights.CUSTOM}


def no_values(question: QuestionInFile, choices: Choices) -> list[float | None]:
    """Numbers have no categories, and those of sets no values."""
    return [None] * len(question.categories)


VALUES: dict[Kind, Callable[[QuestionInFile, Choices], list[float | None]]] = {
    Kind.SINGLE: category_values,
    Kind.NUMBER: no_values,
    Kind.MULTIPLE: no_values,
}
