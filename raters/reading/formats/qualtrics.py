"""Qualtrics: a survey with respondents as raters and questions as items."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from core.tables.delimited import Record as Row
from core.tables.faults import Faults
from raters.reading.formats.answers import FREE_TEXT, AnswerStatistics
from raters.reading.formats.fields import first_option, iso_time, n_times
from raters.reading.formats.opening import (
    brought,
    check_header,
    faults_of,
    first_records,
    padded,
    records_of,
    unless_refused,
)
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
    Value,
)

SINGLE_ANSWER, SEVERAL_ANSWERS = "answer", "answers"
_RESPONSE, _REFERENCE = ("ResponseId", "ResponseID"), ("ExternalReference", "ExternalDataReference")
_LOOP = re.compile(r"(\d+)_(.+)")
_OPTION = re.compile(r"(.+)_(\d+)")
_TEXT = re.compile(r"(?i)_TEXT$")
# Page timing and browser data, not answers.
_TIMING = re.compile(
    r"(?i)(_FIRST_CLICK|_LAST_CLICK|_PAGE_SUBMIT|_CLICK_COUNT|_First Click|_Last Click|_Page Submit|"
    r"_Click Count|_BROWSER|_VERSION|_OS|_Operating System|_RESOLUTION)$"
)
_UNFINISHED = ("0", "false")


@dataclass(slots=True)
class _Item:
    """columns: several for a multiple-choice question, one per option."""

    key: str
    question: str
    text: str
    columns: list[str]
    options: dict[str, str] = field(default_factory=dict)
    splits_commas: bool = False

    def picked(self, cells: Mapping[str, str]) -> list[str]:
        if self.options:
            return [self.options[column] for column in self.columns if cells[column]]
        cell = cells[self.columns[0]]
        parts = cell.split(",") if self.splits_commas else [cell]
        return [part.strip() for part in parts if part.strip()]


@dataclass(slots=True)
class _Survey:
    """columns: names. texts: question texts, by name. questions: the columns of questions."""

    columns: list[str]
    texts: dict[str, str]
    questions: list[str]
    rows: Iterator[Row]

    def column(self, names: Sequence[str]) -> str:
        return next((name for name in names if name in self.columns), "")


def recognizes(files: Files) -> bool:
    return any(_n_header_rows(file) for file in brought(files))


def _n_header_rows(file: InputFile) -> int:
    """Return 3, or 2 for old exports, or 0 for other files."""
    rows = first_records(file, 3)
    if len(rows) > 2 and rows[2] and rows[2][0].startswith('{"ImportId"'):
        return 3
    is_old = (
        len(rows) > 1
        and any(name in rows[0] for name in _RESPONSE)
        and "Finished" in rows[0]
        and bool({"Response ID", "ResponseID", "ResponseId"} & set(rows[1]))
    )
    return 2 if is_old else 0


@unless_refused
def choices(files: Files) -> Sequence[FormatChoice]:
    references: list[str] = []
    is_partial = False
    for file in _ours(files):
        survey = _survey(file, Faults())
        reference = survey.column(_REFERENCE)
        for _, cells in survey.rows:
            named = dict(zip(survey.columns, cells, strict=True))
            references.append(named.get(reference, ""))
            is_partial = is_partial or named.get("Finished", "").lower() in _UNFINISHED
    found = []
    # A reference that is an email address is personal data.
    if any(references) and not any("@" in reference for reference in references):
        options = (("response", "Response ID"), ("reference", "External reference"))
        found.append(FormatChoice("rater", "Rater", options))
    if is_partial:
        options = (("draft", "Left out"), ("submitted", "Imported"))
        found.append(FormatChoice("unfinished", "Unfinished responses", options))
    return found


def _ours(files: Files) -> list[InputFile]:
    return [file for file in brought(files) if _n_header_rows(file)]


def read(files: Files, chosen: Mapping[str, str], left_out: LeftOut, faults: Faults) -> Iterator[Record]:
    asked = choices(files)
    by_reference = first_option(asked, chosen, "rater") == "reference"
    takes_partial = first_option(asked, chosen, "unfinished") == "submitted"
    for file in _ours(files):
        its_faults = faults_of(file, files, faults)
        survey = _survey(file, its_faults)
        seen = {name: AnswerStatistics(name) for name in survey.questions}
        alone: dict[str, set[str]] = {name: set() for name in survey.questions}
        for _, cells in survey.rows:
            for name, cell in zip(survey.columns, cells, strict=True):
                if name in seen and cell:
                    seen[name].add(cell)
                    alone[name].update({cell} if "," not in cell else ())
        items = _items(survey, seen, alone)
        questions: dict[str, AnswerStatistics] = {}
        texts = [name for name in survey.questions if not any(name in item.columns for item in items)]
        again = _survey(file, Faults())
        rows = [(line, dict(zip(again.columns, cells, strict=True))) for line, cells in again.rows]
        for item in items:
            question = questions.setdefault(item.question, AnswerStatistics(item.question))
            question.is_set |= bool(item.options)
            for _, named in rows:
                question.add(*item.picked(named))
        for asked_of_all in questions.values():
            yield asked_of_all.question(1)
        for item in items:
            yield ItemRecord(1, item.key, {"text": item.text} if item.text else {})
        for line, named in rows:
            n_times(left_out, FREE_TEXT, sum(bool(named[name]) for name in texts))
            respondent = named.get(survey.column(_RESPONSE), "")
            rater = (named.get(survey.column(_REFERENCE), "") if by_reference else "") or respondent
            at = iso_time(_end(named), line, "RecordedDate", its_faults)
            for item in items:
                yield LabelRecord(
                    line,
                    item.key,
                    rater,
                    item.question,
                    _value(questions[item.question], item.picked(named)),
                    at=at,
                    source_id=f"{respondent}/{item.columns[0]}",
                    state=_state(named, takes_partial=takes_partial),
                    column=item.columns[0],
                )


def _value(question: AnswerStatistics, picked: Sequence[str]) -> Value:
    """Return the value; None for an empty cell, since the question may not have been shown."""
    return question.value(picked) if picked else None


def _end(cells: Mapping[str, str]) -> str:
    text = cells.get("RecordedDate", "") or cells.get("EndDate", "")
    # Localized dates are ambiguous.
    return text if re.match(r"\d{4}-", text) else ""


def _state(cells: Mapping[str, str], *, takes_partial: bool) -> str:
    """Return the state. Previews, tests, and spam are not responses."""
    if cells.get("Status", "0") not in ("0", "", "IP Address"):
        return REJECTED
    is_partial = cells.get("Finished", "").lower() in _UNFINISHED
    return DRAFT if is_partial and not takes_partial else SUBMITTED


# What the columns are


def _survey(file: InputFile, faults: Faults) -> _Survey:
    records = records_of(file, faults)
    header = [next(records, None) for _ in range(_n_header_rows(file))]
    whole = [cells for row in header if row for cells in [row[1]]]
    if len(whole) < len(header):
        raise faults.refuse(len(whole) + 1, "", "", "no_rows", "the rows of the header end too early")
    columns = whole[0]
    check_header((header[0] or (1, []))[0], columns, faults)
    texts = dict(zip(columns, whole[1], strict=False))
    ids = [_import_id(cell) for cell in whole[2]] if len(whole) > 2 else columns
    # Columns on the respondent and technical data come before those of the questions.
    questions = [
        name
        for name, own in zip(columns, ids, strict=False)
        if re.match(r"(\d+_)?QID" if len(whole) > 2 else r"(\d+_)?Q\d", own)
        and not _TIMING.search(own)
        and not _TIMING.search(name)
    ]
    return _Survey(columns, texts, questions, padded(records, columns, faults))


def _import_id(cell: str) -> str:
    """Parse {"ImportId":"QID2_1"}, which may also have a loop or an option in newer exports."""
    try:
        parsed = json.loads(cell)
    except (ValueError, RecursionError):
        return ""
    own = parsed.get("ImportId") if isinstance(parsed, dict) else None
    return own if isinstance(own, str) else ""


def _items(
    survey: _Survey, seen: Mapping[str, AnswerStatistics], alone: Mapping[str, set[str]]
) -> list[_Item]:
    groups: dict[str, list[str]] = {}
    for name in survey.questions:
        if _TEXT.search(name) or (seen[name].is_text and not _has_commas(seen[name], alone[name])):
            continue
        found = _OPTION.fullmatch(name)
        groups.setdefault(found[1] if found else name, []).append(name)
    items: list[_Item] = []
    for base, names in groups.items():
        if len(names) > 1 and all(_is_option(survey.texts.get(name, ""), seen[name]) for name in names):
            tails = {name: _tail(survey.texts.get(name, "")) or name for name in names}
            text = survey.texts.get(names[0], "").rpartition(" - ")[0]
            key, question = _placed(base, SEVERAL_ANSWERS)
            items.append(_Item(key, question, text, names, tails))
            continue
        for name in names:
            splits = _has_commas(seen[name], alone[name])
            key, question = _placed(name, SEVERAL_ANSWERS if splits else SINGLE_ANSWER)
            items.append(_Item(key, question, survey.texts.get(name, ""), [name], splits_commas=splits))
    return items


def _placed(name: str, question: str) -> tuple[str, str]:
    """Return item and question. For loop and merge (1_Q3), the loop is the item and Q3 the question."""
    looped = _LOOP.fullmatch(name)
    return (looped[1], looped[2]) if looped else (name, question)


def _tail(text: str) -> str:
    return text.rpartition(" - ")[2].strip()


def _is_option(text: str, seen: AnswerStatistics) -> bool:
    """Return whether the column is one of several options: empty, or always 1 or the option's text."""
    return len(seen.values) <= 1 and all(value in ("1", _tail(text)) for value in seen.values)


def _has_commas(seen: AnswerStatistics, alone: set[str]) -> bool:
    """Return whether cells list several choices: codes, or texts that occur alone elsewhere."""
    several = [value for value in seen.values if "," in value]
    return bool(several) and all(
        all(part.isdigit() or part in alone for part in value.split(",")) for value in several
    )


QUALTRICS = Format("qualtrics", "Qualtrics", recognizes, read, choices)
