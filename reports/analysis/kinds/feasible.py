"""Code shared by numbers and sets: resampled intervals and differences only where they are feasible in time."""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from reports.agreement.blockwise import ComputeBlocks, State
from reports.agreement.intervals.difference import Difference
from reports.agreement.intervals.joint import JointKinds, join_items
from reports.agreement.intervals.sample_difference import bootstrap_joint_difference, joint_difference
from reports.agreement.overall.label_differences import LabeledItems
from reports.agreement.results import IntArray, Interval, Reason, Undefined
from reports.agreement.sample import Sample, Scale
from reports.agreement.statistic import Statistic
from reports.analysis.label_arrays import LabelSubset
from reports.analysis.options import IntervalMethod, Options
from reports.analysis.overall import resampled
from reports.analysis.pair_blocks import Keep, PairBlock, PairBlocks
from reports.analysis.question import QuestionNotComputable
from reports.analysis.results import PairResult

# Limit on labels, or pairs of different labels, in all replicates of one statistic: about a minute.
MAX_STEPS = 10_000_000_000
# The same for a difference; beyond it the interval is analytic.
MAX_DIFFERENCE_STEPS = 1_000_000_000
# Limit on the figures of all pairs that a report stores for one question: some gigabytes.
MAX_FIGURES = 20_000_000


def is_feasible(n_items: int, n_steps: int, options: Options) -> bool:
    n_replicates = {
        IntervalMethod.ANALYTIC: 0,
        IntervalMethod.PERCENTILE: options.replicates,
        IntervalMethod.BCA: options.replicates + n_items,
        IntervalMethod.JACKKNIFE: n_items,
    }[options.interval]
    return 0 < n_replicates * n_steps <= MAX_STEPS


def named_intervals(
    names: Sequence[str],
    statistics: Sequence[Statistic],
    sample: Any,
    scale: Scale,
    options: Options,
    compute: ComputeBlocks,
) -> dict[str, Interval]:
    """Return the intervals by the names that reports use for the statistics."""
    found = resampled(statistics, cast(Sample, sample), scale, options, compute=compute)
    return {
        name: found[each.name][0] for name, each in zip(names, statistics, strict=True) if each.name in found
    }


def pairs_by_rater(
    find: Callable[[], Callable[[int], Iterator[PairResult]]], n_raters: int, keep: Keep
) -> PairBlocks:
    """Return pairs in one block for each first rater. find: returns what yields a rater's pairs with later ones."""

    def blocks(first: int, last: int, _: State) -> Iterator[PairBlock]:
        pairs_of = find()
        for rater in range(first, last):
            pairs = list(pairs_of(rater))
            yield PairBlock(len(pairs), keep(pairs), {"n_figures": np.array(_count_figures(pairs))})

    # The first rater has pairs with all others, the last but one with the last.
    return PairBlocks(
        lambda: max(0, n_raters - 1), blocks, lambda: np.arange(n_raters - 1, 0, -1, dtype=np.float64)
    )


def _count_figures(pairs: Sequence[PairResult]) -> int:
    figures = chain.from_iterable((pair.figures or {}).values() for pair in pairs)
    return sum(len(each) if isinstance(each, tuple) else 1 for each in figures)


def storable(blocks: Iterator[PairBlock]) -> Iterator[PairBlock]:
    """Yield the blocks unchanged. Raises QuestionNotComputable when they have more figures than can be stored."""
    n_figures = 0
    for block in blocks:
        n_figures += int(block.summary["n_figures"])
        if n_figures > MAX_FIGURES:
            raise QuestionNotComputable("too_many_cells")
        yield block


def items_in(part: LabelSubset, rows: IntArray | NDArray[np.bool_]) -> IntArray:
    found: IntArray = np.asarray(part.item_ids)[rows]
    return found


def why_undefined(first: Any, second: Any) -> Reason:
    """first, second: samples with their sizes."""
    for sample in (first, second):
        if not sample.pairable_size.n_items:
            return Reason.NO_OVERLAP if sample.size.n_items else Reason.NO_ITEMS
    return Reason.NONE


def undefined_difference(reason: Reason) -> Difference:
    return Difference(n_shared=0, n_first=0, n_second=0, method="", reason=reason)


def alpha_difference(
    statistics: tuple[Statistic, Statistic],
    units: tuple[LabeledItems, LabeledItems],
    items: tuple[IntArray, IntArray],
    options: Options,
    *,
    is_drawn: bool = True,
) -> Difference:
    joint = join_items(statistics, units, items)
    n_labels = sum(len(each.codes) for each in units)
    try:
        return difference_of(joint, options, n_labels=n_labels, is_drawn=is_drawn)
    except Undefined as undefined:
        return undefined_difference(undefined.reason)


def difference_of(joint: JointKinds, options: Options, *, n_labels: int, is_drawn: bool = True) -> Difference:
    """By the jackknife, or by the bootstrap if it was asked for and is feasible. Raises Undefined."""
    if not (options.is_bootstrap and is_drawn and options.replicates * n_labels <= MAX_DIFFERENCE_STEPS):
        return joint_difference(joint, Scale(1), confidence=options.confidence)
    return bootstrap_joint_difference(
        joint,
        Scale(1),
        seed=options.seed,
        n_replicates=options.replicates,
        confidence=options.confidence,
    )
