"""Describe who was asked a question, in words: on its page, and in the past tense for a paper."""

from typing import TypedDict

from reports.analysis.question import QuestionJson

# The key of these counts among the statistics of a stored result.
ASKED = "asked"


class ConditionCounts(TypedDict):
    """n_answers: answers to the question that this one depends on, by the raters who count; n_asked: those of them that
    lead to this question. n_items: items that two or more of them answered; n_split: those of them on which some raters
    were asked and others were not.
    """

    n_answers: int
    n_asked: int
    n_items: int
    n_split: int


def condition_sentence(question: QuestionJson, counts: ConditionCounts | None) -> str:
    """Return "" for a question that is always asked. counts: None in reports that did not count it."""
    condition = question.get("asked_if")
    if condition is None:
        return ""
    if counts is None:
        return f"{condition['words']}."
    return f"{condition['words']}: {_counts(counts)}. {_split(counts, 'disagree')}"


def condition_counts_sentence(question: QuestionJson, counts: ConditionCounts | None) -> str:
    condition = question.get("asked_if")
    if condition is None or counts is None:
        return ""
    only = condition["words"][:1].lower() + condition["words"][1:].replace(" is ", " was ", 1)
    return f"The question was {only} ({_counts(counts)}). {_split(counts, 'disagreed')}"


def _counts(counts: ConditionCounts) -> str:
    return f"{counts['n_asked']:,} of {counts['n_answers']:,} labels of that question led to it"


def _split(counts: ConditionCounts, disagree: str) -> str:
    n, of = counts["n_split"], counts["n_items"]
    if not of:
        return "No two raters answered that question on the same item."
    on = f"On {n:,} of the {of:,} items with two or more raters"
    return f"{on}, they {disagree} on whether it applies, which is disagreement on that question."
