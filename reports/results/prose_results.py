"""The results in one paragraph for each question: the primary coefficient and at most one other."""

from collections.abc import Iterator

from reports.agreement.few_items import LEAST_ITEMS
from reports.agreement.planning.criterion_decision import CriterionOutcome
from reports.analysis.reasons import absence_of
from reports.results.kinds import result_kind
from reports.results.marked import italic
from reports.results.paper_figures import NO_INTERVAL, PaperFigure, QuestionFigures
from reports.results.primary import primary_of
from reports.results.prose_measure import criterion_shown, name_of
from reports.results.prose_style import Style
from reports.results.prose_words import apa_number, in_words, number, quoted, things

OUTCOMES = {
    CriterionOutcome.MET: "The criterion of {criterion} was met.",
    CriterionOutcome.NOT_MET: "The criterion of {criterion} was not met.",
    CriterionOutcome.UNDECIDED: "The CI included the criterion of {criterion}, so whether it was met remained "
    "undecided.",
}
TOO_FEW = (
    f"With fewer than {LEAST_ITEMS} items, the CI was too narrow to be trusted, so whether the criterion of "
    "{criterion} was met remained undecided."
)
# Reasons are written for pages in the present tense.
PAST = {" is ": " was ", " are ": " were ", " has ": " had ", " have ": " had ", " vary ": " varied ", " do ": " did ",
    " does ": " did ", " lies ": " lay "}  # fmt: skip


def results_of_question(
    primary: PaperFigure, second: PaperFigure | None, question: QuestionFigures, style: Style
) -> str:
    """Return the results of a question; in plain style, percent agreement comes first."""
    sentence_of = _apa if style is Style.APA else _plainly
    sentences = [sentence_of(primary, question)]
    if second is not None:
        place = 0 if style is Style.PLAIN and second.is_share else 1
        sentences.insert(place, sentence_of(second, question, of=primary))
    return " ".join(
        [f"For {quoted(question.key)}, {'; '.join(sentences)}.", *_outcome(primary, question, style)]
    )


def _outcome(primary: PaperFigure, question: QuestionFigures, style: Style) -> Iterator[str]:
    criterion = question.result.scope.measure["criterion"]
    if criterion is None or question.counted.are_too_few:
        return
    decision = primary_of(question.result).decision
    if decision.outcome is not None:
        shown = criterion_shown(criterion, style, is_share=primary.is_share)
        yield (TOO_FEW if decision.has_few_items else OUTCOMES[decision.outcome]).format(criterion=shown)


def _apa(figure: PaperFigure, question: QuestionFigures, *, of: PaperFigure | None = None) -> str:
    name = name_of(figure, Style.APA)
    if figure.value is None:
        return f"{name} {absence_of(figure.reason)} ({_past(figure.why)})"
    value = f"{number(100 * figure.value, 1)}%" if figure.is_share else apa_number(figure.value)
    why = "" if figure.has_interval or not figure.why else f"no CI: {_why_no_interval(figure)}"
    aside = "; ".join(filter(None, [*_basis(figure, question, of), why]))
    return f"{name} was {value}{_apa_interval(figure)}{f' ({aside})' if aside else ''}"


def _apa_interval(figure: PaperFigure) -> str:
    if not figure.has_interval:
        return ""
    limits = (figure.low or 0.0, figure.high or 0.0)
    # The unit is not repeated within the brackets.
    low, high = (number(100 * each, 1) if figure.is_share else apa_number(each) for each in limits)
    return f", {figure.percent}% CI [{low}, {high}]"


def _basis(figure: PaperFigure, question: QuestionFigures, of: PaperFigure | None) -> Iterator[str]:
    """Yield the number of items behind a value, unless it was given for the previous value."""
    if figure.n_items is None or (of is not None and of.value is not None and of.n_items == figure.n_items):
        return
    n = italic("N" if figure.n_items == question.study.n_items else "n")
    yield f"{n} = {figure.n_items:,} item{'' if figure.n_items == 1 else 's'}"
    if figure.left_items:
        yield f"{in_words(figure.left_items)} excluded"


def _why_no_interval(figure: PaperFigure) -> str:
    return _past(figure.why.removesuffix(NO_INTERVAL))


def _plainly(figure: PaperFigure, question: QuestionFigures, *, of: PaperFigure | None = None) -> str:
    if figure.name == "percent_agreement":
        return _share_plainly(figure, question)
    name = name_of(figure, Style.PLAIN)
    if figure.value is None:
        return f"{name} {absence_of(figure.reason)} ({_past(figure.why)})"
    shown = f"{number(100 * figure.value, 1)}%" if figure.is_share else number(figure.value, 2)
    is_known = of is not None and of.value is not None and of.n_items == figure.n_items
    basis = "" if is_known or figure.n_items is None else things(figure.n_items, "item")
    return f"{name} was {shown}{_plain_interval(figure, basis)}"


def _share_plainly(figure: PaperFigure, question: QuestionFigures) -> str:
    kind = result_kind(question.result.question.kind)
    what = "chose exactly the same categories for an item" if kind.has_sets else "gave an item the same label"
    who = "the two raters" if question.counted.n_raters == 2 else "two raters"
    if figure.value is None:
        return f"how often {who} {what} could not be determined ({_past(figure.why)})"
    return f"{who} {what} {number(100 * figure.value, 1)}% of the time{_plain_interval(figure)}"


def _plain_interval(figure: PaperFigure, basis: str = "") -> str:
    """Return the interval in parentheses, with the number of items."""
    text = ""
    if figure.has_interval:
        limits = (figure.low or 0.0, figure.high or 0.0)
        low, high = (f"{number(100 * each, 1)}%" if figure.is_share else number(each, 2) for each in limits)
        text = f"{figure.percent}% confidence interval: {low} to {high}"
    elif figure.why:
        text = f"no confidence interval: {_why_no_interval(figure)}"
    inside = "; ".join(filter(None, [text, basis]))
    return f" ({inside})" if inside else ""


def _past(phrase: str) -> str:
    """Return a phrase such as “all labels are the same” in the past tense."""
    padded = f" {phrase} "
    for now, then in PAST.items():
        padded = padded.replace(now, then)
    return padded.strip()
