"""The text of a paper on the labels behind a result: who labeled what, in which design, and what is missing."""

import re
from collections.abc import Iterator, Sequence

from projects.models import Question
from reports.analysis.condition_wording import ASKED, condition_counts_sentence
from reports.analysis.options import RaterKind
from reports.analysis.suggested import SUGGESTED, suggested_then
from reports.results.kinds import result_kind
from reports.results.marked import italic
from reports.results.paper_figures import QuestionFigures
from reports.results.prose_words import in_words, listed, named, number, quoted, things
from reports.results.study import ReportRounds, Study
from reports.results.wording import long_reason
from reports.store.agreements import ReportRater

LEVELS = {
    Question.Level.NOMINAL: "nominal scale",
    Question.Level.ORDINAL: "ordinal scale",
    Question.Level.INTERVAL: "interval scale",
    Question.Level.RATIO: "ratio scale",
}
KINDS = {RaterKind.HUMAN: "human rater", RaterKind.MODEL: "model", RaterKind.REFERENCE: "reference"}
# From this share of all possible labels on, the text gives the number of labels; below, the overlap of raters.
MOSTLY = 0.8
# The key of assignment counts, if the report has them.
ASSIGNED = "assigned"
_MISSING = re.compile(r"(?P<n>[\d,]+) labels? (?P<which>.+) (?:is|are) treated as missing\.", re.DOTALL)


def data_sentences(question: QuestionFigures, name: str) -> list[str]:
    """Return sentences on the data. name: of the question, a parameter so that questions with equal texts can be
    merged.
    """
    row = question.result.row
    if row.reason:
        return [f"{name} was not computed: {long_reason(row.reason)}"]
    if not row.n_labels:
        return [f"{name} has no labels, so no statistics were computed."]
    study = question.study
    is_known_whole = not _n_declared(question) and not _n_missing_labels(question)
    return [
        f"For {name} ({_scale(question)}), {_who(study)} labeled {things(study.n_items, 'item')}, yielding"
        f" {things(study.n_labels, 'label')}.",
        *_limits(question),
        *_rounds(question.rounds),
        *_design(study, is_known_whole=is_known_whole),
        *_condition_sentences(question),
        *_missing_label_sentences(question),
        *_declared(question),
        *_rules(study, is_known_whole=is_known_whole),
    ]


def left_out_sentence(question: QuestionFigures) -> str:
    """Return a sentence on the raters who do not count in the coefficients; "" if all count."""
    row = question.result.row
    if row.reason or not row.n_labels:
        return ""
    if question.counted.are_too_few:
        return _too_few(question)
    study = question.study
    return f"Labels by {_kinds(study.left_out)} did not enter the coefficients." if study.left_out else ""


def _too_few(question: QuestionFigures) -> str:
    because = (
        f"Because {'only one' if question.counted.n_raters else 'no'} rater counted toward the coefficients,"
    )
    if not question.figures:
        return f"{because} none could be computed."
    two = [
        f"the {KINDS[RaterKind(rater.kind)]}{'' if rater.kind == RaterKind.HUMAN else f' {quoted(rater.key)}'}"
        for rater in question.result.raters
    ]
    return f"{because} agreement was computed between {listed(two)}."


def _scale(question: QuestionFigures) -> str:
    kind, level = result_kind(question.result.question.kind), Question.Level(question.result.question.level)
    n = len(question.result.categories)
    return kind.answer.format(categories=things(n, "category", "categories"), level=LEVELS[level])


def _who(study: Study) -> str:
    """Return the raters; people are called just raters if there are only people."""
    if all(rater.kind == RaterKind.HUMAN for rater in (*study.counted, *study.left_out)):
        return things(study.n_raters, "rater")
    return _kinds(study.counted)


def _kinds(raters: Sequence[ReportRater]) -> str:
    """Return the raters by kind: three human raters, one model (“m”), and the reference (“r”); people are not named."""
    parts = []
    for kind, word in KINDS.items():
        keys = [rater.key for rater in raters if rater.kind == kind]
        if keys:
            is_the_one = kind is RaterKind.REFERENCE and len(keys) == 1
            names = "" if kind is RaterKind.HUMAN else f" ({named(keys)})"
            parts.append(f"{'the reference' if is_the_one else things(len(keys), word)}{names}")
    return listed(parts)


def _limits(question: QuestionFigures) -> Iterator[str]:
    if only := question.result.report.scope.get("only"):
        yield f"The analysis was limited to {only['words']}."


def _rounds(read: ReportRounds | None) -> Iterator[str]:
    if read is None:
        return
    rounds, others = f"{things(len(read.keys), 'round')} ({named(read.keys)})", " and outside any round"
    if read.lead and len(read.keys) + read.has_others > 1:
        collected = f"Labels were collected in {rounds}{others if read.has_others else ''}"
        yield f"{collected}; only those from round {quoted(read.lead)} were analyzed."
    elif read.is_chosen and len(read.keys) == 1:
        yield f"Only labels from round {named(read.keys)} were analyzed."
    elif read.is_chosen:
        yield f"Only labels from {rounds} were analyzed; they were pooled."
    else:
        yield f"Labels from {rounds}{' and labels outside any round' if read.has_others else ''} were pooled."


def _design(study: Study, *, is_known_whole: bool) -> Iterator[str]:
    """Yield the design. is_known_whole: whether no labels are known to be missing apart from those reported here."""
    if study.is_crossed and study.n_raters > 1:
        yield _crossed(study, is_known_whole=is_known_whole)
    elif study.is_rotation:
        yield _rotation(study, is_known_whole=is_known_whole)
    else:
        if study.n_raters > 1:
            yield _two(study) if study.n_raters == 2 else _some(study)
        if n := study.n_abstentions:
            yield f"“Cannot tell” answers were treated as missing ({italic('n')} = {n:,})."


def _crossed(study: Study, *, is_known_whole: bool) -> str:
    every = "Both" if study.n_raters == 2 else "Every rater"
    if study.n_abstentions:
        return f"{every} assessed every item (fully crossed design); {_unanswered(study)}."
    whole = ", so no labels were missing" if is_known_whole else ""
    return f"{every} labeled every item (fully crossed design){whole}."


def _rotation(study: Study, *, is_known_whole: bool) -> str:
    some = f"{in_words(study.each or 0)} of the {in_words(study.n_raters)} raters"
    if study.n_abstentions:
        return f"Each item was assessed by {some} (rotation design); {_unanswered(study)}."
    only = ", so labels were missing by design only" if is_known_whole else ""
    return f"Each item was labeled by {some} (rotation design){only}."


def _unanswered(study: Study) -> str:
    were = "was" if study.n_abstentions == 1 else "were"
    return (
        f"{in_words(study.n_abstentions)} of the {in_words(study.n_answers)} answers {were} “cannot tell” and {were}"
        " treated as missing"
    )


def _two(study: Study) -> str:
    n_both = study.n_items - study.n_single
    if not n_both:
        return "The raters had no item in common."
    rest = "the other item" if study.n_single == 1 else f"each of the other {in_words(study.n_single)} items"
    return (
        f"The raters overlapped on {in_words(n_both)} of the {in_words(study.n_items)} items"
        f" ({_percent(n_both / study.n_items)}); {rest} was labeled by one of them."
    )


def _some(study: Study) -> str:
    """Return the overlap of three or more raters."""
    share = study.n_labels / study.n_possible
    n_double = study.n_items - study.n_single
    if not n_double:
        return "The raters had no item in common."
    if study.n_single and share < MOSTLY:
        rest = "the other was" if study.n_single == 1 else f"the other {in_words(study.n_single)} were"
        return (
            f"The raters overlapped in part: At least two of the {in_words(study.n_raters)} raters labeled"
            f" {in_words(n_double)} of the {in_words(study.n_items)} items"
            f" ({_percent(n_double / study.n_items)}); {rest} labeled by one rater each."
        )
    single = (
        f"{things(study.n_single, 'item')} had one label only"
        if study.n_single
        else "every item had at least two"
    )
    return (
        f"Labels were available for {study.n_labels:,} of the {study.n_possible:,} combinations of rater and item"
        f" ({_percent(share)}), and {single}."
    )


def _percent(share: float) -> str:
    return f"{number(100 * share, 1)}%"


def _n_declared(question: QuestionFigures) -> int:
    return sum((question.result.statistics.get("missing") or {}).values())


def _n_missing_labels(question: QuestionFigures) -> int:
    return int((question.result.statistics.get(ASSIGNED) or {}).get("n_missing", 0))


def _missing_label_sentences(question: QuestionFigures) -> Iterator[str]:
    """Yield a sentence on missing assigned labels, if the report knows them."""
    if n := _n_missing_labels(question):
        assigned = question.result.statistics[ASSIGNED]
        were = "was" if n == 1 else "were"
        skipped = assigned["n_skipped"]
        of_them = (
            "" if not skipped else ", skipped" if skipped == n else f", {in_words(skipped)} of them skipped"
        )
        share = _percent(n / assigned["n"])
        yield f"Of {assigned['n']:,} assigned labels, {in_words(n)} ({share}) {were} missing{of_them}."


def _condition_sentences(question: QuestionFigures) -> Iterator[str]:
    row = question.result.row
    if sentence := condition_counts_sentence(row.asked, question.result.statistics.get(ASKED)):
        yield sentence


def _declared(question: QuestionFigures) -> Iterator[str]:
    """Yield the labels left out, in the past tense of a paper."""
    for each in question.result.row.missing_sentences:
        if found := _MISSING.fullmatch(each):
            sentence = f"Labels {found['which']} were treated as missing ({italic('n')} = {found['n']})"
            yield f"{sentence}; items without another label were left out."
    n, result = question.result.statistics.get(SUGGESTED, 0), question.result
    if sentence := suggested_then(n, is_taken=result.report.chosen.suggested):
        yield sentence


def _rules(study: Study, *, is_known_whole: bool) -> Iterator[str]:
    """Yield how missing and repeated labels were handled, if there are any."""
    is_whole = study.is_crossed or study.is_rotation or study.n_single == study.n_items
    if study.n_raters > 1 and not (is_whole and is_known_whole and not study.n_abstentions):
        yield "Missing labels were not imputed."
    if study.has_repeats:
        yield "When a rater had labeled an item more than once, the first label was used."
