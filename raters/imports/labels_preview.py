"""The preview of a file of labels."""

from collections import Counter
from dataclasses import asdict, dataclass, field, fields, replace

from core.shapes import Json
from raters.imports.file_interpretation import FileInterpretation
from raters.imports.label_options import LabelOptions, QuestionOptions
from raters.imports.new_names import NewNames
from raters.imports.values import QuestionPreview, ValueRow
from raters.reading.statuses import is_counted

# Fields to show of how a file was understood; its options are stored in a separate column.
_INTERPRETATION_FIELDS = (
    "title", "detected", "choices", "encoding", "separator", "sheet", "sheets", "other_tables", "header_line",
    "columns", "first_rows", "date_columns", "unlike_raters", "ignored_labels",
    "is_transposed", "numbers",
)  # fmt: skip


@dataclass(slots=True)
class LabelsPreview:
    """The content of a file as it was understood, and the effect of importing it.

    states: counts of records that are not labels. statuses: counts of rows by the words in a column of statuses.
    unseen_statuses: those among them whose rows are labels, though nobody has seen them. left_out: what cannot be
    imported. n_empty: cells without an answer. n_by_text: items found by their text. n_untyped: new raters whose
    type the file does not say. n_missing: answers that mean a missing value. n_dropped: further labels of a rater,
    of which one is kept. is_whole: False if these are the figures of the first part of a large file. n_expected:
    about how many answers such a file has, judging by the size of that part; 0 if unknown.
    """

    interpretation: FileInterpretation = field(default_factory=lambda: FileInterpretation(LabelOptions()))
    questions: list[QuestionPreview] = field(default_factory=list)
    new: dict[str, NewNames] = field(default_factory=dict)
    states: dict[str, int] = field(default_factory=dict)
    statuses: dict[str, int] = field(default_factory=dict)
    unseen_statuses: list[str] = field(default_factory=list)
    left_out: dict[str, int] = field(default_factory=dict)
    is_whole: bool = True
    n_expected: int = 0
    n_records: int = 0
    n_labels: int = 0
    n_by_text: int = 0
    n_untyped: int = 0
    n_empty: int = 0
    n_missing: int = 0
    n_dropped: int = 0
    n_created: int = 0
    n_changed: int = 0
    n_unchanged: int = 0

    def as_json(self) -> Json:
        shown = {name: getattr(self.interpretation, name) for name in _INTERPRETATION_FIELDS}
        counted = {
            field.name: getattr(self, field.name) for field in fields(self) if field.name != "interpretation"
        }
        return {
            **shown,
            **counted,
            "statuses": [
                (written, n, is_counted(written, self.interpretation.options.statuses))
                for written, n in Counter(self.statuses).most_common()
            ],
            "questions": [asdict(question) for question in self.questions],
            "new": {name: asdict(new) for name, new in self.new.items()},
        }

    def mark_unseen(self, seen: Json, options: LabelOptions) -> bool:
        """Mark values that an earlier preview did not show, or that become something else now, unless that was decided.

        Also marks statuses that it did not show and whose rows are labels. Returns whether there are any of these, or a
        question that it did not show.
        """
        decided = options.questions
        known_statuses = {written for written, *_ in seen.get("statuses", [])} | options.statuses.keys()
        self.unseen_statuses = [
            written
            for written in self.statuses
            if written not in known_statuses and is_counted(written, options.statuses)
        ]
        shown = {
            question["key"]: {row["written"]: row["becomes"] for row in question["rows"]}
            for question in seen.get("questions", [])
        }
        is_beyond = bool(self.unseen_statuses) or any(
            question.key not in {*shown, *decided} for question in self.questions
        )
        for question in self.questions:
            known = shown.get(question.key, {})
            resolved = decided.get(question.key, QuestionOptions()).values
            for place, row in enumerate(question.rows):
                if row.written and row.written not in resolved and known.get(row.written, row) != row.becomes:
                    question.rows[place] = replace(row, why=row.why or "unseen")
                    is_beyond = True
            # Such as a number that looked like a missing-value code among the first values, but not among all.
            for written in known.keys() - resolved.keys() - {row.written for row in question.rows}:
                if known[written] != written:
                    question.rows.append(ValueRow(written, 0, written, "unseen"))
                    is_beyond = True
        return is_beyond
