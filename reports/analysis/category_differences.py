"""Differences in the figures of one category between two samples."""

from dataclasses import replace

from reports.agreement.intervals.difference import Difference
from reports.agreement.overall.category_agreement import SPECIFIC_AGREEMENT_OF_ONE, TWO, against_the_rest
from reports.agreement.overall.chance_corrected import FLEISS_KAPPA, patterns_of
from reports.agreement.progress_callbacks import ReportProgress, part_of
from reports.agreement.results import Reason
from reports.agreement.statistic import Statistic
from reports.analysis.comparison import difference_of
from reports.analysis.label_arrays import LabelSubset
from reports.analysis.options import Options
from reports.analysis.results import Differences
from reports.analysis.steps import each_of

OF_ONE_CATEGORY = (SPECIFIC_AGREEMENT_OF_ONE, FLEISS_KAPPA)


def category_differences(
    first: LabelSubset,
    second: LabelSubset,
    place: int,
    options: Options,
    report_progress: ReportProgress | None = None,
) -> Differences:
    """Return differences for one category against the rest, by name: first part minus second.

    place: position of the category in both.
    """
    return {
        each.name: _of_category(each, place, first, second, options)
        for each, _ in each_of(OF_ONE_CATEGORY, part_of(report_progress, 0, 1))
    }


def _of_category(
    of_one: Statistic, place: int, first: LabelSubset, second: LabelSubset, options: Options
) -> Difference:
    found = difference_of(_one_category(of_one, place), first, second, TWO, options)
    if found.reason is Reason.NO_VARIATION and not all(
        each.sample.patterns.pairable.counts[:, place].any() for each in (first, second)
    ):
        return replace(found, reason=Reason.CATEGORY_UNUSED)
    return found


def _one_category(of_one: Statistic, place: int) -> Statistic:
    """Return the statistic of one category against the rest, for samples with more categories."""
    item_values = of_one.item_values
    return Statistic(
        name=of_one.name,
        units=patterns_of,
        values=lambda units, scale, weights: of_one.values(against_the_rest(units, place), TWO, weights),
        item_values=item_values
        and (lambda units, scale, value: item_values(against_the_rest(units, place), TWO, value)),
        method=of_one.method,
    )
