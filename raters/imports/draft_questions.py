"""What the page of a draft asks about each question, and what each of its values becomes."""

from collections.abc import Mapping
from typing import Any

from projects.models import Question
from raters.imports.draft_fields import Chosen, QuestionField, ValueField, chosen
from raters.imports.label_options import LabelOptions, QuestionOptions
from raters.imports.scale_order import are_numbers_only, in_given_order, skipped_numbers
from raters.reading.values import CANNOT_TELL, CATEGORY, MISSING, NONE_OF_THEM, ValueMeaning

WORDS = {MISSING: "Missing", CANNOT_TELL: "Cannot tell", NONE_OF_THEM: "None of them"}
_WHY = {
    "missing_code": "looks like a missing-value code",
    "same_spelling": "different spelling",
    "unseen": "not in the first part of the file",
}


def question_field(
    place: int, found: Mapping[str, Any], most: int, *, options: LabelOptions
) -> QuestionField:
    """Return what is asked for a question of the preview. most: number of values to ask for; others are only shown."""
    key, rows = found["key"], found["rows"][:most]
    given = options.questions.get(key, QuestionOptions())
    known = list(found["categories"])
    keys = dict.fromkeys([*known, *(row["written"] for row in found["rows"])])
    keys.pop("", None)
    keys |= dict.fromkeys(row["becomes"] for row in found["rows"] if isinstance(row["becomes"], str))
    values = [
        ValueField(
            at,
            row["written"],
            row["n"],
            _WHY.get(row["why"], ""),
            _meaning_choices(found, row, list(keys)),
        )
        for at, row in enumerate(rows)
    ]
    new = [
        row["becomes"]
        for row in found["rows"]
        if isinstance(row["becomes"], str) and row["becomes"] not in known
    ]
    order = (
        in_given_order(list(dict.fromkeys(new)), given.order)
        if Question.Kind(found["kind"]).has_categories
        else []
    )
    kinds = [(kind, title) for kind, title in Question.Kind.choices]
    return QuestionField(
        place,
        key,
        found["is_new"],
        options.question == key,
        chosen(kinds, found["kind"]),
        chosen(Question.Level.choices if found["kind"] != Question.Kind.TEXT else (), found["level"]),
        Question.Kind(found["kind"]).label,
        values,
        [(row["written"], row["n"], _title(row["becomes"])) for row in found["rows"][most:]],
        order if found["is_new"] and found["level"] != "nominal" and not are_numbers_only(order) else [],
        found["n_rows"] - len(found["rows"]),
        [(row["written"], row["becomes"], row["n"]) for row in rows if row["why"] == "same_spelling"],
        skipped_numbers(order) if found["is_new"] and found["level"] == "ordinal" else [],
    )


def _meaning_choices(found: Mapping[str, Any], row: Mapping[str, Any], keys: list[str]) -> list[Chosen]:
    becomes = row["becomes"]
    now = ValueMeaning.from_json(becomes)
    if not row["written"]:
        return [(what, WORDS[what], now.what == what) for what in (MISSING, NONE_OF_THEM)]
    words = [what for what in WORDS if what != NONE_OF_THEM or found["kind"] == "multiple"]
    choices = (
        []
        if found["kind"] == "number"
        else [(f"={key}", key, now == ValueMeaning(CATEGORY, key)) for key in keys]
    )
    if found["kind"] == "number":
        choices = [("number", "A number", now.what == CATEGORY)]
    return [*choices, *((what, WORDS[what], now.what == what) for what in words)]


def _title(becomes: Any) -> str:
    meaning = ValueMeaning.from_json(becomes)
    return meaning.key if meaning.what == CATEGORY else WORDS[meaning.what]
