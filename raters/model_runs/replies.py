"""What a reply of the endpoint means, and which answers it contains."""

import email.utils
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from typing import Any

from django.conf import settings

from projects.models import Question
from raters.labeling.answers import (
    Answer,
    AnswerFault,
    AnswersRefused,
    AnswerValidator,
    Columns,
    questions_not_asked_with,
)
from raters.model_runs.endpoint import Reply

MAX_SHOWN = 500
MAX_ANSWER = 20_000
# An endpoint that wants a longer pause is asked again after this many seconds.
LONGEST_PAUSE = 3600.0
TOO_EARLY = frozenset({408, 409, 425, 429})
# Errors that may be due to one request, such as a text that is too long for the model.
OF_ONE_REQUEST = frozenset({400, 413, 422})
_FENCED = re.compile(r"\s*```(?:json)?\s*\n(.*)\n\s*```\s*", re.DOTALL)


class ReplyOutcome(Enum):
    ANSWERED = "answered"
    # Sending the same request later may succeed.
    LATER = "later"
    # The endpoint refuses the request itself.
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class ParsedReply:
    """text: the model’s answer. fault: why there is no answer. pause: the requested seconds until the next try.

    n_input, n_output: tokens as the endpoint counted them, None if it did not. model: its name in the reply.
    """

    outcome: ReplyOutcome
    status: int | None
    text: str = ""
    fault: str = ""
    pause: float | None = None
    n_input: int | None = None
    n_output: int | None = None
    model: str = ""

    @property
    def is_of_one_request(self) -> bool:
        return self.status in OF_ONE_REQUEST


def parsed_reply(reply: Reply) -> ParsedReply:
    if reply.status is None:
        return ParsedReply(ReplyOutcome.LATER, None, fault=reply.fault)
    if reply.status in TOO_EARLY or reply.status >= 500:
        fault = f"The endpoint answered {reply.status}{_endpoint_message(reply)}"
        return ParsedReply(ReplyOutcome.LATER, reply.status, fault=fault, pause=seconds_of(reply.retry_after))
    if reply.status in {401, 403}:
        # The message may repeat a part of the key.
        fault = (
            f"The endpoint refused access ({reply.status}). Ask the server administrator to check MODEL_KEY."
        )
        return ParsedReply(ReplyOutcome.REFUSED, reply.status, fault=fault)
    if not 200 <= reply.status < 300:
        fault = f"The endpoint refused the request ({reply.status}){_endpoint_message(reply)}"
        return ParsedReply(ReplyOutcome.REFUSED, reply.status, fault=fault)
    return _completion(reply)


def _completion(reply: Reply) -> ParsedReply:
    body = _parsed(reply.text)
    usage = _mapping(body.get("usage"))
    choices = body.get("choices")
    first = _mapping(choices[0] if isinstance(choices, list) and choices else None)
    message = _mapping(first.get("message"))
    content, refusal = message.get("content"), message.get("refusal")
    fault = ""
    if isinstance(refusal, str) and refusal:
        fault = f"The model refused to answer: {_short(refusal)}"
    elif not isinstance(content, str):
        fault = "The endpoint’s reply contains no answer."
    elif first.get("finish_reason") == "length":
        fault = "The answer is cut off: it reached the length limit of the endpoint."
    model = body.get("model")
    return ParsedReply(
        ReplyOutcome.ANSWERED,
        reply.status,
        text=_storable(content if isinstance(content, str) else reply.text)[:MAX_ANSWER],
        fault=fault,
        n_input=_whole(usage.get("prompt_tokens")),
        n_output=_whole(usage.get("completion_tokens")),
        model=_short(model) if isinstance(model, str) else "",
    )


def _mapping(given: Any) -> Mapping[str, Any]:
    return given if isinstance(given, Mapping) else {}


def _parsed(text: str) -> Mapping[str, Any]:
    try:
        return _mapping(_loaded(text))
    except ValueError:
        return {}


def _loaded(text: str) -> Any:
    """Parse JSON. Raises ValueError, also for what Python accepts in addition, and for deep nesting."""

    def refuse(name: str) -> float:
        raise ValueError(name)

    try:
        return json.loads(text, parse_constant=refuse)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _whole(given: Any) -> int | None:
    is_count = isinstance(given, int) and not isinstance(given, bool) and 0 <= given < 2**31
    return given if is_count else None


def _endpoint_message(reply: Reply) -> str:
    """Return the endpoint's own words, to follow a sentence without its period; the key is removed from them."""
    body = _parsed(reply.text)
    error = body.get("error")
    words = _mapping(error).get("message") or error or body.get("message") or body.get("detail")
    return f": {_short(words)}" if isinstance(words, str) and words.strip() else "."


def _short(words: str) -> str:
    if settings.MODEL_KEY:
        words = words.replace(settings.MODEL_KEY, "…")
    return _storable(" ".join(words.split()))[:MAX_SHOWN]


def _storable(text: str) -> str:
    """Replace what the database can't store, which escapes in JSON may stand for."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()


def seconds_of(retry_after: str) -> float | None:
    """Return the seconds of a Retry-After header, which is a number or a date; None if there is none."""
    if not retry_after:
        return None
    try:
        seconds = float(retry_after)
    except ValueError:
        try:
            at = email.utils.parsedate_to_datetime(retry_after)
        except ValueError:
            return None
        at = at if at.tzinfo else at.replace(tzinfo=UTC)
        seconds = (at - datetime.now(UTC)).total_seconds()
    return min(max(seconds, 0.0), LONGEST_PAUSE) if math.isfinite(seconds) else None


class InvalidAnswer(Exception):
    """The answer does not fit the codebook; the message says how."""


def columns_of(text: str, questions: Sequence[Question]) -> dict[int, Columns]:
    """Return label columns by question ID from a model’s answer. Raises InvalidAnswer.

    Answers to questions that are not asked, given the other answers, are dropped: models often fill in everything.
    """
    fenced = _FENCED.fullmatch(text)
    try:
        answers = _loaded(fenced.group(1) if fenced else text)
    except ValueError:
        raise InvalidAnswer("The answer is not valid JSON.") from None
    if not isinstance(answers, dict):
        raise InvalidAnswer("The answer is not a JSON object.")
    by_key = {question.key: question for question in questions}
    if unknown := [key for key in answers if key not in by_key]:
        raise InvalidAnswer(f"The answer has an unknown question: {_short(unknown[0])!r}.")
    given = {key: _answer(by_key[key], value) for key, value in answers.items() if value is not None}
    left_out = questions_not_asked_with(questions, given)
    for key, question in by_key.items():
        if key in answers and answers[key] is None and key not in left_out and question.allows_abstention:
            given[key] = Answer(is_abstention=True)
    # "Cannot tell" leads to no further question, so it may have changed which are asked.
    left_out = questions_not_asked_with(questions, given)
    try:
        return AnswerValidator(questions).columns(
            {key: answer for key, answer in given.items() if key not in left_out}
        )
    except AnswersRefused as refused:
        raise InvalidAnswer(" ".join(map(_of_model, refused.faults))[:MAX_SHOWN]) from None


def _of_model(fault: AnswerFault) -> str:
    """Return what is wrong; the sentences for raters tell them what to do."""
    return f"There is no answer to “{fault.question}”." if fault.code == "required" else fault.sentence


def _answer(question: Question, value: Any) -> Answer:
    """Raises InvalidAnswer for a value of the wrong type."""
    match question.kind:
        case Question.Kind.SINGLE if isinstance(value, str):
            return Answer(category=value)
        case Question.Kind.MULTIPLE if isinstance(value, list) and all(
            isinstance(each, str) for each in value
        ):
            return Answer(categories=tuple(value))
        case Question.Kind.TEXT if isinstance(value, str):
            return Answer(text=_storable(value))
        case Question.Kind.NUMBER if isinstance(value, int | float) and not isinstance(value, bool):
            try:
                return Answer(number=float(value))
            except OverflowError:
                pass
    raise InvalidAnswer(f"The answer to “{question.key}” is of the wrong type: {_short(json.dumps(value))}.")
