"""Analyze one question: labels in, results out, for any kind of question and any source of labels."""

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

from reports.agreement.blockwise import ComputeBlocks, here
from reports.agreement.progress_callbacks import ReportProgress, part_of
from reports.agreement.results import Reason
from reports.analysis.catalog import StatisticFamily
from reports.analysis.kinds import kind_of
from reports.analysis.label_arrays import QuestionLabels, Raters
from reports.analysis.pair_blocks import Keep, ignore
from reports.analysis.question import QuestionScope
from reports.analysis.results import CountedLabels, QuestionResult

# What a report computes in addition to the coefficients.
STORED = frozenset({StatisticFamily.CATEGORIES, StatisticFamily.TESTS, StatisticFamily.CONSENSUS})


def analyze(
    labels: QuestionLabels[Any],
    question: QuestionScope,
    raters: Raters,
    *,
    families: Collection[StatisticFamily] = STORED,
    keep: Keep = ignore,
    store: Callable[[bytes], object] = len,
    comparing: ReportProgress | None = None,
    computing: ReportProgress | None = None,
    compute: ComputeBlocks = here,
) -> QuestionResult:
    """Return the result of all raters of a question, computed with the question's options.

    keep: called with the pairs of raters who share an item, block by block, since there may be more pairs than fit into
    memory. store: called with what it returned for each block, in order.
    comparing, computing: progress callbacks for the pairs and for the figures of all raters. compute: computes what may
    take long, here or on several workers; the result is the same to the last bit.
    Raises QuestionNotComputable if there are too many pairs to store. Check the categories with `refuse_unfit` first.
    """
    analysis, n_pairs = kind_of(question).analysis(labels, raters), 0
    comparing, computing = part_of(comparing, 0, 1), part_of(computing, 0, 1)
    comparing(0)
    for block in analysis.pairs(keep, comparing, compute):
        store(block.kept)
        n_pairs += block.n_pairs
    computing(0)
    result = replace(
        analysis.all_raters(families, computing, compute), n_pairs=n_pairs, missing=labels.missing
    )
    if raters.are_too_few:
        result = result.undefined_for(Reason.TOO_FEW_COUNTED)
    if not raters.is_anyone_left_out:
        return result
    size = analysis.counted.size
    counted = CountedLabels(n_items=size.n_items, n_labels=size.n_labels, n_abstentions=raters.n_abstentions)
    return replace(result, counted=counted)
