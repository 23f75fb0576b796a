"""Argilla: records as JSON, rows of a flat dataset, and rows of a version 1 feedback dataset."""

from collections.abc import Iterator, Mapping

from core.shapes import Json
from core.tables.faults import Faults
from raters.reading.formats.answers import KeyedLabel, is_free_text, resolved_records
from raters.reading.formats.fields import (
    flat,
    is_json_number,
    is_list_of,
    item_choice,
    item_of,
    list_in,
    object_in,
    objects_in,
    parted,
)
from raters.reading.formats.json_records import decode, first_objects, objects, text_of
from raters.reading.formats.opening import faults_of
from raters.reading.records import (
    DRAFT,
    HUMAN,
    MODEL,
    MULTIPLE,
    SKIPPED,
    SUBMITTED,
    Files,
    Format,
    FormatChoice,
    ItemRecord,
    LabelRecord,
    LeftOut,
    Record,
)

_STATES = {"submitted": SUBMITTED, "": SUBMITTED, "discarded": SKIPPED, "draft": DRAFT}
_OF_RECORD = frozenset(
    {"id", "_server_id", "status", "inserted_at", "updated_at", "external_id", "metadata", "vectors"}
)
_USERS = ".responses.users"
# Added by Interrater, from all responses.
SOFT_LABELS = (".label_share", ".dawid_skene")


def recognizes(files: Files) -> bool:
    return any(_is_record(record) for file in files for record in first_objects(file)[:1])


def choices(files: Files) -> list[FormatChoice]:
    records = [record for file in files for record in first_objects(file)]
    asked = [item_choice(("id", "Argilla’s id"), [key for record in records for key in _fields(record)])]
    if any(_is_nested(record) for record in records):
        options = [("all", "All"), ("completed", "Only those of completed records")]
        asked.append(
            FormatChoice("status", "Responses (this file does not mark drafts or discarded ones)", options)
        )
    return asked


def read(files: Files, chosen: Mapping[str, str], left_out: LeftOut, faults: Faults) -> Iterator[Record]:
    def answers(left_out: LeftOut, faults: Faults) -> Iterator[KeyedLabel | ItemRecord]:
        for file in files:
            for line, record in objects(file, faults_of(file, files, faults)):
                yield from _record(line, record, chosen, left_out, faults)

    yield from resolved_records(answers, left_out, faults)


def _is_nested(record: Json) -> bool:
    return isinstance(record.get("fields"), dict) and isinstance(record.get("responses"), dict)


def _is_record(record: Json) -> bool:
    return _is_nested(record) or any(key.endswith(_USERS) for key in record) or bool(_v1_questions(record))


def _v1_questions(record: Json) -> list[str]:
    keys = ("user_id", "value", "status")
    return [
        name
        for name, value in record.items()
        if is_list_of(value, *keys)
        or (isinstance(value, dict) and all(isinstance(value.get(k), list) for k in keys))
    ]


def _fields(record: Json) -> Json:
    """Return the fields and metadata of the item, in any of the forms."""
    if _is_nested(record):
        fields = record["fields"]
        metadata = record.get("metadata")
        return {**(metadata if isinstance(metadata, dict) else {}), **fields}
    left = {*_OF_RECORD, *_v1_questions(record)}
    return {
        key: value
        for key, value in record.items()
        if key not in left
        and ".responses" not in key
        and ".suggestion" not in key
        and not key.endswith(SOFT_LABELS)
        and not key.endswith(("-suggestion", "-suggestion-metadata"))
        and not is_list_of(value, "user_id", "value")
    }


def _record(
    line: int, record: Json, chosen: Mapping[str, str], left_out: LeftOut, faults: Faults
) -> Iterator[KeyedLabel | ItemRecord]:
    default = record.get("id") or record.get("external_id") or record.get("_server_id") or str(line)
    fields = _fields(record)
    item = item_of(chosen.get("item", "id"), default, fields, line, faults)
    if not item:
        return
    metadata = record.get("metadata")
    metadata = decode(metadata) if isinstance(metadata, str) else metadata
    known = flat(metadata) if isinstance(metadata, dict) else {}
    content, attributes = parted(record["fields"] if _is_nested(record) else fields)
    yield ItemRecord(line, item, content, attributes | known)
    label = LabelRecord(line, item, "", "", None, rater_kind=HUMAN, at=text_of(record.get("updated_at")))
    if _is_nested(record):
        if chosen.get("status") == "completed" and record.get("status") != "completed":
            label = label._replace(state=DRAFT)
        for name in object_in(record, "responses", line, faults):
            for one in objects_in(record["responses"], name, line, faults):
                yield from _answer(label, name, one, left_out, faults)
        for name in object_in(record, "suggestions", line, faults):
            one = object_in(record["suggestions"], name, line, faults)
            yield from _suggestion(label, name, one.get("value"), one.get("agent"), left_out)
        return
    for key in record:
        if key.endswith(SOFT_LABELS):
            left_out["soft labels"] += record[key] is not None
        elif key.endswith(_USERS):
            name = key.removesuffix(_USERS)
            users, values, states = (
                list_in(record, f"{name}.responses{end}", line, faults) for end in (".users", "", ".status")
            )
            yield from _zipped(label, name, users, values, states, left_out, faults)
        elif key.endswith(".suggestion"):
            name = key.removesuffix(".suggestion")
            yield from _suggestion(label, name, record[key], record.get(f"{key}.agent"), left_out)
        elif key.endswith("-suggestion"):
            about = record.get(f"{key}-metadata")
            agent = about.get("agent") if isinstance(about, dict) else None
            yield from _suggestion(label, key.removesuffix("-suggestion"), record[key], agent, left_out)
    for name in _v1_questions(record):
        value = record[name]
        if isinstance(value, dict):
            yield from _zipped(
                label, name, value["user_id"], value["value"], value["status"], left_out, faults
            )
            continue
        for one in value:
            yield from _answer(label, name, one, left_out, faults)


def _zipped(
    label: LabelRecord,
    name: str,
    users: list[object],
    values: list[object],
    states: list[object],
    left_out: LeftOut,
    faults: Faults,
) -> Iterator[KeyedLabel]:
    states = states or ["submitted"] * len(users)
    if not len(users) == len(values) == len(states):
        counts = f"{len(values):,} responses, {len(users):,} users and {len(states):,} states"
        rule = f"{counts}; there must be as many of each"
        faults.add(label.line, name, "", "uneven_lists", rule)
        return
    for user, value, state in zip(users, values, states, strict=True):
        yield from _answer(label, name, {"user_id": user, "value": value, "status": state}, left_out, faults)


def _answer(
    label: LabelRecord, name: str, response: Json, left_out: LeftOut, faults: Faults
) -> Iterator[KeyedLabel]:
    rater, state = text_of(response.get("user_id")), text_of(response.get("status"))
    if not rater:
        faults.add(label.line, name, "", "no_rater", "the response has no user")
        return
    if state not in _STATES:
        faults.add(label.line, name, state, "bad_state", "must be submitted, discarded, or draft")
        return
    state = _STATES[state] if response.get("status") is not None else label.state
    yield from _valued(
        label._replace(rater=rater, question=name, state=state), response.get("value"), left_out
    )


def _suggestion(
    label: LabelRecord, name: str, value: object, agent: object, left_out: LeftOut
) -> Iterator[KeyedLabel]:
    if value is not None:
        rater = text_of(agent) or "suggestion"
        label = label._replace(rater=rater, rater_kind=MODEL, question=name, state=SUBMITTED, at="")
        yield from _valued(label, value, left_out)


def _valued(label: LabelRecord, value: object, left_out: LeftOut) -> Iterator[KeyedLabel]:
    if is_list_of(value, "start", "end"):
        left_out["spans"] += 1
    elif is_list_of(value, "rank"):
        left_out["rankings"] += 1
    elif isinstance(value, dict) or is_list_of(value):
        left_out["other answers"] += 1
    elif isinstance(value, list):
        yield KeyedLabel(label, [text_of(part) for part in value], MULTIPLE)
    elif is_free_text([text_of(value)]):
        left_out["free-text answers"] += 1
    else:
        # A rating may be a category or a number; the file does not declare it.
        keys = [text_of(value)] if value is not None else []
        yield KeyedLabel(label, keys, "" if is_json_number(value) else None)


ARGILLA = Format("argilla", "Argilla", recognizes, read, choices)
