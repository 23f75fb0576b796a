"""The form for a draft of labels, with a choice for each column and each value."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from raters.imports.column_checks import MISSING_RATER
from raters.imports.column_readings import (
    are_same_but_for_types,
    has_rater,
    has_same_label_columns,
    read_otherwise,
    understood_as,
)
from raters.imports.draft_fields import Chosen, ColumnField, QuestionField, StatusField, chosen
from raters.imports.draft_questions import WORDS, question_field
from raters.imports.file_interpretation import TABLE
from raters.imports.forms import ENCODING_CHOICES, SEPARATOR_CHOICES
from raters.imports.items_by_text import SEVERAL_ITEMS
from raters.imports.label_options import (
    CHOICES,
    IMPORTED_KINDS,
    REPEATS,
    SAME_TEXTS,
    LabelOptions,
    QuestionOptions,
)
from raters.imports.scale_order import submitted_order
from raters.imports.several_tables import FILES, ONE, RATERS
from raters.reading.columns import AUTO, LABEL, LAYOUTS, LONG, RATER, ROLES, TRANSPOSED, WIDE, Column
from raters.reading.number_notation import COMMA, POINT, UNCLEAR, as_read, local_number
from raters.reading.records import RATER_KINDS
from raters.reading.values import (
    CATEGORY,
    MISSING,
    ValueMeaning,
)

# If one of these changes, choices for columns and values no longer apply.
_OPENED = ("format", "layout", "encoding", "separator", "sheet", "header_line")
_IN_WIDE = ("item", "item_text", "content", LABEL, RATER, "question", "round", "time", "state", "ignore")
_IN_TRANSPOSED = (RATER, LABEL, "round", "time", "state", "ignore")
_OF_RATER, _OF_QUESTION, _OF_ITEM = "Labels of a rater", "Labels for a question", "Labels of an item"
# Maximum number of values that can be changed on a page; all others are only shown.
MAX_VALUES_ASKED = 1_000
_MOST_NAMED = 500


class OptionsForm:
    """data: submitted data, or None. options, preview, faults, file_name: those of the draft."""

    def __init__(
        self,
        data: Mapping[str, str] | None,
        *,
        options: LabelOptions,
        preview: Mapping[str, Any],
        faults: Sequence[Mapping[str, Any]] = (),
        file_name: str = "",
    ) -> None:
        self.data, self.options, self.preview, self.faults = data, options, preview, faults
        self.file_name = file_name
        self.errors = ""
        self.cleaned_data: dict[str, Any] = {}

    def is_valid(self) -> bool:
        if self.data is None:
            return False
        try:
            self.cleaned_data["options"] = self._sent(self.data)
        except (ValueError, IndexError) as error:
            self.errors = f"{error}."
        return not self.errors

    # Output.

    def layouts(self) -> list[Chosen]:
        return chosen(LAYOUTS.items(), self.options.layout)

    def encodings(self) -> list[Chosen]:
        return chosen(ENCODING_CHOICES, self.options.encoding)

    def separators(self) -> list[Chosen]:
        return chosen(SEPARATOR_CHOICES, self.options.separator)

    def decimals(self) -> list[Chosen]:
        return chosen(
            [(AUTO, "Detect"), (".", "Point, as in 1.5"), (",", "Comma, as in 1,5")], self.options.decimal
        )

    def understood_as(self) -> tuple[str, list[str]] | None:
        return understood_as(
            self.options, self.preview.get("columns", []), self.preview.get("ignored_labels", [])
        )

    def unclear_number(self) -> tuple[str, list[tuple[str, str]]] | None:
        """Return a number that depends on the decimal mark, with what it is for each, if the mark has to be chosen."""
        written = next((fault["value"] for fault in self.faults if fault["code"] == UNCLEAR), "")
        marks = [(mark, as_read(local_number(written, decimal=mark) or 0.0)) for mark in (POINT, COMMA)]
        return (written, marks) if written else None

    def repeats(self) -> list[Chosen]:
        return chosen(REPEATS.items(), self.options.repeats)

    def same_texts(self) -> list[Chosen]:
        return chosen(SAME_TEXTS.items(), self.options.same_texts)

    def has_several_items(self) -> bool:
        """Return whether it is a problem that several items have the text of a row."""
        return any(fault["code"] == SEVERAL_ITEMS for fault in self.faults)

    def rater_kinds(self) -> list[Chosen]:
        return chosen(IMPORTED_KINDS, self.options.rater_kind)

    def formats(self) -> list[Chosen]:
        """Return the program that wrote the file, and reading it as a plain table instead."""
        known = self.preview.get("detected") or (self.options.format, self.preview.get("title", ""))
        return chosen([known, (TABLE, "Table (by its columns)")], self.options.format)

    def choices(self) -> list[tuple[str, str, list[Chosen]]]:
        """Return the choices that the format leaves open."""
        return [
            (key, title, chosen(options, self.options.choices.get(key, "")))
            for key, title, options in self.preview.get("choices", [])
        ]

    def sheets(self) -> list[Chosen]:
        return chosen(
            [(name, name) for name in self.preview.get("sheets", [])], self.preview.get("sheet", "")
        )

    def columns(self) -> list[ColumnField]:
        if self.options.format != TABLE:
            return []
        layout = self.options.layout
        titles = dict(ROLES)
        if layout == WIDE:
            title = _OF_QUESTION if self.has_rater else _OF_RATER
            titles = {role: ROLES[role] for role in _IN_WIDE} | {LABEL: title}
        elif layout == TRANSPOSED:
            titles = {role: ROLES[role] for role in _IN_TRANSPOSED} | {LABEL: _OF_ITEM}
        columns = []
        for place, name in enumerate(self.preview.get("columns", [])):
            column = self.options.columns.get(name, Column("ignore"))
            roles = chosen(titles.items(), column.role)
            columns.append(
                ColumnField(
                    place,
                    name,
                    column.role,
                    roles,
                    column.rater,
                    column.question,
                    rater_kinds=chosen(IMPORTED_KINDS, column.rater_kind or self.options.rater_kind),
                    is_special=bool(column.question or column.rater_kind),
                    is_unlike_raters=name in self.preview.get("unlike_raters", []),
                )
            )
        return columns

    def statuses(self) -> list[StatusField]:
        unseen = self.preview.get("unseen_statuses", [])
        return [
            StatusField(place, written, n, is_label, is_unseen=written in unseen)
            for place, (written, n, is_label) in enumerate(self.preview.get("statuses", []))
        ]

    def asks_for_rater(self) -> bool:
        """Return whether it is important who the rater of all rows is: if no column or file says it, or one was named
        before, so that the field does not go elsewhere when it is cleared.
        """
        options = self.options
        lacks_rater = options.layout == LONG and not self.has_rater
        lacks_rater &= all(column.role != RATER for column in options.columns.values())
        is_named = bool(options.rater) or self.preview.get("asked_for_rater", False)
        is_missing = any(fault["code"] == MISSING_RATER for fault in self.faults)
        return options.format == TABLE and (is_named or is_missing or lacks_rater)

    def names_raters(self) -> bool:
        """Return whether the raters of a wide file can be renamed; too many would need too many fields."""
        return self.options.layout == WIDE and len(self.preview.get("columns", [])) <= _MOST_NAMED

    def rows(self) -> list[list[tuple[str, str]]]:
        """Return the cells of the first rows, each with its display style: label, missing, or not used."""
        columns = [
            self.options.columns.get(name, Column("ignore")) for name in self.preview.get("columns", [])
        ]
        return [
            [(cell, self._look(column, cell)) for column, cell in zip(columns, row, strict=True)]
            for row in self.preview.get("first_rows", [])
        ]

    def _look(self, column: Column, cell: str) -> str:
        if column.role != LABEL:
            return column.role
        question = self.options.questions.get(column.question or self.options.question)
        becomes = question.values.get(cell.strip()) if question else None
        is_missing = becomes.what == MISSING if becomes else not cell.strip()
        return "missing" if is_missing else LABEL

    def questions(self) -> list[QuestionField]:
        left = MAX_VALUES_ASKED
        fields = []
        for place, found in enumerate(self.preview.get("questions", [])):
            fields.append(question_field(place, found, left, options=self.options))
            left -= len(fields[-1].values)
        return fields

    # Input.

    def _sent(self, data: Mapping[str, str]) -> LabelOptions:
        before = self.options
        if "afresh" in data:
            return LabelOptions()
        options = replace(
            before,
            **{name: data.get(name, getattr(before, name)) for name in _OPENED},
            decimal=data.get("decimal", before.decimal),
            repeats=data.get("repeats", before.repeats),
            same_texts=data.get("same_texts", before.same_texts),
            rater=data.get("rater", before.rater).strip(),
            round=data.get("round", before.round).strip(),
            rater_kind=data.get("rater_kind", before.rater_kind),
            replace="replace" in data,
            statuses=dict(before.statuses) | dict(self._chosen_statuses(data)),
        )
        if options.sheet != before.sheet and options.header_line == before.header_line:
            options = replace(options, header_line=AUTO)
        choices = {key: data.get(f"choice-{key}", chosen) for key, chosen in before.choices.items()}
        if choices.get(FILES) == ONE and options.rater in ("", before.sheet):
            # One of several sheets, each by the rater whom it is named after.
            is_by_rater = before.choices.get(FILES) == RATERS or options.rater == before.sheet
            options = replace(options, rater=options.sheet if is_by_rater else "")
        elif options.sheet != before.sheet and options.rater == before.rater:
            options = replace(options, rater="")
        if reading := data.get("read_as"):
            ignored, named_after = self.preview.get("ignored_labels", []), PurePath(self.file_name).stem
            return read_otherwise(options, reading, ignored=ignored, rater=named_after)
        if choices != dict(before.choices):
            options = replace(options, choices=choices, questions={}, decimal="auto")
            # With a file or sheet for each rater, columns are not of raters.
            is_same = choices.get(FILES) == before.choices.get(FILES)
            return options if is_same else replace(options, columns={}, question="")
        if any(getattr(options, name) != getattr(before, name) for name in _OPENED):
            return replace(
                options,
                columns={},
                questions={},
                question="",
                decimal="auto",
                choices=choices if options.format == before.format else {},
                # Unless it was just chosen, it is detected, since the sheet or format has changed.
                layout=options.layout if options.layout != before.layout else AUTO,
            )
        if "apart" in data:
            return replace(options, questions=self._apart(int(data["apart"])))
        if options.layout == WIDE and bool(options.rater) != bool(before.rater):
            # The columns were raters, and are now questions, or the other way around.
            return replace(options, columns={}, questions={}, question="", decimal="auto")
        columns = dict(self._columns(data))
        options = replace(options, columns=columns)
        if not are_same_but_for_types(columns, before.columns):
            question = before.question if has_same_label_columns(columns, before.columns) else ""
            return replace(options, question=question, questions={}, decimal="auto")
        return self._with_questions(options, data)

    def _chosen_statuses(self, data: Mapping[str, str]) -> Iterator[tuple[str, bool]]:
        """Yield the statuses that were changed, or asked about: what nobody changed stays a guess."""
        for field in self.statuses():
            is_label = f"counts-{field.place}" in data
            was_sent = data.get(f"status-{field.place}") == field.written
            if was_sent and (field.is_unseen or is_label != field.is_label):
                yield field.written, is_label

    def _columns(self, data: Mapping[str, str]) -> Iterator[tuple[str, Column]]:
        for column in self.columns():
            role = data.get(f"role-{column.place}", column.role)
            before = self.options.columns.get(column.name, Column(role))
            if role not in ROLES:
                raise ValueError(f"“{role}” is not a role of a column")
            if role != LABEL or self.options.layout != WIDE:
                yield column.name, Column(role)
                continue
            rater = data.get(f"rater-{column.place}", column.rater).strip()
            question = data.get(f"question-{column.place}", column.question).strip()
            if not rater and self.has_rater:
                question = question or column.name.strip()
            else:
                rater = rater or column.name.strip()
            kind = data.get(f"rater_kind-{column.place}", before.rater_kind)
            if kind not in ("", *RATER_KINDS):
                raise ValueError(f"Choose the type of rater {rater} from the list")
            # Like the file's: it stays so if that is changed.
            if not before.rater_kind and kind == self.options.rater_kind:
                kind = ""
            yield column.name, replace(before, role=role, rater=rater, question=question, rater_kind=kind)

    @property
    def has_rater(self) -> bool:
        return has_rater(self.options)

    def _with_questions(self, options: LabelOptions, data: Mapping[str, str]) -> LabelOptions:
        questions, name = dict(options.questions), options.question
        for field in self.questions():
            chosen = questions.get(field.key, QuestionOptions())
            kind = data.get(f"kind-{field.place}", chosen.kind)
            level = data.get(f"level-{field.place}", chosen.level)
            if kind not in CHOICES["question_kind"] or level not in CHOICES["level"]:
                raise ValueError("Choose the answer type and the scale of the question from the lists")
            if kind != chosen.kind:
                questions[field.key] = QuestionOptions(kind=kind, separator=chosen.separator)
                continue
            values = dict(chosen.values)
            for value in field.values:
                sent = data.get(f"value-{field.place}-{value.place}")
                # A suggestion that nobody has changed is not a decision: the whole file may suggest something else.
                if sent is not None and (value.written in values or sent != value.chosen):
                    _set(values, value.written, sent)
            order = submitted_order(field, data)
            order = chosen.order if order in ((), tuple(field.order)) else order
            questions[field.key] = replace(chosen, level=level, values=values, order=order)
            key = data.get(f"key-{field.place}", field.key).strip()
            if field.is_named and key and key != field.key:
                name, questions[key] = key, questions.pop(field.key)
        return replace(options, question=name, questions=questions)

    def _apart(self, place: int) -> dict[str, QuestionOptions]:
        """Return question options with each spelling as a separate category."""
        field, questions = self.questions()[place], dict(self.options.questions)
        chosen = questions.get(field.key, QuestionOptions())
        apart = {written: ValueMeaning(CATEGORY, written) for written, _, _ in field.merged}
        questions[field.key] = replace(chosen, values={**chosen.values, **apart})
        return questions


def _set(values: dict[str, ValueMeaning], written: str, sent: str) -> None:
    if sent.startswith("=") and len(sent) > 1:
        values[written] = ValueMeaning(CATEGORY, sent[1:])
    elif sent == "number":
        values[written] = ValueMeaning(CATEGORY, written)
    elif sent in WORDS:
        values[written] = ValueMeaning(sent)
    else:
        raise ValueError("Choose what each value becomes from the list")
