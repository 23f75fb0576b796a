"""The configuration of a model run: chosen by a lead, completed from the codebook, and identified by a hash."""

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypedDict

from django.conf import settings
from django.db.models import Max

from core.refusals import RefusedWithCode
from projects.models import Item, Project, Question
from raters.labeling.saving import questions_of
from raters.model_runs.prompting import answer_schema, item_text, system_text

# A token is about four bytes of English; for other languages, this is only a rough estimate.
BYTES_PER_TOKEN = 4
# Estimated tokens of an answer: the braces, and each question with its value.
TOKENS_PER_ANSWER, TOKENS_PER_QUESTION = 10, 15


class AnswerFormat(StrEnum):
    """How the endpoint is asked to keep to the answer format, which the prompt describes in any case."""

    SCHEMA = "json_schema"
    OBJECT = "json_object"
    PROMPT = "prompt"


FORMATS = [
    (AnswerFormat.SCHEMA.value, "JSON Schema (the endpoint enforces it)"),
    (AnswerFormat.OBJECT.value, "JSON object (the endpoint enforces valid JSON)"),
    (AnswerFormat.PROMPT.value, "In the prompt only"),
]


class ConfigurationContent(TypedDict):
    """A configuration as stored in JSON; its hash identifies it.

    schema: as text, since the database does not keep the order of keys, in which models answer; "" for none.
    """

    endpoint: str
    model: str
    temperature: float | None
    seed: int | None
    answer_format: str
    questions: list[str]
    fields_left_out: list[str]
    has_guidelines: bool
    instructions: str
    system: str
    schema: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings:
    """What a lead chooses. questions: their keys; empty for all. temperature, seed: None if they are not sent."""

    model: str
    temperature: float | None = 0.0
    seed: int | None = None
    answer_format: str = AnswerFormat.SCHEMA
    questions: Sequence[str] = ()
    fields_left_out: Sequence[str] = field(default_factory=tuple)
    has_guidelines: bool = True
    instructions: str = ""

    @classmethod
    def of_content(cls, content: ConfigurationContent) -> "RunSettings":
        return cls(
            model=content["model"],
            temperature=content["temperature"],
            seed=content["seed"],
            answer_format=content["answer_format"],
            questions=content["questions"],
            fields_left_out=content["fields_left_out"],
            has_guidelines=content["has_guidelines"],
            instructions=content["instructions"],
        )


class EndpointNotConfigured(RefusedWithCode):
    def __init__(self) -> None:
        super().__init__(
            "no_endpoint",
            "Labeling with a model is turned off on this server. Ask the server administrator to set MODEL_ENDPOINT "
            "and MODEL_NAMES.",
            status_code=409,
        )


def is_on() -> bool:
    return bool(settings.MODEL_ENDPOINT and settings.MODELS)


def content_of(project: Project, wanted: RunSettings) -> ConfigurationContent:
    """Complete a choice with what the project has now.

    Raises EndpointNotConfigured, or RefusedWithCode for an invalid choice.
    """
    if not is_on():
        raise EndpointNotConfigured
    if wanted.model not in settings.MODELS:
        raise RefusedWithCode(
            "unknown_model", f"This server does not offer the model {wanted.model[:100]!r}."
        )
    questions = chosen_questions(project, wanted.questions)
    is_schema = wanted.answer_format == AnswerFormat.SCHEMA
    return {
        "endpoint": settings.MODEL_ENDPOINT,
        "model": wanted.model,
        "temperature": wanted.temperature,
        "seed": wanted.seed,
        "answer_format": wanted.answer_format,
        "questions": [question.key for question in questions],
        "fields_left_out": sorted(set(wanted.fields_left_out)),
        "has_guidelines": wanted.has_guidelines,
        "instructions": wanted.instructions,
        "system": system_text(
            questions, project.guidelines if wanted.has_guidelines else "", wanted.instructions
        ),
        "schema": json.dumps(answer_schema(questions), ensure_ascii=False) if is_schema else "",
    }


def chosen_questions(project: Project, keys: Sequence[str]) -> list[Question]:
    """Return the questions, in the order of the codebook. Raises RefusedWithCode for unknown ones, or none at all."""
    all_of_them = questions_of(project.pk)
    chosen = [question for question in all_of_them if not keys or question.key in keys]
    if unknown := set(keys).difference(question.key for question in all_of_them):
        raise RefusedWithCode("unknown_question", f"There is no question {min(unknown)[:100]!r}.")
    if not chosen:
        raise RefusedWithCode(
            "no_questions", "The codebook has no questions yet. Add questions first.", status_code=409
        )
    known = {question.key for question in chosen}
    for question in chosen:
        if question.asked_if_question and question.asked_if_question not in known:
            raise RefusedWithCode(
                "missing_question",
                f"“{question.key}” depends on the answer to “{question.asked_if_question}”. Choose both, or neither.",
            )
    return chosen


def digest_of(content: ConfigurationContent) -> str:
    written = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(written.encode()).hexdigest()


def guidelines_version(project: Project) -> int:
    return int(project.guidelines_versions.aggregate(last=Max("number"))["last"] or 0)


def request_of(content: ConfigurationContent, item: Item) -> str:
    """Return the body of the request for this item, as it is shown and sent; "" if the item has no text to send."""
    text = item_text(item, content["fields_left_out"])
    if not text:
        return ""
    body: dict[str, object] = {
        "model": content["model"],
        "messages": [{"role": "system", "content": content["system"]}, {"role": "user", "content": text}],
    }
    if content["temperature"] is not None:
        body["temperature"] = content["temperature"]
    if content["seed"] is not None:
        body["seed"] = content["seed"]
    if content["schema"]:
        schema = {"name": "answers", "strict": True, "schema": json.loads(content["schema"])}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    elif content["answer_format"] == AnswerFormat.OBJECT:
        body["response_format"] = {"type": "json_object"}
    return json.dumps(body, ensure_ascii=False, indent=2)


def request_digest(body: str) -> str:
    return hashlib.sha256(body.encode()).hexdigest()


def estimated_input(body: str) -> int:
    return math.ceil(len(body.encode()) / BYTES_PER_TOKEN)


def estimated_output(content: ConfigurationContent) -> int:
    return TOKENS_PER_ANSWER + TOKENS_PER_QUESTION * len(content["questions"])
