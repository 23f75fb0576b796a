"""Each rater of a file beside the others: their consensus, leaning towards categories, and drift over the own time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from projects.models import Question
from reports.agreement.results import FloatArray, IntArray
from reports.analysis.drift import drift_of
from reports.analysis.labels import Answers, LabelsBeside
from reports.analysis.options import Options
from reports.analysis.question import Scope
from reports.analysis.rater_consensus import beside_of
from reports.results.rater_figures import bias_of, consensus_of
from reports.sources.label_file import LabelsInFile


@dataclass(frozen=True, slots=True, eq=False)
class FileAnswers:
    """The labels of a question by item. answers: in the order of their items. starts: (N + 1,) where those of each item
    begin. share_of: of each category among all labels, none of numbers.
    """

    answers: Answers
    starts: IntArray
    share_of: list[float | None]


def scope_in(
    labels: LabelsInFile,
    kind: str,
    categories: Sequence[tuple[str, float | None]],
    level: str,
    options: Options,
) -> Scope:
    """A question of a file as reports know one; categories: name and value of each."""
    known = [{"id": place, "key": key, "value": value} for place, (key, value) in enumerate(categories)]
    question = {"id": 0, "key": labels.key, "kind": kind, "level": level, "categories": known}
    return Scope(question, None, options)


def answers_in(
    labels: LabelsInFile, values: NDArray[Any], members: NDArray[np.bool_], share_of: list[float | None]
) -> FileAnswers:
    """values, members: of the labels as `Answers` has them."""
    order = np.lexsort((labels.columns, labels.items))
    times: FloatArray = labels.times[order] if len(labels.times) else np.zeros(len(order))
    answers = Answers(
        labels.items[order], labels.columns[order], values[order], members, times, np.full(len(order), np.nan)
    )
    n_labels = np.bincount(labels.items, minlength=len(labels.item_names))
    return FileAnswers(answers, np.concatenate(([0], np.cumsum(n_labels))), share_of)


def figures_of_raters(
    scope: Scope, labels: LabelsInFile, found: FileAnswers, columns: Sequence[int]
) -> list[dict[str, Any]]:
    """For each rater the same figures as a report has, as JSON; drift: None in a file without times.

    columns: the raters of whom the others' consensus is.
    """
    has_times = len(labels.times) > 0
    return [
        _of_rater(scope, name, _labels_beside(found, rater, columns), found.share_of, has_times=has_times)
        for rater, name in enumerate(labels.raters)
    ]


def _of_rater(
    scope: Scope, name: str, labels: LabelsBeside, share_of: list[float | None], *, has_times: bool
) -> dict[str, Any]:
    beside = beside_of(scope, labels)
    return {
        "rater": name,
        "n_labels": len(labels.own),
        "consensus": consensus_of(scope, beside),
        "bias": bias_of(scope, labels, beside, share_of),
        "drift": drift_of(scope, beside) if has_times else None,
    }


def _labels_beside(found: FileAnswers, rater: int, columns: Sequence[int]) -> LabelsBeside:
    everyone = found.answers
    own = everyone.at(np.flatnonzero(everyone.raters == rater))
    starts = found.starts[own.items]
    n_labels = found.starts[own.items + 1] - starts
    places = np.repeat(np.arange(len(own)), n_labels)
    # The labels of the own items, one item after another.
    rows = np.arange(len(places)) + np.repeat(starts - (np.cumsum(n_labels) - n_labels), n_labels)
    is_other = (everyone.raters[rows] != rater) & np.isin(everyone.raters[rows], columns)
    nobody = everyone.at(np.empty(0, dtype=np.int64))
    return LabelsBeside(own, everyone.at(rows[is_other]), nobody, nobody, 0, places[is_other])


def shares_in(
    kind: str, codes: IntArray, members: NDArray[np.bool_], n_categories: int
) -> list[float | None]:
    """The share of all labels that have each category."""
    if kind == Question.Kind.NUMBER or not len(codes):
        return [None] * n_categories
    if kind == Question.Kind.MULTIPLE:
        return list(members[codes].mean(axis=0).tolist())
    return list((np.bincount(codes, minlength=n_categories) / len(codes)).tolist())
