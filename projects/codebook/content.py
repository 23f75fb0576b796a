"""The content of a codebook version: only texts and keys, which keep their meaning after rows are deleted."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NotRequired, TypedDict

from projects.codebook.shortcut_keys import Given, Owner, keys_by_owner
from projects.models import Category, Question


class StoredCategory(TypedDict):
    key: str
    name: NotRequired[str]
    definition: NotRequired[str]
    examples: NotRequired[str]


class StoredCondition(TypedDict):
    question: str
    categories: list[str]


class StoredNumberRules(TypedDict):
    minimum: NotRequired[float]
    maximum: NotRequired[float]
    is_whole: NotRequired[bool]
    step: NotRequired[float]
    unit: NotRequired[str]


class StoredQuestion(TypedDict):
    key: str
    kind: str
    prompt: NotRequired[str]
    is_optional: NotRequired[bool]
    no_abstention: NotRequired[bool]
    confidence: NotRequired[str]
    categories: NotRequired[list[StoredCategory]]
    asked_if: NotRequired[StoredCondition]
    number: NotRequired[StoredNumberRules]
    max_length: NotRequired[int]


class StoredCodebook(TypedDict):
    """Stored as JSON. given: [shortcut, question, category], in the order in which they were assigned."""

    questions: list[StoredQuestion]
    given: list[list[str]]


@dataclass(frozen=True, slots=True)
class VersionCategory:
    key: str
    name: str = ""
    definition: str = ""
    examples: str = ""
    shortcut: str = ""

    def __str__(self) -> str:
        return self.name or self.key


@dataclass(frozen=True, slots=True)
class VersionQuestion:
    """shortcut: focuses the field of a number or text. number_hint: the rule for numbers, and the unit. text_hint: the
    maximum length of the text. asked_if: the parent question and its categories that lead to this one, by keys.
    confidence: one of `Question.Confidence`.
    """

    key: str
    kind: str
    prompt: str = ""
    is_required: bool = True
    allows_abstention: bool = True
    shortcut: str = ""
    categories: tuple[VersionCategory, ...] = ()
    asked_if: tuple[str, ...] = ()
    number_hint: str = ""
    text_hint: str = ""
    confidence: str = Question.Confidence.OFF

    def __str__(self) -> str:
        return self.prompt or self.key


def stored_codebook(questions: Sequence[Question], given: Given) -> StoredCodebook:
    """Return the current codebook; fields with default values are left out."""
    return {
        "questions": [_stored_question(question) for question in questions],
        "given": [[key, *owner] for key, owner in given],
    }


def _stored_question(question: Question) -> StoredQuestion:
    stored: StoredQuestion = {"key": question.key, "kind": question.kind}
    if question.prompt:
        stored["prompt"] = question.prompt
    if not question.is_required:
        stored["is_optional"] = True
    if not question.allows_abstention:
        stored["no_abstention"] = True
    if question.asks_confidence:
        stored["confidence"] = question.confidence
    if question.has_categories:
        stored["categories"] = [_stored_category(category) for category in question.categories.all()]
    elif rules := _stored_number_rules(question):
        stored["number"] = rules
    if question.kind == Question.Kind.TEXT:
        stored["max_length"] = question.most_characters
    if question.asked_if_question:
        stored["asked_if"] = {
            "question": question.asked_if_question,
            "categories": list(question.asked_if_categories),
        }
    return stored


def _stored_number_rules(question: Question) -> StoredNumberRules:
    """Return the rules for numbers that raters enter; the tolerance does not concern them."""
    stored: StoredNumberRules = {}
    if question.minimum is not None:
        stored["minimum"] = question.minimum
    if question.maximum is not None:
        stored["maximum"] = question.maximum
    if question.is_whole:
        stored["is_whole"] = True
    if question.step is not None:
        stored["step"] = question.step
    if question.unit:
        stored["unit"] = question.unit
    return stored


def _stored_category(category: Category) -> StoredCategory:
    stored: StoredCategory = {"key": category.key}
    if category.name:
        stored["name"] = category.name
    if category.definition:
        stored["definition"] = category.definition
    if category.examples:
        stored["examples"] = category.examples
    return stored


def shortcuts_in(content: StoredCodebook) -> list[tuple[str, Owner]]:
    return [(key, (question, category)) for key, question, category in content["given"]]


def questions_in_version(content: StoredCodebook) -> list[VersionQuestion]:
    keys = keys_by_owner(shortcuts_in(content))
    return [
        VersionQuestion(
            key=stored["key"],
            kind=stored["kind"],
            prompt=stored.get("prompt", ""),
            is_required=not stored.get("is_optional", False),
            allows_abstention=not stored.get("no_abstention", False),
            shortcut=keys.get((stored["key"], ""), ""),
            categories=tuple(
                VersionCategory(**category, shortcut=keys.get((stored["key"], category["key"]), ""))
                for category in stored.get("categories", [])
            ),
            asked_if=_condition(stored),
            number_hint=Question(**stored.get("number", {})).number_hint,
            text_hint=Question(max_length=stored["max_length"]).text_hint if "max_length" in stored else "",
            confidence=stored.get("confidence", Question.Confidence.OFF),
        )
        for stored in content["questions"]
    ]


def _condition(stored: StoredQuestion) -> tuple[str, ...]:
    condition = stored.get("asked_if")
    return (condition["question"], *condition["categories"]) if condition else ()
