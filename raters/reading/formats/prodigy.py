"""Prodigy: datasets from db-out, with a line per task and annotator."""

import re
from collections.abc import Iterator, Mapping
from os.path import commonprefix

from core.shapes import Json
from core.tables.faults import Faults
from raters.reading.formats.answers import KeyedLabel, resolved_records
from raters.reading.formats.fields import (
    flat,
    from_epoch,
    item_choice,
    item_of,
    key_first,
    object_in,
    objects_in,
    texts_in,
)
from raters.reading.formats.json_records import first_objects, objects, text_of
from raters.reading.formats.opening import faults_of, stem
from raters.reading.records import (
    HUMAN,
    MULTIPLE,
    REFERENCE,
    REJECTED,
    SINGLE,
    SKIPPED,
    SUBMITTED,
    Files,
    Format,
    FormatChoice,
    InputFile,
    ItemRecord,
    LabelRecord,
    LeftOut,
    Record,
)

_SHOWN = ("text", "html", "image", "audio", "video")
# Unnamed sessions are named by their start time.
_MOMENT = re.compile(r"(?:.*-)?\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d")
_YES_NO = (("yes", "yes"), ("no", "no"))


def recognizes(files: Files) -> bool:
    return any(_is_task(record) for file in files for record in first_objects(file)[:1])


def choices(files: Files) -> list[FormatChoice]:
    records = [record for file in files for record in first_objects(file)]
    metas = [record["meta"] for record in records if isinstance(record.get("meta"), dict)]
    fields = [
        *(
            key
            for record in records
            for key in record
            if key in _SHOWN and not text_of(record[key]).startswith("data:")
        ),
        *(key for meta in metas for key in meta),
    ]
    asked = [
        key_first(
            item_choice(("hash", "Prodigy’s hash of the input"), fields),
            is_missing=all(record.get("_input_hash") is None for record in records),
        )
    ]
    names = sorted({_session(record) for record in records} - {""})
    prefix = _prefix(files, names)
    common = commonprefix(names) if len(names) > 1 else ""  # noqa: RUF071  Character by character.
    common = prefix or common[: common.rfind("-") + 1]
    if common:
        without = (common, f"Without “{common}” ({names[0].removeprefix(common)})")
        options = [without, ("", f"As they are written ({names[0]})")]
        asked.append(FormatChoice("prefix", "Names of raters", options if prefix else options[::-1]))
    return asked


def read(files: Files, chosen: Mapping[str, str], left_out: LeftOut, faults: Faults) -> Iterator[Record]:
    def answers(left_out: LeftOut, faults: Faults) -> Iterator[KeyedLabel | ItemRecord]:
        for file in files:
            names = sorted({_session(record) for record in first_objects(file)} - {""})
            prefix = chosen.get("prefix", _prefix([file], names))
            for line, record in objects(file, faults_of(file, files, faults)):
                yield from _task(line, record, prefix, chosen, left_out, faults)

    yield from resolved_records(answers, left_out, faults)


def _is_task(record: Json) -> bool:
    return "_input_hash" in record or "_task_hash" in record or ("_view_id" in record and "answer" in record)


def _session(record: Json) -> str:
    return text_of(record.get("_annotator_id") or record.get("_session_id"))


def _prefix(files: Files | list[InputFile], names: list[str]) -> str:
    """Return the dataset name that prefixes raters' names, known if the file is named after the dataset."""
    for file in files:
        if names and all(name.startswith(f"{stem(file)}-") for name in names):
            return f"{stem(file)}-"
    return ""


def _task(
    line: int, record: Json, prefix: str, chosen: Mapping[str, str], left_out: LeftOut, faults: Faults
) -> Iterator[KeyedLabel | ItemRecord]:
    meta = object_in(record, "meta", line, faults)
    shown = {key: text_of(record[key]) for key in _SHOWN if record.get(key) is not None}
    content = {key: text for key, text in shown.items() if not text.startswith("data:")}
    fields = {**meta, **content}
    item = item_of(chosen.get("item", "hash"), record.get("_input_hash"), fields, line, faults)
    if not item:
        return
    left_out["embedded images and sounds"] += len(shown) - len(content)
    yield ItemRecord(line, item, content, flat(meta))
    rater = _session(record).removeprefix(prefix)
    if not rater or _MOMENT.fullmatch(rater):
        # A start time is not a person.
        rater = "unnamed session"
    given = text_of(record.get("answer"))
    if given not in ("accept", "reject", "ignore"):
        faults.add(line, "answer", given, "bad_answer", "must be accept, reject, or ignore")
        return
    label = LabelRecord(
        line,
        item,
        rater,
        # Interrater's name for the question; Prodigy has one unnamed question per dataset.
        text_of(record.get("question_key")) or "choice",
        None,
        rater_kind=HUMAN,
        state=SKIPPED if given == "ignore" else SUBMITTED,
        at=from_epoch(record["_timestamp"]) if record.get("_timestamp") is not None else "",
        source_id=text_of(record.get("_task_hash")),
    )
    if "versions" in record:
        # A review of several raters' answers is a decision on them, not another rater.
        label = label._replace(rater="review", rater_kind=REFERENCE)
    for key, name in (("spans", "spans"), ("relations", "relations")):
        if isinstance(record.get(key), list):
            is_box = record.get("image") is not None and key == "spans"
            left_out["bounding boxes" if is_box else name] += len(record[key])
    if isinstance(record.get("options"), list):
        yield _choice(line, record, label, given, faults)
    elif (
        record.get("label") is not None
        and not record.get("spans")
        and not isinstance(record["label"], (list, dict))
    ):
        keys = {"accept": ["yes"], "reject": ["no"], "ignore": None}[given]
        yield KeyedLabel(label._replace(question=text_of(record["label"])), keys, SINGLE, _YES_NO)
    elif "spans" not in record and "relations" not in record:
        left_out["other answers"] += 1


def _choice(line: int, record: Json, label: LabelRecord, given: str, faults: Faults) -> KeyedLabel:
    options = objects_in(record, "options", line, faults)
    categories = [
        (text_of(one.get("id")), text_of(one.get("text")) or text_of(one.get("id"))) for one in options
    ]
    style = object_in(record, "config", line, faults).get("choice_style")
    kind = {"multiple": MULTIPLE, "single": SINGLE}.get(text_of(style))
    if given == "reject":
        # For a choice, it means that the task is bad.
        label = label._replace(state=REJECTED)
    keys = texts_in(record.get("accept"))
    return KeyedLabel(label, keys if given == "accept" or keys else None, kind, categories)


PRODIGY = Format("prodigy", "Prodigy", recognizes, read, choices)
