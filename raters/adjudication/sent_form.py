"""What the form of a decision sends, read into a verdict."""

import re
from collections.abc import Sequence

from django.http import QueryDict

from projects.models import Question
from raters.adjudication.deciding import Verdict
from raters.adjudication.showing import CANNOT_TELL
from raters.labeling.answers import Answer, AnswersRefused, Fault, keys_of
from raters.labeling.sent_form import NUMBER

OTHER = "other"


def verdict_sent(post: QueryDict, question: Question) -> Verdict:
    """Raises AnswersRefused for what cannot be read as an answer at all."""
    return Verdict(
        answer=_answer(post, question),
        reason=_text(post, "reason"),
        note=_text(post, "note"),
        is_for_guidelines="for_guidelines" in post,
    )


def _answer(post: QueryDict, question: Question) -> Answer:
    choice = post.get("decision", "")
    if choice == CANNOT_TELL:
        return Answer(is_abstention=True)
    kind, _, value = choice.partition("-")
    match question.kind:
        case Question.Kind.SINGLE:
            return Answer(category=_key(question, value)) if kind == "category" else Answer()
        case Question.Kind.MULTIPLE:
            return _set(post, question, kind, value)
        case _:
            return _number(question, value if kind == "number" else post.get("other_number", ""))


def _set(post: QueryDict, question: Question, kind: str, value: str) -> Answer:
    chosen: Sequence[str] = value.split(".") if kind == "set" else post.getlist("other_category")
    is_empty_set = kind in {"set", OTHER}
    keys = tuple(_key(question, pk) for pk in chosen if pk)
    return Answer(categories=keys) if keys or is_empty_set else Answer()


def _key(question: Question, pk: str) -> str:
    """A category that is no more in the codebook is refused by name, as any unknown one."""
    is_id = pk.isascii() and pk.isdigit() and len(pk) < 19
    return keys_of(question).get(int(pk) if is_id else 0, pk)


def _number(question: Question, text: str) -> Answer:
    written = text.strip().replace(",", ".").replace("−", "-")
    if not written:
        return Answer()
    if not re.fullmatch(NUMBER, written):
        sentence = f"“{text.strip()[:50]}” is not a number. Enter a number such as 12 or -0.5."
        raise AnswersRefused([Fault(question.key, "number", sentence)])
    return Answer(number=float(written))


def _text(post: QueryDict, name: str) -> str:
    return post.get(name, "").replace("\r\n", "\n").replace("\0", "")


def revision_sent(post: QueryDict) -> int:
    text = post.get("revision", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
