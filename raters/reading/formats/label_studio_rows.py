"""Label Studio: the flat exports JSON_MIN, CSV, and TSV, with a row per annotation."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress

from core.shapes import Json
from core.tables.encoding import AUTO
from core.tables.faults import Faults, FileRefused
from core.tables.table import open_table
from raters.reading.formats.answers import MAX_QUESTIONS, choice_of
from raters.reading.formats.fields import (
    item_choice,
    item_of,
    texts_in,
)
from raters.reading.formats.json_records import (
    decode,
    first_objects,
    first_text,
    objects,
    refusing_depth,
    text_of,
)
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
from raters.reading.records import (
    HUMAN,
    Files,
    Format,
    FormatChoice,
    InputFile,
    ItemRecord,
    LabelRecord,
    LeftOut,
    QuestionRecord,
    Record,
)

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


def row_choices(files: Files) -> list[FormatChoice]:
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
        asked.append(FormatChoice(f"column.{name}", f"Column “{name}”", options))
    return asked


def read_rows(files: Files, chosen: Mapping[str, str], left_out: LeftOut, faults: Faults) -> Iterator[Record]:
    with refusing_depth(faults):
        uses = {name: chosen.get(f"column.{name}", use) for name, use in _uses(files).items()}
        questions = _row_questions(files, uses, faults)
        for name, question in questions.items():
            yield QuestionRecord(0, name, question.kind, question.categories)
        seen: set[str] = set()
        for file in exports(files):
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
    """Return the answers in a cell that holds objects; otherwise None."""
    if isinstance(value, str) and value[:1] in ("[", "{"):
        value = decode(value)
    if isinstance(value, dict):
        value = [value]
    if isinstance(value, list) and value and all(isinstance(one, dict) and _control(one) for one in value):
        return value
    return None


def _control(value: Json) -> str:
    """Return the type of control of a value, by its key."""
    if value.get("selected") in ("left", "right"):
        return "pairwise"
    known = (*ANSWERS, *REGIONS)
    return next((key for key in value if key in known), "textarea" if set(value) == {"text"} else "")


def _uses(files: Files) -> dict[str, str]:
    """Guess the use of each column from the first rows; the user may choose otherwise."""
    rows = [row for file in files for row in _first_rows(file)]
    names = dict.fromkeys(name for row in rows for name in row)
    declared: Collection[str] = ()
    with suppress(FileRefused):
        declared = declared_in(files, Faults())
    return {
        name: QUESTION if name in declared else _use(name, rows, exports(files))
        for name in names
        if name not in _ROW
    }


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
        # The task's fields come first, then its ID, the answers, and the annotator.
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


def _row_questions(files: Files, uses: Mapping[str, str], faults: Faults) -> dict[str, LabelStudioQuestion]:
    found = {name: each for name, each in declared_in(files, faults).items() if uses.get(name) == QUESTION}
    asked = [name for name, use in uses.items() if use == QUESTION]
    if len(asked) > MAX_QUESTIONS:
        rule = f"a file can have at most {MAX_QUESTIONS:,} questions"
        raise faults.refuse(0, "", "", "too_many_questions", rule)
    unreported = Faults()
    for file in exports(files):
        try:
            for line, row in _rows(file, unreported):
                for name in asked:
                    control, keys = _cell(row.get(name), line, LeftOut(), unreported)
                    if control:
                        question = found.setdefault(name, LabelStudioQuestion(control))
                        question.n_chosen = max(question.n_chosen, len(keys))
        except FileRefused:
            continue
    return found


def _cell(value: object, line: int, left_out: LeftOut, faults: Faults) -> tuple[str, list[str]]:
    """Return the control and chosen keys of a cell; the control is "" if the cell has no item-level answer."""
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
        if kind not in ANSWERS or PLACES & one.keys():
            left_out["answers about a region" if kind in ANSWERS else REGIONS.get(kind, "other answers")] += 1
            continue
        control = control or kind
        keys.extend(key for key in keys_of(kind, one, line, faults) if key not in keys)
    return control, keys


def _row(
    line: int,
    row: Json,
    uses: Mapping[str, str],
    questions: Mapping[str, LabelStudioQuestion],
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
    rater = rater_of(row.get("annotator"))
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


LABEL_STUDIO_ROWS = Format(
    "label_studio_rows", "Label Studio (JSON_MIN, CSV or TSV)", recognizes_rows, read_rows, row_choices
)
