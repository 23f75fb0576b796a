"""The page of an effect: agreement on one question before and after a part of the history."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse

from core.models import HistoryEntry
from core.numbers import whole_number
from core.templatetags.shown import count, moment
from projects.access import permissions_in
from projects.models import Project
from projects.roles import Permission
from reports.agreement.few_items import LEAST_ITEMS
from reports.analysis.catalog import in_sentence, title_among
from reports.analysis.reasons import words_of
from reports.analysis.results import EffectSide, LabelChangeEffect
from reports.analysis.significance import has_few_items
from reports.pages.contexts import PageSection
from reports.pages.heads import QuestionHead, question_head
from reports.results.kinds import coefficient_of_parts
from reports.results.prose_words import capitalized
from reports.results.statistic_rows import (
    is_share,
    p_in_sentence,
    shown_difference,
    shown_difference_limits,
    shown_limits,
    shown_size,
    shown_value,
    words_of_test,
)
from reports.results.wording import method_shown
from reports.store.effect import EffectRefused, EffectRequest
from reports.store.on_demand import change_effect
from reports.store.stored_result import StoredResult

NOTHING_CHOSEN = "Open an import, or the resolved items of adjudication, and click “Compute the effect”."


@dataclass(frozen=True, slots=True)
class SideRow:
    """value: the figure, or why there is none."""

    name: str
    value: str
    interval: str
    n_items: int
    n_raters: int
    n_labels: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectSection(PageSection):
    """difference: "" if one side has no figure. remark: why there is no interval, or the method."""

    title: str
    scope: str
    sentence: str
    sides: Sequence[SideRow]
    difference: str
    difference_interval: str
    test: str
    n_shared: int
    remark: str
    n_changed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectPage(PageSection):
    """history: the URL of the changes; "" if the user may not see them."""

    head: QuestionHead
    percent: str
    history: str
    span: str
    refusal: str = ""
    found: EffectSection | None = None


def effect_page(request: HttpRequest, result: StoredResult) -> EffectPage:
    project = result.report.project
    after, up_to = (whole_number(request.GET.get(name, "")) for name in ("after", "up_to"))
    has_log = Permission.SEE_LOG in permissions_in(request.user, project)
    page = EffectPage(head=question_head(result), percent=result.report.chosen.percent, history="", span="")
    if after is None or up_to is None:
        return replace(page, refusal=NOTHING_CHOSEN)
    asked = EffectRequest(after, up_to, coefficient_of_parts(result.row))
    query = urlencode({"after": after, "up_to": up_to, "question": result.row.question.key})
    page = replace(
        page,
        history=f"{reverse('label_changes', args=[project.slug])}?{query}" if has_log else "",
        span=_span(project, after, up_to),
    )
    try:
        found = change_effect(result.row, asked, by=request.user)
    except EffectRefused as refused:
        return replace(page, refusal=str(refused))
    return replace(page, found=_section(result, found))


def _span(project: Project, after: int, up_to: int) -> str:
    """Return the times of the first and the last of the changes."""
    entries = HistoryEntry.objects.filter(project_id=project.pk, position__in=[after + 1, up_to])
    moments = [moment(at) for at in entries.order_by("position").values_list("at", flat=True)]
    return " – ".join(dict.fromkeys(moments))


def _section(result: StoredResult, found: LabelChangeEffect) -> EffectSection:
    of_share = is_share(found.coefficient)
    title = title_among(found.coefficient, max(found.before.n_raters, found.after.n_raters))
    difference = found.difference
    has_few = difference is not None and has_few_items(difference)
    has_difference = difference is not None and not has_few
    scope = f"round “{found.round}”" if found.round else "all labels of the report’s rounds"
    return EffectSection(
        title=title,
        scope=scope,
        sentence=_sentence(title, found, has_few=has_few),
        sides=[_row("Before", found, found.before), _row("After", found, found.after)],
        difference="" if difference is None else shown_difference(difference.value, is_share=of_share),
        difference_interval=shown_difference_limits(difference.ci_low, difference.ci_high, is_share=of_share)
        if difference and has_difference
        else "",
        test=words_of_test(difference) if difference and has_difference else "",
        n_shared=difference.n_shared if difference else 0,
        remark=_remark(found, has_few=has_few),
        n_changed=found.n_changed,
    )


def _row(name: str, found: LabelChangeEffect, side: EffectSide) -> SideRow:
    of_share, figure = is_share(found.coefficient), side.figure
    if figure is None:
        return SideRow(name, _why_none(side), "", side.n_items, side.n_raters, side.n_labels)
    return SideRow(
        name,
        shown_value(figure.value, is_share=of_share),
        shown_limits(figure.ci_low, figure.ci_high, is_share=of_share) or words_of(figure.reason).short,
        side.n_items,
        side.n_raters,
        side.n_labels,
    )


def _why_none(side: EffectSide) -> str:
    return "none: no item had two labels" if side.n_labels else "none: there were no labels"


def _sentence(title: str, found: LabelChangeEffect, *, has_few: bool) -> str:
    title, difference = capitalized(in_sentence(title)), found.difference
    if difference is None:
        when, side = ("before", found.before) if found.before.figure is None else ("after", found.after)
        had = "no item had two labels" if side.n_labels else "there were no labels"
        return f"There is nothing to compare: {when} these changes, {had} from raters who count."
    if difference.value is None:
        return f"{title} is not defined on both sides: {words_of(difference.reason).phrase}."
    if difference.value == 0:
        return f"{title} is the same before and after."
    way = "rose" if difference.value > 0 else "fell"
    change = f"{title} {way} by {shown_size(difference.value, is_share=is_share(found.coefficient))}"
    if has_few:
        return f"{change}; fewer than {count(LEAST_ITEMS)} items are too few to tell this from chance."
    if difference.ci_low is None or difference.ci_high is None:
        return f"{change}."
    if difference.ci_low <= 0 <= difference.ci_high:
        return f"{change}, which may be chance: {p_in_sentence(difference.p_value)}."
    return f"{change}, which is beyond chance: {p_in_sentence(difference.p_value)}."


def _remark(found: LabelChangeEffect, *, has_few: bool) -> str:
    if found.difference is None:
        return ""
    if has_few:
        return f"no interval with fewer than {LEAST_ITEMS} items"
    if found.difference.reason:
        return words_of(found.difference.reason).phrase
    return method_shown(found.difference.method)
