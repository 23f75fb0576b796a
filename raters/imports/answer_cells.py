"""Cells of labels and of times: checked by the kind of their question and written for COPY."""

import re
from collections.abc import Mapping
from datetime import datetime

from django.utils import timezone

from core.keys import MAX_KEY
from core.tables.cells import NULL, BadCell, Cells, for_copy
from core.tables.jsonlines import PART
from projects.models import MAX_TEXT, MAX_VALUE, Question

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)


class ChoiceCells(Cells):
    """A category; written as its key and no number."""

    def written(self, text: str) -> str:
        return f"{for_copy(text)}\t{NULL}"


class SetCells(Cells):
    """Several categories, parted by |, each once."""

    def __init__(self, *, trim: bool) -> None:
        super().__init__(limit=MAX_TEXT, trim=trim)

    def written(self, text: str) -> str:
        parts = text.split(PART)
        for part in parts:
            if not part or len(part) > MAX_KEY:
                raise BadCell(
                    "bad_choice", f"each category between {PART} must have 1 to {MAX_KEY} characters"
                )
        if len(set(parts)) < len(parts):
            raise BadCell("bad_choice", "duplicate category")
        return f"{for_copy(text)}\t{NULL}"


class NumberCells(Cells):
    """A finite number with a decimal point; the text as it stands and the number."""

    def written(self, text: str) -> str:
        if not _NUMBER.fullmatch(text):
            raise BadCell("bad_number", "not a number such as 12, -0.5, or 1e3")
        if abs(number := float(text)) > MAX_VALUE:
            raise BadCell("bad_number", f"number out of range; must be from -{MAX_VALUE:g} to {MAX_VALUE:g}")
        return f"{for_copy(text)}\t{number!r}"


class TimeCells(Cells):
    """A date or a time as ISO 8601 writes it; without a zone it is taken for the server's."""

    def written(self, text: str) -> str:
        if not text:
            return NULL
        try:
            time = datetime.fromisoformat(text)
        except ValueError:
            raise BadCell("bad_time", "not a time such as 2026-11-20T14:02:00Z") from None
        if not time.tzinfo:
            time = timezone.make_aware(time)
        try:
            return time.astimezone(timezone.get_current_timezone()).isoformat()
        except OverflowError:
            raise BadCell("bad_time", "outside the supported range of dates") from None


class AnswerCells(dict[str, Cells]):
    """The cells of labels for each question, by its written key; those of one kind share what they remember."""

    def __init__(self, kinds: Mapping[str, str], *, new_kind: str, trim: bool) -> None:
        super().__init__()
        self._kinds = {for_copy(key): kind for key, kind in kinds.items()}
        self._new_kind = new_kind
        self._of_kind: dict[str, Cells] = {
            Question.Kind.SINGLE: ChoiceCells(trim=trim),
            Question.Kind.MULTIPLE: SetCells(trim=trim),
            Question.Kind.NUMBER: NumberCells(trim=trim),
        }

    def __missing__(self, question: str) -> Cells:
        self[question] = cells = self._of_kind[self._kinds.get(question, self._new_kind)]
        return cells
