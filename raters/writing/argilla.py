"""Argilla and Hugging Face: one record per item, with the raters' responses and soft labels."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.tables.zipped import in_blocks
from raters.models import Rater
from raters.reporting import reporting
from raters.writing.contents import ExportContents
from raters.writing.records import (
    ExportKind,
    ExportQuestion,
    FinalRow,
    ItemRow,
    LabelRow,
    RaterRow,
    Value,
    as_integer_if_whole,
)
from raters.writing.source import LiveLabels
from raters.writing.target import Loss, Target, lost

FINAL_LABELS = "final labels"
SHARE, POSTERIOR = "label_share", "dawid_skene"
_OWN = frozenset({"id", "status", "metadata", "external_id", "vectors"})
# Labels times categories; the posterior is estimated from all labels of a question at once.
MOST_ESTIMATED = 10_000_000

Json = str | int | float | None | Sequence["Json"] | Mapping[str, "Json"]
Record = dict[str, Json]
Soft = dict[str, float]


@dataclass(frozen=True, slots=True)
class Posteriors:
    """The probability of each category of a question. items: IDs in ascending order, only those with an estimate."""

    keys: tuple[str, ...]
    items: NDArray[np.int64]
    shares: NDArray[np.float64]

    def of(self, item: int) -> Soft | None:
        place = int(np.searchsorted(self.items, item))
        if place == len(self.items) or self.items[place] != item:
            return None
        return dict(zip(self.keys, self.shares[place].tolist(), strict=True))


def _lines(live: LiveLabels) -> Iterator[bytes]:
    return in_blocks(json.dumps(record, ensure_ascii=False) + "\n" for record in _records(live))


def _records(live: LiveLabels) -> Iterator[Record]:
    match live.scope.what:
        case ExportKind.LABELS:
            model = _suggesting(live.raters())
            posteriors = {question.key: posteriors_of(live, question) for question in live.scope.questions}
            for item, labels in live.labeled_items():
                record = _record(item, "completed")
                for question in live.scope.questions:
                    given = [label for label in labels if label.question == question.key and label.is_first]
                    record |= _responses(question, given, model)
                    if not question.is_number:
                        soft = posteriors[question.key].of(item.pk) if question.is_single else None
                        record |= _soft(question, given, soft)
                yield record
        case ExportKind.FINAL:
            for item, finals in live.items_with_finals():
                record = _record(item, "pending")
                for question in live.scope.questions:
                    record |= _suggestion(question, finals)
                yield record
        case ExportKind.ITEMS:
            for item in live.items():
                yield _record(item, "pending")


def _suggesting(raters: Sequence[RaterRow]) -> str:
    """Return the model whose labels become the suggestions; a question has only one suggestion."""
    return next((rater.key for rater in raters if rater.is_model), "")


def _record(item: ItemRow, status: str) -> Record:
    return {"id": item.key, "status": status, **item.texts(_OWN)}


def _responses(question: ExportQuestion, labels: Sequence[LabelRow], model: str) -> Record:
    """Return three parallel lists and the suggestion; every record has them, so that all have the same columns."""
    key = question.key
    given = [label for label in labels if label.rater != model or label.kind != Rater.Kind.MODEL]
    suggested = next((label for label in labels if label not in given and not label.is_abstention), None)
    return {
        f"{key}.responses": [_value(label.value) for label in given],
        f"{key}.responses.users": [label.rater for label in given],
        f"{key}.responses.status": ["discarded" if label.is_abstention else "submitted" for label in given],
        f"{key}.suggestion": None if suggested is None else _value(suggested.value),
        f"{key}.suggestion.agent": None if suggested is None else suggested.rater,
    }


def _suggestion(question: ExportQuestion, finals: Sequence[FinalRow]) -> Record:
    final = next((each for each in finals if each.question == question.key and each.value is not None), None)
    key = question.key
    return {
        f"{key}.suggestion": None if final is None else _value(final.value),
        f"{key}.suggestion.score": None if final is None else final.share,
        f"{key}.suggestion.agent": None if final is None else FINAL_LABELS,
    }


def _value(value: Value) -> Json:
    if isinstance(value, float):
        return as_integer_if_whole(value)
    return list(value) if isinstance(value, tuple) else value


def _soft(question: ExportQuestion, labels: Sequence[LabelRow], posterior: Soft | None) -> Record:
    """Return the share of people and models who chose each category; references do not count as raters."""
    counted = [label for label in labels if label.counts and label.kind != Rater.Kind.REFERENCE]
    shares: Soft | None = None
    if counted:
        counts = {category.key: 0 for category in question.compared}
        for label in counted:
            for key in label.keys:
                counts[key] += 1
        shares = {key: n / len(counted) for key, n in counts.items()}
    record: Record = {f"{question.key}.{SHARE}": shares}
    if question.is_single:
        record[f"{question.key}.{POSTERIOR}"] = posterior
    return record


def posteriors_of(live: LiveLabels, question: ExportQuestion) -> Posteriors:
    """Return the Dawid–Skene posteriors, estimated from the same labels as the shares."""
    keys = tuple(category.key for category in question.compared)
    none = Posteriors(keys, np.empty(0, dtype=np.int64), np.empty((0, len(keys))))
    most = MOST_ESTIMATED // max(1, len(keys))
    if not question.is_single or not keys or live.n_labels(question.pk, at_most=most) > most:
        return none
    places = {pk: keys.index(key) for pk, key in live.keys.items() if key in set(keys)}
    flat = (
        part for item, rater, category in live.codes(question.pk) for part in (item, rater, places[category])
    )
    labels = np.fromiter(flat, dtype=np.int64).reshape(-1, 3)
    items, of_item = np.unique(labels[:, 0], return_inverse=True)
    raters, of_rater = np.unique(labels[:, 1], return_inverse=True)
    codes = np.column_stack([of_item, of_rater, labels[:, 2]])
    found = reporting().posteriors(codes, (len(items), len(raters), len(keys)))
    return none if found is None else Posteriors(keys, items, found)


def _loses(contents: ExportContents) -> list[Loss]:
    if contents.scope.what is not ExportKind.LABELS:
        return lost(contents, held=("share_agree",))
    discarded = "written as discarded responses"
    n_others = len(contents.references) + max(0, len(contents.models) - 1)
    return [
        *lost(contents, held=("of_others",), abstentions=discarded),
        Loss(
            n_others,
            "raters whose type is lost (references, and all models except the first)",
            "written as responses",
        ),
        Loss(
            None if _may_be_too_many(contents) else 0,
            "Dawid–Skene posteriors",
            f"left out of questions with more than {MOST_ESTIMATED:,} labels × categories",
        ),
    ]


def _may_be_too_many(contents: ExportContents) -> bool:
    most = max((len(question.categories) for question in contents.questions), default=0)
    return contents.counts["labels"] * most > MOST_ESTIMATED


ARGILLA = Target(
    "argilla",
    "Argilla / Hugging Face",
    "One JSON record per item with everybody’s responses, and soft labels for training: the share of raters, and "
    "the Dawid–Skene posterior.",
    "jsonl",
    "application/x-ndjson",
    tuple(ExportKind),
    _loses,
    _lines,
    hint="Soft labels are computed without references and labels treated as missing. The posterior is for "
    "single-choice questions.",
    name="{slug}-{what}-argilla",
)
