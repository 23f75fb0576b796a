"""Every statistic of two raters from their confusion matrix, for a stack of pairs."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from reports.agreement.intervals.pairs import bootstrap_pairs, jackknife_pairs
from reports.agreement.intervals.replicates import ReplicatedEstimates
from reports.agreement.pairs.chance_corrected import brennan_prediger, gwet_ac, percent_agreement, scott_pi
from reports.agreement.pairs.cohen import cohen_kappa, kappa_zero
from reports.agreement.pairs.confusion_matrices import PairTables
from reports.agreement.pairs.homogeneity import bhapkar, bowker, mcnemar, stuart_maxwell
from reports.agreement.pairs.indices import bias_index, pabak, prevalence_index
from reports.agreement.pairs.krippendorff import krippendorff_alpha
from reports.agreement.pairs.reference import against_reference
from reports.agreement.pairs.specific import specific_agreement
from reports.agreement.results import (
    NORMAL,
    REASONS,
    Estimates,
    FloatArray,
    IntArray,
    PairKappas,
    Reason,
    SignificanceTests,
    Size,
    is_clipped,
    number,
)
from reports.agreement.sample import Scale
from reports.agreement.weights import Weights
from reports.analysis.options import IntervalMethod, Options
from reports.analysis.results import (
    Figure,
    FullPair,
    PairFigures,
    RaterVersusReference,
    ReferenceFigures,
    SignificanceTest,
)

BY_CATEGORY = ("recall", "specificity", "precision", "negative_predictive_value", "f1")
OF_ALL = ("accuracy", "balanced_accuracy", "matthews")


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """One statistic of P pairs, and which of its definitions it follows."""

    estimates: Estimates
    method: str = ""

    def of(self, pair: int) -> Figure:
        found = self.estimates
        n = int(found.n[pair])
        figure = replace(
            _figure(found, pair),
            n_items=n,
            n_raters=2,
            n_labels=2 * n,
            method=self.method,
            interval_method=found.interval_method_at(pair) if not np.isnan(found.ci_low[pair]) else "",
        )
        if not isinstance(found, ReplicatedEstimates):
            return figure
        n_replicates, n_undefined = int(found.n_replicates[pair]), int(found.n_undefined[pair])
        return replace(figure, n_replicates=n_replicates, n_undefined_replicates=n_undefined)


@dataclass(frozen=True, slots=True, eq=False)
class PairStatistics:
    """The results for P pairs by name: values (P,), values of each category (P, K), tests (P,)."""

    values: dict[str, Value]
    categories: dict[str, Estimates]
    tests: dict[str, SignificanceTests]

    def of(self, pair: int) -> FullPair:
        """Return everything for one pair."""
        return FullPair(
            values={name: value.of(pair) for name, value in self.values.items()},
            categories={name: _row(found, pair) for name, found in self.categories.items()},
            tests={name: SignificanceTest.of(found, pair) for name, found in self.tests.items()},
        )


def pair_statistics(counts: IntArray, scale: Scale, options: Options) -> PairStatistics:
    """Return every statistic of P pairs: unweighted, then with the weights of the scale if it has any.

    counts: (P, K, K), rows rater A. options: the method of the intervals of chance-corrected statistics, and their
    confidence level. Tests and categories have one method only.
    """
    plain = replace(scale, weights=Weights.UNWEIGHTED, custom=None)
    values = _values(counts, plain, options)
    if scale.weights is not Weights.UNWEIGHTED:
        values |= {weighted_name(name): found for name, found in _values(counts, scale, options).items()}
    values["krippendorff_alpha"] = Value(
        _by_method(counts, partial(krippendorff_alpha, scale=scale), options), str(scale.level)
    )
    if scale.n_categories == 2:
        indices = {"pabak": pabak, "prevalence_index": prevalence_index, "bias_index": bias_index}
        values |= {
            name: Value(index(counts, confidence=options.confidence)) for name, index in indices.items()
        }
    specific = specific_agreement(counts, confidence=options.confidence)
    return PairStatistics(values, {"specific_agreement": specific}, _tests(counts, scale))


def weighted_name(name: str) -> str:
    return "gwet_ac2" if name == "gwet_ac1" else f"{name}_weighted"


def _values(counts: IntArray, scale: Scale, options: Options) -> dict[str, Value]:
    weighting = scale.weighting
    kappas = cohen_kappa(counts, weighting, confidence=options.confidence)

    def of_tables(statistic: Callable[..., Estimates]) -> Callable[..., Estimates]:
        return lambda some, **confidence: statistic(PairTables(some, weighting), **confidence)

    statistics = {
        "percent_agreement": of_tables(percent_agreement),
        "cohen_kappa": lambda some, **confidence: of_kappa(cohen_kappa(some, weighting, **confidence)),
        "scott_pi": of_tables(scott_pi),
        "brennan_prediger": of_tables(brennan_prediger),
        "gwet_ac1": of_tables(gwet_ac),
    }
    found = {name: _by_method(counts, statistic, options) for name, statistic in statistics.items()}
    found |= {
        "kappa_max": _bare(kappas, kappas.kappa_max),
        "share_of_max": _bare(kappas, kappas.share_of_max),
    }
    return {name: Value(estimates, str(scale.weights)) for name, estimates in found.items()}


def _by_method(counts: IntArray, statistic: Callable[..., Estimates], options: Options) -> Estimates:
    """Return the statistic with the interval set in the options."""
    found = statistic(counts, confidence=options.confidence)

    def values(tables: IntArray) -> FloatArray:
        return statistic(tables).value

    match options.interval:
        case IntervalMethod.ANALYTIC:
            return found
        case IntervalMethod.JACKKNIFE:
            resampled: Estimates = jackknife_pairs(counts, values, confidence=options.confidence)
        case _:
            resampled = bootstrap_pairs(
                counts,
                values,
                seed=options.seed,
                n_replicates=options.replicates,
                method=str(options.interval),
                confidence=options.confidence,
            )
    # Only the analytic estimate knows the reason why a value is undefined.
    return replace(resampled, reason=np.where(np.isnan(found.value), found.reason, resampled.reason))


def of_kappa(kappas: PairKappas) -> Estimates:
    return Estimates(
        value=kappas.kappa,
        se=kappas.se,
        ci_low=kappas.ci_low,
        ci_high=kappas.ci_high,
        n=kappas.n,
        reason=kappas.reason,
        method=NORMAL,
        is_fitted=kappas.is_fitted,
    )


def _bare(kappas: PairKappas, value: FloatArray) -> Estimates:
    """Return a figure that accompanies kappa, without a standard error."""
    nothing = np.full_like(value, np.nan)
    reason = np.where(kappas.reason == 0, REASONS.index(Reason.DEGENERATE_MARGINS), kappas.reason)
    return Estimates(
        value=value,
        se=nothing,
        ci_low=nothing,
        ci_high=nothing,
        n=kappas.n,
        reason=np.where(np.isnan(value), reason, 0).astype(np.uint8),
        method="",
    )


def _tests(counts: IntArray, scale: Scale) -> dict[str, SignificanceTests]:
    found = {
        "kappa_zero": kappa_zero(counts, scale.weighting),
        "bowker": bowker(counts),
        "stuart_maxwell": stuart_maxwell(counts),
        "bhapkar": bhapkar(counts),
    }
    if counts.shape[1] != 2:
        return found
    return found | {
        "mcnemar": mcnemar(counts),
        "mcnemar_exact": mcnemar(counts, exact=True),
        "mcnemar_chi_squared": mcnemar(counts, exact=False),
        "mcnemar_corrected": mcnemar(counts, exact=False, corrected=True),
    }


def reference_figures(
    counts: IntArray, scale: Scale, *, n_labels: IntArray, confidence: float = 0.95
) -> list[ReferenceFigures]:
    """Return figures of P raters (rows) against the reference (columns), for all categories and for each one.

    Kappa is unweighted, as accuracy is; if the scale has weights, weighted kappa comes with it. n_labels: (P, 2) the
    number of all labels of each of the two.
    """
    found = against_reference(counts, confidence=confidence)
    values = {name: Value(getattr(found, name)) for name in OF_ALL}
    values |= {
        "kappa": Value(of_kappa(found.kappa)),
        "kappa_max": Value(_bare(found.kappa, found.kappa.kappa_max)),
        "expected_accuracy": Value(_bare(found.kappa, found.expected_accuracy)),
    }
    if scale.weights is not Weights.UNWEIGHTED:
        weighted = cohen_kappa(counts, scale.weighting, confidence=confidence)
        values["kappa_weighted"] = Value(of_kappa(weighted), str(scale.weights))
    figures = []
    for pair in range(len(counts)):
        sizes = sizes_of_pair(int(counts[pair].sum()), int(n_labels[pair].sum()))
        figures.append(
            ReferenceFigures(
                values={name: each.of(pair).resting_on(*sizes) for name, each in values.items()},
                categories={
                    name: tuple(each.resting_on(*sizes) for each in _row(getattr(found, name), pair))
                    for name in BY_CATEGORY
                },
            )
        )
    return figures


def sizes_of_pair(n: int, n_labels: int) -> tuple[Size, Size]:
    """Return the sizes of what both raters labeled, and of all they labeled. n: shared items. n_labels: of both."""
    used = Size(n_items=n, n_raters=2, n_labels=2 * n)
    return used, Size(n_items=n_labels - n, n_raters=2, n_labels=n_labels)


def with_basis(figures: PairFigures, sizes: tuple[Size, Size]) -> PairFigures:
    """Return the figures of a pair, each with the sizes of the data it uses and leaves out."""
    return {
        name: tuple(each.resting_on(*sizes) for each in found)
        if isinstance(found, tuple)
        else found.resting_on(*sizes)
        for name, found in figures.items()
    }


def _figure(found: Estimates, *position: int) -> Figure:
    value, low, high = (number(each[position]) for each in (found.value, found.ci_low, found.ci_high))
    return Figure(
        value=value,
        se=number(found.se[position]),
        ci_low=low,
        ci_high=high,
        is_clipped=is_clipped(value, low, high, found.interval_method_at(*position)),
        reason=REASONS[found.reason[position]],
    )


def _row(found: Estimates, pair: int) -> tuple[Figure, ...]:
    """Return the estimates of all categories, in declared order."""
    return tuple(
        replace(_figure(found, pair, category), n=int(found.n[pair, category]), interval_method=found.method)
        for category in range(found.value.shape[-1])
    )


def full_statistics(
    counts: IntArray, scale: Scale, options: Options, *, names: Sequence[tuple[str, str]], n_labels: IntArray
) -> Iterator[FullPair]:
    """Return everything for each of P pairs, including labels of only one of the two, and each taken as the reference.

    names: of rater A and rater B. n_labels: (P, 2) the number of all labels of each.
    """
    found = pair_statistics(counts, scale, options)
    turned = counts.transpose(0, 2, 1)
    against_b = reference_figures(counts, scale, n_labels=n_labels, confidence=options.confidence)
    against_a = reference_figures(turned, scale, n_labels=n_labels, confidence=options.confidence)
    for pair, (a, b) in enumerate(names):
        full = found.of(pair)
        sizes = sizes_of_pair(int(counts[pair].sum()), int(n_labels[pair].sum()))
        yield FullPair(
            values={name: each.resting_on(*sizes) for name, each in full.values.items()},
            categories={
                name: tuple(each.resting_on(*sizes) for each in row) for name, row in full.categories.items()
            },
            tests={name: each.resting_on(*sizes) for name, each in full.tests.items()},
            reference=(
                RaterVersusReference.of(against_a[pair], reference=a, rater=b),
                RaterVersusReference.of(against_b[pair], reference=b, rater=a),
            ),
        )
