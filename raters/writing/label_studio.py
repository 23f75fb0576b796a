"""Label Studio: tasks with annotations and predictions, and the matching labeling configuration."""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NotRequired, TypedDict
from xml.sax.saxutils import quoteattr

from core.tables.zipped import in_blocks
from projects.models import Item
from raters.models import Rater
from raters.writing.contents import ExportContents
from raters.writing.records import (
    ExportKind,
    ExportQuestion,
    FinalRow,
    ItemRow,
    LabelRow,
    Value,
    as_integer_if_whole,
    key_name,
)
from raters.writing.source import LiveLabels
from raters.writing.target import MISSING_NOTES, Loss, Target, lost

FINAL_LABELS = "final labels"
_TAGS = {Item.Field.IMAGE: "Image", Item.Field.AUDIO: "Audio", Item.Field.VIDEO: "Video"}


class AnnotationResult(TypedDict):
    id: str
    from_name: str
    to_name: str
    type: str
    value: dict[str, list[str] | int | float]
    origin: NotRequired[str]


class Annotation(TypedDict):
    completed_by: dict[str, str]
    was_cancelled: bool
    ground_truth: bool
    result: list[AnnotationResult]
    created_at: str
    lead_time: NotRequired[float]


class Prediction(TypedDict):
    model_version: str
    result: list[AnnotationResult]
    score: NotRequired[float]


class LabelStudioTask(TypedDict):
    data: dict[str, str]
    annotations: NotRequired[list[Annotation]]
    predictions: NotRequired[list[Prediction]]


# What happens to confidences.
SCORES = "left out, except for the score of a model’s prediction that answers one question"


def note_name(question: str) -> str:
    """Return the name of the control for notes on a question."""
    return f"{question}: note"


def _tasks(live: LiveLabels) -> Iterator[bytes]:
    return in_blocks(_lines(live))


def _lines(live: LiveLabels) -> Iterator[str]:
    names = live.field_names()
    yield "["
    before = "\n"
    for task in _all_tasks(live, key_name(names)):
        yield before + json.dumps(task, ensure_ascii=False)
        before = ",\n"
    yield "\n]\n"


def _all_tasks(live: LiveLabels, key: str) -> Iterator[LabelStudioTask]:
    match live.scope.what:
        case ExportKind.LABELS:
            for item, labels in live.labeled_items():
                yield _task(item, labels, key, live.scope.questions)
        case ExportKind.FINAL:
            for item, finals in live.items_with_finals():
                results = [result for final in finals for result in _final_results(final, item, live)]
                predictions: list[Prediction] = [{"model_version": FINAL_LABELS, "result": results}]
                yield {"data": _data(item, key), "predictions": predictions if results else []}
        case ExportKind.ITEMS:
            for item in live.items():
                yield {"data": _data(item, key)}


def _data(item: ItemRow, key: str) -> dict[str, str]:
    fields = {field.name: field.value for field in item.fields}
    return {key: item.key, **fields}


def _task(
    item: ItemRow, labels: Iterable[LabelRow], key: str, questions: Sequence[ExportQuestion]
) -> LabelStudioTask:
    kinds = {question.key: question for question in questions}
    first = sorted((label for label in labels if label.is_first), key=lambda label: label.rater)
    annotations: list[Annotation] = []
    predictions: list[Prediction] = []
    for rater, of_rater in groupby(first, key=lambda label: label.rater):
        given = [label for label in of_rater if not label.is_abstention]
        results = [result for label in given for result in _results(label, item, kinds[label.question])]
        if not results:
            continue
        if given[0].kind == Rater.Kind.MODEL:
            predictions.append(_prediction(rater, given, results))
        else:
            annotations.append(_annotation(rater, given, results))
    return {"data": _data(item, key), "annotations": annotations, "predictions": predictions}


def _prediction(rater: str, labels: Sequence[LabelRow], results: list[AnnotationResult]) -> Prediction:
    """Return a prediction; it has a score only if it has a single label, as the score applies to the whole of it."""
    prediction: Prediction = {"model_version": rater, "result": results}
    if len(labels) == 1 and (confidence := labels[0].confidence) is not None:
        prediction["score"] = confidence
    return prediction


def _annotation(rater: str, labels: Sequence[LabelRow], results: list[AnnotationResult]) -> Annotation:
    annotation: Annotation = {
        "completed_by": {"email": rater},
        "was_cancelled": False,
        # Without this field, Label Studio treats an annotation as ground truth.
        "ground_truth": labels[0].kind == Rater.Kind.REFERENCE,
        "result": results,
        "created_at": max(label.labeled_at for label in labels).isoformat(),
    }
    seconds = {label.seconds for label in labels}
    if len(seconds) == 1 and (spent := labels[0].seconds) is not None:
        annotation["lead_time"] = spent
    return annotation


def _results(label: LabelRow, item: ItemRow, question: ExportQuestion) -> Iterator[AnnotationResult]:
    yield _result(question, item, label.value)
    if label.note:
        name = note_name(question.key)
        yield {
            "id": name,
            "from_name": name,
            "to_name": item.shown.name,
            "type": "textarea",
            "value": {"text": [label.note]},
            "origin": "manual",
        }


def _final_results(final: FinalRow, item: ItemRow, live: LiveLabels) -> Iterator[AnnotationResult]:
    if final.value is not None:
        question = next(each for each in live.scope.questions if each.key == final.question)
        yield _result(question, item, final.value)


def _result(question: ExportQuestion, item: ItemRow, value: Value) -> AnnotationResult:
    result: AnnotationResult = {
        "id": question.key,
        "from_name": question.key,
        "to_name": item.shown.name,
        "type": "choices",
        "value": {},
    }
    if isinstance(value, float):
        result["type"] = "number"
        result["value"] = {"number": as_integer_if_whole(value)}
    else:
        result["value"] = {"choices": [value] if isinstance(value, str) else list(value or ())}
    return result


def _config(live: LiveLabels) -> Iterator[bytes]:
    """Yield the configuration: the view shows the items' fields, and controls are named after the questions."""
    item = next(live.items(), None)
    shown = item.shown if item else None
    name, tag = (shown.name, _TAGS.get(Item.Field(shown.kind), "Text")) if shown else ("text", "Text")
    lines = ["<View>", f"  <{tag} name={quoteattr(name)} value={quoteattr('$' + name)}/>"]
    for question in live.scope.questions:
        lines += _controls(question, quoteattr(name))
    yield "\n".join([*lines, "</View>", ""]).encode()


def _controls(question: ExportQuestion, shown: str) -> Iterator[str]:
    name, prompt = quoteattr(question.key), quoteattr(question.prompt or question.key)
    yield f"  <Header value={prompt}/>"
    if question.is_number:
        yield f"  <Number name={name} toName={shown}/>"
    else:
        choice = "multiple" if question.is_multiple else "single"
        yield f'  <Choices name={name} toName={shown} choice="{choice}">'
        for category in question.categories:
            yield f"    <Choice value={quoteattr(category.key)} hint={quoteattr(category.title)}/>"
        yield "  </Choices>"
    note = quoteattr(note_name(question.key))
    yield f'  <TextArea name={note} toName={shown} placeholder="Note" required="false"/>'


def _loses(contents: ExportContents) -> list[Loss]:
    if contents.scope.what is not ExportKind.LABELS:
        return lost(contents)
    dates = "written, but Label Studio sets its own on import"
    losses = lost(
        contents,
        held=("notes", "seconds", "of_others"),
        labels=dates,
        missing=MISSING_NOTES,
        confidences=SCORES,
    )
    references = contents.references
    return [
        *losses,
        Loss(contents.counts["abstaining_notes"], "notes on “cannot tell” labels"),
        Loss(contents.counts["uneven"], "labeling times that differ by question"),
        Loss(len(references), "names of references", "marked as ground truth; Interrater reads them as one"),
    ]


TASKS = Target(
    "label-studio",
    "Label Studio",
    "Tasks in JSON with an annotation per rater; labels by models, and final labels, are predictions.",
    "json",
    "application/json",
    tuple(ExportKind),
    _loses,
    _tasks,
    name="{slug}-{what}-label-studio",
    hint="Set up the Label Studio project with the labeling configuration first. Label Studio assigns "
    "annotations to members by email: raters’ names are written instead.",
)
CONFIG = Target(
    "label-studio-config",
    "Label Studio: configuration",
    "The labeling configuration (XML) that fits the tasks: a control for each question, with its categories.",
    "xml",
    "application/xml",
    tuple(ExportKind),
    lambda contents: [],
    _config,
    name="{slug}-label-studio-configuration",
)
