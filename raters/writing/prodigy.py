"""Prodigy: JSON lines for db-in, one line per label."""

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NotRequired, TypedDict

from core.tables.zipped import in_blocks
from projects.models import Item
from raters.writing.contents import ExportContents
from raters.writing.records import ExportKind, ExportQuestion, ItemRow, as_text, key_name
from raters.writing.source import LiveLabels
from raters.writing.target import Loss, Target, lost

FINAL_LABELS = "final labels"
_MEDIA = {Item.Field.IMAGE: "image", Item.Field.AUDIO: "audio", Item.Field.VIDEO: "video"}


class Option(TypedDict):
    id: str
    text: str


class Config(TypedDict):
    choice_style: str


class ProdigyTask(TypedDict):
    text: NotRequired[str]
    image: NotRequired[str]
    audio: NotRequired[str]
    video: NotRequired[str]
    meta: dict[str, str]
    question_key: NotRequired[str]
    options: NotRequired[list[Option]]
    config: NotRequired[Config]
    accept: NotRequired[list[str]]
    answer: NotRequired[str]
    _view_id: NotRequired[str]
    _annotator_id: NotRequired[str]
    _session_id: NotRequired[str]
    _timestamp: NotRequired[int]


def _lines(live: LiveLabels) -> Iterator[bytes]:
    return in_blocks(json.dumps(task, ensure_ascii=False) + "\n" for task in _tasks(live))


def _tasks(live: LiveLabels) -> Iterator[ProdigyTask]:
    key = key_name(live.field_names())
    questions = {question.key: question for question in live.scope.questions}
    match live.scope.what:
        case ExportKind.LABELS:
            for item, labels in live.labeled_items():
                for label in labels:
                    question = questions[label.question]
                    if label.is_first and not question.is_number:
                        keys = None if label.is_abstention else label.keys
                        yield _answered(item, key, question, keys, label.rater, label.labeled_at, live)
        case ExportKind.FINAL:
            for item, finals in live.items_with_finals():
                for final in finals:
                    question = questions[final.question]
                    if final.value is not None and not question.is_number:
                        value = final.value
                        keys = value if isinstance(value, tuple) else (as_text(value),)
                        yield _answered(item, key, question, keys, FINAL_LABELS, None, live)
        case ExportKind.ITEMS:
            for item in live.items():
                yield _task(item, key)


def _task(item: ItemRow, key: str) -> ProdigyTask:
    shown = item.shown
    meta = {key: item.key} | {field.name: field.value for field in item.fields if field is not shown}
    task: ProdigyTask = {"meta": meta}
    match _MEDIA.get(Item.Field(shown.kind)):
        case "image":
            task["image"] = shown.value
        case "audio":
            task["audio"] = shown.value
        case "video":
            task["video"] = shown.value
        case _:
            task["text"] = shown.value
    return task


def _answered(
    item: ItemRow,
    key: str,
    question: ExportQuestion,
    keys: Sequence[str] | None,
    rater: str,
    at: datetime | None,
    live: LiveLabels,
) -> ProdigyTask:
    task = _task(item, key)
    # Prodigy names a session after the data set and the person; it computes the hashes itself.
    session = f"{live.scope.project.slug}-{rater}"
    task["question_key"] = question.key
    task["options"] = [{"id": each.key, "text": each.title} for each in question.categories]
    task["config"] = {"choice_style": "multiple" if question.is_multiple else "single"}
    task["accept"] = list(keys or ())
    task["answer"] = "ignore" if keys is None else "accept"
    task["_view_id"] = "choice"
    task["_annotator_id"] = task["_session_id"] = session
    if at is not None:
        task["_timestamp"] = int(at.timestamp())
    return task


def _loses(contents: ExportContents) -> list[Loss]:
    counts = contents.counts
    if contents.scope.what is not ExportKind.LABELS:
        numbers = Loss(counts["final_numbers"], "numbers")
        return [*lost(contents), numbers]
    skipped = "written as “ignore”, which means skipped"
    return [*lost(contents, held=("labels",), abstentions=skipped), Loss(counts["numbers"], "numbers")]


PRODIGY = Target(
    "prodigy",
    "Prodigy",
    "One JSON line per label for db-in: a choice task with its options, the answer, and the annotator.",
    "jsonl",
    "application/x-ndjson",
    tuple(ExportKind),
    _loses,
    _lines,
    hint="Dates are rounded to seconds. Name the data set after the project, so that annotators’ names fit.",
    # The name of the data set, which Interrater takes from the file name when it imports the file.
    name="{slug}",
)
