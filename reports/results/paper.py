"""The table and texts of documents, independent of their format."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reports.models import Report
from reports.results.paper_figures import PaperFigure, QuestionFigures, figures_of
from reports.results.prose import Style, prose_of
from reports.results.prose_measure import weights_sentence
from reports.results.prose_words import apa_number, number


@dataclass(frozen=True, slots=True)
class PaperTable:
    """rows: text for each column; the first two columns are words, the others numbers."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str


N_WORD_COLUMNS = 2


def table_of(report: Report, style: Style = Style.APA) -> PaperTable:
    questions = figures_of(report)
    percent = report.chosen.percent
    rows = tuple(row for question in questions for row in _rows(question, style))
    return PaperTable(
        caption=f"Interrater Agreement: {report.project_name}",
        columns=("Question", "Coefficient", "Value", f"{percent}% CI", "Items", "Raters", "Labels"),
        rows=rows,
        note=" ".join(
            filter(
                None,
                ["CI = confidence interval.", _weights(questions), *_counted(questions), _software(report)],
            )
        ),
    )


def _weights(questions: Sequence[QuestionFigures]) -> str:
    results = [question.result for question in questions]
    return weights_sentence(results, ["gwet_ac2"]) if any(each.scope.is_weighted for each in results) else ""


def _counted(questions: Sequence[QuestionFigures]) -> Iterator[str]:
    """Yield who is included: once if it is the same for all questions, else for each."""
    sentences = {question.counted.sentence for question in questions}
    if len(sentences) == 1:
        yield sentences.pop()
        return
    for question in questions:
        if question.counted.sentence:
            yield f"{question.key}: {question.counted.sentence}"


def _rows(question: QuestionFigures, style: Style) -> Iterator[tuple[str, ...]]:
    counted = question.counted
    for place, figure in enumerate(question.figures):
        first = question.key if place == 0 else ""
        n_items = "" if figure.n_items is None else f"{figure.n_items:,}"
        sizes = (n_items, f"{counted.n_raters:,}", f"{counted.n_labels:,}")
        if counted.are_too_few:
            # The one figure is that of the two raters.
            sizes = (n_items, "2", f"{question.result.row.n_labels:,}")
        yield first, figure.plain, _value(figure, style), _interval(figure, style), *sizes


def _value(figure: PaperFigure, style: Style) -> str:
    if figure.value is None:
        return "undefined"
    return f"{number(100 * figure.value, 1)}%" if figure.is_share else _decimal(figure.value, style)


def _interval(figure: PaperFigure, style: Style) -> str:
    if not figure.has_interval:
        return "–"
    low, high = figure.low or 0.0, figure.high or 0.0
    if figure.is_share:
        return f"[{number(100 * low, 1)}%, {number(100 * high, 1)}%]"
    return f"[{_decimal(low, style)}, {_decimal(high, style)}]"


def _decimal(value: float, style: Style) -> str:
    return apa_number(value) if style is Style.APA else number(value, 2)


def _software(report: Report) -> str:
    digest = f"label digest {report.digest[:16]}"
    return f"Computed with Interrater (Version {report.code_version}; report {report.pk}; {digest})."


def text_of(report: Report, style: Style) -> str:
    """Return methods and results as plain text, one paragraph for each question and topic."""
    prose = prose_of(report, style)
    parts = ["Method", *prose.methods, "Results", *prose.results, "References", *prose.references]
    return "\n\n".join(parts) + "\n"
