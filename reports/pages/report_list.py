"""The list of reports: the primary figure of each, and its course over the reports."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Q
from django.urls import reverse

from core.templatetags.shown import figure, percent
from raters.access import Blindness
from raters.lettered import real_ids
from reports.analysis.catalog import title_of
from reports.analysis.measure import COHEN
from reports.models import PairAgreement, QuestionAgreement, Report
from reports.results.kinds import COMMON, main_coefficient, stored_coefficient
from reports.results.primary import figure_of_pair
from reports.results.round_wording import (
    rounds_in_list,
    rounds_of_scope,
    sentence_of_rounds,
    short_rounds,
)
from reports.results.wording import shown_interval, shown_shares
from reports.store.agreements import scope_of
from reports.store.included_raters import kinds_in

# The most questions shown for a report, and followed over reports.
MOST_QUESTIONS = 3
# The size of a drawing, in its own units.
WIDTH, HEIGHT, EDGE = 160, 36, 4


@dataclass(frozen=True, slots=True)
class Comparable:
    """What two figures must have in common to be compared: only the labels may differ.

    scope: the rounds of the figures, in words. weights: all values, for custom weights.
    """

    question: int
    kind: str
    level: str
    categories: tuple[int, ...]
    coefficient: str
    weights: str
    scope: str
    kinds: tuple[str, ...]
    confidence: float


@dataclass(frozen=True, slots=True)
class ListedFigure:
    """low, high: None without an interval."""

    comparable: Comparable
    question: str
    title: str
    value: float
    low: float | None
    high: float | None
    address: str
    is_share: bool

    @property
    def shown(self) -> str:
        return percent(self.value) if self.is_share else figure(self.value)

    @property
    def interval(self) -> str:
        show = shown_shares if self.is_share else shown_interval
        return show(self.low, self.high)


@dataclass(frozen=True, slots=True)
class ListedReport:
    """figures: of its first questions; n_more: the number of others. () if the report is not done or is hidden from the
    user; its name is then hidden as well, as it may reveal results. rounds: which its figures use, in short;
    rounds_used: the same as a sentence, "" if it has no figures.
    """

    report: Report
    name: str
    figures: Sequence[ListedFigure]
    n_more: int
    rounds: str
    rounds_used: str = ""


@dataclass(frozen=True, slots=True)
class CoefficientHistory:
    """One question from report to report, oldest first. line, band: points of a drawing from `lowest` to 1. zero: the
    height of the line at 0, if any value is below it.
    """

    question: str
    title: str
    scope: str
    lowest: str
    zero: float | None
    line: str
    band: str
    ends: Sequence[tuple[float, float]]
    description: str


def listed_reports(
    reports: Sequence[Report], blindness: Blindness, *, has_rounds: bool = False
) -> list[ListedReport]:
    """Return the reports, with figures if their labels may be seen, in a constant number of queries.

    has_rounds: whether the project has several rounds.
    """
    seen = [
        report.pk
        for report in reports
        if report.state == Report.State.DONE and not blindness.hides(report.scope["rounds"])
    ]
    rows = QuestionAgreement.objects.filter(report__in=seen).select_related("report__project", "question")
    rows = rows.defer("raters", "statistics").order_by("question__position", "question_id")
    found: dict[int, list[ListedFigure]] = {}
    of_report: dict[int, list[QuestionAgreement]] = {}
    pairs = _pairs_of_two(rows)
    for row in rows:
        of_report.setdefault(row.report_id, []).append(row)
        if (listed := _listed(row, pairs.get(row.pk))) is not None:
            found.setdefault(row.report_id, []).append(listed)
    shown = []
    for report in reports:
        figures, used = found.get(report.pk, []), rounds_in_list(of_report.get(report.pk, []))
        is_apart = bool(used) and (has_rounds or report.scope["rounds"] is not None)
        shown.append(
            ListedReport(
                report,
                shown_name(report, blindness),
                figures[:MOST_QUESTIONS],
                max(0, len(figures) - MOST_QUESTIONS),
                short_rounds(used) if is_apart else rounds_of_scope(report, has_rounds=has_rounds),
                sentence_of_rounds(used) if is_apart else "",
            )
        )
    return shown


def shown_name(report: Report, blindness: Blindness) -> str:
    """Return the name of a report; "" if the user may not see its labels."""
    return "" if blindness.hides(report.scope["rounds"]) else report.name


def _pairs_of_two(rows: Iterable[QuestionAgreement]) -> dict[int, PairAgreement]:
    """Return, where two raters count and Cohen's kappa is the primary coefficient, their pair: it has the interval."""
    two = [row.pk for row in rows if not row.reason and main_coefficient(row).startswith(COHEN)]
    if not two:
        return {}
    wanted = Q()
    for row in QuestionAgreement.objects.filter(pk__in=two).select_related("report").defer("statistics"):
        ids = real_ids([rater["id"] for rater in row.raters if rater["kind"] in kinds_in(row)])
        wanted |= Q(agreement=row.pk, rater_a__in=ids, rater_b__in=ids)
    return {
        pair.agreement_id: pair for pair in PairAgreement.objects.filter(wanted).defer("counts", "figures")
    }


def _listed(row: QuestionAgreement, pair: PairAgreement | None) -> ListedFigure | None:
    """Return the figure; None if the primary coefficient is undefined. pair: if only two raters count."""
    stored = stored_coefficient(row) if not row.reason else ""
    name = main_coefficient(row) if stored in row.coefficients else COMMON
    figures: Mapping[str, float | None] = row.coefficients.get(stored) or row.coefficients.get(COMMON) or {}
    value = figures.get("value")
    if value is None:
        return None
    address = reverse("report_question", args=[row.report.project.slug, row.report_id, row.question_id])
    is_share = name.startswith("percent_agreement")
    interval = figure_of_pair(pair) if pair else None
    low = interval.ci_low if interval else figures.get("ci_low")
    high = interval.ci_high if interval else figures.get("ci_high")
    title = title_of(name)
    return ListedFigure(_comparable(row, title), row.question.key, title, value, low, high, address, is_share)


def _comparable(row: QuestionAgreement, title: str) -> Comparable:
    scope = scope_of(row)
    return Comparable(
        question=row.question_id,
        kind=scope.kind,
        level=scope.level,
        categories=tuple(scope.category_ids),
        coefficient=title,
        weights=f"{scope.weights} {scope.matrix.rows if scope.matrix else ''}",
        scope=_scope_in_words(row),
        kinds=tuple(sorted(map(str, scope.options.counted))),
        confidence=scope.options.confidence,
    )


def _scope_in_words(row: QuestionAgreement) -> str:
    """Return the scope in words; a report on one round and one in which it leads have the same scope."""
    only = row.report.scope.get("only")
    limit = f", limited to {only['words']}" if only else ""
    rounds = [row.lead["key"]] if row.lead else row.report.scope["rounds"]
    if rounds is None:
        return f"all labels{limit}"
    names = [f"“{key}”" for key in rounds]
    words = f"round {names[0]}" if len(names) == 1 else f"rounds {' and '.join(names)} pooled"
    return f"{words}{limit}"


def courses_of(listed: Iterable[ListedReport]) -> list[CoefficientHistory]:
    """Return the course of figures that at least two reports share; reports come newest first."""
    found: dict[Comparable, list[ListedFigure]] = {}
    for each in listed:
        for one in each.figures:
            found.setdefault(one.comparable, []).insert(0, one)
    courses = [_course(of_what, figures) for of_what, figures in found.items() if len(figures) > 1]
    return courses[:MOST_QUESTIONS]


def _course(of_what: Comparable, figures: Sequence[ListedFigure]) -> CoefficientHistory:
    across = [EDGE + (WIDTH - 2 * EDGE) * place / (len(figures) - 1) for place in range(len(figures))]
    lows = [each.value if each.low is None else each.low for each in figures]
    highs = [each.value if each.high is None else each.high for each in figures]
    # An interval may reach far below -1, but a value hardly ever; the drawing is cut there unless a value is lower.
    lowest = min(0.0, max(-1.0, min(lows)), *(each.value for each in figures))

    def height(value: float) -> float:
        share = (min(1.0, max(lowest, value)) - lowest) / (1 - lowest)
        return EDGE + (HEIGHT - 2 * EDGE) * (1 - share)

    values = [height(each.value) for each in figures]
    around = [
        *zip(across, map(height, highs), strict=True),
        *reversed([*zip(across, map(height, lows), strict=True)]),
    ]
    last = figures[-1]
    values_text = ", ".join(f"{each.shown} {each.interval}".strip() for each in figures)
    return CoefficientHistory(
        question=last.question,
        title=last.title,
        scope=of_what.scope,
        lowest=figure(lowest) if lowest else "0",
        zero=round(height(0.0), 1) if lowest else None,
        line=_points(zip(across, values, strict=True)),
        band=_points(around),
        ends=[(round(across[-1], 1), round(values[-1], 1))],
        description=f"{last.title} on {last.question}, {of_what.scope}, in {len(figures)} reports, "
        f"oldest first: {values_text}",
    )


def _points(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
