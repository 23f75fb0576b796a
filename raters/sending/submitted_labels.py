"""Labels sent by a program: staged, checked, and loaded like those of a file, but without guessing anything."""

from collections.abc import Iterator, Sequence
from typing import Any, NotRequired

from django.db import connection, transaction

from core.refusals import FieldError, RefusedWithCode
from core.tables.faults import Faults, FileRefused
from core.tables.sources import bytes_of
from projects.imports.protocol import ImportContext, ImportResult
from projects.imports.recording import record_import
from projects.models import Project, Question
from raters.imports import loading
from raters.imports.label_file import LabelFile
from raters.imports.label_options import LabelOptions, QuestionOptions
from raters.imports.staging import stage
from raters.labeling.answers import ValidatedAnswerValue
from raters.reading.columns import LONG
from raters.reading.records import LabelRecord
from raters.reading.values import CATEGORY, MISSING_CODES, ValueMeaning

# Above this, labels have to be imported from a file, which a worker loads.
MOST_LABELS = 5_000
ORIGIN = "api, in bulk"
# The name in the log in place of a file.
OVER_THE_API = "API"
# The answer fields, and the question kind that each is for.
KIND_OF = {
    "category": Question.Kind.SINGLE,
    "categories": Question.Kind.MULTIPLE,
    "number": Question.Kind.NUMBER,
    "text": Question.Kind.TEXT,
}
_FIELD_OF = {kind: name for name, kind in KIND_OF.items()}
# Every number is taken literally, including 99.
_LITERAL_CODES = {f"{code:g}": ValueMeaning(CATEGORY, f"{code:g}") for code in MISSING_CODES}
# API field names by the names of file columns.
_FIELDS = {"time": "labeled_at", "pass": "pass_number"}
_RULES = {
    "conflicts_with_label": "this rater already has a different label here; to replace it, send on_conflict=replace",
    "duplicate_label": "another object has the same item, rater, and question",
}
_CONFLICTS = {"conflicts_with_label", "source_id_moved"}


class ValidatedLabel(ValidatedAnswerValue):
    """Validated input of `NewLabel`."""

    item: str
    rater: str
    question: str
    rater_kind: NotRequired[str]
    seconds: NotRequired[float]
    labeled_at: NotRequired[str]
    pass_number: NotRequired[int]
    round: NotRequired[str]
    source_id: NotRequired[str]
    from_suggestion: NotRequired[bool]


class SubmittedLabels(LabelFile):
    """Labels sent instead of a file. Labels identified by their source IDs may change."""

    ids_may_change = True

    def __init__(
        self,
        project: Project,
        labels: Sequence[ValidatedLabel],
        *,
        replace: bool,
        declared_only: bool,
        by: Any,
    ) -> None:
        self.labels = labels
        self.kinds = dict(project.questions.values_list("key", "kind"))
        self.new_kinds: dict[str, str] = {}
        for label in labels:
            if (name := field_of(label)) in KIND_OF and label["question"] not in self.kinds:
                self.new_kinds.setdefault(label["question"], KIND_OF[name])
        options = LabelOptions(
            layout=LONG, questions=self._questions(), replace=replace, declared_only=declared_only
        )
        super().__init__(project, bytes_of(b""), options, ImportContext(by=by, origin=ORIGIN))

    def load(self) -> ImportResult:
        done = super().load()
        if self.staged.has_source_ids:
            loading.adopt_ids()
        return done

    def _questions(self) -> dict[str, QuestionOptions]:
        """Return options for each question, with every value taken literally."""
        values: dict[str, dict[str, ValueMeaning]] = {}
        for label in self.labels:
            of_question = values.setdefault(label["question"], dict(_LITERAL_CODES))
            for key in (label.get("category"), *(label.get("categories") or ())):
                if key is not None:
                    of_question[key] = ValueMeaning(CATEGORY, key)
        return {
            key: QuestionOptions(
                kind=self.new_kinds.get(key, Question.Kind.SINGLE),
                level=Question.Level.INTERVAL
                if self.new_kinds.get(key) == Question.Kind.NUMBER
                else Question.Level.NOMINAL,
                values=becomes,
            )
            for key, becomes in values.items()
        }

    def _stage(self) -> bool:
        kinds = {**self.kinds, **self.new_kinds}
        records = list(self._records(kinds))
        self.staged = staged = stage(
            records, self.options, kinds, statuses={}, faults=self.faults, report_rows=lambda n_records: None
        )
        self.preview.n_records, self.preview.n_labels = staged.n_records, staged.n_labels
        return True

    def _records(self, kinds: dict[str, str]) -> Iterator[LabelRecord]:
        for line, label in enumerate(self.labels, start=1):
            name, kind = field_of(label), kinds.get(label["question"], Question.Kind.SINGLE)
            if name in KIND_OF and KIND_OF[name] != kind:
                rule = f"the question asks for {_FIELD_OF[Question.Kind(kind)]}, not {name}"
                self.faults.add(line, "label", str(label[name]), "wrong_kind", rule)  # type: ignore[literal-required]
                continue
            yield record_of(line, label)

    def _settle_source_ids(self) -> None:
        """Report source IDs that two objects share for one rater and question, which is a mistake by the sender."""
        with connection.cursor() as cursor:
            cursor.execute("""
                SELECT line, source_id FROM (
                    SELECT line, source_id, row_number() OVER (PARTITION BY rater, question, source_id ORDER BY n)
                    FROM staged WHERE source_id <> ''
                ) s (line, source_id, place) WHERE place > 1 ORDER BY line
            """)
            for line, source_id in cursor.fetchall():
                rule = "another object for this rater and question has the same source id"
                self.faults.add(line, "source_id", source_id, "duplicate_source_id", rule)


def field_of(label: ValidatedLabel) -> str:
    """Return the field that answers the question."""
    return next((name for name in KIND_OF if label.get(name) is not None), "cannot_tell")


def record_of(line: int, label: ValidatedLabel) -> LabelRecord:
    categories, number = label.get("categories"), label.get("number")
    seconds, pass_number = label.get("seconds"), label.get("pass_number")
    return LabelRecord(
        line=line,
        item=label["item"],
        rater=label["rater"],
        question=label["question"],
        value=tuple(categories)
        if categories is not None
        else repr(number)
        if number is not None
        else label.get("category") or label.get("text"),
        rater_kind=label.get("rater_kind", ""),
        cannot_tell=label.get("cannot_tell", False),
        reason=label.get("reason", ""),
        note=label.get("note", ""),
        seconds="" if seconds is None else repr(seconds),
        at=label.get("labeled_at", ""),
        pass_number="" if pass_number is None else str(pass_number),
        round=label.get("round", ""),
        source_id=label.get("source_id", ""),
        confidence="" if (confidence := label.get("confidence")) is None else repr(confidence),
        from_suggestion=label.get("from_suggestion"),
    )


@transaction.atomic
def save_labels(
    project: Project, labels: Sequence[ValidatedLabel], *, replace: bool, declared_only: bool, by: Any
) -> ImportResult:
    """Save all labels or none. Raises RefusedWithCode with every fault, by place in the array and field."""
    sent = SubmittedLabels(project, labels, replace=replace, declared_only=declared_only, by=by)
    try:
        done = sent.load()
    except FileRefused as refused:
        raise _refusal(refused.faults, labels) from None
    if done.n_created or done.n_changed:
        record_import(project, done, by=by, file_name=OVER_THE_API, what="labels")
    return done


def _refusal(faults: Faults, labels: Sequence[ValidatedLabel]) -> RefusedWithCode:
    errors: list[FieldError] = [
        {
            "field": f"{fault.line - 1}.{_field(fault.column, labels[fault.line - 1])}" if fault.line else "",
            "code": fault.code,
            "detail": _RULES.get(fault.code, fault.rule),
        }
        for fault in faults.listed
    ]
    codes = {fault.code for fault in faults.listed}
    s = "" if faults.n == 1 else "s"
    where = f"{errors[0]['field']}: " if errors[0]["field"] else ""
    return RefusedWithCode(
        errors[0]["code"],
        f"{faults.n:,} problem{s} found, so no label was saved. {where}{errors[0]['detail']}.",
        status_code=409 if codes <= _CONFLICTS else 400,
        errors=errors,
    )


def _field(column: str, label: ValidatedLabel) -> str:
    return field_of(label) if column == "label" else _FIELDS.get(column, column)
