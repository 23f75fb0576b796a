"""The effect of a part of the history on agreement, as far as reports before and after it show."""

from collections.abc import Sequence
from urllib.parse import urlencode

from django.urls import reverse

from core.templatetags.shown import figure, percent
from projects.codebook.former import ids_ever
from projects.models import Project
from raters.reporting import EffectOnQuestion
from reports.analysis.catalog import title_of
from reports.models import QuestionAgreement, Report
from reports.results.addresses import question_address
from reports.results.kinds import COMMON, main_coefficient, stored_coefficient
from reports.results.statistic_rows import is_share
from reports.results.wording import shown_interval, shown_shares
from reports.sources.history_spans import MOST, ChangedLabels, HistorySpan, changes_in, is_changed_in

# The number of reports examined on either side.
NEAREST = 10


def effects(project: Project, after: int, up_to: int, source: str) -> list[EffectOnQuestion]:
    span = HistorySpan(project, after, up_to)
    changes = changes_in(span, ids_ever(project), source=source)
    is_more = sum(each.n for each in changes.values()) >= MOST
    questions = project.questions.filter(pk__in=changes).order_by("position", "pk")
    return [
        _effect(
            span,
            pk,
            key,
            changes[pk],
            n_by_others=changes[pk].n - changes[pk].n_own if source else 0,
            is_more=is_more,
        )
        for pk, key in questions.values_list("pk", "key")
    ]


def _effect(
    span: HistorySpan, question: int, key: str, changes: ChangedLabels, *, n_by_others: int, is_more: bool
) -> EffectOnQuestion:
    done = QuestionAgreement.objects.filter(
        question=question, reason="", report__state=Report.State.DONE, report__head_position__isnull=False
    ).select_related("report__project", "question")
    # A limited report also defines how the question is read, but may not include what changed.
    newest = done.exclude(report__scope__has_key="only").order_by("-report_id").first()
    if newest is None:
        return EffectOnQuestion(key, changes.n, n_by_others, is_more, _had_labels(span, question))
    query = urlencode({"after": span.after, "up_to": span.up_to})
    args = [span.project.slug, newest.report_id, question]
    work_out = f"{reverse('report_effect', args=args)}?{query}"
    early = done.filter(report__head_position__lte=span.after).order_by("-report__head_position")
    late = done.filter(report__head_position__gte=span.up_to).order_by("report__head_position")
    pair = _pair(span, question, [*early[:NEAREST]], [*late[:NEAREST]])
    if pair is None:
        had_labels = _had_labels(span, question)
        return EffectOnQuestion(key, changes.n, n_by_others, is_more, had_labels, work_out=work_out)
    before, after = pair
    both = urlencode({"first": before.report_id, "second": after.report_id, "question": key})
    return EffectOnQuestion(
        key,
        changes.n,
        n_by_others,
        is_more,
        coefficient=title_of(_name(after)),
        before=_formatted_value(before),
        after=_formatted_value(after),
        before_address=question_address(before),
        after_address=question_address(after),
        compare=f"{reverse('two_reports', args=[span.project.slug])}?{both}",
        work_out=work_out,
    )


def _had_labels(span: HistorySpan, question: int) -> bool:
    return is_changed_in(HistorySpan(span.project, 0, span.after), question)


def _pair(
    span: HistorySpan, question: int, early: Sequence[QuestionAgreement], late: Sequence[QuestionAgreement]
) -> tuple[QuestionAgreement, QuestionAgreement] | None:
    """Return two reports with equal options between which only the labels of this part of the history changed."""
    project = span.project
    before = [
        each
        for each in early
        if not is_changed_in(HistorySpan(project, each.report.head.position, span.after), question)
    ]
    after = [
        each
        for each in late
        if not is_changed_in(HistorySpan(project, span.up_to, each.report.head.position), question)
    ]
    alike = (
        (first, second)
        for first in before
        for second in after
        if _comparability_key(first) == _comparability_key(second) and _name(first) == _name(second)
    )
    return next(alike, None)


def _comparability_key(row: QuestionAgreement) -> tuple[object, ...]:
    """Return what must be equal for two reports to be compared; their other questions do not matter."""
    scope = row.report.scope
    rounds = scope["rounds"], scope.get("pooled", True), row.lead and row.lead["id"]
    return *rounds, scope.get("only"), row.report.options, row.asked


def _name(row: QuestionAgreement) -> str:
    return main_coefficient(row) if stored_coefficient(row) in row.coefficients else COMMON


def _formatted_value(row: QuestionAgreement) -> str:
    found = row.coefficients.get(stored_coefficient(row)) or row.coefficients.get(COMMON) or {}
    of_share = is_share(_name(row))
    value = found.get("value")
    if value is None:
        return "undefined"
    shown = percent(value) if of_share else figure(value)
    interval = (shown_shares if of_share else shown_interval)(found.get("ci_low"), found.get("ci_high"))
    return f"{shown} {interval}".strip()
