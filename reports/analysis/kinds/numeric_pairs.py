"""The figures of two raters on a numeric question."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain

from reports.agreement.numbers.bland_altman import limits_of_agreement
from reports.agreement.numbers.concordance import lin_concordance
from reports.agreement.numbers.matrix import NumberSample
from reports.agreement.numbers.pairs import NumberPairs, number_pairs_of
from reports.agreement.results import (
    FloatArray,
    Reason,
)
from reports.analysis.results import (
    Figure,
    PairFigures,
    PairResult,
    figures_of,
)


def pair_results(sample: NumberSample, *, confidence: float) -> Iterator[PairResult]:
    """Yield every pair of raters who share an item: Lin's concordance and the limits of agreement."""
    of = pair_results_of(sample, confidence=confidence)
    return chain.from_iterable(map(of, range(sample.n_raters - 1)))


def pair_results_of(sample: NumberSample, *, confidence: float) -> Callable[[int], Iterator[PairResult]]:
    """Return a function that yields the pairs of a rater with later ones."""
    pairs_of = number_pairs_of(sample)
    return lambda rater: chain.from_iterable(_results(pairs, confidence) for pairs in pairs_of(rater))


def _results(pairs: NumberPairs, confidence: float) -> Iterator[PairResult]:
    columns = _columns(pairs, confidence)
    rows = zip(pairs.rater_a.tolist(), pairs.rater_b.tolist(), pairs.n.tolist(), strict=True)
    for place, (a, b, n) in enumerate(rows):
        yield PairResult(a, b, n, figures={name: column[place] for name, column in columns.items()})


def _columns(pairs: NumberPairs, confidence: float) -> dict[str, list[Figure]]:
    lin = lin_concordance(pairs, confidence=confidence)
    limits = limits_of_agreement(pairs, confidence=confidence)
    return {
        "lin_concordance": figures_of(lin.coefficient),
        "pearson_correlation": _bare(lin.correlation, Reason.NO_VARIATION),
        "lin_bias_correction": _bare(lin.bias_correction, Reason.NO_VARIATION),
        "bland_altman_bias": figures_of(limits.bias),
        "bland_altman_sd": _bare(limits.sd, Reason.ONE_ITEM),
        "bland_altman_lower": figures_of(limits.lower),
        "bland_altman_upper": figures_of(limits.upper),
        "mean_a": _bare(pairs.mean_a, Reason.NO_OVERLAP),
        "mean_b": _bare(pairs.mean_b, Reason.NO_OVERLAP),
    }


def _bare(values: FloatArray, undefined: Reason) -> list[Figure]:
    return [Figure.bare(value, undefined) for value in values]


# A pair of numeric raters in reverse order.
_TURNED = {
    "mean_a": "mean_b",
    "mean_b": "mean_a",
    "bland_altman_lower": "bland_altman_upper",
    "bland_altman_upper": "bland_altman_lower",
}
_NEGATED = ("bland_altman_bias", "bland_altman_lower", "bland_altman_upper")


def turned(figures: PairFigures) -> PairFigures:
    """Return the figures of a pair with the raters in reverse order; those of sets are symmetric."""
    return {
        _TURNED.get(name, name): _negated(each) if isinstance(each, Figure) and name in _NEGATED else each
        for name, each in figures.items()
    }


def _negated(found: Figure) -> Figure:
    value, low, high = (
        None if each is None else -each for each in (found.value, found.ci_high, found.ci_low)
    )
    return replace(found, value=value, ci_low=low, ci_high=high)
