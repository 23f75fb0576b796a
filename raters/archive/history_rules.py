"""Labels in a project file must match their history, and each revision must follow the one before it."""

from array import array
from collections.abc import Callable
from operator import itemgetter
from typing import Any

from projects.models import Category
from raters.archive.contents import BY_MODEL, Model, Row
from raters.archive.row_rules import InvalidRow, RowReferences, check_columns, check_values
from raters.archive.table_rules import TableRules
from raters.archive.values import checks_of
from raters.models import Decision, Label, LabelRevision, Rater

# The columns that a revision and its label have in common, except the category set and the numbers.
_revised_columns = itemgetter(
    "item_id", "question_id", "rater_id", "batch_id", "pass_number", "category_id",
    "is_abstention", "reason", "note", "guidelines_version",
)  # fmt: skip
_COLUMN_OF = {
    "single": "category_id",
    "multiple": "category_set",
    "number": "number",
    "text": "text",
}


class HistoryRules:
    """One pass over millions of rows: the state for comparing later rows is kept in arrays, not in objects."""

    def __init__(self, references: RowReferences, tables: TableRules) -> None:
        self.references, self.tables = references, tables
        self.label_raters = array("q")
        # For each label by its place, including those that are gone: the last revision in its history, and the label's
        # value at that point. 0: none yet; negative: withdrawn.
        self.last = (array("q"), array("q"))
        self.states = (array("q"), array("q"))
        self.old_checks = checks_of(BY_MODEL[Label])
        self.old_columns = {*BY_MODEL[Label].columns, "id"}
        self.of: dict[Model, Callable[[int, Row], None]] = {
            LabelRevision: self.revision,
            Label: self.label,
            Decision: self.decision,
        }

    @property
    def is_whole(self) -> bool:
        """Return whether each label that is gone was withdrawn."""
        return all(last < 0 for last in self.last[1])

    def revision(self, place: int, row: Row) -> None:
        self._check_answer(row, may_be_gone=True)
        old, change, label = row["old_value"], row["change"], row["label_id"]
        last, states, place = self._history_of(label)
        if change == LabelRevision.Change.CREATED:
            if old is not None:
                raise InvalidRow("old_value", "must be null: the label was created")
            if last[place]:
                raise InvalidRow("change", "says the label was created, but it is already in the history")
        else:
            old = self._checked_old(old)
            if old["id"] != label or last[place] != old["revision"] or states[place] != _state(old):
                raise InvalidRow("old_value", "does not match the previous revision of this label")
            if row["revision"] != old["revision"] + 1:
                raise InvalidRow(
                    "revision", f"must be {old['revision'] + 1}, the next revision of this label"
                )
            if any(row[name] != old[name] for name in ("item_id", "question_id", "rater_id", "pass_number")):
                raise InvalidRow("item_id", "a label cannot move to another item, question, rater, or pass")
        is_withdrawn = change == LabelRevision.Change.WITHDRAWN
        last[place] = -row["revision"] if is_withdrawn else row["revision"]
        states[place] = _state(row)

    def _history_of(self, label: int) -> tuple[Any, Any, int]:
        which = 0 if label >= 0 else 1
        place = label if label >= 0 else -label - 1
        last, states = self.last[which], self.states[which]
        if missing := max(0, place + 1 - len(last)):
            last.extend([0] * missing)
            states.extend([0] * missing)
        return last, states, place

    def _checked_old(self, old: Any) -> Row:
        """Return a former row of a label, with the columns added that it was written without."""
        try:
            kind = BY_MODEL[Label]
            filled = kind.filled(old) if isinstance(old, dict) else old
            check_columns(filled, self.old_columns)
            check_values(filled, self.old_checks)
            self.references.refer(old["id"], "id", Label, may_be_gone=True)
            for name, model in kind.references.items():
                if old[name] is not None or not kind.field_of(name).null:
                    self.references.refer(old[name], name, model, may_be_gone=True)
            self.references.refer_to_set(old["category_set"], "category_set", Category, may_be_gone=True)
            return filled
        except InvalidRow as wrong:
            raise InvalidRow("old_value", f"{wrong.column} {wrong.rule}") from None

    def label(self, place: int, row: Row) -> None:
        kind = self._check_answer(row, may_be_gone=False)
        if not row["is_abstention"]:
            name = _COLUMN_OF[kind]
            if row[name] is None:
                raise InvalidRow(name, f"must not be empty: its question is of kind {kind}")
        last, states, _ = self._history_of(place)
        if last[place] != row["revision"] or states[place] != _state(row):
            raise InvalidRow("revision", "the label does not match its last revision in labelrevision.jsonl")
        self.label_raters.append(row["rater_id"])

    def _check_answer(self, row: Row, *, may_be_gone: bool) -> str:
        """Return the kind of the question; categories must belong to it, and a label's must not be merged away."""
        if row["confidence"] is not None and row["is_abstention"]:
            raise InvalidRow("confidence", "must be null: the rater could not tell")
        question = row["question_id"]
        chosen = [row["category_id"]] if row["category_id"] is not None else row["category_set"] or []
        column = "category_id" if row["category_id"] is not None else "category_set"
        for category in chosen:
            if category < 0:
                continue
            of, into = self.tables.categories[category]
            if of != question:
                raise InvalidRow(column, f"refers to category {category}, which belongs to another question")
            if into is not None and not may_be_gone:
                raise InvalidRow(column, f"refers to category {category}, which was merged into another")
        if (row["guidelines_version"] or 0) > self.tables.n_guidelines:
            raise InvalidRow(
                "guidelines_version", f"must be at most {self.tables.n_guidelines}, the last version"
            )
        return str(self.tables.questions[question]["kind"]) if question >= 0 else ""

    def decision(self, place: int, row: Row) -> None:
        if self.tables.rater_kinds[self.label_raters[row["label_id"]]] != Rater.Kind.CONSENSUS:
            raise InvalidRow("label_id", "refers to a label that is not by the consensus rater")


def _state(row: Row) -> int:
    """Return a number that is equal only for labels with the same value."""
    chosen = row["category_set"]
    # PostgreSQL writes a large number in a former row without a decimal point, so 3 and 3.0 are equal.
    numbers = (None if row.get(name) is None else float(row[name]) for name in ("number", "confidence"))
    # A former row of a label may date from before texts, confidences, and suggestions existed.
    rest = row.get("text"), row.get("from_suggestion", False)
    return hash((*_revised_columns(row), None if chosen is None else tuple(chosen), *numbers, *rest))
