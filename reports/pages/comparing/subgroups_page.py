"""The page of agreement by subgroup."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse

from core.templatetags.shown import percent
from reports.agreement.few_items import LEAST_ITEMS
from reports.analysis.catalog import title_of
from reports.analysis.results import GroupFigures, GroupPairs, Subgroups, WindowChange
from reports.analysis.subgroups import ITEM, LEAST_SHOWN, MAX_LABELS, MAX_RATERS, RATER
from reports.pages.address_choices import chosen
from reports.pages.contexts import PageSection
from reports.pages.heads import QuestionHead, question_head
from reports.results.addresses import items_address
from reports.results.items.query import ItemQuery
from reports.results.items.question_items import MOST_RATERS
from reports.results.kinds import coefficient_of_parts
from reports.results.statistic_rows import (
    in_order,
    is_share,
    shown_difference,
    shown_difference_limits,
    shown_limits,
    shown_p,
    shown_value,
    words_of_test,
)
from reports.results.subgroup_wording import (
    NO_ATTRIBUTES,
    attributes_of,
    coefficients_of,
    notes_of,
    remark_of,
    remark_of_difference,
    remark_of_pairs,
    requested_groups,
    value_name,
)
from reports.sources.attribute_members import AttributeSummary, are_attributes_same, stored_groups
from reports.store.on_demand import subgroup_agreement
from reports.store.stored_result import StoredResult
from reports.store.subgroups import SubgroupsRefused


@dataclass(frozen=True, slots=True)
class SubgroupRow:
    """items, compared: URLs of the items behind both numbers, "" if there is no list."""

    name: str
    value: str
    interval: str
    percent_agreement: str
    n_items: int
    n_compared: int
    n_raters: int
    n_labels: int
    items: str
    compared: str


@dataclass(frozen=True, slots=True)
class SubgroupDifferenceRow:
    first: str
    second: str
    value: str
    interval: str
    test: str
    p_value: str
    p_corrected: str
    is_beyond_chance: bool
    n_shared: int
    remark: str


@dataclass(frozen=True, slots=True)
class PairsRow:
    """less_within: the mean of pairs between two groups minus that within groups; "" within a group."""

    name: str
    is_within: bool
    n_pairs: int
    n_items: int
    value: str
    interval: str
    less_within: str
    less_interval: str
    p_value: str
    p_corrected: str
    is_beyond_chance: bool
    remark: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupsSection(PageSection):
    rows: Sequence[SubgroupRow]
    has_percent_agreement: bool
    differences: Sequence[SubgroupDifferenceRow]
    pairs: Sequence[PairsRow]
    pair_title: str
    notes: Sequence[str]
    overall: str
    n_without: int
    n_left_out: int
    n_tests: int
    n_pair_tests: int
    has_few_only: bool
    file: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SubgroupsPage(PageSection):
    """choices: attributes by unit. found: None if no attribute is chosen, or if it is refused."""

    head: QuestionHead
    percent: str
    choices: Sequence[tuple[str, Sequence[AttributeSummary]]]
    attribute: str
    attribute_name: str
    unit: str
    coefficient: str
    coefficients: Mapping[str, str]
    title: str
    least_shown: int = LEAST_SHOWN
    least_tested: int = LEAST_ITEMS
    most_raters: int = MAX_RATERS
    most_labels: int = MAX_LABELS
    has_new_attributes: bool = False
    nothing: str = ""
    refusal: str = ""
    found: GroupsSection | None = None


def subgroups_page(request: HttpRequest, result: StoredResult) -> SubgroupsPage:
    attributes = attributes_of(result)
    usable = [each.key for each in attributes if not each.has_too_many]
    key = request.GET.get("attribute", usable[0] if usable else "")[:300]
    names = coefficients_of(result)
    coefficient = chosen(request, "coefficient", names, coefficient_of_parts(result.row))
    unit, _, name = key.partition(":")
    page = SubgroupsPage(
        head=question_head(result),
        percent=result.report.chosen.percent,
        choices=[
            (words, [each for each in attributes if each.unit == of])
            for of, words in (("item", "Items"), ("rater", "Raters"))
        ],
        attribute=key,
        attribute_name=name,
        unit=unit,
        coefficient=coefficient,
        coefficients={each: title_of(each) for each in in_order(names)},
        title=title_of(coefficient),
        has_new_attributes=not are_attributes_same(result.report),
        nothing="" if attributes else NO_ATTRIBUTES,
    )
    if not key:
        return page
    try:
        asked = requested_groups(result, key, coefficient)
        found = subgroup_agreement(result.row, asked, by=request.user)
    except SubgroupsRefused as refused:
        return replace(page, refusal=str(refused))
    return replace(page, found=groups_section(result, key, found))


def groups_section(result: StoredResult, key: str, found: Subgroups) -> GroupsSection:
    of_share = is_share(found.coefficient)
    overall = result.figure(found.coefficient).value
    args = [result.report.project.slug, result.report.pk, result.row.question_id]
    query = urlencode({"attribute": key, "coefficient": found.coefficient})
    return GroupsSection(
        rows=[_group(result, found, each, of_share=of_share) for each in found.groups],
        has_percent_agreement=any(each.percent_agreement for each in found.groups),
        differences=[_difference(found, each) for each in found.differences],
        pairs=[_pairs(found, each) for each in found.pairs],
        pair_title=title_of(found.pair_figure) if found.pairs else "",
        notes=notes_of(found, result.report.chosen.percent),
        overall=shown_value(overall, is_share=of_share),
        n_without=found.n_without,
        n_left_out=found.n_left_out,
        n_tests=found.n_tests,
        n_pair_tests=found.n_pair_tests,
        has_few_only=bool(found.groups) and all(each.figure is None for each in found.groups),
        file=f"{reverse('report_subgroups_file', args=args)}?{query}",
    )


def items_of_group(result: StoredResult, found: Subgroups, value: str) -> ItemQuery | None:
    """Return the items with a value, or labeled by raters with it; None if there are too many raters for a URL."""
    if found.unit == ITEM:
        return ItemQuery(attribute=found.attribute, value=value)
    groups = {each.value: each.ids for each in stored_groups(result.report, RATER, found.attribute)}
    labeled = set(result.counted.ids) & {rater.id for rater in result.raters}
    ids = sorted(labeled.intersection(groups[value].tolist())) if value in groups else []
    return ItemQuery(raters=":".join(map(str, ids))) if 0 < len(ids) <= MOST_RATERS else None


def _group(result: StoredResult, groups: Subgroups, group: GroupFigures, *, of_share: bool) -> SubgroupRow:
    found = group.figure
    remark = remark_of(group, groups.unit)
    query = items_of_group(result, groups, group.value)
    limits = "" if found is None else shown_limits(found.ci_low, found.ci_high, is_share=of_share)
    return SubgroupRow(
        name=group.value or "(empty)",
        value=shown_value(None if found is None else found.value, is_share=of_share),
        interval=limits or remark,
        percent_agreement=percent(group.percent_agreement.value if group.percent_agreement else None, 1),
        n_items=group.n_items,
        n_compared=group.n_compared,
        n_raters=group.n_raters,
        n_labels=group.n_labels,
        items="" if query is None else items_address(result.row, query),
        compared="" if query is None else items_address(result.row, replace(query, among="compared")),
    )


def _difference(found: Subgroups, each: WindowChange) -> SubgroupDifferenceRow:
    # With too few items, numbers are not shown, as they would be taken at face value.
    has_enough_items, of_share = not each.has_few_items, is_share(found.coefficient)
    return SubgroupDifferenceRow(
        first=value_name(found, each.earlier),
        second=value_name(found, each.later),
        value=shown_difference(each.value if has_enough_items else None, is_share=of_share),
        interval=shown_difference_limits(each.ci_low, each.ci_high, is_share=of_share)
        if has_enough_items
        else "",
        test=words_of_test(each) if has_enough_items else "",
        p_value=shown_p(each.p_value if has_enough_items else None),
        p_corrected=shown_p(each.p_corrected),
        is_beyond_chance=each.is_beyond_chance,
        n_shared=each.n_shared,
        remark=remark_of_difference(each),
    )


def _pairs(found: Subgroups, each: GroupPairs) -> PairsRow:
    names = [value_name(found, place) for place in (each.first, each.second)]
    less, of_share = each.less_within, is_share(found.pair_figure)
    return PairsRow(
        name=f"within {names[0]}" if each.is_within else f"{names[0]} × {names[1]}",
        is_within=each.is_within,
        n_pairs=each.n_pairs,
        n_items=each.n_items,
        value=shown_value(each.figure.value, is_share=of_share),
        interval=shown_limits(each.figure.ci_low, each.figure.ci_high, is_share=of_share),
        less_within=shown_difference(less.value, is_share=of_share) if less else "",
        less_interval=shown_difference_limits(less.ci_low, less.ci_high, is_share=of_share) if less else "",
        p_value=shown_p(each.p_value) if less else "",
        p_corrected=shown_p(each.p_corrected) if less else "",
        is_beyond_chance=each.is_beyond_chance,
        remark=remark_of_pairs(each),
    )
