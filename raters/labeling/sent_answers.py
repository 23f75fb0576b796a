"""What a form sends as the answer to one question; values by id of question and category."""

import re
from collections.abc import Sequence

from django.http import QueryDict

from core.numbers import whole_number
from projects.models import Question
from raters.labeling.answers import Answer, AnswerFault, AnswersRefused, keys_of

CANNOT_TELL = "cannot-tell"
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)


def answer_sent(question: Question, values: Sequence[str], *, is_none: bool) -> Answer | None:
    """None for no answer. is_none: whether "none of them" was chosen. Raises AnswersRefused for what is no number."""
    given = [value for value in values if value]
    if question.kind == Question.Kind.NUMBER:
        return _number(question, "".join(given).strip())
    keys = keys_of(question)
    # A category that is no more in the codebook is refused by name, as any unknown one.
    chosen = tuple(keys.get(whole_number(value) or 0, value) for value in given)
    if question.kind == Question.Kind.SINGLE:
        return Answer(category=chosen[0]) if chosen else None
    return Answer(categories=chosen) if chosen or is_none else None


def _number(question: Question, text: str) -> Answer | None:
    if not text:
        return None
    # A comma is what many people write for the point; thousands are never guessed.
    written = text.replace(",", ".").replace("−", "-")
    if not NUMBER.fullmatch(written):
        sentence = f"“{text[:50]}” is not a number. Enter a number such as 12 or -0.5."
        raise AnswersRefused([AnswerFault(question.key, "number", sentence)])
    return Answer(number=float(written))


def typed_text(post: QueryDict, question: Question) -> str | None:
    """The answer to a text question as it was typed; None for nothing but space. Browsers send line breaks as CR LF."""
    text = post.get(f"text-{question.pk}", "").replace("\r\n", "\n")
    return text if text.strip() else None


def text_sent(post: QueryDict, name: str) -> str:
    """As it was typed: browsers send line breaks as CR LF, and NUL cannot be kept."""
    return post.get(name, "").replace("\r\n", "\n").replace("\0", "")


def revision_sent(post: QueryDict, name: str) -> int:
    """The revision that the sender saw; 0 for none."""
    return whole_number(post.get(name, "")) or 0
