"""Toloka: the assignments of a pool as TSV."""

from collections.abc import Iterator, Mapping, Sequence

from core.keys import MAX_KEY
from core.tables.faults import Faults
from raters.reading.formats.answers import FREE_TEXT, AnswerStatistics
from raters.reading.formats.fields import first_option, iso_time, n_times, scalar_text
from raters.reading.formats.json_records import decode
from raters.reading.formats.opening import brought, faults_of, header_of, open_sheet, unless_refused
from raters.reading.records import (
    DRAFT,
    HUMAN,
    REFERENCE,
    REJECTED,
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

_INPUT, _OUTPUT, _GOLDEN, _ASSIGNMENT = "INPUT:", "OUTPUT:", "GOLDEN:", "ASSIGNMENT:"
_TASK = "ASSIGNMENT:task_id"
# The requester's answers to control tasks.
GOLDEN = "golden"
_STATES = {
    "": SUBMITTED,
    "APPROVED": SUBMITTED,
    "ACCEPTED": SUBMITTED,
    "SUBMITTED": SUBMITTED,
    "REJECTED": REJECTED,
    "SKIPPED": SKIPPED,
    "EXPIRED": DRAFT,
    "ACTIVE": DRAFT,
}


def recognizes(files: Files) -> bool:
    return any(_is_ours(file) for file in brought(files))


def _is_ours(file: InputFile) -> bool:
    header = header_of(file)
    return all(any(name.startswith(part) for name in header) for part in (_INPUT, _OUTPUT))


@unless_refused
def choices(files: Files) -> Sequence[FormatChoice]:
    """Offer short input columns that identify tasks first; the task ID differs between pools."""
    inputs: dict[str, set[str]] = {}
    is_short: dict[str, bool] = {}
    tasks: set[tuple[str, ...]] = set()
    has_id = False
    for _, cells in _rows(files, Faults()):
        own = {name: cell for name, cell in cells.items() if name.startswith(_INPUT)}
        tasks.add(tuple(own.values()))
        has_id = has_id or bool(cells.get(_TASK))
        for name, cell in own.items():
            inputs.setdefault(name, set()).add(cell)
            is_short[name] = is_short.get(name, True) and 0 < len(cell) <= MAX_KEY
    good = [name for name, values in inputs.items() if is_short[name] and len(values) == len(tasks)]
    others = [name for name in inputs if name not in good]
    options = [*good, *([_TASK] if has_id else []), *others]
    return [FormatChoice("item", "Item key", [(name, name) for name in options])] if len(options) > 1 else []


def read(files: Files, chosen: Mapping[str, str], left_out: LeftOut, faults: Faults) -> Iterator[Record]:
    key = first_option(choices(files), chosen, "item")
    seen: dict[str, AnswerStatistics] = {}
    for _, cells in _rows(files, faults):
        for name, cell in cells.items():
            column, _, question = name.partition(":")
            if f"{column}:" in (_OUTPUT, _GOLDEN):
                picked, _ = _picked(cell)
                seen.setdefault(question, AnswerStatistics(question)).add(*picked)
                seen[question].is_set = seen[question].is_set or cell.startswith("[")
    for asked in seen.values():
        if asked.n and not asked.is_text:
            yield asked.question(1)
    given: set[str] = set()
    golden: set[tuple[str, str]] = set()
    for line, cells in _rows(files, Faults()):
        item = cells.get(key or next(name for name in cells if name.startswith(_INPUT)), "")
        if not item:
            faults.add(line, key, "", "empty_cell", "can’t be empty")
            continue
        if item not in given:
            given.add(item)
            yield ItemRecord(line, item, _content(cells))
        yield from _golden(line, item, cells, seen, golden)
        yield from _labels(line, item, cells, seen, left_out, faults)


def _rows(files: Files, faults: Faults) -> Iterator[tuple[int, dict[str, str]]]:
    for file in brought(files):
        if _is_ours(file):
            yield from open_sheet(file, faults_of(file, files, faults)).by_name()


def _content(cells: Mapping[str, str]) -> dict[str, str]:
    return {
        name.removeprefix(_INPUT): cell for name, cell in cells.items() if name.startswith(_INPUT) and cell
    }


def _picked(cell: str) -> tuple[list[str], int]:
    """Return the values of a cell, which may be a JSON array, and the number of objects among them."""
    if not cell.startswith(("[", "{")):
        return ([cell] if cell else []), 0
    values = decode(cell)
    if values is None:
        return [cell], 0
    values = values if isinstance(values, list) else [values]
    texts = [text for value in values if (text := scalar_text(value))]
    return texts, len(values) - len(texts)


def _golden(
    line: int,
    item: str,
    cells: Mapping[str, str],
    seen: Mapping[str, AnswerStatistics],
    golden: set[tuple[str, str]],
) -> Iterator[LabelRecord]:
    """Yield the answer to a control task once per item, however many workers got it."""
    for name, question in seen.items():
        picked, _ = _picked(cells.get(f"{_GOLDEN}{name}", ""))
        if picked and not question.is_text and (item, name) not in golden:
            golden.add((item, name))
            column = f"{_GOLDEN}{name}"
            yield LabelRecord(line, item, GOLDEN, name, question.value(picked), REFERENCE, column=column)


def _labels(
    line: int,
    item: str,
    cells: Mapping[str, str],
    seen: Mapping[str, AnswerStatistics],
    left_out: LeftOut,
    faults: Faults,
) -> Iterator[LabelRecord]:
    worker = cells.get("ASSIGNMENT:worker_id", "")
    if not worker:
        # A control task not assigned yet.
        return
    status = cells.get("ASSIGNMENT:status", "")
    if status not in _STATES:
        rule = f"must be one of {', '.join(filter(None, _STATES))}"
        faults.add(line, "ASSIGNMENT:status", status, "bad_status", rule)
        return
    at = iso_time(cells.get("ASSIGNMENT:submitted", ""), line, "ASSIGNMENT:submitted", faults, zone="Z")
    ids = (cells.get("ASSIGNMENT:assignment_id", ""), cells.get(_TASK, ""))
    for name, question in seen.items():
        picked, n_others = _picked(cells.get(f"{_OUTPUT}{name}", ""))
        n_times(left_out, "other answers", n_others)
        if question.is_text:
            n_times(left_out, FREE_TEXT, len(picked))
        elif question.n:
            yield LabelRecord(
                line,
                item,
                worker,
                name,
                question.value(picked),
                rater_kind=HUMAN,
                at=at,
                source_id="/".join(filter(None, ids)),
                state=_STATES[status],
                column=f"{_OUTPUT}{name}",
            )


TOLOKA = Format("toloka", "Toloka", recognizes, read, choices)
