"""What the list of reports shows: the primary figure of each, and how it went from report to report."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.urls import reverse

from core.templatetags.shown import figure, percent
from raters.access import Blindness
from reports.analysis.catalog import title_of
from reports.models import QuestionAgreement, Report
from reports.results.kinds import COMMON, main_coefficient, stored_coefficient
from reports.results.wording import shown_interval, shown_shares

# Of each report, and of the questions that are followed from report to report.
MOST_QUESTIONS = 3
# Of a drawing, in its own units.
WIDTH, HEIGHT, EDGE = 160, 36, 4


@dataclass(frozen=True, slots=True)
class ListedFigure:
    """low, high: None without an interval."""

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
    """figures: of its first questions; n_more: further ones. () of what is not done, or hidden from who looks; so is
    its name, which may say what came out.
    """

    report: Report
    name: str
    figures: Sequence[ListedFigure]
    n_more: int


@dataclass(frozen=True, slots=True)
class Course:
    """One question from report to report, oldest first. line, band: points of a drawing, whose ends are 0 and 1."""

    question: str
    title: str
    line: str
    band: str
    ends: Sequence[tuple[float, float]]
    said: str


def listed_reports(reports: Sequence[Report], blindness: Blindness) -> list[ListedReport]:
    """With the figures of those whose labels may be seen, in a number of queries that does not grow with them."""
    seen = [
        report.pk
        for report in reports
        if report.state == Report.State.DONE and not blindness.hides(report.scope["rounds"])
    ]
    rows = QuestionAgreement.objects.filter(report__in=seen).select_related("report__project", "question")
    rows = rows.defer("raters", "statistics").order_by("question__position", "question_id")
    found: dict[int, list[ListedFigure]] = {}
    for row in rows:
        if (listed := _listed(row)) is not None:
            found.setdefault(row.report_id, []).append(listed)
    return [
        ListedReport(
            report,
            shown_name(report, blindness),
            found.get(report.pk, [])[:MOST_QUESTIONS],
            max(0, len(found.get(report.pk, [])) - MOST_QUESTIONS),
        )
        for report in reports
    ]


def shown_name(report: Report, blindness: Blindness) -> str:
    """ "" for one who may not see what the report is about."""
    return "" if blindness.hides(report.scope["rounds"]) else report.name


def _listed(row: QuestionAgreement) -> ListedFigure | None:
    """None where the primary coefficient is undefined."""
    stored = stored_coefficient(row) if not row.reason else ""
    name = main_coefficient(row) if stored in row.coefficients else COMMON
    figures: Mapping[str, float | None] = row.coefficients.get(stored) or row.coefficients.get(COMMON) or {}
    value = figures.get("value")
    if value is None:
        return None
    address = reverse("report_question", args=[row.report.project.slug, row.report_id, row.question_id])
    is_share = name.startswith("percent_agreement")
    low, high = figures.get("ci_low"), figures.get("ci_high")
    return ListedFigure(row.question.key, title_of(name), value, low, high, address, is_share)


def courses_of(listed: Iterable[ListedReport]) -> list[Course]:
    """Of each question that two reports or more judge by the same coefficient; reports come newest first."""
    found: dict[tuple[str, str], list[ListedFigure]] = {}
    for each in listed:
        for one in each.figures:
            found.setdefault((one.question, one.title), []).insert(0, one)
    courses = [_course(figures) for figures in found.values() if len(figures) > 1]
    return courses[:MOST_QUESTIONS]


def _course(figures: Sequence[ListedFigure]) -> Course:
    across = [EDGE + (WIDTH - 2 * EDGE) * place / (len(figures) - 1) for place in range(len(figures))]
    values = [_height(each.value) for each in figures]
    lows = [_height(each.value if each.low is None else each.low) for each in figures]
    highs = [_height(each.value if each.high is None else each.high) for each in figures]
    around = [*zip(across, highs, strict=True), *reversed([*zip(across, lows, strict=True)])]
    first, last = figures[0], figures[-1]
    return Course(
        question=last.question,
        title=last.title,
        line=_points(zip(across, values, strict=True)),
        band=_points(around),
        ends=[(round(across[-1], 1), round(values[-1], 1))],
        said=f"{last.title} on {last.question} in {len(figures)} reports: from {first.shown} to {last.shown}",
    )


def _height(value: float) -> float:
    """Values below 0 lie on the ground."""
    return EDGE + (HEIGHT - 2 * EDGE) * (1 - min(1.0, max(0.0, value)))


def _points(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
