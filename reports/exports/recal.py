"""Files for ReCal, the online calculator: whole numbers, a column for each rater, a row for each item, no header.

ReCal2 and ReCal3 take no missing data, so of a nominal question only the items go along that every rater labeled;
ReCal OIR, for the other levels, takes a # for a missing label.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from core.tables.safe_cells import Cell
from core.tables.zipped import ZipMember, in_blocks, zip_pieces
from projects.models import Question
from reports.analysis.question import QuestionRead
from reports.exports.label_exports import LabelReading, LabelThen, reading
from reports.models import Report
from reports.results.kinds import result_kind
from reports.results.queries import agreements_of
from reports.store.counted import keys_left_out

MISSING = "#"
README = """Files for ReCal
===============

One file per question, with one column per rater, one row per item, and no header. Categories are coded as numbers, as
listed below. Use nominal questions with ReCal2 (two raters) or ReCal3 (three or more), which require complete items;
use ordinal, interval, and ratio questions with ReCal OIR, where # is a missing label. If a rater labeled an item more
than once, the first label is used. Raters excluded from overall coefficients are not included.

{files}
"""


@dataclass(slots=True)
class Left:
    """What went into the file of a question and what did not; known when it is written."""

    n_items: int = 0
    n_left_out: int = 0


@dataclass(frozen=True, slots=True)
class RecalFile:
    name: str
    question: QuestionRead
    raters: tuple[str, ...]
    left: Left = field(default_factory=Left)

    @property
    def needs_complete(self) -> bool:
        return self.question["level"] == Question.Level.NOMINAL

    @property
    def codes(self) -> dict[str, str]:
        """The number of each category: its place from 1, or its own where the level has one."""
        numeric = {Question.Level.INTERVAL, Question.Level.RATIO}
        categories = self.question["categories"]
        if self.question["level"] in numeric:
            return {category["key"]: _plain(category["value"]) for category in categories}
        return {category["key"]: str(place) for place, category in enumerate(categories, start=1)}


def recal_archive(report: Report) -> Iterator[bytes]:
    return zip_pieces(_members(report))


def _members(report: Report) -> Iterator[ZipMember]:
    files: list[RecalFile] = []
    left_out: list[str] = []
    with reading(report) as read:
        raters = _raters(read, report)
        for question in read.questions.values():
            if result_kind(question["kind"]).has_sets:
                left_out.append(question["key"])
                continue
            file = RecalFile(file_name(question["key"], len(files)), question, raters[question["key"]])
            files.append(file)
            yield ZipMember(file.name, in_blocks(_lines(read, file)))
    # Last, for only now it is known how many items were left out.
    yield ZipMember("README.txt", [README.format(files=_told(files, left_out)).encode()])


def _raters(read: LabelReading, report: Report) -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {question["key"]: {} for question in read.questions.values()}
    left_out = {agreement.question.key: set(keys_left_out(agreement)) for agreement in agreements_of(report)}
    for question, rater, _ in read.columns():
        if rater not in left_out[question]:
            found[question][rater] = None
    return {question: tuple(sorted(raters)) for question, raters in found.items()}


def file_name(key: str, place: int) -> str:
    """A name that every system takes, and that no two questions share."""
    return f"{place + 1:02}_{re.sub(r'[^A-Za-z0-9]+', '_', key)[:60].strip('_') or 'question'}.csv"


def _lines(read: LabelReading, file: RecalFile) -> Iterator[str]:
    raters = set(file.raters)
    found = read.labels(file.question["id"])
    labels = (label for label in found if label.counts and label.rater in raters)
    codes = file.codes
    for _, of_item in groupby(labels, key=lambda label: label.item_id):
        cells = {label.rater: _code(label, codes) for label in of_item}
        if file.needs_complete and len(cells) < len(file.raters):
            file.left.n_left_out += 1
            continue
        file.left.n_items += 1
        yield ",".join(cells.get(rater, MISSING) for rater in file.raters) + "\r\n"


def _code(label: LabelThen, codes: dict[str, str]) -> str:
    return codes[label.label] if isinstance(label.label, str) else _plain(label.label)


def _plain(value: Cell) -> str:
    """A number as ReCal takes it: digits, a point and a minus, never an exponent."""
    number = float(value or 0)
    return f"{number:.0f}" if number == int(number) else f"{number:.15f}".rstrip("0")


def _told(files: Sequence[RecalFile], left_out: Sequence[str]) -> str:
    parts = [_file_told(file) for file in files]
    if left_out:
        parts.append(
            f"Not included, because ReCal does not support sets of categories: {', '.join(left_out)}"
        )
    return "\n\n".join(parts)


def _file_told(file: RecalFile) -> str:
    lines = [
        f"{file.name}: question {file.question['key']} ({file.question['level']})",
        f"  columns: {', '.join(file.raters)}",
        f"  {file.left.n_items:,} items; {file.left.n_left_out:,} excluded because not every rater labeled them",
    ]
    lines += [f"  {code} = {key}" for key, code in file.codes.items()]
    return "\n".join(lines)
