"""Files for the online calculator ReCal: whole numbers, one column per rater, one row per item, no header.

ReCal2 and ReCal3 do not accept missing data, so for a nominal question only items labeled by every rater are
exported; ReCal OIR, for the other levels, accepts # as a missing label.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from core.tables.safe_cells import Cell
from core.tables.zipped import ZipMember, in_blocks, zip_pieces
from projects.models import Question
from raters.writing.contents import ExportContents
from raters.writing.records import ExportCategory, ExportKind, LabelRow
from raters.writing.source import LiveLabels
from raters.writing.target import Loss, Target, lost, media_loss

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
class RecalCounts:
    """How many items were included in a question's file and how many left out; known once it is written."""

    n_items: int = 0
    n_left_out: int = 0


@dataclass(frozen=True, slots=True)
class RecalFile:
    name: str
    question: str
    level: str
    categories: Sequence[ExportCategory]
    raters: tuple[str, ...]
    left: RecalCounts = field(default_factory=RecalCounts)

    @property
    def needs_complete(self) -> bool:
        return self.level == Question.Level.NOMINAL

    @property
    def codes(self) -> Mapping[str, str]:
        """The number of each category: its place from 1, or its own value for interval and ratio levels."""
        if self.level in {Question.Level.INTERVAL, Question.Level.RATIO}:
            return {category.key: plain_number(category.value) for category in self.categories}
        return {category.key: str(place) for place, category in enumerate(self.categories, start=1)}

    def lines(self, found: Iterable[LabelRow]) -> Iterator[str]:
        """Yield the lines of the file. found: all labels of the question, by item."""
        raters, codes = set(self.raters), self.codes
        labels = (label for label in found if label.counts and label.rater in raters)
        for _, of_item in groupby(labels, key=lambda label: label.item_id):
            cells = {label.rater: _code(label, codes) for label in of_item}
            if self.needs_complete and len(cells) < len(self.raters):
                self.left.n_left_out += 1
                continue
            self.left.n_items += 1
            yield ",".join(cells.get(rater, MISSING) for rater in self.raters) + "\r\n"


def readme(files: Sequence[RecalFile], left_out: Sequence[str]) -> ZipMember:
    """Return the readme; written last, when the number of items left out is known. left_out: keys of questions."""
    parts = [_file_summary(file) for file in files]
    if left_out:
        parts.append(
            f"Not included, because ReCal does not support sets of categories: {', '.join(left_out)}"
        )
    return ZipMember("README.txt", [README.format(files="\n\n".join(parts)).encode()])


def file_name(key: str, place: int) -> str:
    """Return a name that is valid on every system and unique among the questions."""
    return f"{place + 1:02}_{re.sub(r'[^A-Za-z0-9]+', '_', key)[:60].strip('_') or 'question'}.csv"


def _code(label: LabelRow, codes: Mapping[str, str]) -> str:
    return codes[label.label] if isinstance(label.label, str) else plain_number(label.label)


def plain_number(value: Cell) -> str:
    """Return the number in ReCal's format: digits, a decimal point, and a minus sign, never an exponent."""
    number = float(value or 0)
    return f"{number:.0f}" if number == int(number) else f"{number:.15f}".rstrip("0")


def _file_summary(file: RecalFile) -> str:
    lines = [
        f"{file.name}: question {file.question} ({file.level})",
        f"  columns: {', '.join(file.raters)}",
        f"  {file.left.n_items:,} items; {file.left.n_left_out:,} excluded because not every rater labeled them",
    ]
    lines += [f"  {code} = {key}" for key, code in file.codes.items()]
    return "\n".join(lines)


def _archive(live: LiveLabels) -> Iterator[bytes]:
    return zip_pieces(_members(live))


def _members(live: LiveLabels) -> Iterator[ZipMember]:
    files: list[RecalFile] = []
    # As in reports, the reference does not count as a rater.
    kinds = {rater.key: rater for rater in live.raters()}
    columns = [column for column in live.columns() if not kinds[column[1]].is_reference]
    for question in live.scope.questions:
        if question.is_multiple:
            continue
        raters = tuple(sorted({rater for key, rater, _ in columns if key == question.key}))
        name = file_name(question.key, len(files))
        file = RecalFile(name, question.key, question.level, question.compared, raters)
        files.append(file)
        yield ZipMember(file.name, in_blocks(file.lines(live.labels(question.pk))))
    yield readme(files, [question.key for question in live.scope.questions if question.is_multiple])


def _loses(contents: ExportContents) -> list[Loss]:
    counts = contents.counts
    if not counts["labels"]:
        return []
    sets = [question.key for question in contents.questions if question.is_multiple]
    losses = [loss for loss in lost(contents) if loss.what != media_loss(contents).what]
    return [
        *losses,
        Loss(counts["items"], "item keys", "rows are items, in the order they were added"),
        Loss(len(contents.raters), "raters’ names", "columns are raters; the README lists them"),
        Loss(len(contents.references), "references"),
        Loss(len(sets), "questions with sets of categories", f"left out: {', '.join(sets)}"),
        Loss(
            None
            if any(each.level == "nominal" and not each.is_multiple for each in contents.questions)
            else 0,
            "items that not every rater labeled",
            "left out of nominal questions; the README says how many",
        ),
    ]


def _refuses(contents: ExportContents) -> str:
    if contents.questions and all(question.is_multiple for question in contents.questions):
        return "ReCal does not support sets of categories. Select another question."
    return ""


RECAL = Target(
    "recal",
    "ReCal",
    "For the online calculator: integer codes, one column per rater, no header; a README lists the codes.",
    "zip",
    "application/zip",
    (ExportKind.LABELS,),
    _loses,
    _archive,
    _refuses,
    name="{slug}-{what}-recal",
)
