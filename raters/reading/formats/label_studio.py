"""Label Studio: JSON exports of tasks with annotations and predictions."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from core.shapes import Json
from core.tables.faults import Faults, FileRefused
from raters.confidence_scale import is_probability
from raters.reading.formats.answers import MAX_QUESTIONS, choice_of
from raters.reading.formats.fields import (
    flat,
    item_choice,
    item_of,
    key_first,
    object_in,
    objects_in,
    parted,
    texts_in,
)
from raters.reading.formats.json_records import first_objects, objects, refusing_depth, text_of
from raters.reading.formats.label_studio_config import exports
from raters.reading.formats.label_studio_values import (
    ANSWERS,
    PLACES,
    REGIONS,
    LabelStudioQuestion,
    declared_in,
    keys_of,
    rater_of,
)
from raters.reading.formats.opening import faults_of
from raters.reading.number_notation import number_of
from raters.reading.records import (
    DRAFT,
    HUMAN,
    MODEL,
    REFERENCE,
    SKIPPED,
    SUBMITTED,
    Files,
    Format,
    FormatChoice,
    ItemRecord,
    LabelRecord,
    LeftOut,
    QuestionRecord,
    Record,
)

ACCEPTED = "annotations accepted from a prediction (imported, and marked)"
GROUND_TRUTH = "ground truth"
# Suffix of the control for notes on a question, as written by Interrater.
NOTE_OF = ": note"


@dataclass(frozen=True, slots=True)
class _Answers:
    """The answers of one annotation: chosen keys by question, and free texts."""

    chosen: Mapping[str, tuple[str, list[str]]]
    notes: Mapping[str, list[str]]


def recognizes(files: Files) -> bool:
    return any(_is_task(record) for file in files for record in first_objects(file)[:1])


def choices(files: Files) -> list[FormatChoice]:
    tasks = [task for file in files for task in first_objects(file)]
    fields = [key for task in tasks if isinstance(task.get("data"), dict) for key in task["data"]]
    asked = [
        key_first(
            item_choice(("id", "The task’s id"), fields),
            is_missing=all(task.get("id") is None for task in tasks),
        )
    ]
    annotations = [one for task in tasks for one in _annotations(task, 0, Faults())]
    if any(one.get("ground_truth") is True for one in annotations):
        asked.append(
            FormatChoice(
                "ground_truth",
                "Annotations marked as ground truth",
                [
                    ("reference", "The reference only"),
                    ("both", "The reference, and also a label by the annotator"),
                ],
            )
        )
    return asked


def read(files: Files, chosen: Mapping[str, str], left_out: LeftOut, faults: Faults) -> Iterator[Record]:
    with refusing_depth(faults):
        questions = _questions_in(files, faults)
        for name, question in questions.items():
            yield QuestionRecord(0, name, question.kind, question.categories)
        for file in exports(files):
            for line, task in objects(file, faults_of(file, files, faults)):
                yield from _task(line, task, questions, chosen, left_out, faults)


def _is_task(record: Json) -> bool:
    annotations = record.get("annotations", record.get("completions"))
    return isinstance(record.get("data"), dict) and isinstance(annotations, list) and "fields" not in record


def _annotations(task: Json, line: int, faults: Faults) -> list[Json]:
    return objects_in(task, "annotations" if "annotations" in task else "completions", line, faults)


def _questions_in(files: Files, faults: Faults) -> dict[str, LabelStudioQuestion]:
    """Return all questions of the files. Faults are reported when the labels are read."""
    found = declared_in(files, faults)
    unreported = Faults()
    for file in exports(files):
        try:
            for line, task in objects(file, unreported):
                for key in ("annotations", "completions", "predictions", "drafts"):
                    for one in objects_in(task, key, line, unreported):
                        answers = _answers(one, line, LeftOut(), unreported)
                        for name, (control, keys) in answers.chosen.items():
                            question = found.setdefault(name, LabelStudioQuestion(control))
                            question.n_chosen = max(question.n_chosen, len(keys))
                if len(found) > MAX_QUESTIONS:
                    rule = f"a file can have at most {MAX_QUESTIONS:,} questions"
                    raise faults.refuse(line, "from_name", "", "too_many_questions", rule)
        except FileRefused as refused:
            if refused.faults is faults:
                raise
    return found


def _task(
    line: int,
    task: Json,
    questions: Mapping[str, LabelStudioQuestion],
    chosen: Mapping[str, str],
    left_out: LeftOut,
    faults: Faults,
) -> Iterator[Record]:
    fields = object_in(task, "data", line, faults)
    item = item_of(chosen.get("item", "id"), task.get("id"), fields, line, faults)
    if not item:
        return
    content, attributes = parted(fields)
    yield ItemRecord(line, item, content, attributes | flat(object_in(task, "meta", line, faults)))
    left_out["reviews"] += sum(
        len(one["reviews"])
        for one in _annotations(task, line, Faults())
        if isinstance(one.get("reviews"), list)
    )
    for one in _annotations(task, line, faults):
        label = LabelRecord(line, item, rater_of(one.get("completed_by")), "", None, rater_kind=HUMAN)
        label = label._replace(state=SKIPPED if _is_skipped(one) else SUBMITTED)
        if label.state == SUBMITTED and _is_accepted(one):
            left_out[ACCEPTED] += 1
            label = label._replace(from_suggestion=True)
        if one.get("ground_truth") is True:
            reference = label._replace(rater=GROUND_TRUTH, rater_kind=REFERENCE, from_suggestion=None)
            yield from _labels(one, reference, questions, left_out, faults)
            if chosen.get("ground_truth") == "both":
                yield from _labels(one, label, questions, LeftOut(), Faults())
            continue
        yield from _labels(one, label, questions, left_out, faults)
    for one in objects_in(task, "drafts", line, faults):
        rater = rater_of(one.get("user", one.get("completed_by")))
        label = LabelRecord(line, item, rater, "", None, rater_kind=HUMAN, state=DRAFT)
        yield from _labels(one, label, questions, left_out, faults)
    for one in objects_in(task, "predictions", line, faults):
        rater = text_of(one.get("model_version")) or "prediction"
        label = LabelRecord(line, item, rater, "", None, rater_kind=MODEL, confidence=_score_of(one))
        yield from _labels(one, label, questions, left_out, faults)


def _score_of(prediction: Json) -> str:
    """Return the score as a confidence if it is a probability; models may have any score."""
    score = number_of(text_of(prediction.get("score")))
    return "" if score is None or not is_probability(score) else repr(score)


def _is_skipped(annotation: Json) -> bool:
    return annotation.get("was_cancelled") is True or annotation.get("skipped") is True


def _is_accepted(annotation: Json) -> bool:
    results = annotation.get("result")
    origins = (
        [one.get("origin") for one in results if isinstance(one, dict)] if isinstance(results, list) else []
    )
    return annotation.get("parent_prediction") is not None or any(
        origin in ("prediction", "prediction-changed") for origin in origins
    )


def _labels(
    annotation: Json,
    label: LabelRecord,
    questions: Mapping[str, LabelStudioQuestion],
    left_out: LeftOut,
    faults: Faults,
) -> Iterator[LabelRecord]:
    """Yield a label per answered question. An annotation without answers means that nothing was chosen."""
    answers = _answers(annotation, label.line, left_out, faults)
    notes: dict[str, str] = {}
    for name, texts in answers.notes.items():
        about = name.removesuffix(NOTE_OF)
        if about in questions and about != name:
            notes[about] = "\n".join(texts)
        elif len(questions) == 1 and len(answers.notes) == 1:
            notes[next(iter(questions))] = "\n".join(texts)
        else:
            left_out["free-text answers"] += 1
    if not label.rater and questions:
        rule = "the annotation has no annotator"
        faults.add(label.line, "completed_by", "", "no_rater", rule)
        return
    label = label._replace(
        seconds=text_of(annotation.get("lead_time")),
        at=text_of(annotation.get("updated_at") or annotation.get("created_at")),
        source_id=text_of(annotation.get("id")),
    )
    is_about_all = label.state == SKIPPED or (label.state == SUBMITTED and not answers.chosen)
    # This does not apply to models and drafts.
    is_about_all = is_about_all and label.rater_kind != MODEL
    for name, question in questions.items():
        if name not in answers.chosen and not is_about_all:
            continue
        keys = answers.chosen[name][1] if name in answers.chosen else []
        value = None if label.state == SKIPPED and not keys else choice_of(keys, question.kind)
        yield label._replace(question=name, value=value, note=notes.get(name, ""))


def _answers(annotation: Json, line: int, left_out: LeftOut, faults: Faults) -> _Answers:
    results = objects_in(annotation, "result", line, faults)
    places = {text_of(one.get("id")) for one in results if _is_region(one)}
    chosen: dict[str, tuple[str, list[str]]] = {}
    notes: dict[str, list[str]] = {}
    for one in results:
        control = text_of(one.get("type"))
        if control not in ANSWERS and control != "textarea":
            left_out[REGIONS.get(control, "other answers")] += 1
            continue
        value = object_in(one, "value", line, faults)
        if PLACES & value.keys() or (one.get("id") is not None and text_of(one["id"]) in places):
            left_out["answers about a region"] += 1
            continue
        name = text_of(one.get("from_name")) or control
        if control == "textarea":
            notes.setdefault(name, []).extend(texts_in(value.get("text")))
            continue
        keys = keys_of(control, value, line, faults)
        known = chosen.setdefault(name, (control, []))[1]
        known.extend(key for key in keys if key not in known)
    return _Answers(chosen, notes)


def _is_region(result: Json) -> bool:
    value = result.get("value")
    return (
        isinstance(value, dict)
        and result.get("type") not in (*ANSWERS, "textarea", "ranker")
        and bool(PLACES & value.keys())
    )


LABEL_STUDIO = Format("label_studio", "Label Studio (JSON)", recognizes, read, choices)
