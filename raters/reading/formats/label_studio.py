"""Label Studio: the exports JSON, JSON_MIN, and CSV or TSV."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from core.tables.encoding import AUTO
from core.tables.faults import Faults, FileRefused
from core.tables.table import open_table
from raters.reading.formats.streams import (
    Json,
    decode,
    first_objects,
    first_text,
    objects,
    refusing_depth,
    text_of,
)
from raters.reading.formats.values import (
    MAX_QUESTIONS,
    choice_of,
    flat,
    item_choice,
    item_of,
    key_first,
    list_in,
    object_in,
    objects_in,
    parted,
    texts_in,
)
from raters.reading.records import (
    DRAFT,
    HUMAN,
    MODEL,
    MULTIPLE,
    NUMBER,
    REFERENCE,
    SINGLE,
    SKIPPED,
    SUBMITTED,
    Choice,
    Files,
    Format,
    InputFile,
    ItemRecord,
    LabelRecord,
    LeftOut,
    QuestionRecord,
    Record,
)

ACCEPTED = "annotations accepted from a prediction (imported)"
GROUND_TRUTH = "ground truth"
# After the name of a question: the control for notes on it, as Interrater writes them.
NOTE_OF = ": note"
_ANSWERS = ("choices", "taxonomy", "rating", "number", "pairwise")
_REGIONS = {
    "labels": "spans",
    "hypertextlabels": "spans",
    "paragraphlabels": "spans",
    "timeserieslabels": "spans",
    "timelinelabels": "spans",
    "rectangle": "bounding boxes",
    "rectanglelabels": "bounding boxes",
    "ellipse": "ellipses",
    "ellipselabels": "ellipses",
    "polygon": "polygons",
    "polygonlabels": "polygons",
    "keypoint": "key points",
    "keypointlabels": "key points",
    "brush": "brush masks",
    "brushlabels": "brush masks",
    "relation": "relations",
    "ranker": "rankings",
    "datetime": "dates",
    "textarea": "free-text answers",
}
# Of a region, which a result about the region repeats.
_PLACES = frozenset({"start", "end", "startOffset", "x", "y", "points", "rle", "ranges"})


@dataclass(slots=True)
class _Question:
    """What the file shows of a question: the type of its control and how many categories were chosen at most."""

    control: str
    n_chosen: int = 0

    @property
    def kind(self) -> str:
        if self.control == "taxonomy" or self.n_chosen > 1:
            return MULTIPLE
        # Stars may be categories in an order or a number; the file does not say.
        return {"number": NUMBER, "rating": ""}.get(self.control, SINGLE)


@dataclass(frozen=True, slots=True)
class _Answers:
    """What one annotation says of the item: the chosen keys by question, and its free texts."""

    chosen: Mapping[str, tuple[str, list[str]]]
    notes: Mapping[str, list[str]]


def recognizes(files: Files) -> bool:
    return any(_is_task(record) for file in files for record in first_objects(file)[:1])


def choices(files: Files) -> list[Choice]:
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
            Choice(
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
            yield QuestionRecord(0, name, question.kind)
        for file in files:
            for line, task in objects(file, faults):
                yield from _task(line, task, questions, chosen, left_out, faults)


def _is_task(record: Json) -> bool:
    annotations = record.get("annotations", record.get("completions"))
    return isinstance(record.get("data"), dict) and isinstance(annotations, list) and "fields" not in record


def _annotations(task: Json, line: int, faults: Faults) -> list[Json]:
    return objects_in(task, "annotations" if "annotations" in task else "completions", line, faults)


def _questions_in(files: Files, faults: Faults) -> dict[str, _Question]:
    """Every question of the files; what is wrong in them is said when they are read for the labels."""
    found: dict[str, _Question] = {}
    unsaid = Faults()
    for file in files:
        try:
            for line, task in objects(file, unsaid):
                for key in ("annotations", "completions", "predictions", "drafts"):
                    for one in objects_in(task, key, line, unsaid):
                        answers = _answers(one, line, LeftOut(), unsaid)
                        for name, (control, keys) in answers.chosen.items():
                            question = found.setdefault(name, _Question(control))
                            question.n_chosen = max(question.n_chosen, len(keys))
                if len(found) > MAX_QUESTIONS:
                    rule = f"a file can have at most {MAX_QUESTIONS:,} questions (in {file.name})"
                    raise faults.refuse(line, "from_name", "", "too_many_questions", rule)
        except FileRefused as refused:
            if refused.faults is faults:
                raise
    return found


def _task(
    line: int,
    task: Json,
    questions: Mapping[str, _Question],
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
        label = LabelRecord(line, item, _rater(one.get("completed_by")), "", None, rater_kind=HUMAN)
        label = label._replace(state=SKIPPED if _is_skipped(one) else SUBMITTED)
        if label.state == SUBMITTED and _is_accepted(one):
            left_out[ACCEPTED] += 1
        if one.get("ground_truth") is True:
            reference = label._replace(rater=GROUND_TRUTH, rater_kind=REFERENCE)
            yield from _labels(one, reference, questions, left_out, faults)
            if chosen.get("ground_truth") == "both":
                yield from _labels(one, label, questions, LeftOut(), Faults())
            continue
        yield from _labels(one, label, questions, left_out, faults)
    for one in objects_in(task, "drafts", line, faults):
        rater = _rater(one.get("user", one.get("completed_by")))
        label = LabelRecord(line, item, rater, "", None, rater_kind=HUMAN, state=DRAFT)
        yield from _labels(one, label, questions, left_out, faults)
    for one in objects_in(task, "predictions", line, faults):
        rater = text_of(one.get("model_version")) or "prediction"
        label = LabelRecord(line, item, rater, "", None, rater_kind=MODEL)
        yield from _labels(one, label, questions, left_out, faults)


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


def _rater(who: object) -> str:
    """The e-mail if the file has it: the number is of one server only."""
    if isinstance(who, dict):
        return text_of(who.get("email") or who.get("id"))
    return text_of(who)


def _labels(
    annotation: Json,
    label: LabelRecord,
    questions: Mapping[str, _Question],
    left_out: LeftOut,
    faults: Faults,
) -> Iterator[LabelRecord]:
    """A label for each question that is answered; an annotation that answers none says that nothing was chosen."""
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
    # A model or a draft without an answer says nothing.
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
        if control not in _ANSWERS and control != "textarea":
            left_out[_REGIONS.get(control, "other answers")] += 1
            continue
        value = object_in(one, "value", line, faults)
        if _PLACES & value.keys() or (one.get("id") is not None and text_of(one["id"]) in places):
            left_out["answers about a region"] += 1
            continue
        name = text_of(one.get("from_name")) or control
        if control == "textarea":
            notes.setdefault(name, []).extend(texts_in(value.get("text")))
            continue
        keys = _keys(control, value, line, faults)
        known = chosen.setdefault(name, (control, []))[1]
        known.extend(key for key in keys if key not in known)
    return _Answers(chosen, notes)


def _is_region(result: Json) -> bool:
    value = result.get("value")
    return (
        isinstance(value, dict)
        and result.get("type") not in (*_ANSWERS, "textarea", "ranker")
        and bool(_PLACES & value.keys())
    )


def _keys(control: str, value: Json, line: int, faults: Faults) -> list[str]:
    if control in ("rating", "number"):
        return [text_of(value[control])] if value.get(control) is not None else []
    if control == "pairwise":
        return [text_of(value["selected"])] if value.get("selected") else []
    found = list_in(value, control, line, faults)
    if control == "taxonomy":
        return ["/".join(texts_in(path)) for path in found]
    return [text_of(key) for key in found]


# The flat exports: a row for each annotation, where the answers stand among the fields of the task.

_ROW = ("id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time", "agreement")
_MARKS = ("annotator", "annotation_id", "lead_time")
QUESTION, NOTE, CONTENT, ATTRIBUTE = "question", "note", "content", "attribute"
_USES = {
    QUESTION: "A question",
    NOTE: "A note on the label",
    CONTENT: "Shown to raters",
    ATTRIBUTE: "An attribute of the item",
}
_MAX_ROWS = 10_000_000
_MAX_NAME = 60


def recognizes_rows(files: Files) -> bool:
    return any(_is_row(record) for file in files for record in _first_rows(file)[:1])


def row_choices(files: Files) -> list[Choice]:
    rows = [row for file in files for row in _first_rows(file)]
    uses = _uses(files)
    asked = [
        item_choice(
            ("id", "The task’s id"), [name for name, use in uses.items() if use in (CONTENT, ATTRIBUTE)]
        )
    ]
    for name, use in uses.items():
        if any(_results(row.get(name)) is not None for row in rows):
            continue
        options = [(use, _USES[use]), *((other, title) for other, title in _USES.items() if other != use)]
        asked.append(Choice(f"column.{name}", f"Column “{name}”", options))
    return asked


def read_rows(files: Files, chosen: Mapping[str, str], left_out: LeftOut, faults: Faults) -> Iterator[Record]:
    with refusing_depth(faults):
        uses = {name: chosen.get(f"column.{name}", use) for name, use in _uses(files).items()}
        questions = _row_questions(files, uses, faults)
        for name, question in questions.items():
            yield QuestionRecord(0, name, question.kind)
        seen: set[str] = set()
        for file in files:
            for line, row in _rows(file, faults):
                yield from _row(line, row, uses, questions, seen, chosen, left_out, faults)


def _is_row(record: Json) -> bool:
    return all(mark in record for mark in _MARKS)


def _is_json(file: InputFile) -> bool:
    return first_text(file).lstrip()[:1] in ("[", "{")


def _first_rows(file: InputFile) -> list[Json]:
    if _is_json(file):
        return first_objects(file)
    head = first_text(file)
    if "annotation_id" not in head.partition("\n")[0]:
        return []
    # The last line may have been cut off.
    whole = head[: head.rfind("\n") + 1] or head
    rows: list[Json] = []
    try:
        for _, row in _rows(InputFile(file.name, lambda: iter([whole.encode("utf-8", "replace")])), Faults()):
            rows.append(row)
    except FileRefused:
        pass
    return rows


def _rows(file: InputFile, faults: Faults) -> Iterator[tuple[int, Json]]:
    if _is_json(file):
        yield from objects(file, faults)
        return
    table = open_table(file.source, faults, encoding=AUTO, max_rows=_MAX_ROWS)
    for line, cells in table.rows:
        yield line, {name: cell or None for name, cell in zip(table.columns, cells, strict=True)}


def _results(value: object) -> list[Json] | None:
    """The answers in a cell that holds them as objects; None if it does not."""
    if isinstance(value, str) and value[:1] in ("[", "{"):
        value = decode(value)
    if isinstance(value, dict):
        value = [value]
    if isinstance(value, list) and value and all(isinstance(one, dict) and _control(one) for one in value):
        return value
    return None


def _control(value: Json) -> str:
    """The type of control that a value is of, by its key."""
    if value.get("selected") in ("left", "right"):
        return "pairwise"
    known = (*_ANSWERS, *_REGIONS)
    return next((key for key in value if key in known), "textarea" if set(value) == {"text"} else "")


def _uses(files: Files) -> dict[str, str]:
    """What each column seems to be, from the first rows; a person may say otherwise."""
    rows = [row for file in files for row in _first_rows(file)]
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: _use(name, rows, files) for name in names if name not in _ROW}


def _use(name: str, rows: list[Json], files: Files) -> str:
    cells = [row[name] for row in rows if row.get(name) is not None]
    if any(_results(cell) is not None for cell in cells):
        return QUESTION
    if name.startswith("_data_"):
        return CONTENT
    if not all(isinstance(cell, str) for cell in cells):
        return ATTRIBUTE
    is_long = any(len(cell) > _MAX_NAME for cell in cells)
    if files and _is_json(files[0]):
        # The task's fields come first, then its id, the answers, and the annotator.
        keys = [list(row) for row in rows if "id" in row and name in row]
        if any(row.index(name) < row.index("id") for row in keys):
            return CONTENT
        return NOTE if is_long else QUESTION
    by_task: dict[str, set[str]] = {}
    for row in rows:
        if row.get("annotation_id") is not None:
            by_task.setdefault(text_of(row.get("id")), set()).add(text_of(row.get(name)))
    if any(len(found) > 1 for found in by_task.values()):
        return NOTE if is_long else QUESTION
    return CONTENT


def _row_questions(files: Files, uses: Mapping[str, str], faults: Faults) -> dict[str, _Question]:
    found: dict[str, _Question] = {}
    asked = [name for name, use in uses.items() if use == QUESTION]
    if len(asked) > MAX_QUESTIONS:
        rule = f"a file can have at most {MAX_QUESTIONS:,} questions"
        raise faults.refuse(0, "", "", "too_many_questions", rule)
    unsaid = Faults()
    for file in files:
        try:
            for line, row in _rows(file, unsaid):
                for name in asked:
                    control, keys = _cell(row.get(name), line, LeftOut(), unsaid)
                    if control:
                        question = found.setdefault(name, _Question(control))
                        question.n_chosen = max(question.n_chosen, len(keys))
        except FileRefused:
            continue
    return found


def _cell(value: object, line: int, left_out: LeftOut, faults: Faults) -> tuple[str, list[str]]:
    """The control and the chosen keys of a cell; no control where the cell holds no answer about the item."""
    if value is None:
        return "", []
    results = _results(value)
    if results is None:
        if isinstance(value, list):
            return "choices", texts_in(value)
        return "choices", [text_of(value)]
    control, keys = "", list[str]()
    for one in results:
        kind = _control(one)
        if kind not in _ANSWERS or _PLACES & one.keys():
            left_out[
                "answers about a region" if kind in _ANSWERS else _REGIONS.get(kind, "other answers")
            ] += 1
            continue
        control = control or kind
        keys.extend(key for key in _keys(kind, one, line, faults) if key not in keys)
    return control, keys


def _row(
    line: int,
    row: Json,
    uses: Mapping[str, str],
    questions: Mapping[str, _Question],
    seen: set[str],
    chosen: Mapping[str, str],
    left_out: LeftOut,
    faults: Faults,
) -> Iterator[Record]:
    item = item_of(chosen.get("item", "id"), row.get("id"), row, line, faults)
    if not item:
        return
    if item not in seen:
        seen.add(item)
        content = {
            name: text_of(row[name])
            for name, use in uses.items()
            if use == CONTENT and row.get(name) is not None
        }
        others = {
            name: text_of(row[name])
            for name, use in uses.items()
            if use == ATTRIBUTE and row.get(name) is not None
        }
        yield ItemRecord(line, item, content, others)
    if row.get("annotation_id") is None:
        return
    rater = _rater(row.get("annotator"))
    if not rater:
        faults.add(line, "annotator", "", "no_rater", "the annotation has no annotator")
        return
    answers = {
        name: _cell(row.get(name), line, left_out, faults) for name, use in uses.items() if use == QUESTION
    }
    notes = [text_of(row[name]) for name, use in uses.items() if use == NOTE and row.get(name) is not None]
    if notes and len(questions) != 1:
        left_out["free-text answers"] += len(notes)
        notes = []
    label = LabelRecord(
        line,
        item,
        rater,
        "",
        None,
        rater_kind=HUMAN,
        note="\n".join(notes),
        seconds=text_of(row.get("lead_time")),
        at=text_of(row.get("updated_at") or row.get("created_at")),
        source_id=text_of(row["annotation_id"]),
    )
    says_nothing = not any(answers[name][0] for name in questions)
    for name, question in questions.items():
        if answers[name][0] or says_nothing:
            yield label._replace(question=name, value=choice_of(answers[name][1], question.kind), column=name)


LABEL_STUDIO = Format("label_studio", "Label Studio (JSON)", recognizes, read, choices)
LABEL_STUDIO_ROWS = Format(
    "label_studio_rows", "Label Studio (JSON_MIN, CSV or TSV)", recognizes_rows, read_rows, row_choices
)
