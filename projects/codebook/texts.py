"""The rule for answers to text questions, wherever they come from.

The maximum length is also in static/js/label_form.js.
"""

import re

from projects.codebook.refusals import CodebookRefused
from projects.models import MAX_ANSWER_TEXT, Question

# What a text column cannot store: NUL and lone surrogates.
UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def why_not_text(question: Question, text: str) -> str:
    """Return why a text is not an answer to the question, to follow “The answer”; "" if it is one."""
    if not text.strip():
        return "is empty"
    if UNSTORABLE.search(text):
        return "contains a NUL or an incomplete character; remove it"
    if len(text) > question.most_characters:
        return f"has {len(text):,} characters; at most {question.most_characters:,} are allowed"
    return ""


def check_texts(question: Question) -> None:
    """Raise CodebookRefused for an invalid maximum length, or for a text question with a scale or confidence."""
    if question.kind != Question.Kind.TEXT:
        if question.max_length is not None:
            sentence = "Only text questions have a maximum length."
            raise CodebookRefused("not_a_text", sentence, field="max_length")
        return
    if question.max_length is not None and not 1 <= question.max_length <= MAX_ANSWER_TEXT:
        sentence = f"Enter a number of characters from 1 to {MAX_ANSWER_TEXT:,}."
        raise CodebookRefused("out_of_range", sentence, field="max_length")
    if question.level != Question.Level.NOMINAL:
        sentence = "Text answers have no scale: no agreement is computed for them. Choose nominal."
        raise CodebookRefused("no_scale", sentence, field="level")
    if question.asks_confidence:
        sentence = "Raters can’t be asked how sure they are of a text answer. Choose another answer type, or don’t ask."
        raise CodebookRefused("no_confidence", sentence, field="confidence")
