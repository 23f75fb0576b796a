"""Scale: tasks as JSON. Answers are a consensus without workers' names, so there is one rater."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from core.shapes import Json
from core.tables.faults import Faults
from raters.reading.formats.answers import AnswerStatistics
from raters.reading.formats.fields import first_option, iso_time, n_times, scalar_text
from raters.reading.formats.json_records import elements, json_head, objects, read_json
from raters.reading.formats.opening import brought, faults_of, first_characters, unless_refused
from raters.reading.records import (
    DRAFT,
    REJECTED,
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

SCALE_AI, CATEGORY, TASK = "scale", "category", "task_id"
_STATES = {"completed": SUBMITTED, "canceled": REJECTED}


def recognizes(files: Files) -> bool:
    return any(_is_ours(file) for file in brought(files))


def _is_ours(file: InputFile) -> bool:
    return all(json_head(file, key) for key in (TASK, "params", "response"))


@unless_refused
def choices(files: Files) -> Sequence[FormatChoice]:
    names: dict[str, None] = {}
    for _, task in _tasks(files, Faults()):
        names.update(dict.fromkeys(name for name, value in _metadata(task).items() if scalar_text(value)))
    options = [(TASK, "Task ID"), *((name, f"Metadata: {name}") for name in names if name != TASK)]
    return [FormatChoice("item", "Item key", options)] if len(options) > 1 else []


def read(files: Files, chosen: Mapping[str, str], left_out: LeftOut, faults: Faults) -> Iterator[Record]:
    key = first_option(choices(files), chosen, "item", TASK)
    seen = AnswerStatistics(CATEGORY)
    for _, task in _tasks(files, faults):
        seen.add(*_categories(task))
    if seen.n:
        yield seen.question(1)
    for place, task in _tasks(files, Faults()):
        item = scalar_text(task.get(TASK) if key == TASK else _metadata(task).get(key))
        response = task.get("response")
        marked = response.get("annotations") if isinstance(response, dict) else None
        n_times(left_out, "bounding boxes", len(marked) if isinstance(marked, list) else 0)
        if not item:
            faults.add(place, key, "", "missing_key", "the task has no value here that could identify it")
            continue
        params = task.get("params")
        shown = scalar_text(params.get("attachment")) if isinstance(params, dict) else None
        yield ItemRecord(place, item, {"attachment": shown} if shown else {})
        if not seen.n:
            continue
        at = iso_time(scalar_text(task.get("completed_at")) or "", place, "completed_at", faults)
        state = _STATES.get(scalar_text(task.get("status")) or "", DRAFT)
        value, own = seen.value(_categories(task)), scalar_text(task.get(TASK)) or ""
        yield LabelRecord(place, item, SCALE_AI, CATEGORY, value, at=at, source_id=own, state=state)


def _tasks(files: Files, faults: Faults) -> Iterator[tuple[int, Json]]:
    """Yield tasks from an array, from JSON Lines, or a single one."""
    for file in brought(files):
        if not _is_ours(file):
            continue
        its_faults = faults_of(file, files, faults)
        start = first_characters(file).lstrip()
        tasks: Iterator[tuple[int, Any]]
        if start.startswith("["):
            tasks = enumerate((task for _, task in elements(file, its_faults)), start=1)
        elif re.search(r"\}\s*\n\s*\{", start):
            tasks = iter(objects(file, its_faults))
        else:
            tasks = iter([(1, read_json(file, its_faults))])
        for place, task in tasks:
            if isinstance(task, dict):
                yield place, task
            else:
                its_faults.add(place, "", str(task), "bad_json", "must be an object: a task")


def _metadata(task: Mapping[str, Any]) -> Mapping[str, Any]:
    params = task.get("params")
    metadata = params.get("metadata") if isinstance(params, dict) else None
    return metadata if isinstance(metadata, dict) else {}


def _categories(task: Mapping[str, Any]) -> list[str]:
    response = task.get("response")
    answer = response.get(CATEGORY) if isinstance(response, dict) else None
    return [
        text for part in (answer if isinstance(answer, list) else [answer]) if (text := scalar_text(part))
    ]


SCALE = Format("scale", "Scale", recognizes, read, choices)
