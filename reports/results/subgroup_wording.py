"""Agreement by subgroup, in words for pages, API, and exports."""

from collections.abc import Sequence

from core.templatetags.shown import count, in_percent
from reports.analysis.catalog import in_sentence, title_of
from reports.analysis.reasons import words_of
from reports.analysis.results import GroupFigures, GroupPairs, Subgroups, WindowChange
from reports.analysis.subgroups import ITEM
from reports.results.kinds import coefficient_of_parts
from reports.results.prose_words import capitalized
from reports.results.statistic_rows import (
    is_share,
    p_in_sentence,
    shown_difference,
    shown_difference_limits,
    shown_size,
)
from reports.sources.attribute_members import AttributeSummary, stored_attributes
from reports.store.stored_result import StoredResult
from reports.store.subgroups import SubgroupsRefused, SubgroupsRequest, coefficients_of_groups

NO_ATTRIBUTES = (
    "When this report was computed, no item and no rater of the project had an attribute, such as a site or a "
    "language. Add attributes, then compute a new report."
)


def attributes_of(result: StoredResult) -> list[AttributeSummary]:
    return stored_attributes(result.report)


def requested_groups(result: StoredResult, key: str, coefficient: str) -> SubgroupsRequest:
    """Return the requested groups. key: "item:NAME" or "rater:NAME". Raises SubgroupsRefused."""
    unit, colon, name = key.partition(":")
    if not colon:
        raise SubgroupsRefused(f"attribute must be item:NAME or rater:NAME, got {key[:100]!r}.")
    return SubgroupsRequest(unit, name, coefficient or coefficient_of_parts(result.row))


def coefficients_of(result: StoredResult) -> list[str]:
    return coefficients_of_groups(result.row)


def remark_of(group: GroupFigures, unit: str) -> str:
    """Return why a group has no figure or no interval; "" if it has both."""
    if group.figure is not None:
        return words_of(group.figure.reason).short if group.figure.reason else ""
    if unit != ITEM and group.n_raters < 2:
        return "only one rater"
    n = group.n_compared
    return f"too few items ({count(n)})" if n else "no shared items"


def remark_of_difference(found: WindowChange) -> str:
    """Return why it is unknown whether the difference is beyond chance; "" if it is known."""
    if found.reason:
        return words_of(found.reason).phrase
    return "too few items" if found.has_few_items else ""


def remark_of_pairs(found: GroupPairs) -> str:
    reason = found.figure.reason or (found.less_within.reason if found.less_within else "")
    if reason:
        return words_of(reason).phrase
    has_test = found.is_within or found.p_corrected is not None
    return "" if has_test else "no pairs within" if found.less_within is None else "too few items"


def value_name(found: Subgroups, place: int) -> str:
    return found.groups[place].value or "(empty)"


def notes_of(found: Subgroups, confidence: str) -> list[str]:
    """Return a sentence for each difference that is beyond chance."""
    notes = [_note(found, each, confidence) for each in found.differences if each.is_beyond_chance]
    return notes + [_pair_note(found, each, confidence) for each in found.pairs if each.is_beyond_chance]


def _note(found: Subgroups, each: WindowChange, confidence: str) -> str:
    change, of_share = each.value or 0.0, is_share(found.coefficient)
    low, high = (each.later, each.earlier) if change < 0 else (each.earlier, each.later)
    title = capitalized(in_sentence(title_of(found.coefficient)))
    return (
        f"{title} is {shown_size(change, is_share=of_share)} higher for {value_name(found, high)} than for "
        f"{value_name(found, low)} ({_interval(each.ci_low, each.ci_high, change, confidence, of_share=of_share)}), "
        f"a significant difference: {p_in_sentence(each.p_corrected)}{_corrected(found.n_tests)}."
    )


def _pair_note(found: Subgroups, each: GroupPairs, confidence: str) -> str:
    less, of_share = each.less_within, is_share(found.pair_figure)
    change = (less.value if less else None) or 0.0
    low, high = (less.ci_low, less.ci_high) if less else (None, None)
    return (
        f"Raters of {value_name(found, each.first)} and {value_name(found, each.second)} agree "
        f"{'less' if change < 0 else 'more'} with each other than among themselves: the mean "
        f"{in_sentence(title_of(found.pair_figure))} of their pairs differs by "
        f"{shown_difference(change, is_share=of_share)} ({in_percent(confidence)} CI "
        f"{shown_difference_limits(low, high, is_share=of_share)}), {p_in_sentence(each.p_corrected)}"
        f"{_corrected(found.n_pair_tests)}."
    )


def _interval(
    low: float | None, high: float | None, change: float, confidence: str, *, of_share: bool
) -> str:
    """Return the interval of the size of a difference, regardless of its direction."""
    if change < 0 and low is not None and high is not None:
        low, high = -high, -low
    return f"{in_percent(confidence)} CI {shown_difference_limits(low, high, is_share=of_share)}"


def _corrected(n: int) -> str:
    return f", Holm-adjusted for {count(n)} comparisons" if n > 1 else ""


def names_of(attributes: Sequence[AttributeSummary]) -> str:
    return ", ".join(each.key for each in attributes if not each.has_too_many) or "none"
