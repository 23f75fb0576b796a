"""Methods and results of a report as text for a paper, generated from its figures, in APA style and in plain words.

Sentences state what was done and found. Judging it is left to the authors, so the text has no evaluative adjectives.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString

from reports.models import Report
from reports.results import bibliography, prose_measure
from reports.results.marked import as_html, gap, has_gap, plain
from reports.results.paper_figures import (
    PaperFigure,
    QuestionFigures,
    figures_of,
    figures_of_question,
    primary_figure,
    second_figure,
)
from reports.results.prose_data import data_sentences, left_out_sentence
from reports.results.prose_measure import measure_sentences
from reports.results.prose_results import results_of_question
from reports.results.prose_style import Style
from reports.results.prose_words import capitalized, listed, quoted, things
from reports.results.study import AdjudicationCounts
from reports.store.stored_result import StoredResult

__all__ = ["Prose", "Style", "prose_in_both_styles", "prose_of", "prose_of_unstored", "works_in_table"]

# What only the authors know; a text in plain style has no gaps.
TRAINING = gap("Describe the raters’ background and training.")
RESOLUTION = gap("State whether and how disagreements were resolved.")
# A placeholder for the question's name, until it is known which questions share its paragraph.
NAME = "\ufdd4"
_BY = f"{bibliography.SOFTWARE_AUTHOR}, n.d."
NOT_INCLUDED = "Labels decided in adjudication were not included in the coefficients."


@dataclass(frozen=True, slots=True)
class Prose:
    """marked_methods, marked_results: paragraphs with the marks of `reports.results.marked`. works: the names of those
    cited, in addition to this version of the program.
    """

    marked_methods: tuple[str, ...]
    marked_results: tuple[str, ...]
    works: tuple[str, ...]
    version: str

    @property
    def methods(self) -> tuple[str, ...]:
        return tuple(map(plain, self.marked_methods))

    @property
    def results(self) -> tuple[str, ...]:
        return tuple(map(plain, self.marked_results))

    @property
    def has_gaps(self) -> bool:
        return any(map(has_gap, self.marked_methods))

    @property
    def references(self) -> tuple[str, ...]:
        return tuple(map(plain, self.marked_references))

    @property
    def methods_html(self) -> list[SafeString]:
        return list(map(as_html, self.marked_methods))

    @property
    def results_html(self) -> list[SafeString]:
        return list(map(as_html, self.marked_results))

    @property
    def marked_references(self) -> list[str]:
        found = [*map(bibliography.marked_reference, self.works), bibliography.marked_software(self.version)]
        return sorted(found, key=lambda marked: plain(marked).casefold())

    @property
    def references_html(self) -> list[SafeString]:
        return list(map(as_html, self.marked_references))


@dataclass(frozen=True, slots=True)
class _ReportedQuestion:
    """A question with the two figures to report for it."""

    question: QuestionFigures
    primary: PaperFigure | None
    second: PaperFigure | None

    @classmethod
    def of(cls, question: QuestionFigures) -> "_ReportedQuestion":
        primary = primary_figure(question)
        return cls(question, primary, primary and second_figure(question, primary))

    @property
    def figures(self) -> list[PaperFigure]:
        return [figure for figure in (self.primary, self.second) if figure is not None]


def prose_of(report: Report, style: Style) -> Prose:
    return _prose(figures_of(report), style, report.code_version, _software(report))


def prose_in_both_styles(report: Report) -> tuple[Prose, Prose]:
    """Return the prose in APA and plain style, looking up the labels only once."""
    questions, version, software = figures_of(report), report.code_version, _software(report)
    return _prose(questions, Style.APA, version, software), _prose(questions, Style.PLAIN, version, software)


def prose_of_unstored(result: StoredResult, style: Style, code_version: str) -> Prose:
    """Return the prose of a result that belongs to no report."""
    software = f"All statistics were computed with Interrater (Version {code_version}; {_BY})."
    return _prose([figures_of_question(result)], style, code_version, software)


def _prose(questions: Sequence[QuestionFigures], style: Style, version: str, software: str) -> Prose:
    reported = [_ReportedQuestion.of(question) for question in questions]
    has_figures = any(each.primary for each in reported)
    methods = [*_data(questions, style, has_figures=has_figures), *_measures(reported, style)]
    if has_figures:
        methods.append(" ".join(_resolution(questions, style)))
    works = [work for each in reported for work in prose_measure.works_cited(each.figures, each.question)]
    return Prose(
        marked_methods=tuple(filter(None, [*methods, software])),
        marked_results=tuple(
            results_of_question(each.primary, each.second, each.question, style)
            for each in reported
            if each.primary is not None
        ),
        works=tuple(sorted(set(works))),
        version=version,
    )


def _data(questions: Sequence[QuestionFigures], style: Style, *, has_figures: bool) -> Iterator[str]:
    """Yield one paragraph for each question; who is left out is stated once if it is the same for all."""
    left_out = [left_out_sentence(question) for question in questions]
    is_told_once = len(left_out) > 1 and len(set(left_out)) == 1
    last = [left_out[0]] if is_told_once else []
    if has_figures and style is Style.APA:
        last.append(TRAINING)
    same: dict[str, list[str]] = {}
    for question, without in zip(questions, left_out, strict=True):
        sentences = [*data_sentences(question, NAME), "" if is_told_once else without]
        same.setdefault(" ".join(filter(None, sentences)), []).append(quoted(question.key))
    paragraphs = [text.replace(NAME, _each_of(keys)) for text, keys in same.items()]
    # A single question gets one paragraph.
    if len(paragraphs) == 1:
        yield " ".join(filter(None, [*paragraphs, *last]))
        return
    yield from paragraphs
    yield " ".join(filter(None, last))


def _each_of(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"each of {listed(names)}"


def _measures(reported: Sequence[_ReportedQuestion], style: Style) -> Iterator[str]:
    """Yield one paragraph for each group of questions with the same measure."""
    same: dict[str, list[str]] = {}
    for each in reported:
        if each.primary is not None:
            text = " ".join(measure_sentences(each.primary, each.second, each.question, style))
            same.setdefault(text, []).append(quoted(each.question.key))
    for place, (text, keys) in enumerate(same.items()):
        if place:
            # Abbreviations are spelled out only at first use.
            text = text.replace("confidence intervals (CIs)", "CIs").replace("confidence interval (CI)", "CI")
        yield text if len(same) == 1 else f"For {listed(keys)}, {text[:1].lower()}{text[1:]}"


def _resolution(questions: Sequence[QuestionFigures], style: Style) -> Iterator[str]:
    """Yield what is known about how disagreements were resolved."""
    decided = {question.key: question.adjudicated for question in questions}
    found = {key: each for key, each in decided.items() if each is not None}
    for key, each in found.items():
        yield _adjudicated(each, f" for {quoted(key)}" if len(questions) > 1 else "")
    if found:
        yield NOT_INCLUDED
    elif style is Style.APA:
        yield RESOLUTION


def _adjudicated(found: AdjudicationCounts, of: str) -> str:
    labels = "the final label" if found.n_items == 1 else "the final labels"
    items = things(found.n_items, "item")
    if not found.n_people:
        were = "was" if found.n_items == 1 else "were"
        return f"{capitalized(labels)} of {items}{of} {were} decided in adjudication."
    return (
        f"In adjudication, {things(found.n_people, 'person', 'people')} decided on {labels} of {items}{of}."
    )


def _software(report: Report) -> str:
    return (
        f"All statistics were computed with Interrater (Version {report.code_version}; {_BY}; report"
        f" {report.pk}; label digest {report.digest[:16]})."
    )


def works_in_table(report: Report) -> list[str]:
    """Return the works cited by the table and the text of a report."""
    questions = figures_of(report)
    found = set(bibliography.works_of(figure.name for question in questions for figure in question.figures))
    return sorted(found | set(prose_of(report, Style.APA).works))
