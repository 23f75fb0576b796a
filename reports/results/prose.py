"""What a paper says of a report: method and results in sentences made from its figures, in APA's way and plainly.

Sentences say what was done and what came out. What it is worth is for the authors to say, so no adjective is given.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from projects.models import Question
from reports.agreement.weights import Weights
from reports.analysis.options import IntervalMethod
from reports.models import Report
from reports.results.bibliography import cited_together, works_of
from reports.results.design import design_of_result
from reports.results.kinds import result_kind
from reports.results.paper_figures import (
    PaperFigure,
    QuestionFigures,
    figures_of,
    figures_of_question,
    first_small,
    spoken,
)
from reports.results.primary import primary_of
from reports.results.wording import WEIGHTS, long_reason
from reports.sources.history import deciders_of
from reports.store.counted import keys_left_out
from reports.store.stored_result import StoredResult


class Style(StrEnum):
    APA = "apa"
    PLAIN = "plain"


@dataclass(frozen=True, slots=True)
class Prose:
    methods: tuple[str, ...]
    results: tuple[str, ...]
    works: tuple[str, ...]


LEVELS = {
    Question.Level.NOMINAL: "nominal scale",
    Question.Level.ORDINAL: "ordinal scale",
    Question.Level.INTERVAL: "interval scale",
    Question.Level.RATIO: "ratio scale",
}
RESAMPLED = {
    IntervalMethod.PERCENTILE: "the percentile bootstrap over items",
    IntervalMethod.BCA: "the bias-corrected and accelerated bootstrap over items",
    IntervalMethod.JACKKNIFE: "the jackknife over items",
}


# Of raters who are left out.
MOST_NAMED = 5
# What analytic intervals are based on.
BY_FORMULA = {
    "t over items": "the t distribution with items as units",
    "normal": "the normal approximation",
    "goodness of fit": "the goodness of fit",
    "F": "the F distribution",
    "generalized": "generalized pivots",
    "Wilson": "Wilson’s method",
}


def prose_of(report: Report, style: Style) -> Prose:
    told = [_exclusion_sentence(report), _software_sentence(report)]
    return _prose(report, figures_of(report), style, told)


def prose_of_unstored(result: StoredResult, style: Style, code_version: str) -> Prose:
    """Of a result that belongs to no report."""
    software = f"All statistics were computed with Interrater (Version {code_version})."
    return _prose(result.report, [figures_of_question(result)], style, [EXCLUSIONS, software])


def _prose(report: Report, questions: Sequence[QuestionFigures], style: Style, told: Sequence[str]) -> Prose:
    """told: the last sentences on methods."""
    methods = [*_data_paragraphs(questions), _measure_sentence(report, questions, style), *told]
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


def _data_paragraphs(questions: Sequence[QuestionFigures]) -> Iterator[str]:
    """One for each question; who is included, if the same for all, is told once."""
    who = [_who_counts(question) for question in questions]
    is_told_once = len(who) > 1 and len(set(who)) == 1
    for question, sentences in zip(questions, who, strict=True):
        yield " ".join([*_data_sentences(question), *([] if is_told_once else sentences)])
    if is_told_once:
        yield " ".join(who[0])


def _who_counts(question: QuestionFigures) -> tuple[str, ...]:
    """Who is left out of the figures of all raters, and whether too few are left; nothing where everyone counts."""
    counted = question.counted
    if not counted.left_out or not _has_labels(question):
        return ()
    named = listed([quoted(key) for key in keys_left_out(question.result.row)[:MOST_NAMED]])
    n_more = len(counted.left_out) - MOST_NAMED
    more = f", and {n_more:,} more" if n_more > 0 else ""
    found = f"{counted.sentence} Excluded, and compared in pairs only: {named}{more}."
    return (found, _too_few_sentence(question)) if counted.are_too_few else (found,)


def _too_few_sentence(question: QuestionFigures) -> str:
    """Of what the figures are instead; a paper has no use for the advice that a page gives here."""
    none = "With fewer than two raters included, overall coefficients could not be computed"
    if not question.figures:
        return f"{none}."
    two = listed([quoted(rater["key"]) for rater in question.result.row.raters])
    return f"{none}; Cohen’s kappa is reported for {two}."


def _has_labels(question: QuestionFigures) -> bool:
    return not question.result.row.reason and bool(question.result.row.n_labels)


def _data_sentences(question: QuestionFigures) -> list[str]:
    agreement, counted = question.result.row, question.counted
    name = quoted(question.key)
    if agreement.reason:
        return [f"{name} was not computed: {long_reason(agreement.reason)}"]
    if not agreement.n_labels:
        return [f"{name} has no labels, so no statistics were computed."]
    # A sentence does not begin with a numeral.
    return [
        f"For {name} ({scale_of(question)}), {people(counted.n_raters)} labeled {things(counted.n_items, 'item')},"
        f" yielding {things(counted.n_labels, 'label')}.",
        _missing_sentence(question),
        *_declared_sentence(question),
    ]


def _missing_sentence(question: QuestionFigures) -> str:
    """Missing is what was assigned and not given; otherwise, cells without a label are the design."""
    if not question.n_missing:
        return "No labels were missing."
    design, n = design_of_result(question.result), question.counted.n_abstentions
    tell = f"{n:,} answer{' was' if n == 1 else 's were'} “cannot tell”." if n else ""
    missing = design.missing.replace(" is missing", " was missing").replace(" are missing", " were missing")
    return " ".join(filter(None, [design.crossing, missing, tell, "No values were imputed."]))


def _declared_sentence(question: QuestionFigures) -> list[str]:
    """In the past tense of a paper."""
    told = question.result.row.missing_sentences
    past = [
        each.replace(" is treated", " was treated").replace(" are treated", " were treated") for each in told
    ]
    return [*past, "They were left out of all statistics."] if told else []


def scale_of(question: QuestionFigures) -> str:
    kind, level = result_kind(question.result.question.kind), Question.Level(question.result.question.level)
    n = len(question.result.categories)
    return kind.answer.format(categories=things(n, "category", "categories"), level=LEVELS[level])


def _measure_sentence(report: Report, questions: Sequence[QuestionFigures], style: Style) -> str:
    names = dict.fromkeys(figure.name for question in questions for figure in question.figures)
    if not names:
        return ""
    titles = {figure.name: figure.plain for question in questions for figure in question.figures}
    told = [titles[name] + (_citation(name) if style is Style.APA else "") for name in names]
    sentences = [
        f"Interrater agreement was assessed with {listed([first_small(title) for title in told])}.",
        *_primary_sentences(questions),
        _metric_sentence(questions),
        weights_sentence([question.result for question in questions], names),
        _interval_sentence(report, questions),
    ]
    return " ".join(filter(None, sentences))


def _metric_sentence(questions: Sequence[QuestionFigures]) -> str:
    """What alpha takes for the distance of two labels."""
    with_alpha = [
        question.result.question
        for question in questions
        if any(figure.name == "krippendorff_alpha" for figure in question.figures)
    ]
    own = dict.fromkeys(result_kind(each.kind).distance for each in with_alpha)
    levels = sorted({str(each.level) for each in with_alpha if not result_kind(each.kind).distance})
    told = [f"the {levels[0]} metric"] if len(levels) == 1 else []
    if len(levels) > 1:
        told = [f"the metric for each question’s level of measurement ({listed(levels)})"]
    told += filter(None, own)
    return f"Alpha was computed with {' and '.join(told)}." if told else ""


def _citation(name: str) -> str:
    works = works_of([name])
    return f" ({cited_together(works)})" if works else ""


def _primary_sentences(questions: Sequence[QuestionFigures]) -> list[str]:
    """One for all questions that are judged alike."""
    alike: dict[str, list[str]] = {}
    for question in questions:
        if question.figures and not question.counted.are_too_few:
            primary = primary_of(question.result)
            name = first_small(spoken(primary.name))
            alike.setdefault(f"{name}, with a criterion of {primary.criterion}", []).append(
                quoted(question.key)
            )
    is_one = len(alike) == 1
    return [
        f"The primary coefficient{'' if is_one else f' for {listed(keys)}'} was {what}, which the lower limit of its CI"
        " had to reach."
        for what, keys in alike.items()
    ]


def weights_sentence(results: Sequence[StoredResult], names: Collection[str]) -> str:
    """Of the questions with weights; one sentence for each weighting where they differ."""
    alike: dict[Weights, list[str]] = {}
    for result in results:
        if result_kind(result.question.kind).has_counts and not result.reason:
            alike.setdefault(result.scope.weights, []).append(quoted(result.question.key))
    if not alike.keys() - {Weights.UNWEIGHTED}:
        return "Coefficients were unweighted."
    ac2 = " and Gwet’s AC2" if "gwet_ac2" in names else ""
    told = []
    for weights, keys in alike.items():
        of = "" if len(alike) == 1 else f" for {listed(keys)}"
        is_own = weights is Weights.CUSTOM
        used = "custom weights for each pair of categories" if is_own else WEIGHTS[str(weights)].lower()
        told.append(
            f"Coefficients{of} were unweighted."
            if weights is Weights.UNWEIGHTED
            else f"Weighted coefficients{ac2}{of} used {used}."
        )
    return " ".join(told)


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
        if not told:
            return ""
        return f"The {options.percent}% confidence intervals (CIs) are analytic, based on {listed(told)}."
    drawn = f" with {options.replicates:,} replicates (seed {options.seed})" if options.is_bootstrap else ""
    of_pair = any(
        figure.name.startswith("cohen_kappa") for question in questions for figure in question.figures
    )
    but = "; the CI of Cohen’s kappa is analytic" if of_pair else ""
    return f"The {options.percent}% confidence intervals (CIs) were computed with {resampled}{drawn}{but}."


EXCLUSIONS = (
    "“Cannot tell” answers were treated as missing. If a rater labeled an item more than once, the first label was"
    " used. Items with fewer than two labels were excluded from every coefficient that requires two."
)


def _exclusion_sentence(report: Report) -> str:
    if deciders_of(report.project).exists():
        return f"{EXCLUSIONS} Labels decided in adjudication were not included."
    return EXCLUSIONS


def _software_sentence(report: Report) -> str:
    scope = report.scope["rounds"]
    only = "" if scope is None else f", rounds {listed(list(map(quoted, scope)))} only"
    return (
        f"All statistics were computed with Interrater (Version {report.code_version}; report {report.pk}{only};"
        f" label digest {report.digest[:16]})."
    )


def _results(question: QuestionFigures, style: Style) -> str:
    told = [figure for figure in question.figures if figure.name != "percent_agreement" or style is Style.APA]
    tell: Callable[[PaperFigure], str] = _apa if style is Style.APA else _plainly
    sentences = list(filter(None, map(tell, told)))
    if style is Style.PLAIN:
        sentences = [*_percent_plainly(question), *sentences]
    if not sentences:
        return ""
    return f"For {quoted(question.key)}: {' '.join(sentences)}"


def _apa(figure: PaperFigure) -> str:
    if figure.value is None:
        return f"{figure.plain} was undefined ({figure.why})."
    value = f"{number(100 * figure.value, 1)}%" if figure.is_share else apa_number(figure.value)
    return f"{figure.plain} was {value}{_apa_interval(figure)}{_basis(figure)}."


def _apa_interval(figure: PaperFigure) -> str:
    if not figure.has_interval:
        return f" ({figure.why_no_interval})" if figure.why else ""
    low, high = figure.low or 0.0, figure.high or 0.0
    if figure.is_share:
        return f", {figure.percent}% CI [{number(100 * low, 1)}%, {number(100 * high, 1)}%]"
    return f", {figure.percent}% CI [{apa_number(low)}, {apa_number(high)}]"


def _basis(figure: PaperFigure) -> str:
    n = "" if figure.n_items is None else f"n = {figure.n_items:,} items"
    left = f"{figure.left_items:,} excluded" if figure.left_items else ""
    inside = ", ".join(filter(None, [n, left]))
    return f" ({inside})" if inside else ""


def _percent_plainly(question: QuestionFigures) -> list[str]:
    for figure in question.figures:
        if figure.name.startswith("percent_agreement"):
            credit = ", with credit for near misses" if figure.name.endswith("_weighted") else ""
            if figure.value is None:
                return [f"How often two raters agree on the same item cannot be determined: {figure.why}."]
            share = f"{number(100 * figure.value, 1)}% of the time{credit}"
            return [f"Two raters agree on the same item {share}{_plain_interval(figure)}."]
    return []


def _plainly(figure: PaperFigure) -> str:
    if figure.name.startswith("percent_agreement"):
        return ""
    if figure.value is None:
        return f"{figure.plain} is undefined: {figure.why}."
    shown = f"{number(100 * figure.value, 1)}%" if figure.is_share else number(figure.value, 2)
    return f"{figure.plain} is {shown}{_plain_interval(figure)}."


def _plain_interval(figure: PaperFigure) -> str:
    if not figure.has_interval:
        return f" ({figure.why_no_interval})" if figure.why else ""
    low, high = figure.low or 0.0, figure.high or 0.0
    if figure.is_share:
        span = f"{number(100 * low, 1)}% to {number(100 * high, 1)}%"
    else:
        span = f"{number(low, 2)} to {number(high, 2)}"
    return f" ({figure.percent}% confidence interval: {span})"


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
    return things(n, "rater") if n else "no rater"


def things(n: int, one: str, many: str = "") -> str:
    return f"{n:,} {one if n == 1 else many or one + 's'}"
