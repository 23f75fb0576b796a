"""Parse the answer to one question from a form, whose values use question and category IDs."""

import re
from collections.abc import Sequence

from django.http import QueryDict

from core.numbers import whole_number
from projects.models import Question
from raters.labeling.answers import Answer, AnswerFault, AnswersRefused, keys_of

CANNOT_TELL, NONE_OF_THESE = "cannot-tell", "none"
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)
# A comma may be a decimal point, as in 1,5, but what may separate thousands is never guessed: 1,000 or 1.000,5.
THOUSANDS = re.compile(
    r"[+-]?([1-9]\d{0,2}(,\d{3})+(\.\d*)?|[1-9]\d{0,2}(\.\d{3})+(,\d*)|[1-9]\d{0,2}(\.\d{3}){2,})"
    r"([eE][+-]?\d{1,3})?",
    re.ASCII,
)


def submitted_answer(question: Question, values: Sequence[str]) -> Answer | None:
    """Return the answer, or None. Raises AnswersRefused for a bad number, or categories besides “None of these”."""
    given = [value for value in values if value]
    if question.kind == Question.Kind.NUMBER:
        return _number(question, "".join(given).strip())
    if question.kind == Question.Kind.MULTIPLE and NONE_OF_THESE in given:
        if len(set(given)) > 1:
            sentence = f"Choose either categories of “{question}” or “None of these”, not both."
            raise AnswersRefused([AnswerFault(question.key, "one_value", sentence)])
        return Answer(categories=())
    keys = keys_of(question)
    # A category no longer in the codebook is refused by name, like any unknown one.
    chosen = tuple(keys.get(whole_number(value) or 0, value) for value in given)
    if question.kind == Question.Kind.SINGLE:
        return Answer(category=chosen[0]) if chosen else None
    return Answer(categories=chosen) if chosen else None


def _number(question: Question, text: str) -> Answer | None:
    if not text:
        return None
    written = text.replace("−", "-")
    if THOUSANDS.fullmatch(written):
        raise AnswersRefused([AnswerFault(question.key, "number", _thousands_sentence(written), text)])
    written = written.replace(",", ".")
    if not NUMBER.fullmatch(written):
        sentence = f"“{text[:50]}” is not a number. Enter a number such as 12 or -0.5."
        raise AnswersRefused([AnswerFault(question.key, "number", sentence, text)])
    return Answer(number=float(written))


def _thousands_sentence(written: str) -> str:
    """Say what to enter instead. The script of the page says the same (static/js/label_form.js)."""
    marks = [character for character in written if character in ",."]
    if marks == [","]:
        whole, point = written.replace(",", ""), written.replace(",", ".")
        return f"“{written}” can mean {whole} or {point}. Enter one of these, without a comma."
    # The last mark is the decimal point, unless all are the same.
    *thousands, last = re.split("[,.]", written)
    joined = "".join(thousands)
    meant = f"{joined}.{last}" if len(set(marks)) > 1 else joined + last
    return f"“{written}” has a thousands separator. Enter it without, as {meant}."


def typed_text(post: QueryDict, question: Question) -> str | None:
    """Return the text as typed, or None if it is blank. Browsers send line breaks as CR LF."""
    text = post.get(f"text-{question.pk}", "").replace("\r\n", "\n")
    return text if text.strip() else None


def submitted_text(post: QueryDict, name: str) -> str:
    """Return the text as typed, with LF for the CR LF that browsers send, and without NUL, which cannot be stored."""
    return post.get(name, "").replace("\r\n", "\n").replace("\0", "")


def submitted_revision(post: QueryDict, name: str) -> int:
    """Return the revision that the client saw; 0 for none."""
    return whole_number(post.get(name, "")) or 0
