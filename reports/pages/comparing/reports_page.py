"""The page that compares two reports."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse

from core.templatetags.shown import NONE, in_percent, moment
from projects.access import AnyUser, permissions_in
from projects.models import Project
from projects.roles import Permission
from raters.access import blindness_of
from reports.agreement.few_items import LEAST_ITEMS
from reports.agreement.intervals.difference import Difference
from reports.analysis.catalog import in_sentence, title_among, title_of
from reports.analysis.options import Options
from reports.analysis.results import (
    CategoryDifferences,
    LabelChangeCounts,
    PairChanges,
    PairDifference,
    ReportDifferences,
)
from reports.analysis.significance import has_few_items, is_beyond_chance
from reports.models import QuestionAgreement, Report
from reports.pages.comparing.side_items import SideItems, items_of_category, items_of_reports
from reports.pages.comparing.sides_page import SideDifferenceRow, difference_row
from reports.pages.contexts import PageSection
from reports.pages.question.verdict import ThresholdPosition, formatted_coefficient, position_for
from reports.pages.report_list import shown_name
from reports.results.addresses import items_address, items_used_address, question_address
from reports.results.compared_reports import (
    SIDES,
    AppliedOption,
    ChangedItemRow,
    Fact,
    UnknownComparison,
    applied_options,
    changed_items,
    chosen_pair,
    chosen_report,
    codebook_differences,
    counted_of_both,
    done_reports,
    facts_of,
    rounds_in_words,
)
from reports.results.items.query import ItemQuery
from reports.results.kinds import common_coefficient, result_kind
from reports.results.primary import primary_of
from reports.results.prose_words import capitalized
from reports.results.statistic_rows import (
    in_order,
    is_share,
    p_in_sentence,
    shown_difference,
    shown_difference_limits,
    shown_value,
)
from reports.results.wording import long_reason, shown_interval, shown_shares
from reports.sources.history_spans import HistorySpan, is_changed_in
from reports.store.moved_pairs import MOST_PAIRS
from reports.store.on_demand import report_differences
from reports.store.sides import ALL, ComparisonRefused
from reports.store.stored_result import StoredResult

REPORTS_LISTED = 50


@dataclass(frozen=True, slots=True)
class ReportHeadline:
    """The primary coefficient in one report, as on its own page, and its description in words."""

    agreement: QuestionAgreement
    address: str
    title: str
    value: str
    interval: str
    claim: str
    position: ThresholdPosition | None
    items: str


@dataclass(frozen=True, slots=True)
class CategoryLine:
    name: str
    cells: list[SideDifferenceRow]


@dataclass(frozen=True, slots=True)
class PairLine:
    name: str
    address: str
    row: SideDifferenceRow


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedSection(PageSection):
    """Two reports on the same question. label_lists: URLs of the items in both, or in one only.

    applied: the options of the second report that the first does not have, with which both are computed.
    has_other_round: whether they use different rounds, in which items are labeled again instead of labels changed.
    history: the URL of the changes of labels between them; "" if there are none, or if the user may not see them.
    """

    sentence: str
    applied: Sequence[AppliedOption]
    labels: LabelChangeCounts
    label_lists: Mapping[str, str]
    has_other_round: bool
    history: str
    changed: Sequence[ChangedItemRow]
    rested_on: str
    rows: Sequence[SideDifferenceRow]
    category_titles: Sequence[str]
    categories: Sequence[CategoryLine]
    n_categories_left_out: int
    pair_title: str
    pairs: Sequence[PairLine]
    n_pairs: PairChanges | None
    most_pairs: int
    least: int
    has_few_items: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportComparisonSection(PageSection):
    """Two reports and a question in both. unlike: why they cannot be compared."""

    before: Report
    after: Report
    key: str
    questions: Mapping[str, str]
    facts: Sequence[Fact]
    codebook: Sequence[str]
    headlines: Sequence[ReportHeadline]
    percent: str
    unlike: str = ""
    compared: ComparedSection | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportComparisonPage(PageSection):
    """reports: the choices. texts: the chosen one, by side. two: None if none are chosen or they are refused."""

    project: Project
    reports: Mapping[str, str]
    texts: Mapping[str, str]
    refusal: str = ""
    two: ReportComparisonSection | None = None


def two_page(request: HttpRequest, project: Project) -> ReportComparisonPage:
    texts = [request.GET.get(side, "")[:20] for side in SIDES]
    page = ReportComparisonPage(
        project=project, reports=_listed(request.user, project), texts=dict(zip(SIDES, texts, strict=True))
    )
    if not any(texts):
        # The newest two, the later one second.
        newest = list(page.reports)[:2]
        return replace(page, texts=dict(zip(SIDES, reversed(newest), strict=False)))
    try:
        before, after = (chosen_report(request.user, project, text) for text in texts)
        key, questions = chosen_pair(before, after, request.GET.get("question", "")[:300])
    except UnknownComparison as unknown:
        return replace(page, refusal=str(unknown))
    agreements = questions[key]
    two = ReportComparisonSection(
        before=before,
        after=after,
        key=key,
        questions={key: key for key in questions},
        facts=facts_of(request.user, *agreements),
        codebook=codebook_differences(*agreements),
        headlines=[_headline(project, each) for each in agreements],
        percent=after.chosen.percent,
    )
    try:
        found = report_differences(*(each.row for each in agreements), by=request.user)
    except ComparisonRefused as refused:
        return replace(page, two=replace(two, unlike=str(refused)))
    return replace(page, two=replace(two, compared=_compared(request.user, project, agreements, found)))


def _listed(user: AnyUser, project: Project) -> dict[str, str]:
    """Return the reports to choose from, with their time and rounds."""
    reports = done_reports(user, project).only("name", "asked_at", "scope", "project", "asked_by")[
        :REPORTS_LISTED
    ]
    has_rounds, blindness = project.rounds.exists(), blindness_of(user, project)
    found = {}
    for each in reports:
        named = f"{name} (report {each.pk})" if (name := shown_name(each, blindness)) else f"Report {each.pk}"
        rounds = rounds_in_words(each.scope, has_rounds=has_rounds)
        found[str(each.pk)] = f"{named}, {moment(each.asked_at)}, {rounds}"
    return found


def _headline(project: Project, result: StoredResult) -> ReportHeadline:
    address = reverse("report_question", args=[project.slug, result.row.report_id, result.row.question_id])
    if result.reason:
        return ReportHeadline(result.row, address, "", NONE, "", long_reason(result.reason), None, "")
    primary = primary_of(result)
    found = primary.figure
    show = shown_shares if primary.is_share else shown_interval
    return ReportHeadline(
        result.row,
        address,
        title_of(primary.name),
        formatted_coefficient(primary.name, found.value),
        show(found.ci_low, found.ci_high),
        long_reason(found.reason) if found.reason else "",
        position_for(result, primary),
        items_used_address(result, found.n_items),
    )


def _compared(
    user: AnyUser, project: Project, two: tuple[StoredResult, StoredResult], found: ReportDifferences
) -> ComparedSection:
    before, after = two
    name = common_coefficient(after.row)
    keys = {rater.id: rater.key for result in two for rater in result.raters}
    n_raters = before.counted.n_raters if before.counted.n_raters == after.counted.n_raters else 0
    sentence = sentence_of(name, n_raters, found.differences.get(name), after.report.chosen)
    applied = applied_options(before, after)
    rounds = before.row.round_keys, after.row.round_keys
    has_other_round = None not in rounds and rounds[0] != rounds[1]
    # Differences are later minus earlier, so their `first` is the second report.
    rows = [
        _coefficient_row(two, each, found.differences[each], n_raters) for each in in_order(found.differences)
    ]
    categories = [_category_line(before, after, each) for each in found.categories]
    pairs = [_pair_line(project, two, found.pair_figure, each, keys) for each in found.pairs]
    listed = [*rows, *(row for line in categories for row in line.cells), *(line.row for line in pairs)]
    return ComparedSection(
        sentence=f"With the options of the second report in both: {sentence}" if applied else sentence,
        applied=applied,
        labels=found.labels,
        label_lists=_item_lists(before, after),
        has_other_round=has_other_round,
        history="" if has_other_round else _history(user, project, before, after),
        changed=changed_items(user, project, found.changed_items),
        rested_on=included_raters_sentence(before, after),
        rows=rows,
        category_titles=[title_of(each) for each in _category_names(found)],
        categories=categories,
        n_categories_left_out=len(after.categories) - len(found.categories) if found.categories else 0,
        pair_title=title_of(found.pair_figure),
        pairs=pairs,
        n_pairs=found.n_pairs,
        most_pairs=MOST_PAIRS,
        least=LEAST_ITEMS,
        has_few_items=any(row.has_few_items for row in listed),
    )


def included_raters_sentence(before: StoredResult, after: StoredResult) -> str:
    """Return a sentence on who counts in each report; "" if everyone counts in both."""
    sides = counted_of_both(before, after)
    if not any(side["left_out"] for side in sides):
        return ""
    words = [side["words"] for side in sides]
    if words[0] == words[1]:
        return f"In both reports, overall coefficients are based on {words[0]}."
    return f"In the first report, overall coefficients are based on {words[0]}; in the second, on {words[1]}."


def sentence_of(name: str, n_raters: int, found: Difference | None, options: Options) -> str:
    """Return a sentence on whether the project's chosen coefficient changed. n_raters: 0 if the reports differ."""
    title, in_points = capitalized(in_sentence(title_among(name, n_raters))), is_share(name)
    if not found or found.value is None:
        return f"{title} cannot be compared because it is undefined in one of the reports."
    if found.value == 0 and found.p_value is None:
        return f"{title} is the same in both reports."
    change = shown_difference(found.value, is_share=in_points)
    if found.p_value is None:
        return f"{title} differs by {change}; no CI is available."
    interval = shown_difference_limits(found.ci_low, found.ci_high, is_share=in_points)
    tail = f"{in_percent(options.percent)} CI {interval}, {p_in_sentence(found.p_value)}"
    way = "higher" if found.value > 0 else "lower"
    if has_few_items(found):
        return (
            f"{title} is {way} in the second report (difference {change}, {tail}), but with fewer than "
            f"{LEAST_ITEMS} items on either side, a change cannot be distinguished from chance."
        )
    if not is_beyond_chance(found, confidence=options.confidence):
        return f"{title} does not differ significantly: difference {change}, {tail}."
    return f"{title} is significantly {way} in the second report: difference {change}, {tail}."


def _item_lists(before: StoredResult, after: StoredResult) -> dict[str, str]:
    """Return the lists of items in both reports, and in one only, regardless of who counts."""
    of_all = ALL if before.counted.left_out or after.counted.left_out else None
    return {
        "both": items_address(after.row, ItemQuery(also=f"report:{before.row.report_id}", raters=of_all)),
        "only_before": items_address(
            before.row, ItemQuery(without=f"report:{after.row.report_id}", raters=of_all)
        ),
        "only_after": items_address(
            after.row, ItemQuery(without=f"report:{before.row.report_id}", raters=of_all)
        ),
    }


def _history(user: AnyUser, project: Project, before: StoredResult, after: StoredResult) -> str:
    positions = [each.report.head_position for each in (before, after)]
    if None in positions or Permission.SEE_LOG not in permissions_in(user, project):
        return ""
    after_position, up_to = sorted(position or 0 for position in positions)
    if not is_changed_in(HistorySpan(project, after_position, up_to), after.row.question_id):
        return ""
    query = {"question": after.question.key, "change": "U", "after": after_position, "up_to": up_to}
    return f"{reverse('label_changes', args=[project.slug])}?{urlencode(query)}"


def swapped_row(name: str, found: Difference, items: SideItems, *, n_raters: int = 0) -> SideDifferenceRow:
    """Return the row with the value of the first report first."""
    swapped = replace(
        found, first=found.second, second=found.first, n_first=found.n_second, n_second=found.n_first
    )
    return difference_row(name, swapped, items, n_raters=n_raters)


def _coefficient_row(
    two: tuple[StoredResult, StoredResult], name: str, found: Difference, n_raters: int
) -> SideDifferenceRow:
    """Return the row of an overall coefficient; its note has the first report's own value if that is another one."""
    before, after = two
    row = swapped_row(name, found, items_of_reports(before.row, after.row, name), n_raters=n_raters)
    own = shown_value(before.figure(name).value, is_share=is_share(name))
    if own in (row.first, NONE):
        return row
    return replace(
        row, remark="; ".join(part for part in (f"{own} in the first report itself", row.remark) if part)
    )


def _category_names(found: ReportDifferences) -> list[str]:
    return in_order(found.categories[0].differences) if found.categories else []


def _category_line(before: StoredResult, after: StoredResult, found: CategoryDifferences) -> CategoryLine:
    differences = found.differences
    cells = [
        swapped_row(name, differences[name], items_of_category(before.row, after.row, found.key, name))
        for name in in_order(differences)
    ]
    return CategoryLine(found.name, cells)


def _pair_line(
    project: Project,
    reports: tuple[StoredResult, StoredResult],
    name: str,
    found: PairDifference,
    keys: Mapping[int, str],
) -> PairLine:
    (before, after), a, b = reports, found.rater_a, found.rater_b
    address = reverse("pair", args=[project.slug, after.row.report_id, after.row.question_id, a, b])
    tail = f"{a}/{b}/{result_kind(after.question.kind).items_tail}"
    items = SideItems(question_address(before.row) + tail, question_address(after.row) + tail)
    return PairLine(f"{keys[a]} × {keys[b]}", address, swapped_row(name, found.difference, items))
