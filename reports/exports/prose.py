"""What a paper says of a report: method and results in sentences made from its figures, in APA's way and plainly.

Sentences say what was done and what came out. What it is worth is for the authors to say, so no adjective is given.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from projects.models import Question
from reports.agreement.results import Reason
from reports.agreement.weights import Weights
from reports.counted import keys_left_out
from reports.exports.figures import Figure, QuestionFigures, figures_of
from reports.exports.sources import cited, works_of
from reports.labels.history import deciders_of
from reports.models import Report
from reports.options import IntervalMethod
from reports.wording import WEIGHTS, long_reason


class Style(StrEnum):
    APA = "apa"
    PLAIN = "plain"


@dataclass(frozen=True, slots=True)
class Prose:
    methods: tuple[str, ...]
    results: tuple[str, ...]
    works: tuple[str, ...]


LEVELS = {
    Question.Level.NOMINAL: "a nominal scale",
    Question.Level.ORDINAL: "an ordinal scale",
    Question.Level.INTERVAL: "an interval scale",
    Question.Level.RATIO: "a ratio scale",
}
RESAMPLED = {
    IntervalMethod.PERCENTILE: "the percentile bootstrap over items",
    IntervalMethod.BCA: "the bias-corrected and accelerated bootstrap over items",
    IntervalMethod.JACKKNIFE: "the jackknife over items",
}


# Of raters who are left out.
MOST_NAMED = 5
# What the intervals of a formula rest on.
BY_FORMULA = {
    "t over items": "Student’s t over items",
    "normal": "the normal approximation",
    "F": "the F distribution",
}


def prose_of(report: Report, style: Style) -> Prose:
    questions = figures_of(report)
    methods = [_data_sentences(question, style) for question in questions]
    methods += [
        _measure_sentence(report, questions, style),
        _exclusion_sentence(report),
        _software_sentence(report),
    ]
    results = [_results(question, style) for question in questions]
    return Prose(
        methods=tuple(filter(None, methods)),
        results=tuple(filter(None, results)),
        works=tuple(works_behind(report, questions)),
    )


def works_behind(report: Report, questions: Sequence[QuestionFigures]) -> list[str]:
    """The names of the works whose statistics and intervals are told."""
    found = set(works_of(figure.name for question in questions for figure in question.figures))
    if report.chosen.interval is IntervalMethod.BCA:
        found.add("Efron 1987")
    return sorted(found)


def _data_sentences(question: QuestionFigures, style: Style) -> str:
    agreement = question.agreement
    name = quoted(question.key)
    if agreement.reason:
        return f"{name} was not computed: {long_reason(agreement.reason)}"
    if not agreement.n_labels:
        return f"{name} has no labels, so nothing was computed."
    counted = question.counted
    sentences = [
        f"{people(counted.n_raters)} labelled {things(counted.n_items, 'item')} on {name}, {scale_of(question)},"
        f" which gave {things(counted.n_labels, 'label')}."
    ]
    if question.n_missing:
        share = number(100 * question.n_missing / question.n_possible, 1)
        tell = f" ({counted.n_abstentions:,} of them said “cannot tell”)" if counted.n_abstentions else ""
        sentences.append(
            f"Of the {question.n_possible:,} labels that these raters on all items would have given,"
            f" {question.n_missing:,} ({share}%) are missing{tell}; nothing was imputed."
        )
    if counted.left_out:
        named = listed([quoted(key) for key in keys_left_out(agreement)[:MOST_NAMED]])
        more = (
            "" if len(counted.left_out) <= MOST_NAMED else f" and {len(counted.left_out) - MOST_NAMED:,} more"
        )
        sentences.append(f"{counted.sentence} Left out, and compared in pairs only: {named}{more}.")
    if counted.are_too_few:
        sentences.append(long_reason(Reason.TOO_FEW_COUNTED))
    return " ".join(sentences)


def scale_of(question: QuestionFigures) -> str:
    kind, level = question.agreement.question.kind, Question.Level(question.agreement.question.level)
    n = len(question.agreement.categories)
    if kind == Question.Kind.NUMBER:
        return f"a number on {LEVELS[level]}"
    if kind == Question.Kind.MULTIPLE:
        return f"a choice of any of {things(n, 'category', 'categories')}"
    return f"a choice of one of {things(n, 'category', 'categories')} on {LEVELS[level]}"


def _measure_sentence(report: Report, questions: Sequence[QuestionFigures], style: Style) -> str:
    names = dict.fromkeys(figure.name for question in questions for figure in question.figures)
    if not names:
        return ""
    titles = {figure.name: figure.plain for question in questions for figure in question.figures}
    told = [titles[name] + (_citation(name) if style is Style.APA else "") for name in names]
    scales = {
        str(question.agreement.question.level)
        for question in questions
        if any(figure.name == "krippendorff_alpha" for figure in question.figures)
    }
    sentence = f"Agreement was measured by {listed([first_small(title) for title in told])}."
    if scales:
        sentence += f" Alpha used the {listed(sorted(scales))} metric" + (
            "s, by question." if len(scales) > 1 else "."
        )
    return f"{sentence} {_weights_sentence(report)} {_interval_sentence(report, questions)}"


def _citation(name: str) -> str:
    works = works_of([name])
    return f" ({'; '.join(map(cited, works))})" if works else ""


def _weights_sentence(report: Report) -> str:
    weights = report.chosen.weights
    if not report.chosen.is_weighted:
        return "No weights were used."
    if weights is Weights.CUSTOM:
        return "Coefficients named as weighted used weights set for each two categories."
    return f"Coefficients named as weighted used {WEIGHTS[str(weights)].lower()}."


def _interval_sentence(report: Report, questions: Sequence[QuestionFigures]) -> str:
    options = report.chosen
    resampled = RESAMPLED.get(options.interval)
    if resampled is None:
        methods = dict.fromkeys(
            figure.interval_method
            for question in questions
            for figure in question.figures
            if figure.has_interval and figure.interval_method
        )
        told = [BY_FORMULA.get(method, method) for method in methods]
        found = f" by formula ({listed(told)})" if told else " by formula"
        return f"Intervals are {options.percent}% confidence intervals{found}."
    drawn = f" with {options.replicates:,} replicates (seed {options.seed})" if options.is_bootstrap else ""
    of_pair = any(
        figure.name.startswith("cohen_kappa") for question in questions for figure in question.figures
    )
    but = "; that of Cohen’s kappa is by formula" if of_pair else ""
    return f"Intervals are {options.percent}% confidence intervals by {resampled}{drawn}{but}."


def _exclusion_sentence(report: Report) -> str:
    left_out = (
        "Answers of “cannot tell” count as missing, of repeated labels the first counts, and items with fewer than two"
        " labels carry no comparison and are left out where a coefficient cannot use them."
    )
    if deciders_of(report.project).exists():
        return f"{left_out} Labels that were decided in adjudication are not counted."
    return left_out


def _software_sentence(report: Report) -> str:
    scope = report.scope["batches"]
    only = "" if scope is None else f", rounds {listed(list(map(quoted, scope)))} only"
    return (
        f"All figures were computed by Interrater, version {report.code_version} (report {report.pk}{only};"
        f" digest of the labels {report.digest[:16]})."
    )


def _results(question: QuestionFigures, style: Style) -> str:
    told = [figure for figure in question.figures if figure.name != "percent_agreement" or style is Style.APA]
    tell: Callable[[Figure], str] = _apa if style is Style.APA else _plainly
    sentences = [tell(figure) for figure in told]
    if style is Style.PLAIN:
        sentences = [*_percent_plainly(question), *sentences]
    if not sentences:
        return ""
    return f"On {quoted(question.key)}: {' '.join(sentences)}"


def _apa(figure: Figure) -> str:
    if figure.value is None:
        return f"{figure.plain} is undefined: {figure.why}."
    name = figure.plain
    value = f"{number(100 * figure.value, 1)}%" if figure.is_share else apa_number(figure.value)
    # “Gwet’s AC1 was AC1 = .52” would say it twice.
    symbol = f"{figure.symbol} = " if figure.symbol and figure.symbol not in name else ""
    return f"{name} was {symbol}{value}{_apa_interval(figure)}{_basis(figure)}."


def _apa_interval(figure: Figure) -> str:
    if not figure.has_interval:
        return f" (no interval: {figure.why})" if figure.why else ""
    low, high = figure.low or 0.0, figure.high or 0.0
    if figure.is_share:
        return f", {figure.percent}% CI [{number(100 * low, 1)}%, {number(100 * high, 1)}%]"
    return f", {figure.percent}% CI [{apa_number(low)}, {apa_number(high)}]"


def _basis(figure: Figure) -> str:
    n = "" if figure.n_items is None else f"n = {figure.n_items:,} items"
    left = f"{figure.left_items:,} left out" if figure.left_items else ""
    inside = ", ".join(filter(None, [n, left]))
    return f" ({inside})" if inside else ""


def _percent_plainly(question: QuestionFigures) -> list[str]:
    for figure in question.figures:
        if figure.name.startswith("percent_agreement") and figure.value is not None:
            credit = ", with credit for near misses" if figure.name.endswith("_weighted") else ""
            return [
                f"Two labels of the same item agree {number(100 * figure.value, 1)}% of the time{credit}."
            ]
    return []


def _plainly(figure: Figure) -> str:
    if figure.name.startswith("percent_agreement"):
        return ""
    if figure.value is None:
        return f"{figure.plain} has no value, because {figure.why}."
    shown = f"{number(100 * figure.value, 1)}%" if figure.is_share else number(figure.value, 2)
    if not figure.has_interval:
        return f"{figure.plain} is {shown}" + (f" ({figure.why})." if figure.why else ".")
    low, high = figure.low or 0.0, figure.high or 0.0
    if figure.is_share:
        span = f"{number(100 * low, 1)}% to {number(100 * high, 1)}%"
    else:
        span = f"{number(low, 2)} to {number(high, 2)}"
    return f"{figure.plain} is {shown}; with {figure.percent}% confidence it lies from {span}."


def number(value: float, digits: int) -> str:
    text = f"{value:.{digits}f}"
    # A value that rounds to nothing has no sign.
    return (text.lstrip("-") if float(text) == 0 else text).replace("-", "−")


def apa_number(value: float) -> str:
    """Two digits; no zero before the point of what cannot exceed 1."""
    text = number(value, 2)
    return text.replace("0.", ".", 1) if abs(value) < 1 and text.lstrip("−").startswith("0.") else text


def listed(words: Sequence[str]) -> str:
    """a; a and b; a, b, and c."""
    if len(words) <= 2:
        return " and ".join(words)
    return f"{', '.join(words[:-1])}, and {words[-1]}"


def quoted(key: str) -> str:
    return f"“{key}”"


def people(n: int) -> str:
    return things(n, "rater").capitalize() if n else "No rater"


def things(n: int, one: str, many: str = "") -> str:
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def first_small(title: str) -> str:
    """A title within a sentence: names of people keep their capital."""
    return title[:1].lower() + title[1:] if title.startswith(("Percent", "Mean", "All")) else title
